"""nvidia-smi nvlink -s and -e."""

from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

STATES = "nvlink/550-s-4xh100-two-down.txt"
ERRORS = "nvlink/550-e-2xh100.txt"
TOOL = "nvidia-smi nvlink -s"


def test_links_up_and_down_and_their_rate_per_gpu():
    parsed = read_gpu(STATES)
    assert value(parsed, "gpu_count") == 4
    assert value(parsed, "nvlink_active", "gpu0") == 18
    assert value(parsed, "nvlink_active", "gpu2") == 16
    assert value(parsed, "nvlink_inactive", "gpu2") == 2
    assert value(parsed, "nvlink_rate", "gpu1") == Decimal("26.562")
    assert value(parsed, "nvlink_active_min") == 16
    assert value(parsed, "nvlink_inactive_total") == 2
    assert value(parsed, "nvlink_sum_per_gpu_min") == 16 * Decimal("26.562")
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("links_inactive", "gpu2")]


@pytest.mark.parametrize("down", ["<inactive>", "0 GB/s", "0.0 GB/s", "0.000 GB/s"])
def test_a_link_without_a_rate_is_down_however_it_is_printed(down):
    parsed = read_text(TOOL, sample(STATES).replace("<inactive>", down))
    assert value(parsed, "nvlink_active", "gpu2") == 16
    assert value(parsed, "nvlink_inactive", "gpu2") == 2
    assert value(parsed, "nvlink_rate", "gpu2") == Decimal("26.562")
    assert codes(parsed) == ["links_inactive"]


def test_a_card_whose_links_are_all_at_zero_has_none_that_is_up():
    parsed = read_text(TOOL, sample(STATES).replace("26.562 GB/s", "0 GB/s"))
    assert value(parsed, "nvlink_active_min") == 0
    assert value(parsed, "nvlink_inactive_total") == 72
    assert why(parsed, "nvlink_rate_min") == "no_active_link"


def test_each_card_is_named_by_its_uuid():
    uuids = {value(read_gpu(STATES), "gpu_uuid", f"gpu{index}") for index in range(4)}
    assert len(uuids) == 4 and all(uuid.startswith("GPU-") for uuid in uuids)


def test_prose_for_one_gpu_is_its_measured_zero():
    parsed = read_gpu("nvlink/470-s-3xa6000.txt")
    assert value(parsed, "nvlink_active", "gpu2") == 0
    assert value(parsed, "nvlink_active_min") == 0
    assert why(parsed, "nvlink_inactive", "gpu2") == "not_printed"
    assert why(parsed, "nvlink_inactive_total") == "not_printed"


def test_prose_alone_is_a_measured_zero():
    text = "NVML: Unable to retrieve NVLink information as all links are inActive\n"
    assert value(read_text(TOOL, text), "nvlink_active_min") == 0


def test_a_card_without_nvlink_says_so():
    parsed = read_gpu("nvlink/570-s-no-nvlink.txt")
    assert value(parsed, "nvlink_active", "gpu0") == 0
    assert value(parsed, "nvlink_inactive", "gpu0") == 0
    assert why(parsed, "nvlink_rate_min") == "no_active_link"


@pytest.mark.parametrize("status", [0, None])
def test_an_empty_output_measures_nothing_by_itself(status):
    parsed = read_text(TOOL, "", exit_status=status)
    assert parsed.error == ""
    assert why(parsed, "nvlink_active_min") == "no_output"


def test_a_gpu_line_without_links_is_no_zero():
    parsed = read_text(TOOL, lines_of(STATES)[0])
    assert why(parsed, "nvlink_active", "gpu0") == "no_links_listed"
    assert why(parsed, "nvlink_active_min") == "no_links_listed"


def test_a_list_shorter_than_its_likes_is_a_cut_one():
    parsed = read_text(TOOL, "".join(lines_of(STATES)[:-5]))
    assert why(parsed, "nvlink_active", "gpu3") == "links_cut"
    assert why(parsed, "nvlink_active_min") == "links_cut"
    assert value(parsed, "nvlink_active", "gpu2") == 16
    assert "links_cut" in codes(parsed)


def test_a_gap_in_the_numbers_is_a_cut_list():
    lines = lines_of(STATES)
    parsed = read_text(TOOL, "".join(lines[:4] + lines[5:19]))
    assert why(parsed, "nvlink_active", "gpu0") == "links_cut"


def test_blanks_for_tabs_and_whole_rates_are_read():
    text = "".join(lines_of(STATES)[:19]).replace("\t Link", "         Link").replace("26.562", "25")
    parsed = read_text(TOOL, text)
    assert value(parsed, "nvlink_active", "gpu0") == 18
    assert value(parsed, "nvlink_rate_min") == 25


