"""Permitted failures by chance, from one machine to ten thousand for ninety days."""

import pytest

from gpucontract.contracts.chance import at_most, least_permitted


@pytest.mark.parametrize(("permitted", "expected", "chance"), [
    (0, 0, 1), (0, 1, 0.367879), (2, 2, 0.676676), (20, 15, 0.917029), (1000, 1000, 0.508409), (3500, 3600, 0.048129),
])  # fmt: skip
def test_the_chance_of_at_most_so_many(permitted, expected, chance):
    assert at_most(permitted, expected) == pytest.approx(chance, abs=1e-6)


@pytest.mark.parametrize(("expected", "permitted"), [(0, 0), (0.05, 0), (0.06, 1), (1, 3), (745, 790), (3600, 3699)])
def test_the_least_number_that_a_good_cluster_exceeds_once_in_twenty(expected, permitted):
    found = least_permitted(expected, 0.05)
    assert found == permitted
    assert at_most(found, expected) >= 0.95 and (not found or at_most(found - 1, expected) < 0.95)
