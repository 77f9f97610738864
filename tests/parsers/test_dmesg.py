"""Xid and SXid lines of the kernel log."""

import pytest

from tests.parsers.gpu_outputs import measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

SWITCH = "dmesg/boot-seconds-nvswitch.txt"
HARDWARE = (48, 63, 64, 74, 79, 92, 94, 95, 119, 120, 140, 145, 149)
FATAL = (48, 64, 79, 95, 119, 120)
APPLICATION = (13, 31, 43, 45, 68, 69, 109)


def xid(number, rest=", pid=1, name=x"):
    return read_text("dmesg", f"[  1.000000] x\n[ 12.300000] NVRM: Xid (PCI:0000:1a:00): {number}{rest}\n")


@pytest.mark.parametrize("number", HARDWARE)
def test_each_hardware_code_is_counted_and_its_severity_kept_apart(number):
    parsed = xid(number)
    assert value(parsed, f"xid_{number}") == 1
    assert value(parsed, f"xid_{number}_bus_id") == "0000:1a:00"
    assert value(parsed, "hardware_xids") == 1
    assert value(parsed, "fatal_xids") == (1 if number in FATAL else 0)
    assert codes(parsed) == ["xid_fatal" if number in FATAL else "xid_hardware"]


@pytest.mark.parametrize("number", APPLICATION)
def test_the_programs_own_codes_are_findings_only(number):
    parsed = xid(number)
    assert value(parsed, "hardware_xids") == 0
    assert value(parsed, f"xid_{number}") == 1
    assert codes(parsed) == ["xid_application"]


@pytest.mark.parametrize(("number", "finding"), [(154, "xid_consequence"), (62, "xid_other")])
def test_consequences_and_unknown_codes_are_not_counted_as_hardware(number, finding):
    parsed = xid(number)
    assert value(parsed, "hardware_xids") == 0
    assert codes(parsed) == [finding]


@pytest.mark.parametrize(
    ("rest", "fatal"),
    [
        (", NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6)", 1),
        (", NETIR_BER_EVENT Nonfatal XC0 i0 Link 00 (0x00000013)", 0),
        (", Non-fatal, something", 0),
    ],
)
def test_the_word_fatal_makes_a_line_fatal(rest, fatal):
    assert value(xid(149, rest), "fatal_xids") == fatal


@pytest.mark.parametrize(
    "line",
    [
        "[Sat Feb  7 03:13:58 2026] NVRM: Xid (PCI:0000:c3:00): 79, pid=9981, name=python3, GPU has fallen off the bus.",
        "[ 1044.100221] NVRM: Xid (PCI:0000:c3:00): 79, GPU has fallen off the bus.",
        "kern  :err   : 2026-02-07T03:13:58,285060+00:00 NVRM: Xid (PCI:0000:c3:00): 79, pid='<unknown>'",
        "4,4001,991827364,-;NVRM: Xid (PCI:0000:c3:00): 79, pid=1201, Ch 00000008",
        "Feb 07 03:13:58 node-1 kernel: NVRM: Xid (PCI:0000:c3:00): 79, Ch 00000008",
        "[ 1044.100221] NVRM: Xid (0000:c3:00): 79, Channel 00000001",
    ],
)
def test_every_form_of_the_line_is_matched(line):
    parsed = read_text("dmesg", f"first line\n{line}\n")
    assert value(parsed, "xid_79") == 1
    assert value(parsed, "xid_79_bus_id") == "0000:c3:00"


def test_the_same_event_on_two_cards_names_both():
    line = "NVRM: Xid (PCI:0000:{}:00): 154, GPU recovery action changed\n"
    parsed = read_text("dmesg", "x\n" + line.format("1b") + line.format("43"))
    assert value(parsed, "xid_154") == 2
    assert value(parsed, "xid_154_bus_id") == "0000:1b:00,0000:43:00"


def test_switch_faults_are_a_code_space_of_their_own():
    parsed = read_gpu(SWITCH)
    assert value(parsed, "sxids") == 2
    assert value(parsed, "fatal_sxids") == 1
    assert value(parsed, "sxid_20034") == 1
    assert value(parsed, "hardware_xids") == 4
    assert value(parsed, "fatal_xids") == 1
    assert codes(parsed).count("sxid") == 2


def test_a_log_without_a_fault_counts_zero():
    parsed = read_gpu("dmesg/quiet.txt")
    assert value(parsed, "hardware_xids") == 0
    assert value(parsed, "fatal_xids") == 0
    assert value(parsed, "sxids") == 0
    assert value(parsed, "nccl_segfaults") == 0
    assert codes(parsed) == []


def test_a_crash_in_nccl_is_no_xid():
    text = "x\npt_main[25]: segfault at 7f79 ip 00007f sp 00007f error 4 in libnccl.so.2[7f7c7ac00000+d3d3000]\n"
    parsed = read_text("dmesg", text)
    assert value(parsed, "nccl_segfaults") == 1
    assert value(parsed, "hardware_xids") == 0
    assert codes(parsed) == ["nccl_segfault"]


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("dmesg: read kernel buffer failed: Operation not permitted\n", 1, "dmesg_permission"),
        ("dmesg: read kernel buffer failed: Permission denied\n", None, "dmesg_permission"),
        ("", 0, "dmesg_empty"),
        ("\n", None, "dmesg_empty"),
        ("dmesg: command not found\n", 127, "command_not_found"),
        (sample(SWITCH), 1, "exit_status"),
        (sample(SWITCH) * 2, 0, "two_outputs"),
    ],
    ids=["permission", "permission denied", "empty", "blank", "not there", "bad exit", "twice"],
)
def test_a_log_that_cannot_be_read_is_not_an_empty_one(text, status, expected):
    parsed = read_text("dmesg", text, exit_status=status)
    assert code(parsed) == expected
    assert why(parsed, "hardware_xids") == expected
    assert measured(parsed) == set()


def test_the_complaint_may_stand_on_stderr():
    parsed = read_text("dmesg", "", stderr="dmesg: read kernel buffer failed: Operation not permitted\n", exit_status=1)
    assert code(parsed) == "dmesg_permission"