@pytest.mark.parametrize("rate", ["26,562 GB/s", "26.562", "26.562 GB", "fast"])
def test_a_rate_that_cannot_be_read_counts_nothing_on_that_gpu(rate):
    parsed = read_gpu(STATES, ("Link 7: 26.562 GB/s", f"Link 7: {rate}"))
    assert why(parsed, "nvlink_active", "gpu0") == "unreadable"
    assert why(parsed, "nvlink_rate_min") == "unreadable"


def test_errors_are_summed_over_links_per_kind():
    parsed = read_gpu(ERRORS)
    assert value(parsed, "nvlink_replay_errors", "gpu1") == 3
    assert value(parsed, "nvlink_crc_errors", "gpu1") == 7
    assert value(parsed, "nvlink_recovery_errors", "gpu0") == 0
    assert value(parsed, "nvlink_crc_errors_max") == 7
    assert codes(parsed) == ["nvlink_errors", "nvlink_errors"]
    assert "nvlink_active_min" not in measured(parsed)


def test_both_crc_counters_of_old_cards_are_crc_errors():
    text = lines_of(ERRORS)[0] + "\t Link 0: CRC FLIT Errors: 2\n\t Link 0: CRC Data Errors: 3\n"
    assert value(read_text(TOOL, text), "nvlink_crc_errors", "gpu0") == 5


def test_a_counter_without_a_number_has_no_sum():
    parsed = read_gpu(ERRORS, ("Link 1: CRC Errors: 7", "Link 1: CRC Errors: N/A"))
    assert why(parsed, "nvlink_crc_errors", "gpu1") == "not_available"
    assert why(parsed, "nvlink_crc_errors_max") == "not_available"


@pytest.mark.parametrize("name", [STATES, ERRORS])
def test_the_same_output_twice_and_bad_exits_are_errors(name):
    assert code(read_text(TOOL, sample(name) * 2)) == "two_outputs"
    assert code(read_gpu(name, exit_status=255)) == "exit_status"


def test_a_lost_gpu_is_said_beside_the_others():
    line = "Unable to determine the device handle for GPU0000:DB:00.0: GPU is lost.  Reboot the system\n"
    parsed = read_text(TOOL, sample(STATES) + line, exit_status=15)
    assert value(parsed, "gpu_count") == 4
    assert value(parsed, "gpu_unreadable") == 1


def test_another_text_is_an_error():
    assert code(read_text(TOOL, "hello\n")) == "unknown_layout"


def test_links_of_a_whole_number_of_gigabytes_are_read():
    card = "GPU 0: NVIDIA B200 (UUID: GPU-6513270e-269e-0d37-f2a7-4de452e6b438)\n"
    parsed = read_text("nvidia-smi nvlink -s", card + "".join(f"\t Link {link}: 50 GB/s\n" for link in range(18)))
    assert value(parsed, "nvlink_active_min") == 18
    assert value(parsed, "nvlink_sum_per_gpu_min") == 900


def test_a_card_asked_for_alone_says_nothing_of_how_many_there_are():
    text = (
        "GPU 6: NVIDIA A100-SXM4-80GB (UUID: GPU-0b7a21f4-9c55-4d1e-8a3e-6f5d4c3b2a10)\n"
        "NVML: Unable to retrieve NVLink information as all links are inactive\n"
    )
    parsed = read_text("text", text)
    assert (why(parsed, "gpu_count"), value(parsed, "nvlink_active", "gpu6")) == ("gpus_not_described", 0)
    chosen = read_text(TOOL, text.replace("GPU 6:", "GPU 0:"), command="nvidia-smi nvlink -s -i 0")
    assert why(chosen, "gpu_count") == "gpus_not_described"


def test_recoveries_are_counted_once_where_a_total_stands_below_its_parts():
    kinds = {"Tx packets": 900, "Link recovery successful events": 3, "Link recovery failed events": 1}
    kinds |= {"Total link recovery events": 4, "Symbol Errors": 7}
    links = "".join(f"\t Link {link}: {kind}: {count}\n" for link in range(2) for kind, count in kinds.items())
    text = f"GPU 0: NVIDIA GB200 (UUID: GPU-0b7a21f4-9c55-4d1e-8a3e-6f5d4c3b2a10)\n{links}"
    parsed = read_text("nvidia-smi nvlink -e", text)
    assert value(parsed, "nvlink_recovery_errors", "gpu0") == 8
    assert value(parsed, "nvlink_recovery_errors_max") == 8
