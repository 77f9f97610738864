"""nvidia-smi -q as text and as XML: the same facts from either."""

import re
from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

LOG = "nvidia_smi/550-q-4xh100.txt"
OLD_LOG = "nvidia_smi/440-q-v100.txt"
V10 = "nvidia_smi/440-qx-v10-v100.xml"
V11 = "nvidia_smi/510-qx-v11-mig.xml"
V13 = "nvidia_smi/580-qx-v13-2xb200.xml"
CLOSING = "</nvidia_smi_log>\n"


def test_the_text_log_is_read_by_its_headings():
    parsed = read_gpu(LOG)
    assert value(parsed, "gpu_count") == 4
    assert value(parsed, "gpu_name") == "NVIDIA H100 80GB HBM3"
    assert value(parsed, "gpu_memory_total_min") == Decimal(81559)
    assert value(parsed, "driver_version") == "550.127.08"
    assert value(parsed, "cuda_driver_version") == "12.4"
    assert value(parsed, "pcie_width_current_min") == 8
    assert value(parsed, "pcie_width_current", "gpu2") == 8
    assert value(parsed, "power_limit_min") == Decimal("500.00")
    assert value(parsed, "ecc_enabled_gpus") == 4
    assert value(parsed, "mig_enabled_gpus") == 0
    assert value(parsed, "virtualization_mode") == "None"
    assert value(parsed, "fabric_state", "gpu3") == "Completed"


@pytest.mark.parametrize("keeps_old_names", [True, False])
def test_versions_are_read_under_their_new_names_and_without_the_word_deprecated(keeps_old_names):
    text = sample("nvidia_smi/550-q-4xh100.txt")
    old = [line for line in text.splitlines(keepends=True) if line.startswith(("Driver Version", "CUDA Version"))]
    going = [f"{line.rstrip()} [Deprecated; will be removed in CUDA 14.0. Use another instead]\n" for line in old]
    new = [line.replace("Driver", "KMD").replace("CUDA", "CUDA UMD") for line in old]
    text = text.replace("".join(old), "".join((going if keeps_old_names else []) + new))
    parsed = read_text("nvidia-smi -q", text)
    assert [value(parsed, "driver_version"), value(parsed, "cuda_driver_version")] == [line.split()[-1] for line in old]


@pytest.mark.parametrize("notice", ["[Deprecated; will be removed in CUDA 14.0. Use another instead]", "[Deprecated]"])
def test_a_version_said_to_be_deprecated_is_still_that_version(notice):
    text = sample("nvidia_smi/580-qx-v13-2xb200.xml")
    whole = read_text("nvidia-smi -q -x", text)
    for tag in ("driver_version", "cuda_version"):
        text = text.replace(f"</{tag}>", f" {notice}</{tag}>")
    going = read_text("nvidia-smi -q -x", text)
    for name in ("driver_version", "cuda_driver_version"):
        assert value(going, name) == value(whole, name)


def test_words_about_a_new_name_are_no_version():
    text = re.sub(
        r"<driver_version>[^<]+", '<driver_version>Deprecated, see "KMD version" instead',
        sample("nvidia_smi/580-qx-v13-2xb200.xml"),
    )  # fmt: skip
    assert why(read_text("nvidia-smi -q -x", text), "driver_version") == "renamed"


def test_uncorrectable_is_the_sum_of_its_counters_and_no_other_source():
    parsed = read_gpu(LOG)
    assert value(parsed, "ecc_uncorrected_volatile", "gpu1") == 1
    assert value(parsed, "ecc_uncorrected_aggregate", "gpu1") == 3
    assert value(parsed, "ecc_uncorrected_aggregate", "gpu0") == 0


def test_an_idle_gpu_and_one_to_be_reset_are_said():
    parsed = read_gpu(LOG)
    assert {(finding.code, finding.scope) for finding in parsed.findings} == {
        ("pcie_idle", "gpu0"),
        ("ecc_uncorrected", "gpu1"),
        ("gpu_recovery_needed", "gpu1"),
    }


def test_mig_slices_do_not_hide_the_gpus_own_memory():
    parsed = read_gpu("nvidia_smi/550-q-mig.txt")
    assert value(parsed, "gpu_memory_total_min") == Decimal(81559)
    assert value(parsed, "mig_devices") == 2
    assert value(parsed, "mig_device_memory_min") == Decimal(20096)
    assert why(parsed, "ecc_uncorrected_volatile", "gpu0") == "not_available"
    assert value(parsed, "ecc_uncorrected_volatile_max") == 1


def test_old_drivers_count_double_bit_errors_and_retired_pages():
    parsed = read_gpu(OLD_LOG)
    assert value(parsed, "ecc_uncorrected_volatile_max") == 0
    assert value(parsed, "ecc_uncorrected_aggregate_max") == 1
    assert value(parsed, "retired_pages_pending_gpus") == 1
    assert value(parsed, "power_limit_min") == Decimal("300.00")


def test_a_section_alone_is_read_as_far_as_it_goes():
    remap = "".join(lines_of(LOG)[:9]).replace("GPUs                             : 4", "GPUs : 1") + (
        "    Remapped Rows\n        Correctable Error : 0\n        Uncorrectable Error : 4\n"
        "        Pending : Yes\n        Remapping Failure Occurred : Yes\n\n"
    )
    text = "\n".join(line for line in remap.splitlines() if "Attached" not in line) + "\n\n"
    text = text.replace("GPU 0", "Attached GPUs : 1\nGPU 0")
    parsed = read_text("nvidia-smi -q", text, command="nvidia-smi -q -d ROW_REMAPPER")
    assert value(parsed, "row_remap_pending_gpus") == 1
    assert value(parsed, "row_remap_failure_gpus") == 1
    assert value(parsed, "remapped_rows_uncorrectable_max") == 4
    assert "gpu_name" not in measured(parsed)
    assert codes(parsed) == ["row_remap_pending", "row_remap_failure"]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_a_text_log_cut_short_measures_nothing(share):
    text = sample(LOG)
    parsed = read_text("nvidia-smi -q", text[: int(len(text) * share)])
    assert measured(parsed) == set()
    assert parsed.error


