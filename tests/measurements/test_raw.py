"""The raw result is read strictly: what is half right is refused with the first thing that is wrong."""

import json
from datetime import UTC, datetime

import pytest

from gpucontract.measurements import raw
from tests.measurements.fake_agent import output, raw_result

ORDER = {"run": "r1", "job": "inventory", "params": {}}


def body(**changes) -> bytes:
    return json.dumps({**raw_result(ORDER), **changes}).encode()


def with_output(**changes) -> bytes:
    return body(outputs=[output("lscpu", "CPU(s): 2\n", **changes)])


def test_it_reads_a_whole_result():
    began = {"started_at": "2026-11-30T08:00:00Z"}
    result = raw.read(with_output(exit_status=None, env={"NCCL_DEBUG": "INFO"}, truncated=True, **began))
    one = result.outputs[0]
    assert (result.run, result.job, result.hostname) == ("r1", "inventory", "gpu-node-01")
    assert (one.name, one.tool, one.exit_status, one.is_truncated) == ("lscpu", "lscpu", None, True)
    assert one.started_at == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert one.capture.env == {"NCCL_DEBUG": "INFO"} and one.capture.stdout == "CPU(s): 2\n"


def test_the_hash_of_an_output_is_over_stdout_alone():
    one, other = (raw.read(with_output(command=command)).outputs[0] for command in ("lscpu", "/usr/bin/lscpu"))
    assert one.sha256 == other.sha256
    assert one.sha256 != raw.read(body(outputs=[output("lscpu", "CPU(s): 4\n")])).outputs[0].sha256


WRONG = {
    "empty": (b"", "not JSON"),
    "truncated": (with_output()[:-20], "not JSON"),
    "garbage": (b"\x00\xff\x13garbage", "not JSON"),
    "a nested bomb": (b"[" * 200_000, "not JSON"),
    "NaN": (with_output().replace(b'"exit_status": 0', b'"exit_status": NaN'), "NaN"),
    "a list": (b"[]", "protocol v1"),
    "another protocol": (body(protocol="v9"), "protocol v1"),
    "no outputs": (body(outputs=None), "outputs is missing"),
    "too many outputs": (body(outputs=[output(f"t{n}", "") for n in range(201)]), "201 outputs"),
    "one name twice": (body(outputs=[output("lscpu", ""), output("lscpu", "")]), "same name"),
    "no host name": (body(hostname=""), "hostname must be"),
    "a long host name": (body(hostname="x" * 256), "hostname must be"),
    "NUL in a name": (body(hostname="a\0b"), "hostname must be"),
    "an output that is text": (body(outputs=["lscpu"]), "not an object"),
    "a number for stdout": (with_output(stdout=5), "stdout is missing"),
    "half a surrogate": (with_output(stdout="\ud800"), "surrogate"),
    "a text exit status": (with_output(exit_status="0"), "exit_status"),
    "true for an exit status": (with_output(exit_status=True), "exit_status"),
    "a huge exit status": (with_output(exit_status=2**40), "exit_status"),
    "a time without zone": (with_output(started_at="2026-11-30T08:00:00"), "time zone"),
    "no time at all": (with_output(started_at="yesterday"), "not a time"),
    "a number in env": (with_output(env={"A": 1}), "env 'A'"),
    "redacted as text": (with_output(redacted="token"), "redacted is not a list"),
    "a number in redacted": (with_output(redacted=[1]), "redacted is not a list"),
    "NUL in env": (with_output(env={"A": "\0"}), "env 'A'"),
}


@pytest.mark.parametrize(("data", "said"), WRONG.values(), ids=WRONG)
def test_it_refuses(data: bytes, said: str):
    with pytest.raises(raw.BadResult, match=said):
        raw.read(data)
