"""A line confirmed by somebody without authority is pointed out by name."""

import pytest

from gpucontract.contracts.checks.authority import Confirmer, unauthorised

VERA = Confirmer("Vera", ("confirmer",), has_mandate=False)
SUN = Confirmer("Sun", ("confirmer", "signer"), has_mandate=False)
LEE = Confirmer("Lee", ("confirmer",), has_mandate=True)
GONE = Confirmer("Gone", (), has_mandate=False)


@pytest.mark.parametrize("confirmers", [(), (SUN,), (LEE,), (SUN, LEE)], ids=["nobody", "signer", "mandate", "both"])
def test_those_with_authority_raise_nothing(confirmers):
    assert unauthorised(confirmers) is None


@pytest.mark.parametrize(
    ("confirmers", "names"),
    [((VERA,), "Vera"), ((VERA, SUN, VERA), "Vera"), ((VERA, GONE), "Gone, Vera")],
    ids=["one", "once each", "several, in order"],
)
def test_those_without_are_named(confirmers, names):
    assert f"confirmed by {names}, who" in unauthorised(confirmers).en
