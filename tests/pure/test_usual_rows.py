"""Storage is driven in the usual way where nobody said how: one line for each promised rate."""

import pytest

from gpucontract.contracts.usual_rows import usual_rows
from tests.pure.making import GONE, drafted

RATES = ("shared_read_gbs", "shared_write_gbs", "shared_read_iops", "shared_write_iops")


def profile(**rates):
    changes = {f"m1__{rate}": rates.get(rate, GONE) for rate in RATES}
    return usual_rows(drafted(**changes, g1__node_count=4), "m1/io_test_profile")


@pytest.mark.parametrize(
    ("rate", "pattern", "size"),
    [
        ("shared_read_gbs", "read", "1MiB"),
        ("shared_write_gbs", "write", "1MiB"),
        ("shared_read_iops", "randread", "4KiB"),
        ("shared_write_iops", "randwrite", "4KiB"),
    ],
)
def test_each_promised_rate_has_its_own_line(rate, pattern, size):
    (row,) = profile(**{rate: 10})
    assert (row["rw"], row["block_size"], row["direct"], row["runtime_s"]) == (pattern, size, True, 60)


def test_every_machine_that_sees_the_mount_takes_part():
    assert profile(shared_read_gbs=10)[0]["clients"] == 4


def test_nothing_promised_needs_no_line_and_other_terms_have_none():
    assert profile() == ()
    assert usual_rows(drafted(), "c/delivery_documents") == ()
