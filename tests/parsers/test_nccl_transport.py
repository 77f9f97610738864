"""Which network and algorithm NCCL itself said it used."""

import pytest

from gpucontract.measurements.parsers.nccl_transport import network_name, transport
from tests.parsers.gpu_outputs import read_gpu
from tests.parsers.host_outputs import codes, read_text, sample, value, why

ROCE = "nccl_tests/2.18-all-gather-2-nodes-roce.txt"
SOCKET = "nccl_tests/2.18-all-gather-2-nodes-socket.txt"


def test_roce_with_gpu_direct_on_both_hosts():
    parsed = read_gpu(ROCE)
    assert value(parsed, "network") == "IB"
    assert value(parsed, "network", "@node-a") == "IB"
    assert value(parsed, "network", "@node-b") == "IB"
    assert value(parsed, "network_link_layer") == "RoCE"
    assert value(parsed, "ib_ports") == 2
    assert value(parsed, "gdr", "@node-b") is True
    assert value(parsed, "algorithm") == "RING"
    assert codes(parsed) == []


def test_sockets_between_machines_are_a_fallback_with_its_interface():
    parsed = read_gpu(SOCKET)
    assert value(parsed, "network") == "Socket"
    assert value(parsed, "network_interface") == "eth0"
    assert value(parsed, "network_interface", "@node-b") == "eth0"
    assert value(parsed, "gdr", "@node-a") is False
    assert why(parsed, "algorithm") == "nccl_said_nothing"
    assert codes(parsed) == ["transport_fallback"]
    assert "node-a, node-b" in parsed.findings[0].text.en and "node-a、node-b" in parsed.findings[0].text.zh


def test_hosts_that_differ_are_mixed():
    text = "".join(
        line.replace("Using network IB", "Using network Socket").replace("via NET/IB", "via NET/Socket")
        if line.startswith("node-b:")
        else line
        for line in sample(ROCE).splitlines(keepends=True)
    )
    parsed = read_text("nccl-tests all_gather_perf", text)
    assert value(parsed, "network") == "mixed"
    assert value(parsed, "network", "@node-a") == "IB"
    assert value(parsed, "network", "@node-b") == "Socket"
    assert codes(parsed) == ["transport_fallback", "transport_mixed"]


def test_a_host_that_said_nothing_has_no_network():
    text = "".join(line for line in sample(ROCE).splitlines(keepends=True) if not line.startswith("node-b:"))
    parsed = read_text("nccl-tests all_gather_perf", text)
    assert value(parsed, "network", "@node-a") == "IB"
    assert why(parsed, "network", "@node-b") == "nccl_said_nothing"


def test_without_nccl_lines_there_is_no_network():
    assert why(read_gpu("nccl_tests/2.13-all-reduce-8.txt"), "network") == "nccl_said_nothing"


def test_channels_say_more_than_the_choice():
    text = sample(ROCE).replace("via NET/IB/", "via NET/Socket/").replace("/GDRDMA", "")
    parsed = read_text("nccl-tests all_gather_perf", text)
    assert value(parsed, "network") == "Socket"


def test_one_channel_past_gpu_memory_is_not_gpu_direct():
    parsed = read_gpu(ROCE, ("1[1] -> 2[0] [send] via NET/IB/1/GDRDMA", "1[1] -> 2[0] [send] via NET/IB/1"))
    assert value(parsed, "gdr", "@node-a") is False
    assert value(parsed, "gdr", "@node-b") is True
    assert value(parsed, "gdr") is False


def test_nccls_lines_may_come_on_stderr():
    notes = "".join(line for line in sample(ROCE).splitlines(keepends=True) if " NCCL " in line)
    table = "".join(line for line in sample(ROCE).splitlines(keepends=True) if " NCCL " not in line)
    parsed = read_text("nccl-tests all_gather_perf", table, stderr=notes)
    assert value(parsed, "network", "@node-b") == "IB"


def test_a_timestamp_and_a_domain_before_the_line_do_not_hide_the_host():
    stamped = "".join(
        f"[2026-03-05 08:20:01] {line.replace('node-a:', 'node-a.lan:')}" if line.startswith("node-") else line
        for line in sample(ROCE).splitlines(keepends=True)
    )
    assert value(read_text("nccl-tests all_gather_perf", stamped), "network", "@node-a") == "IB"


