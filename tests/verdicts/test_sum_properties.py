"""Derived sums: whatever is missing makes them unmeasured, never smaller or greater; order and units change nothing."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.comparing import in_unit
from gpucontract.verdicts.derive import READERS
from tests.verdicts import making
from tests.verdicts.making import run

BODY = making.body_of()
few = {"max_examples": 100, "deadline": None}
GIB = 2**30
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": GIB, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def sized(name, size, unit, **facts):
    """A local NVMe data disk; facts: what else is to be told of it."""
    told = {"disk_is_nvme": True, "disk_is_system": False, "nvme_is_local": True, **facts}
    kinds = [Reading(key, value, scope=f"disk:{name}") for key, value in told.items()]
    return [*kinds, Reading("disk_size", Decimal(size) / UNITS[unit], unit, f"disk:{name}")]


@st.composite
def disks(draw):
    """The readings of a machine's disks, and what its data disks hold together in bytes."""
    count = draw(st.integers(1, 6))
    sizes = [draw(st.integers(1, 30_000)) * 2**12 * 10**6 for _ in range(count)]
    units = [draw(st.sampled_from(sorted(UNITS))) for _ in range(count)]
    found = [sized(f"nvme{place}n1", size, unit) for place, (size, unit) in enumerate(zip(sizes, units, strict=True))]
    others = [sized("nvme8n1", 10**12, "B", disk_is_system=True), sized("sda", 10**13, "GB", disk_is_nvme=False),
              sized("nvme9n1", 10**13, "B", nvme_is_local=False)]  # fmt: skip
    more = [each for each in others if draw(st.booleans())]
    return [reading for each in (*found, *more) for reading in each], count, sum(sizes)


def seen(metric, readings):
    """The one thing that a machine with these readings says about the metric, or None."""
    told = list(READERS[metric](run("storage", "g1-001", readings), CLAUSES[metric]))
    assert len(told) <= 1
    return told[0] if told else None


CLAUSES = {clause.metric: clause for clause in BODY.judged}


def total(readings):
    told = seen("local_disk_tb", readings)
    return None if told is None or told.value is None else in_unit(told.value, told.unit, "B")


@settings(**few)
@given(disks(), st.randoms(use_true_random=False))
def test_the_capacity_is_the_exact_sum_in_any_order_and_unit(machine, chance):
    readings, count, expected = machine
    assert total(readings) == expected and seen("nvme_count", readings).value == count
    shuffled = list(readings)
    chance.shuffle(shuffled)
    assert total(shuffled) == expected and seen("nvme_count", shuffled).value == count


@settings(**few)
@given(disks(), st.data())
def test_a_sum_without_one_of_its_parts_is_not_measured(machine, data):
    readings, count, expected = machine
    place = data.draw(st.integers(0, len(readings) - 1))
    lost = readings[place]
    spoilt = data.draw(
        st.sampled_from([[], [replace(lost, value=None, why="not_available")], [replace(lost, value="?")]])
    )
    left = [*readings[:place], *spoilt, *readings[place + 1 :]]
    assert total(left) in (None, expected)
    many = seen("nvme_count", left)
    assert many is None or many.value in (None, count)


@settings(**few)
@given(
    disks(), st.integers(0, 5), st.sampled_from([Decimal("NaN"), -1, True, "7.68 TB", ("a", "b"), Decimal(10) ** 40])
)
def test_a_sum_with_a_part_that_is_no_size_is_not_measured(machine, place, value):
    readings, count, _ = machine
    name = f"disk:nvme{place % count}n1"
    odd = [replace(each, value=value) if (each.name, each.scope) == ("disk_size", name) else each for each in readings]
    told = seen("local_disk_tb", odd)
    assert told.value is None and told.why


@st.composite
def remaps(draw):
    """Row remaps of eight GPUs: both facts of each, and how many of the two are true."""
    pending, failed = ([draw(st.booleans()) for _ in making.GPUS] for _ in range(2))
    readings = [Reading("row_remap_pending", value, scope=f"gpu{gpu}") for gpu, value in enumerate(pending)]
    readings += [Reading("row_remap_failure", value, scope=f"gpu{gpu}") for gpu, value in enumerate(failed)]
    return readings, {f"gpu{gpu}": one + other for gpu, (one, other) in enumerate(zip(pending, failed, strict=True))}


@settings(**few)
@given(remaps(), st.integers(0, 15), st.sampled_from([(), (None,), ("N/A",), (0,)]), st.randoms(use_true_random=False))
def test_row_remaps_add_up_only_where_both_were_read(machine, place, instead, chance):
    readings, expected = machine
    lost = readings[place]
    left = [*readings[:place], *readings[place + 1 :], *(replace(lost, value=value, why="") for value in instead)]
    chance.shuffle(left)
    found = {
        one.local: one.value
        for one in READERS["row_remap_pending"](run("health", "g1-001", left), CLAUSES["row_remap_pending"])
    }
    assert found == expected | {lost.scope: None}
