"""What may be ordered: every parameter has a type and bounds, and a refusal names the value and the limit."""

import pytest

from gpucontract.agent import orders, protocol
from gpucontract.agent.orders import Refused
from tests.agent.running import ALL_REDUCE

INTER = {**ALL_REDUCE, "hosts": ["gpu-node-01", "gpu-node-02"]}
TEST = {"path": "/data", "rw": "read", "block_size": "1MiB", "iodepth": 32, "numjobs": 8, "runtime_s": 60}
WRITES = {"hosts": ["gpu-node-01", "gpu-node-02"], "size_bytes": 65536, "runtime_s": 10}

GOOD = [
    ("inventory", {}),
    ("fabric", {"repeat": 3}),
    ("storage", {}),
    ("storage", {"paths": ["/data", "/mnt/ceph fs"], "local_path": "/mnt/nvme1", "runtime_s": 60, "repeat": 2}),
    ("storage", {"paths": [], "local_path": ""}),
    ("nccl_intra", ALL_REDUCE),
    ("nccl_intra", {**ALL_REDUCE, "hosts": ["gpu-node-01"], "repeat": 1}),
    ("nccl_inter", {**INTER, "collective": "all_reduce_ring"}),
    ("nccl_inter", {**INTER, "hosts": ["10.0.0.1", "node-2.cluster.example"]}),
    ("nccl_pairs", INTER),
    ("training", {"steps": 150}),
    ("rdma_pairs", WRITES),
    ("rdma_pairs", {**WRITES, "link_layer": "InfiniBand", "bidirectional": True, "repeat": 2}),
    ("shared_load", {"tests": [TEST]}),
    ("shared_load", {"tests": [TEST, {**TEST, "rw": "randread"}], "hosts": ["a", "b"], "repeat": 2}),
]


@pytest.mark.parametrize(("job", "params"), GOOD)
def test_it_takes_what_the_plan_orders(job, params):
    orders.check(job, params)


