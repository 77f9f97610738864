"""The wizard: a step of five node groups against Django's own layout, and all checks on a full contract."""

from gpucontract.contracts.terms import Terms
from tests.sample_terms import SAMPLE

GROUPS = 5
ALL_CHECKS_S = 0.020


def five_groups() -> Terms:
    """The sample contract with five equal node groups."""
    groups = {f"g{number}": SAMPLE["g1"] for number in range(1, GROUPS + 1)}
    return Terms({"c": SAMPLE["c"], **groups, "m1": SAMPLE["m1"]})
