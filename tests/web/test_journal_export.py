"""The journal as a file: each side its own share, and no cell that a spreadsheet would run."""

import csv
import io

import pytest
from django.urls import reverse

from gpucontract.contracts.journal import record
from gpucontract.office import safe
from gpucontract.web.views.journals import COLUMNS
from tests import factories

pytestmark = pytest.mark.django_db


def rows(client, contract, who):
    client.force_login(factories.person(who))
    response = client.get(reverse("contract-journal-csv", args=[contract.uuid]))
    assert response["Content-Disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_begins_a_formula(cell):
    assert safe(cell) == f"'{cell}" and safe("plain") == "plain"


def test_each_side_reads_its_own_share_and_how_much_is_not_its(client):
    contract = factories.sent_contract()
    record(contract, "check_waived", by=factories.person("ada"), body={"reason": "=HYPERLINK()"})
    buyer, vendor = rows(client, contract, "bing"), rows(client, contract, "vera")
    assert tuple(buyer[0]) == COLUMNS
    assert "check_waived" in {row["kind"] for row in buyer} and "terms_written" in {row["kind"] for row in buyer}
    assert {row["kind"] for row in vendor} == {"", "move_send"}
    assert all(not row["body"] for row in vendor) and any(row["hidden"] for row in vendor)
    document = client.get(reverse("contract-journal-json", args=[contract.uuid])).json()
    assert {each["kind"] for each in document["events"]} == {"", "move_send"}
