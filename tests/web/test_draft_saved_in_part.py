"""What is right in a step counts once a button saved it, whatever else is wrong in it, and whatever was refused before."""

from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.models import StepBuffer
from gpucontract.contracts.snapshot import terms_of
from gpucontract.web.wizard import Draft
from tests import factories
from tests.web.typing_in import post, shown, url

pytestmark = pytest.mark.django_db
# Step, input, a text that is refused, one that is right, and what it stores: one of every kind of term.
KINDS = [
    ("commercial", "c-unit_price", "三万", "30,000.00", Decimal(30000)),
    ("sla", "c-p1_response_min", "bald", "45", 45),
    ("acceptance", "c-delivery_date", "尽快", "2027-01-31", date(2027, 1, 31)),
    ("commercial", "c-currency", "EUR", "USD", "USD"),
    ("acceptance", "c-acceptance_fail_remedy", ["wish"], ["price_cut"], ("price_cut",)),
    ("nodes", "g1-gpu_ecc_enabled", "maybe", "True", True),
    ("parties", "c-buyer_notice_email", "nobody", "law@buyer.example", "law@buyer.example"),
]


def check_page(client, contract):
    return client.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()


def empty(contract, name):
    code, _dash, term = name.partition("-")
    services.write_terms(contract, values={code: {term: None}}, by=factories.person("bing"))


@pytest.mark.parametrize(("step", "name", "wrong", "right", "value"), KINDS, ids=[row[1] for row in KINDS])
@pytest.mark.parametrize("act", ["save", "later"])
def test_a_value_put_right_counts_and_clears_the_refused_one(drafter, contract, step, name, wrong, right, value, act):
    empty(contract, name)
    path, changed = name.replace("-", "/"), name.replace("-", "__")
    assert post(drafter, contract, step, **{changed: wrong}).status_code == 422
    assert path not in given(contract) and Draft.of(contract).is_unsaved(step)
    assert post(drafter, contract, step, act=act, **{changed: right}).status_code == 302
    assert given(contract)[path] == value
    assert not Draft.of(contract).is_unsaved(step)
    assert "未计入本页" not in check_page(drafter, contract)


def given(contract):
    terms = terms_of(contract)
    return {f"{code}/{name}": terms[f"{code}/{name}"] for code in terms.rows for name in terms.rows[code]
            if terms.is_given(f"{code}/{name}")}  # fmt: skip


@pytest.mark.parametrize("act", ["save", "later"])
def test_one_wrong_input_holds_back_itself_alone(drafter, contract, act):
    before = given(contract)["c/p1_response_min"]
    post(drafter, contract, "sla", act=act, c__p1_response_min="bald", c__maintenance_notice_hours="71")
    assert (given(contract)["c/p1_response_min"], given(contract)["c/maintenance_notice_hours"]) == (before, 71)
    assert shown(drafter, contract, "sla")["c-p1_response_min"] == ["bald"]
    assert "未计入本页" in check_page(drafter, contract)


@pytest.mark.parametrize("act", ["save", "later"])
def test_rows_are_written_whole_or_not_at_all(drafter, contract, act):
    rows = given(contract)["c/credit_tiers"]
    name = f"c__credit_tiers__{rows[0]['code']}__credit_pct"
    post(drafter, contract, "sla", act=act, **{name: "viel", "c__maintenance_notice_hours": "71"})
    assert given(contract)["c/credit_tiers"] == rows and given(contract)["c/maintenance_notice_hours"] == 71
    assert shown(drafter, contract, "sla")[name.replace("__", "-")] == ["viel"]
    post(drafter, contract, "sla", act=act, **{name: "7"})
    assert next(row["credit_pct"] for row in given(contract)["c/credit_tiers"]) == 7
    assert [row["code"] for row in given(contract)["c/credit_tiers"]] == [row["code"] for row in rows]
    assert not Draft.of(contract).is_unsaved("sla")


def test_a_needed_value_that_was_emptied_stays_until_there_is_another(drafter, contract):
    before = given(contract)["c/unit_price"]
    post(drafter, contract, "commercial", act="later", c__unit_price="")
    assert given(contract)["c/unit_price"] == before and Draft.of(contract).is_unsaved("commercial")


def test_text_that_says_what_is_stored_in_another_way_is_not_called_unsaved(drafter, contract):
    typed = shown(drafter, contract, "commercial") | {"c-unit_price": "30,000.00"}
    services.write_terms(contract, values={"c": {"unit_price": "30000"}}, by=factories.person("bing"))
    drafter.post(url(contract, "commercial", "contract-draft-autosave"), typed)
    assert StepBuffer.objects.get(step="commercial").values()["c-unit_price"] == ["30,000.00"]
    assert not Draft.of(contract).is_unsaved("commercial")
