"""A remedy on its pages: offered at the clause, answered on the list, shown wherever the clause and the rent are."""

from datetime import date

import pytest
from django.urls import reverse

from gpucontract.contracts.models import Contract
from gpucontract.verdicts.models import Remedy, Verdict
from gpucontract.verdicts.services import waive_clause
from tests import factories
from tests.verdicts.test_remedying import KEY, contract, ready

pytestmark = pytest.mark.django_db
__all__ = ["contract", "ready"]
CUT = {"kind": "cut", "basis": "pct", "amount": "5", "from_on": "2027-01-01", "reason": "交期紧，先用起来"}
REJECT = {"kind": "reject", "slots": ["g1-002"], "from_on": "2027-01-01", "reason": "备机未到"}


def page(client, contract, who, name="contract-detail", *more):
    client.force_login(factories.person(who))
    return client.get(reverse(name, args=[contract.uuid, *more]))


def text(*arguments):
    return page(*arguments).content.decode()


def offer(client, contract, who, **given):
    client.force_login(factories.person(who))
    here = reverse("contract-remedy", args=[contract.uuid, KEY])
    return client.post(here, {"seen": client.get(here).context["seen"]} | given)


def answer(client, who, act):
    client.force_login(factories.person(who))
    name = "remedy-withdraw" if act == "withdraw" else "remedy-decide"
    return client.post(reverse(name, args=[Remedy.objects.get().uuid]), {act: ""})


def test_from_the_clause_to_the_running_term(client, ready):
    here = reverse("contract-remedy", args=[ready.uuid, KEY])
    assert here in text(client, ready, "ada") and here in text(client, ready, "vera")
    assert here not in text(client, ready, "eng")
    assert "g1-002" in text(client, ready, "ada", "contract-remedy", KEY)
    assert offer(client, ready, "ada", **REJECT).status_code == 302
    for who in ("ada", "eng", "sun"):
        assert "处理办法待答复" in text(client, ready, who)
    client.force_login(factories.person("vera"))
    assert reverse("contract-remedies", args=[ready.uuid]) in client.get("/").content.decode()
    waiting = text(client, ready, "vera", "contract-remedies")
    assert "不接收 g1-002，自 2027-01-01 起不计租金" in waiting and "备机未到" in waiting
    assert answer(client, "vera", "agree").status_code == 302
    for who in ("ada", "sun"):
        shown = text(client, ready, who)
        assert "已商定处理办法" in shown and "违约" in shown
        assert "减 65,000.00 元（65,000.00 元 × 1 台）" in text(client, ready, who, "contract-remedies")
        assert "同意一项处理办法" in text(client, ready, who, "contract-journal")
    decision = page(client, ready, "ada", "contract-accept")
    assert "调整后的租金：每月 65,000.00 元" in decision.content.decode()
    given = {"seen": decision.context["outlook"].sha256, "is_meant": "on"}
    assert client.post(reverse("contract-accept", args=[ready.uuid]), given).status_code == 302
    assert Contract.objects.get(pk=ready.pk).state == "active"
    assert "调整后的租金：每月 65,000.00 元" in text(client, ready, "sun", "contract-remedies")


def test_what_cannot_stand_stays_on_the_page_with_what_was_typed(client, contract):
    refused = offer(client, contract, "ada", **CUT | {"amount": "101"})
    assert refused.status_code == 422 and "降价最多 100 %，现在是 101" in refused.content.decode()
    assert refused.context["cut"]["reason"].value() == "交期紧，先用起来" and not Remedy.objects.exists()
    untold = offer(client, contract, "ada", **REJECT | {"slots": []})
    assert untold.status_code == 422 and "请勾选不接收的机器" in untold.content.decode()


def test_the_price_cut_that_the_contract_names_is_proposed(client, contract):
    cut = page(client, contract, "ada", "contract-remedy", KEY).context["cut"]
    assert cut["amount"].value() == 10 and isinstance(cut["from_on"].value(), date)


def test_of_what_nobody_measured_no_price_cut_is_offered(client, contract):
    Verdict.objects.filter(contract=contract, key=KEY).update(state="inconclusive")
    assert "没有测出差多少" in text(client, contract, "ada", "contract-remedy", KEY)
    assert offer(client, contract, "ada", **CUT).status_code == 422


def test_an_offer_without_an_answer_is_named_before_acceptance_and_void_after_it(client, ready):
    Verdict.objects.filter(contract=ready, key=KEY).update(state="marginal")
    offer(client, ready, "sun", **CUT)
    decision = page(client, ready, "ada", "contract-accept")
    assert "现在验收，这些提议即告作罢" in decision.content.decode()
    given = {"seen": decision.context["outlook"].sha256, "is_meant": "on", "tick": [KEY]}
    assert client.post(reverse("contract-accept", args=[ready.uuid]), given).status_code == 302
    assert "验收时未答复，作罢" in text(client, ready, "sun", "contract-remedies")
    assert answer(client, "ada", "agree").status_code == 409


def test_a_remedy_that_lapsed_says_so_and_the_clause_is_open_again(client, contract):
    offer(client, contract, "ada", **CUT)
    answer(client, "sun", "agree")
    assert "另有 1 条已商定处理办法" in text(client, contract, "ada")
    Verdict.objects.filter(contract=contract, key=KEY).update(value="11")
    assert "条已商定处理办法" not in text(client, contract, "ada")
    assert "结果已变，须重新商定" in text(client, contract, "ada", "contract-remedies")
    assert reverse("contract-remedy", args=[contract.uuid, KEY]) in text(client, contract, "ada")


@pytest.mark.parametrize("key", ["g1/nonsense", "c/price"])
def test_a_line_that_nothing_judges_has_no_such_page(client, contract, key):
    assert page(client, contract, "ada", "contract-remedy", key).status_code == 404


def test_every_page_counts_each_clause_once_and_only_the_buyer_counts_waivers(client, contract):
    offer(client, contract, "ada", **CUT)
    answer(client, "sun", "agree")
    other = Verdict.objects.filter(contract=contract, state="breached").exclude(key=KEY).first()
    waive_clause(contract, key=other.key, reason="备件在途", by=factories.person("ada"))
    measured = Verdict.objects.filter(contract=contract, state="breached").count()
    for who, waived in (("ada", 1), ("sun", 0)):
        shown = page(client, contract, who)
        chips = dict(shown.context["filter_counts"])
        board = client.get("/")
        row = next(row for row in board.context["rows"] if row.contract == contract)
        assert {look: many for look, many in row.counts.items() if many} == chips
        assert sum(chips.values()) == shown.context["all"] == Verdict.objects.count()
        assert (chips["breached"], chips["remedied"]) == (measured - 1 - waived, 1)
        assert (board.context["breached"], chips.get("waived", 0)) == (chips["breached"], waived)
        assert "另有 1 条已商定处理办法" in shown.content.decode()
        assert "已商定处理办法，无需再处理。" in shown.content.decode()
        assert 'title="已商定处理办法"' in board.content.decode()
    assert 'title="已豁免"' not in board.content.decode()