def test_warnings_are_counted_and_the_first_is_shown():
    line = "node-a:5000:5100 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer\n"
    parsed = read_text("nccl-tests all_gather_perf", line + sample(ROCE) + line)
    assert codes(parsed) == ["nccl_warning"]
    assert "2 warnings" in parsed.findings[0].text.en


@pytest.mark.parametrize(
    ("printed", "name"),
    [("IB", "IB"), ("IBext", "IB"), ("IBext_v8", "IB"), ("Socket", "Socket"), ("AWS Libfabric", "AWS Libfabric")],
)
def test_plugins_of_infiniband_are_infiniband(printed, name):
    assert network_name(printed) == name
    note = f"h1:1:2 [0] NCCL INFO Using network {printed}"
    assert transport([note]).hosts["h1"].network == name


@pytest.mark.parametrize(
    ("note", "algorithm"),
    [
        ("AllReduce: 1024 Bytes -> Algo NVLS proto SIMPLE channel{Lo..Hi}={0..15}", {"NVLS"}),
        ("AllReduce: 1024 Bytes -> Algo 1 proto 2 time 123.4", {"RING"}),
        ("AllReduce: 1024 Bytes -> Algo 4 proto 2 time 123.4", {"NVLS"}),
    ],
)
def test_the_algorithm_may_be_a_name_or_a_number(note, algorithm):
    assert transport([f"h1:1:2 [0] NCCL INFO {note}"]).algorithms == {("AllReduce", 1024): algorithm}


def test_a_forced_algorithm_counts_where_no_call_was_logged():
    notes = "node-a:5000:5100 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
    parsed = read_text("nccl-tests all_gather_perf", notes + sample(SOCKET))
    assert value(parsed, "algorithm") == "RING"


def test_variables_that_nccl_obeys_are_named_wherever_they_were_set():
    said = (
        "NCCL_ALGO set by environment to Ring",
        "NCCL_IB_HCA set to mlx5",
        "NCCL_NVLS_ENABLE set by environment to 0.",
    )
    notes = "".join(f"node-a:5000:5100 [0] NCCL INFO {line}\n" for line in said)
    parsed = read_text("nccl-tests all_gather_perf", notes + sample(SOCKET))
    assert value(parsed, "nccl_settings") == ("NCCL_ALGO", "NCCL_IB_HCA", "NCCL_NVLS_ENABLE")


def test_two_algorithms_for_the_largest_call_are_mixed():
    line = (
        "node-a:5000:5100 [0] NCCL INFO AllGather: 2147483648 Bytes -> Algo PAT proto SIMPLE channel{Lo..Hi}={0..1}\n"
    )
    assert value(read_text("nccl-tests all_gather_perf", line + sample(ROCE)), "algorithm") == "mixed"


def test_nccls_version_is_read_from_its_own_line():
    text = "NCCL version 2.18.3+cuda12.2\n" + sample("nccl_tests/2.13-all-reduce-8.txt")
    assert value(read_text("nccl-tests all_reduce_perf", text), "nccl_version") == "2.18.3"


def test_a_claim_for_a_gpu_counts_where_no_channel_was_logged():
    notes = [
        "h1:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'",
        "h1:1:2 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 0 / HCA 0 (distance 8 > 5)",
    ]
    assert transport(notes[:1]).hosts["h1"].uses_gdr is None
    assert transport(notes).hosts["h1"].uses_gdr is False


@pytest.mark.parametrize(
    ("listed", "ports"),
    [
        (
            "[0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/RoCE} [1]={[2] mlx5_2:1/RoCE, [3] mlx5_3:1/RoCE} [RO]; OOB eth0:10.0.0.1<0>",
            4,
        ),
        ("[0]={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB} [2]mlx5_2:1/IB ; OOB eth0:10.0.0.1<0>", 3),
        ("[0]mlx5_0:1/IB [1]mlx5_0:2/IB [RO]; OOB eth0:10.0.0.1<0>", 2),
        ("[0]mlx5_2:1/IB/SHARP [1]mlx5_3:1/IB/SHARP [RO]; OOB eth0:10.0.0.1<0>", 2),
    ],
    ids=["cards with two ports", "one of them joined", "two ports of one device", "SHARP"],
)
def test_ports_are_counted_however_they_are_listed(listed, ports):
    found = transport([f"node-a:11:22 [0] NCCL INFO NET/IB : Using {listed}"])
    assert found.hosts["node-a"].ib_ports == ports
    assert found.hosts["node-a"].link_layers in ({"IB"}, {"RoCE"})
