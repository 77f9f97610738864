"""Orders over a real socket: who may order, what comes back, and that the same run gives the same bytes."""

import hashlib
import json

import pytest

from gpucontract.agent import protocol
from tests.agent.running import AGENT, ALL_REDUCE, RECORDINGS, new_run


def test_a_result_carries_a_signed_envelope_over_its_own_bytes(replaying):
    run, nonce = new_run(), "0123456789abcdef"
    replaying.result(run, "inventory")
    answer = replaying.order(run, "inventory", nonce=nonce)
    envelope = replaying.envelope(answer, nonce)
    assert answer.status == 200
    assert envelope.pop("sent_at").endswith("Z")
    assert envelope == {
        "protocol": "v1", "agent": AGENT, "node": "gpu-node-01", "run": run, "job": "inventory", "origin": "replay",
        "nonce": nonce, "body_sha256": hashlib.sha256(answer.body).hexdigest(),
    }  # fmt: skip
    assert replaying.envelope(answer, "another nonce") is None


def test_the_raw_result_has_every_output_as_it_was_recorded(replaying):
    run = new_run()
    result = replaying.result(run, "inventory")[0].document
    listing = (RECORDINGS / "gpu-node-01" / "inventory__1__nvidia-smi-L.txt").read_text()
    first = result["outputs"][0]
    assert (result["run"], result["job"], result["params"], result["hostname"]) == (run, "inventory", {}, "gpu-node-01")
    assert [output["tool"] for output in result["outputs"]] == [
        "nvidia-smi -L", "nvidia-smi --query-gpu csv", "lscpu", "/proc/meminfo", "/proc/driver/nvidia/gpus",
    ]  # fmt: skip
    assert (first["name"], first["stdout"], first["exit_status"]) == ("nvidia-smi-L", listing, 0)


def test_a_delayed_run_says_how_far_it_is_before_it_is_done(start):
    agent = start("--replay", RECORDINGS / "gpu-node-01", "--delay", "0.6")
    run = new_run()
    first = agent.order(run, "inventory")
    answer, seen = agent.result(run, "inventory")
    assert first.status == 202
    assert first.document["run"] == run
    assert first.document["state"] in ("queued", "running")
    assert (first.document["steps"], first.document["doing"]) == (5, "nvidia-smi -L")
    assert (answer.status, seen[0], seen[-1]) == (200, 202, 200)


def test_asking_again_gives_the_same_bytes_and_another_envelope(replaying):
    run = new_run()
    first, _ = replaying.result(run, "topology")
    second = replaying.order(run, "topology")
    name = protocol.ENVELOPE_HEADER.lower()
    assert first.body == second.body
    assert first.headers[name] != second.headers[name]


def test_two_runs_of_one_job_differ_only_in_their_run(replaying):
    first, second = (replaying.result(new_run(), "fabric")[0].document for _ in range(2))
    assert first.pop("run") != second.pop("run")
    assert first == second


def test_the_same_run_with_other_parameters_is_refused(replaying):
    run = new_run()
    replaying.result(run, "nccl_intra", {**ALL_REDUCE, "repeat": 1})
    answer = replaying.order(run, "nccl_intra", {**ALL_REDUCE, "repeat": 2})
    assert (answer.status, answer.error) == (400, "run_differs")


@pytest.mark.parametrize(
    ("changed", "status", "error"),
    [
        pytest.param({"secret": "another secret of good length"}, 401, "wrong_signature", id="another secret"),
        pytest.param({"headers": {protocol.SIGNATURE_HEADER: "ü" * 64}}, 401, "wrong_signature", id="not hex"),
        pytest.param({"headers": {protocol.SIGNATURE_HEADER: ""}}, 401, "wrong_signature", id="unsigned"),
        pytest.param({"headers": {protocol.TIMESTAMP_HEADER: "1"}}, 401, "wrong_signature", id="time edited"),
        pytest.param({"headers": {protocol.NONCE_HEADER: "b" * 32}}, 401, "wrong_signature", id="nonce edited"),
        pytest.param({"agent": "5d6a4a52-0000-4b86-9c1e-8a0c3f1f0002"}, 403, "wrong_agent", id="another agent"),
        pytest.param({"challenge": "made.1.up"}, 409, "stale_challenge", id="made-up challenge"),
        pytest.param({"challenge": "no-dots"}, 409, "stale_challenge", id="no challenge at all"),
    ],
)
def test_it_refuses_an_order_that_is_not_the_servers_own(replaying, changed, status, error):
    answer = replaying.order(new_run(), "inventory", **changed)
    assert (answer.status, answer.error) == (status, error)
    assert len(answer.document["message"]) > 20


def test_a_clock_that_is_years_off_does_not_matter(replaying):
    assert replaying.order(new_run(), "inventory", timestamp="12").status in (200, 202)


def test_an_order_sent_twice_is_refused_the_second_time(replaying):
    body, headers = replaying.signed(new_run(), "inventory")
    first, second = (replaying.ask("POST", protocol.RUN_PATH, body, headers) for _ in range(2))
    assert first.status in (200, 202)
    assert (second.status, second.error) == (409, "stale_challenge")


def test_a_nonce_is_good_for_one_order(replaying):
    run = new_run()
    replaying.order(run, "inventory", nonce="n" * 32)
    answer = replaying.order(run, "inventory", nonce="n" * 32)
    assert (answer.status, answer.error) == (409, "used_nonce")


def test_an_edited_body_no_longer_fits_its_signature(replaying):
    body, headers = replaying.signed(new_run(), "inventory")
    answer = replaying.ask("POST", protocol.RUN_PATH, body.replace(b"inventory", b"topology "), headers)
    assert (answer.status, answer.error) == (401, "wrong_signature")


def test_odd_parameters_are_refused_with_the_limit(replaying):
    answer = replaying.order(new_run(), "nccl_intra", {**ALL_REDUCE, "gpus_per_node": -5})
    assert (answer.status, answer.error) == (400, "bad_params")
    assert "-5" in answer.document["message"] and "1 to 72" in answer.document["message"]


def test_what_was_not_recorded_is_said_not_made_up(replaying):
    answer = replaying.order(new_run(), "nccl_intra", {**ALL_REDUCE, "repeat": 4})
    assert (answer.status, answer.error) == (400, "not_recorded")
    assert "repeat 4" in answer.document["message"]


@pytest.mark.parametrize(
    ("partner", "network"), [("gpu-node-02", "Using network Socket"), ("gpu-node-03", "Using network IB")]
)
def test_a_run_over_two_machines_is_picked_by_its_partner(replaying, partner, network):
    params = {**ALL_REDUCE, "collective": "all_gather", "hosts": ["gpu-node-01", partner], "repeat": 2}
    output = replaying.result(new_run(), "nccl_inter", params)[0].document["outputs"][0]
    assert f"gpu-node-01:8,{partner}:8" in output["command"]
    assert network in output["stdout"]
    assert output["env"] == {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NET"}


def test_a_live_agent_says_so_and_keeps_the_exact_command(start, tmp_path):
    agent = start()
    run, nonce = new_run(), "d" * 32
    agent.result(run, "inventory")
    answer = agent.order(run, "inventory", nonce=nonce)
    outputs = {output["tool"]: output for output in json.loads(answer.body)["outputs"]}
    assert agent.envelope(answer, nonce)["origin"] == "live"
    assert outputs["/proc/meminfo"]["command"] == "cat /proc/meminfo"
    assert outputs["/proc/meminfo"]["stdout"].startswith("MemTotal:")