def test_lost_indentation_is_an_error_not_a_guess():
    text = "\n".join(line.strip() for line in sample(LOG).splitlines()) + "\n"
    assert code(read_text("nvidia-smi -q", text)) == "indentation_lost"


def test_blank_lines_and_crlf_do_not_matter():
    text = sample(LOG).replace("\n", "\r\n").replace("    PCI\r\n", "    PCI\r\n\r\n")
    assert value(read_text("nvidia-smi -q", text), "pcie_width_current_min") == 8


def test_with_minus_i_the_gpus_are_described_but_not_counted():
    text = sample(OLD_LOG).replace("GPUs                       : 1", "GPUs                       : 8")
    parsed = read_text("nvidia-smi -q", text, command="nvidia-smi -q -i 0")
    assert why(parsed, "gpu_count") == "gpus_not_described"
    assert value(parsed, "ecc_uncorrected_aggregate_max") == 1
    assert codes(parsed) == ["gpus_not_described"]


def test_the_same_text_log_twice_is_an_error():
    assert code(read_text("nvidia-smi -q", sample(LOG) * 2)) == "two_outputs"


def test_v13_sums_the_split_sram_counters_and_knows_retired_fields():
    parsed = read_gpu(V13)
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "ecc_uncorrected_volatile_max") == 3
    assert value(parsed, "ecc_uncorrected_aggregate", "gpu1") == 4
    assert why(parsed, "retired_pages_pending", "gpu0") == "deprecated"
    assert value(parsed, "power_draw_max") == Decimal("149.80")
    assert value(parsed, "channel_repair_pending", "gpu0") is False
    assert value(parsed, "gpu_serial", "gpu1") == "1660000000001"


def test_v11_takes_the_gpus_memory_and_a_bare_word_for_remapped_rows():
    parsed = read_gpu(V11)
    assert value(parsed, "gpu_memory_total_min") == Decimal(81920)
    assert value(parsed, "mig_device_memory_min") == Decimal(20096)
    assert why(parsed, "row_remap_pending_gpus") == "not_available"
    assert why(parsed, "ecc_uncorrected_volatile_max") == "not_available"
    assert value(parsed, "ecc_uncorrected_aggregate_max") == 1


def test_v10_reads_double_bit_errors_and_the_old_power_group():
    parsed = read_gpu(V10)
    assert value(parsed, "ecc_uncorrected_volatile_max") == 2
    assert value(parsed, "ecc_uncorrected_aggregate_max") == 5
    assert value(parsed, "power_limit_min") == Decimal("300.00")
    assert value(parsed, "retired_pages_pending_gpus") == 1
    assert value(parsed, "mig_devices") == 0


def test_text_around_the_document_is_kept_as_findings():
    text = "Warning: x\n" + sample(V13) + "WARNING: infoROM is corrupted at gpu 0000:1A:00.0\n"
    parsed = read_text("nvidia-smi -q -x", text)
    assert value(parsed, "gpu_count") == 2
    assert codes(parsed) == ["ecc_uncorrected", "text_around", "inforom_corrupted"]


def test_a_listed_gpu_whose_name_cannot_be_read_is_not_counted():
    parsed = read_gpu(V13, ("<product_name>NVIDIA B200</product_name>", "<product_name>Unknown Error</product_name>"))
    assert value(parsed, "gpu_count") == 0
    assert value(parsed, "gpu_unreadable") == 2
    assert value(parsed, "error_bus_id") == "00000000:1A:00.0"


def test_more_gpus_attached_than_described_are_not_counted():
    parsed = read_gpu(V13, ("<attached_gpus>2<", "<attached_gpus>4<"))
    assert why(parsed, "gpu_count") == "gpus_not_described"
    assert value(parsed, "gpu_memory_total_min") == Decimal(183359)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ((CLOSING, ""), "output_truncated"),
        (("</serial>", ""), "xml_broken"),
        (('"nvsmi_device_v13.dtd"', '"x" [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]'), "xml_unsafe"),
        ((CLOSING, CLOSING + "<nvidia_smi_log>\n" + CLOSING), "two_outputs"),
        (("<timestamp>", "&bomb;<timestamp>"), "xml_broken"),
    ],
    ids=["cut", "tag lost", "entities", "two documents", "undefined entity"],
)
def test_a_document_that_is_not_whole_or_not_safe_measures_nothing(change, expected):
    parsed = read_gpu(V13, change)
    assert code(parsed) == expected
    assert measured(parsed) == set()


def test_a_bad_exit_status_is_an_error_for_both_forms():
    assert code(read_gpu(V13, exit_status=1)) == "exit_status"
    assert code(read_gpu(LOG, exit_status=1)) == "exit_status"


def test_the_power_limit_may_stand_one_heading_deeper():
    limit = "        Current Power Limit               : 700.00 W\n"
    assert limit in sample(LOG)
    ceiling = "        GPU Ceiling Power Limit\n" + limit.replace("        C", "            C")
    assert value(read_text("nvidia-smi -q", sample(LOG).replace(limit, ceiling)), "power_limit", "gpu0") == Decimal(
        "700.00"
    )
