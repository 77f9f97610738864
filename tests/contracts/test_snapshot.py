"""Reading the terms of a contract: everything as it was written, in few questions to the database."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts import services
from gpucontract.contracts.snapshot import terms_of
from tests import factories

pytestmark = pytest.mark.django_db


def test_child_rows_come_back_exactly_and_in_their_order():
    contract = factories.drafted_contract()
    rows = {
        "other_fees": ({"kind": "setup", "basis": "once", "amount": Decimal("1234567890.12")}, {"kind": "power"}),
        "credit_tiers": (
            {"lower_pct": Decimal("99.95"), "upper_pct": Decimal("99.99"), "credit_pct": Decimal("0.5")},
            {"lower_pct": Decimal(0), "upper_pct": Decimal("99.95"), "credit_pct": Decimal(100)},
        ),
        "delivery_batches": ({"due_on": date(2027, 2, 28), "nodes": 1}, {"due_on": date(2027, 1, 31), "nodes": 1}),
    }
    services.write_terms(contract, values={"c": rows}, by=factories.person("bing"))
    terms = terms_of(contract)
    for name, given in rows.items():
        found = [{key: value for key, value in row.items() if key != "code"} for row in terms[f"c/{name}"]]
        assert found == [dict(row) for row in given]


def test_it_asks_as_little_for_five_groups_as_for_one(django_assert_num_queries):
    contract = factories.drafted_contract()
    for _ in range(4):
        services.duplicate_row(contract, code="g1", by=factories.person("bing"))
    with django_assert_num_queries(6):
        assert len(terms_of(contract).groups) == 5