BAD = [
    ("reboot", {}, "job 'reboot' is unknown: this agent runs inventory, "),
    ("inventory", [], "params must be a JSON object"),
    ("inventory", {"command": "id"}, "inventory takes no 'command', only repeat"),
    ("inventory", {"repeat": True}, "repeat is True: it must be a whole number from 1 to 100"),
    ("inventory", {"repeat": 0}, "repeat is 0"),
    ("storage", {"paths": "/data"}, "paths is '/data': it must be a list of at most 64 different absolute paths"),
    ("storage", {"paths": ["data"]}, "absolute paths"),
    ("storage", {"paths": ["/data/../etc"]}, "without .."),
    ("storage", {"paths": ["/data", "/data"]}, "different"),
    ("storage", {"paths": [f"/{n}" for n in range(65)]}, "at most 64"),
    ("storage", {"paths": ["/da\nta"]}, "absolute paths"),
    ("storage", {"local_path": "/mnt/a:b"}, "local_path is '/mnt/a:b'"),
    ("storage", {"local_path": "--filename=/dev/sda"}, "absolute path"),
    ("storage", {"local_path": "/mnt/$(id)"}, "absolute path"),
    ("storage", {"local_path": "/mnt/x\n"}, "absolute path"),
    ("storage", {"runtime_s": 601}, "runtime_s is 601: it must be a whole number from 1 to 600"),
    ("nccl_intra", {}, "nccl_intra needs collective"),
    ("nccl_intra", {**ALL_REDUCE, "collective": "all_reduce; id"}, "one of all_reduce, "),
    ("nccl_intra", {**ALL_REDUCE, "collective": ["all_reduce"]}, "one of all_reduce, "),
    ("nccl_intra", {**ALL_REDUCE, "gpus_per_node": 8.0}, "gpus_per_node is 8.0"),
    ("nccl_intra", {**ALL_REDUCE, "gpus_per_node": "8"}, "gpus_per_node is '8'"),
    ("nccl_intra", {**ALL_REDUCE, "max_bytes": 2**40}, f"from 8 to {64 * 2**30}"),
    ("nccl_intra", {**ALL_REDUCE, "min_bytes": 2**34}, "min_bytes 17179869184 is above max_bytes 8589934592"),
    ("nccl_intra", {**ALL_REDUCE, "iterations": None}, "iterations is None"),
    ("nccl_intra", INTER, "runs on this host alone, got 2 hosts"),
    ("nccl_inter", ALL_REDUCE, "nccl_inter needs hosts"),
    ("nccl_pairs", {**INTER, "hosts": ["a", "b", "c"]}, "exactly 2 hosts, got 3"),
    ("training", {}, "training needs steps"),
    ("training", {"steps": 10**6}, "steps is 1000000: it must be a whole number from 10 to 10000"),
    ("rdma_pairs", {**WRITES, "hosts": ["a"]}, "rdma_pairs runs on exactly 2 hosts, got 1"),
    ("rdma_pairs", {**WRITES, "hosts": ["a", "-oProxyCommand=id"]}, "different host names"),
    ("rdma_pairs", {**WRITES, "size_bytes": 1}, f"from 2 to {2**30}"),
    ("rdma_pairs", {**WRITES, "link_layer": "mlx5_0"}, "one of InfiniBand, Ethernet"),
    ("rdma_pairs", {**WRITES, "bidirectional": 1}, "bidirectional is 1: it must be true or false"),
    ("rdma_pairs", {**WRITES, "device": "mlx5_0"}, "rdma_pairs takes no 'device'"),
    ("shared_load", {}, "shared_load needs tests"),
    ("shared_load", {"tests": []}, "1 to 8 tests"),
    ("shared_load", {"tests": [TEST] * 9}, "1 to 8 tests"),
    ("shared_load", {"tests": ["fio"]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "path": ""}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "path": "/data:/etc"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "path": "/data;id"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "path": "/data/../etc"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "rw": "write"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "block_size": "1M"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "numjobs": 65}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "runtime_s": 601}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [{**TEST, "exec_prerun": "id"}]}, "1 to 8 tests"),
    ("shared_load", {"tests": [TEST, TEST], "hosts": [f"h{n}" for n in range(96)]}, "192 clients"),
    ("nccl_inter", {**INTER, "hosts": ["gpu-node-01"]}, "at least 2 hosts, got 1"),
    ("nccl_inter", {**INTER, "hosts": ["a", "a"]}, "different host names"),
    ("nccl_inter", {**INTER, "hosts": ["a", "-oProxyCommand=id"]}, "host names"),
    ("nccl_inter", {**INTER, "hosts": ["a", "b;id"]}, "host names"),
    ("nccl_inter", {**INTER, "hosts": ["a", "b\n"]}, "host names"),
    ("nccl_inter", {**INTER, "hosts": ["a", "b:8"]}, "host names"),
    ("nccl_inter", {**INTER, "hosts": ["a", "x" * 64]}, "host names"),
    ("nccl_inter", {**INTER, "hosts": [f"h{n}" for n in range(129)]}, "at most 128"),
    ("nccl_inter", {**INTER, "hosts": {"a": 1}}, "host names"),
]


@pytest.mark.parametrize(("job", "params", "complaint"), BAD, ids=[f"{job} {text[:30]}" for job, _, text in BAD])
def test_it_refuses_with_the_value_and_the_limit(job, params, complaint):
    with pytest.raises(Refused) as refused:
        orders.check(job, params)
    assert refused.value.code == "bad_params"
    assert complaint in refused.value.message
    assert len(refused.value.message) < 300


def signed_body(**changed):
    document = protocol.order("a" * 32, "b" * 32, "fabric", {}, "nonce", "challenge")
    return protocol.compact({**document, **changed})


def test_an_order_is_read_field_by_field():
    assert orders.read(signed_body()).job == "fabric"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{", b"\xff", b"null", b"[" * 5000, signed_body(protocol="v2"),
        signed_body(run="../../etc/passwd"), signed_body(run="short"), signed_body(run=5), signed_body(nonce=""),
        signed_body(nonce="a b"), signed_body(agent=None), signed_body(challenge="c" * 201),
        signed_body(job="fab\nric"),
    ],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_it_refuses_a_body_that_is_no_order(body):
    with pytest.raises(Refused) as refused:
        orders.read(body)
    assert refused.value.code == "bad_request"
