"""The most that a machine can have: what the catalogue knows, and which readings are above it."""

from decimal import Decimal

import pytest

from gpucontract.catalogue.limits import CPUS, LIMITS, cpu
from gpucontract.measurements.limits import beyond, ceiling, surroundings
from gpucontract.measurements.parsers.capture import Reading

H100, CPU = "NVIDIA H100 80GB HBM3", "Intel(R) Xeon(R) Platinum 8480+"

# printed name -> cores of a machine at most, memory in TiB at most; None = not known
PRINTED_CPUS = {
    "Intel(R) Xeon(R) Platinum 8480+": (112, 8),
    "Intel(R) Xeon(R) Platinum 8480C": (112, 8),
    "INTEL(R) XEON(R) PLATINUM 8592+": None,
    "Intel(R) Xeon(R) Platinum 8592+": (128, 8),
    "Intel(R) Xeon(R) Platinum 8468": (240, 16),
    "Intel(R) Xeon(R) Platinum 8490H": (480, 32),
    "Intel(R) Xeon(R) Platinum 8558": (128, 8),
    "Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz": (80, 12),
    "Intel(R) Xeon(R) Gold 6430": (240, 16),
    "AMD EPYC 7763 64-Core Processor": (128, 8),
    "AMD EPYC 9454 48-Core Processor": (192, 12),
    "AMD EPYC 9754 128-Core Processor": (256, 12),
    "AMD EPYC 9965 192-Core Processor": (384, None),
    "AMD EPYC 9575F 64-Core Processor": (384, None),
    "AMD EPYC Processor (with IBPB)": None,
    "Intel Xeon Processor (Icelake)": None,
    "Neoverse-V2": None,
    "": None,
}


@pytest.mark.parametrize(("printed", "most"), PRINTED_CPUS.items(), ids=PRINTED_CPUS)
def test_a_cpu_is_known_by_its_printed_name(printed, most):
    found = cpu(printed)
    memory = found.memory_tib * found.sockets if found and found.memory_tib else None
    assert (found and (found.cores * found.sockets, memory)) == most


def test_every_limit_says_where_it_is_from():
    assert all(each.source.startswith("https://") for each in (*LIMITS.values(), *CPUS))


# reading, the most that is believed, unit
MOST = [
    ("gpu_memory_total", "gpu0", 81920, "MiB"), ("power_limit", "gpu0", Decimal("1050.0"), "W"),
    ("pcie_width_current", "gpu0", 16, "lanes"), ("nvlink_active", "gpu0", 18, ""), ("cores", "", 112, ""),
    ("mem_total", "", 8 * 2**30, "KiB"), ("disk_size", "disk:nvme0n1", 245_760_000_000_000, "B"),
    ("port_rate", "port:mlx5_0", 800, "Gb/s"), ("gpu_count", "", 32, ""),
]  # fmt: skip


def found_in(name, scope, value, unit):
    told = [Reading("gpu_name", H100, scope="gpu0"), Reading("cpu_model", CPU)]
    return [each.code for each in beyond([*told, Reading(name, value, unit, scope)])]


@pytest.mark.parametrize(("name", "scope", "most", "unit"), MOST, ids=[row[0] for row in MOST])
def test_a_reading_above_its_limit_is_a_finding_and_one_at_it_is_none(name, scope, most, unit):
    assert found_in(name, scope, most, unit) == []
    assert found_in(name, scope, most + 1, unit) == ["beyond_limits"]


@pytest.mark.parametrize("value", [None, "N/A", True, ("a", "b")])
def test_what_is_no_number_is_above_nothing(value):
    assert found_in("gpu_memory_total", "gpu0", value, "MiB") == []


def test_without_a_known_model_there_is_no_limit():
    told = [Reading("gpu_name", "NVIDIA X9000", scope="gpu0"), Reading("cpu_model", "Neoverse-V9")]
    around = surroundings([*told, Reading("gpu_memory_total", 999_999, "MiB", "gpu0")], "H100 SXM5 80GB")
    assert ceiling("gpu_memory_total", "gpu0", around) is None
    assert ceiling("cores", "", around) is None
    assert ceiling("some_other_reading", "", around) is None


def test_a_card_that_prints_no_name_is_taken_for_the_contracted_model():
    assert ceiling("nvlink_active", "gpu0", surroundings([], "H100 SXM5 80GB")).most == 18


def test_two_models_of_one_name_are_held_to_the_larger():
    around = surroundings([Reading("gpu_name", "NVIDIA GeForce RTX 4090", scope="gpu0")])
    assert ceiling("gpu_memory_total", "gpu0", around).most == 48 * 1024


def test_the_finding_says_value_limit_and_why_in_both_languages():
    told = [Reading("gpu_name", H100, scope="gpu3"), Reading("gpu_memory_total", 999_999, "MiB", "gpu3")]
    found = next(iter(beyond(told)))
    assert found.scope == "gpu3"
    assert (
        "is 999,999 MiB, above the known limit of 81,920 MiB (H100 SXM5 80GB has 81,920 MiB at most)" in found.text.en
    )
    assert "超过已知的上限 81,920 MiB" in found.text.zh
