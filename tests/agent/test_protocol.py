"""The wire format: what is signed, what a 200 carries, how environments are written down."""

import pytest

from gpucontract.agent import protocol

SECRET = b"0123456789abcdef"
ENVELOPE = protocol.envelope("agent", "node", "run", "fabric", "live", "nonce", b"body", "2026-11-30T00:00:00Z")


def test_the_signature_is_the_hmac_of_six_lines():
    """The body's hash is that of the two bytes {}; the value was computed apart from this code."""
    given = "4877604d4a0b39fc07350e4f5514f3b810ac4b199ab88ec1c6364604ef1cd020"
    assert protocol.signature(SECRET, "POST", "/run", "n", "1", b"{}") == given


@pytest.mark.parametrize(
    "changed",
    [
        {"secret": b"fedcba9876543210"}, {"method": "GET"}, {"path": "/"}, {"nonce": "m"}, {"timestamp": "2"},
        {"body": b"{ }"}, {"given": ""}, {"given": None}, {"given": "\udcff"}, {"given": "ü"},
    ],
    ids=str,
)  # fmt: skip
def test_anything_changed_is_not_signed(changed):
    said = {"secret": SECRET, "method": "POST", "path": "/run", "nonce": "n", "timestamp": "1", "body": b"{}"}
    given = protocol.signature(**said)
    assert protocol.is_signed(**said, given=given)
    assert not protocol.is_signed(**{**said, "given": given, **changed})


def test_an_envelope_comes_out_of_its_headers_exactly():
    headers = protocol.answer_headers(SECRET, ENVELOPE, "1")
    assert protocol.opened_envelope(SECRET, headers, "nonce") == protocol.compact(ENVELOPE)


@pytest.mark.parametrize(
    ("secret", "nonce", "changed"),
    [
        (b"fedcba9876543210", "nonce", {}),
        (SECRET, "another", {}),
        (SECRET, "nonce", {protocol.ENVELOPE_HEADER: "not base64!"}),
        (SECRET, "nonce", {protocol.ENVELOPE_HEADER: "/////w=="}),
        (SECRET, "nonce", {protocol.ENVELOPE_HEADER: "e30="}),
        (SECRET, "nonce", {protocol.TIMESTAMP_HEADER: "2"}),
        (SECRET, "nonce", {protocol.SIGNATURE_HEADER: ""}),
    ],
    ids=["secret", "nonce", "not base64", "not UTF-8", "another envelope", "time", "unsigned"],
)
def test_an_envelope_that_is_not_signed_does_not_open(secret, nonce, changed):
    headers = {**protocol.answer_headers(SECRET, ENVELOPE, "1"), **changed}
    assert protocol.opened_envelope(secret, headers, nonce) is None


def test_the_same_document_always_has_the_same_bytes():
    assert protocol.compact({"b": 1, "a": "机器"}) == protocol.compact({"a": "机器", "b": 1})
    assert protocol.compact({"b": 1, "a": "机器"}) == '{"a":"机器","b":1}'.encode()


@pytest.mark.parametrize("env", [{}, {"A": "1"}, {"B": "a b", "A": "x=y", "C": 'it\'s "q"', "D": ""}], ids=str)
def test_an_environment_is_read_back_as_it_was_written(env):
    assert protocol.env_of(protocol.env_line(env)) == env


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("nvidia-smi -L", "nvidia-smi-L"),
        ("/proc/self/loginuid", "proc-self-loginuid"),
        ("nccl-tests all_reduce_perf", "nccl-tests-all-reduce-perf"),
    ],
)
def test_an_output_is_named_after_its_tool(tool, name):
    assert protocol.output_name(tool) == name


def test_every_refusal_has_an_error_status():
    assert {status // 100 for status in protocol.REFUSALS.values()} == {4, 5}
