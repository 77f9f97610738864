"""ethtool, iperf3, lspci, and the two cluster tools mdtest and sinfo."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

ETHTOOL = "ethtool/5.16-400g.txt"
UDP, REVERSE = "iperf3/3.16-udp.json", "iperf3/3.9-tcp-reverse.json"
ACS = "lspci/acs.txt"
MDTEST = "mdtest/4.0.txt"


def test_ethtool_reads_speed_link_and_duplex():
    parsed = read_sample(ETHTOOL)
    assert amount(parsed, "speed", "Gb/s") == 400
    assert (value(parsed, "link_detected"), value(parsed, "duplex"), value(parsed, "interface")) == (
        True,
        "Full",
        "ens2np0",
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param([("Speed: 400000Mb/s", "Speed: Unknown!")], "unknown_speed", id="virtio says nothing"),
        pytest.param(
            [("Speed: 400000Mb/s", "Speed: Unknown!"), ("detected: yes", "detected: no")], "link_down", id="down"
        ),
        pytest.param([("detected: yes", "detected: no")], "link_down", id="down and yet a speed"),
        pytest.param([("400000Mb/s", "400Gb/s")], "unreadable", id="another unit"),
        pytest.param([("\tSpeed: 400000Mb/s\n", "")], "not_printed", id="no line"),
    ],
)
def test_a_link_that_is_down_or_unknown_has_no_speed(changes, reason):
    parsed = read_sample(ETHTOOL, *changes)
    assert why(parsed, "speed") == reason


def test_unknown_duplex_is_no_duplex():
    assert why(read_sample(ETHTOOL, ("Duplex: Full", "Duplex: Unknown! (255)")), "duplex") == "unknown_duplex"


def test_a_user_without_rights_sees_the_speed_all_the_same():
    text = sample(ETHTOOL).replace("\tSupports Wake-on: d\n", "netlink error: Operation not permitted\n")
    parsed = read_text("ethtool", text, exit_status=1)
    assert (parsed.error, amount(parsed, "speed", "Mb/s")) == ("", 400000)
    assert code(read_text("ethtool", sample(ETHTOOL), exit_status=1)) == "exit_status"


@pytest.mark.parametrize("name", ["bond0", "bond_ib", "team1"])
def test_a_bonds_speed_is_said_to_be_a_sum(name):
    parsed = read_sample(ETHTOOL, ("for ens2np0", f"for {name}"))
    assert (codes(parsed), amount(parsed, "speed", "Gb/s")) == (["bond_speed_is_sum"], 400)


@pytest.mark.parametrize("place", ["\tSpeed:", "\tDuplex:", "\tLink detected:"])
@pytest.mark.parametrize(
    "complaint", ["netlink error: Operation not permitted", "Cannot get wake-on-lan settings: Operation not permitted"]
)
def test_a_complaint_in_the_middle_hides_no_line(place, complaint):
    text = sample(ETHTOOL).replace(place, f"{complaint}\n{place}")
    parsed = read_text("ethtool", text, exit_status=0)
    assert amount(parsed, "speed", "Gb/s") == 400
    assert (value(parsed, "link_detected"), value(parsed, "duplex")) == (True, "Full")


def test_lanes_and_the_speeds_a_card_could_have_are_not_its_speed():
    modes = "\tSupported link modes:   100000baseCR2/Full\n\t                        800000baseCR8/Full\n\tLanes: 8\n"
    assert amount(read_sample(ETHTOOL, ("\tSpeed:", f"{modes}\tSpeed:")), "speed", "Gb/s") == 400


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param("netlink error: No such device\nNo data available\n", 75, "no_such_interface", id="missing"),
        pytest.param("Settings for x0:\nNo data available\n", 75, "exit_status", id="heading only"),
        pytest.param(sample(ETHTOOL) * 2, 0, "two_outputs", id="twice"),
        pytest.param("", 0, "ethtool_unknown", id="nothing"),
    ],
)
def test_ethtool_refuses_what_says_nothing(text, status, expected):
    parsed = read_text("ethtool", text, exit_status=status)
    assert (code(parsed), why(parsed, "speed")) == (expected, expected)


def test_tcp_counts_what_arrived():
    parsed = read_sample(REVERSE)
    assert amount(parsed, "throughput", "Gb/s") == Decimal("23.4983208885")
    assert amount(parsed, "throughput_sent", "Gb/s") == Decimal("23.4996772711")
    expected = {"streams": 4, "retransmits": 912, "duration": 30, "reverse": True, "protocol": "TCP"}
    assert {name: value(parsed, name) for name in expected} == expected
    assert codes(parsed) == ["iperf3_one_thread"]


def test_udp_has_its_sum_and_its_loss():
    parsed = read_sample(UDP)
    assert amount(parsed, "throughput", "Gb/s") == Decimal("24.99947251113")
    assert value(parsed, "lost_percent") == Decimal("0.01")
    assert codes(parsed) == ["udp_loss"]


def test_the_document_printed_twice_is_one_run_and_two_runs_are_an_error():
    assert value(read_text("iperf3 -J", sample(REVERSE) * 2), "throughput") is not None
    assert code(read_text("iperf3 -J", sample(REVERSE) + sample(UDP))) == "two_outputs"


def test_a_run_that_stopped_early_says_how_long_it_was():
    parsed = read_sample(REVERSE, ("30.000101", "12.25"))
    assert value(parsed, "duration") == Decimal("12.25")


def test_a_warning_before_the_document_is_kept_as_a_finding():
    parsed = read_text("iperf3 -J", "warning: JSON data length overflow\n" + sample(UDP))
    assert value(parsed, "throughput") is not None
    assert "text_around_json" in codes(parsed)


def test_a_bare_nan_is_nothing():
    assert why(read_sample(UDP, ("24999472511.13", "-nan")), "throughput") == "not_printed"
    assert why(read_sample(REVERSE, ("23498320888.5", "0")), "throughput") == "nothing_arrived"


def test_both_ways_are_two_readings():
    document = json.loads(sample(REVERSE))
    document["end"]["sum_received_bidir_reverse"] = {"seconds": 30, "bits_per_second": 5e9}
    assert amount(read_text("iperf3 -J", json.dumps(document)), "throughput_reverse", "Gb/s") == 5


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(sample(REVERSE).replace('"intervals"', '"error":\t"control socket has closed unexpectedly",\n"intervals"'), 1,
                     "iperf3: control socket has closed unexpectedly", id="error beside numbers"),
        pytest.param("iperf3: error - unable to connect to server: Connection refused\n", 1,
                     "iperf3: unable to connect to server: Connection refused", id="text error"),
        pytest.param("[SUM]   0.00-10.00  sec   109 GBytes  94.1 Gbits/sec   receiver\n", 0, "iperf3_no_json", id="text form"),
        pytest.param(sample(UDP)[:400], 0, "json_broken", id="cut"),
        pytest.param('{\n"start": {},\n"end": {}\n}\n', 0, "iperf3_incomplete", id="no results"),
        pytest.param("sh: 1: iperf3: not found\n", 127, "command_not_found", id="not installed"),
        pytest.param(sample(UDP), 1, "exit_status", id="non-zero exit"),
    ],
)  # fmt: skip
def test_iperf3_that_failed_has_no_throughput(text, status, expected):
    parsed = read_text("iperf3 -J", text, exit_status=status)
    assert parsed.error.startswith(expected)
    assert value(parsed, "throughput") is None


def test_acs_counts_on_bridges_only_and_by_control_not_capability():
    parsed = read_sample(ACS)
    assert (value(parsed, "acs_enabled_bridges"), value(parsed, "bridges")) == (1, 2)
    assert codes(parsed) == ["acs_on"]
    off = read_sample(ACS, ("TransBlk- ReqRedir+ CmpltRedir-", "TransBlk- ReqRedir- CmpltRedir-"))
    assert (value(off, "acs_enabled_bridges"), codes(off)) == (0, [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("16:00.0 PCI bridge: PLX\n\tCapabilities: <access denied>\n", "access_denied", id="not root"),
        pytest.param("16:00.0 PCI bridge: PLX\n17:00.0 PCI bridge: PLX\n", "no_acs_lines", id="grepped without lines"),
    ],
)
def test_bridges_that_lspci_may_not_look_into_are_not_measured(text, reason):
    parsed = read_text("lspci -vvv", text)
    assert why(parsed, "acs_enabled_bridges") == reason
    assert value(parsed, "bridges") >= 1


def test_lspci_twice_or_without_bridges_is_an_error():
    assert code(read_text("lspci -vvv", sample(ACS) * 2)) == "two_outputs"
    assert code(read_text("lspci -vvv", "00:00.0 Host bridge: Intel\n")) == "lspci_unknown"


def test_mdtest_reads_means_and_leaves_out_phases_that_did_not_run():
    parsed = read_sample(MDTEST)
    assert value(parsed, "mdtest_file_creation") == Decimal("41568.636")
    assert why(parsed, "mdtest_file_read") == "not_run"
    assert why(parsed, "mdtest_directory_creation") == "not_run"
    assert (value(parsed, "mdtest_tasks"), value(parsed, "mdtest_hosts")) == (64, 4)


def test_mdtest_of_older_versions_has_a_colon_after_the_name():
    parsed = read_sample(MDTEST, ("File stat                 ", "File stat                 :"))
    assert value(parsed, "mdtest_file_stat") == Decimal("183992.957")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(sample(MDTEST) * 2, "two_outputs", id="twice"),
        pytest.param(sample(MDTEST).partition("-- finished")[0], "mdtest_incomplete", id="did not finish"),
        pytest.param(sample(MDTEST) + "MPI_ABORT was invoked on rank 3\n", "mdtest_aborted", id="aborted"),
        pytest.param("", "mdtest_incomplete", id="nothing"),
    ],
)
def test_mdtest_that_broke_off_has_no_rate(text, expected):
    parsed = read_text("mdtest", text)
    assert (code(parsed), why(parsed, "mdtest_file_creation")) == (expected, expected)


def test_a_table_of_times_below_the_rates_is_passed_over():
    rates = sample(MDTEST)
    table = rates[rates.index("SUMMARY") : rates.index("-- finished")].replace(
        "SUMMARY rate:", "SUMMARY time (in ms/op):"
    )
    both = rates.replace("-- finished", table.replace("41568.636", "    0.024") + "-- finished")
    assert amount(read_text("mdtest", both), "mdtest_file_creation", "ops/s") == Decimal("41568.636")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        pytest.param("SUMMARY: (of 1 iterations)", "File creation     :      9.5     7.5     8.5     0.2", id="1.9"),
        pytest.param(
            "SUMMARY rate (in ops/sec): (of 2 iterations)", "File creation      9.5     7.5     8.5     0.2", id="4.1"
        ),
    ],
)
def test_the_summary_of_every_version_gives_the_mean(header, row):
    columns = "   Operation       Max     Min     Mean     Std Dev\n"
    text = (
        f"mdtest-3.4.0 was launched with 8 total task(s) on 1 node(s)\n{header}\n{columns}   {row}\n-- finished at 1\n"
    )
    assert amount(read_text("text", text), "mdtest_file_creation", "ops/s") == Decimal("8.5")


def test_the_mean_over_iterations_stands_behind_that_over_ranks():
    text = (
        "SUMMARY rate (in ops/sec): (of 3 iterations)\n"
        "   Operation     per Rank: Max   Min   Mean      per Iteration: Max   Min   Mean   Std Dev\n"
        "   File creation      301.0   61.0   125.5   104.0   61.0   84.5   3.1\n"
        "   File stat          301.0   61.0   125.5   104.0   61.0   84.5\n"
        "   File removal       301,0   61,0   125,5   104,0   61,0   84,5   3,1\n"
        "-- finished at 1\n"
    )
    parsed = read_text("mdtest", text)
    assert amount(parsed, "mdtest_file_creation", "ops/s") == Decimal("84.5")
    assert [why(parsed, f"mdtest_file_{action}") for action in ("stat", "removal")] == ["unreadable"] * 2


def test_a_node_in_two_partitions_counts_once():
    parsed = read_sample("sinfo/23.11-table.txt")
    assert (value(parsed, "slurm_nodes"), value(parsed, "slurm_nodes_unavailable")) == (16, 1)
    assert codes(parsed) == ["slurm_nodes_unavailable"]


def test_partitions_that_overlap_in_part_count_each_machine_once():
    text = (
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
        "short        up      30:00      3   idle a[01-02]-x,login\n"
        "long*        up   infinite      5   idle a[01-04]-x,login\n"
        "long*        up   infinite      1  down* b7\n"
    )
    parsed = read_text("sinfo", text)
    assert (value(parsed, "slurm_nodes"), value(parsed, "slurm_nodes_unavailable")) == (6, 1)


@pytest.mark.parametrize("nodes", ["r[1-2]n[1-2]", "a[01-99999999]", "a[01-03]", "a[-,1,2,3"])
def test_a_node_list_that_is_not_as_long_as_its_count_counts_nothing(nodes):
    text = f"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nall*         up   infinite      4   idle {nodes}\n"
    assert why(read_text("sinfo", text), "slurm_nodes") == "unreadable"


def test_sinfo_says_its_version_or_why_it_cannot_say():
    assert value(read_text("sinfo", "slurm 23.02.7\n", command="sinfo -V"), "slurm_version") == "23.02.7"
    failed = read_text(
        "sinfo",
        "",
        stderr="slurm_load_partitions: Unable to contact slurm controller (connect failure)\n",
        exit_status=1,
    )
    assert (code(failed), why(failed, "slurm_nodes")) == ("slurm_no_controller", "slurm_no_controller")
    assert code(read_text("sinfo", sample("sinfo/23.11-table.txt") * 2)) == "two_outputs"
    assert code(read_text("sinfo", "")) == "sinfo_unknown"
