"""Two tabs: a page that shows an earlier state binds nobody to what came after it."""

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from tests import factories
from tests.web.walk import answered

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract(db):
    return factories.sent_contract()


def second(contract, **terms):
    """The buyer takes the offer back, changes something and sends the next revision."""
    services.reopen(contract, by=factories.person("ada"))
    services.write_terms(contract, values={"g1": terms}, by=factories.person("bing"))
    contract.refresh_from_db()
    services.send_revision(contract, by=factories.person("ada"))
    contract.refresh_from_db()


def all_confirmed(revision):
    return {f"answer-{clause.key}": "confirm" for clause in revision.body().clauses} | {"seen": revision.sha256}


def test_an_old_page_of_the_vendor_confirms_nothing_of_the_next_revision(client, contract, vera):
    old = factories.latest(contract)
    client.force_login(vera)
    page = reverse("contract-answers", args=[contract.uuid])
    assert f'name="seen" value="{old.sha256}"' in client.get(page).content.decode()
    second(contract, ram_gb_per_node=1024)
    response = client.post(page, all_confirmed(old) | {"act": "submit"})
    contract.refresh_from_db()
    assert (response.status_code, contract.state) == (409, "with_vendor")
    assert not factories.latest(contract).confirmations.exists()
    shown = response.content.decode()
    new = factories.latest(contract)
    assert "又发来了第 2 版" in shown and f'name="seen" value="{new.sha256}"' in shown
    typed = {line.row.key: line.typed.answer for part in response.context["parts"] for line in part.lines}
    assert typed["g1/ecc"] == "confirm" and typed["g1/ram"] != "confirm"
    assert client.post(page, all_confirmed(new)).status_code == 302


def test_an_old_page_of_the_buyer_accepts_no_later_counter(client, ada, vera):
    contract = answered()
    old = factories.latest(contract)
    client.force_login(ada)
    shown = client.get(reverse("contract-rounds", args=[contract.uuid])).content.decode()
    assert f'name="seen" value="{old.sha256}"' in shown
    services.decide(old, "g1/ram", decision="declined", text="x", by=ada)
    services.send_revision(contract, by=ada)
    new = factories.latest(contract)
    rest = {clause.key: services.Given("confirm") for clause in new.body().clauses}
    services.answer_clauses(new, answers=rest | {"g1/ram": services.Given("counter", "缺货", "512")}, by=vera)
    services.submit_answers(new, by=vera)
    given = {"decision-g1/ram": "accepted", "text-g1/ram": "可以", "seen": old.sha256}
    response = client.post(reverse("contract-decide", args=[contract.uuid]), given)
    kept = response.content.decode()
    assert response.status_code == 409 and "已到第 2 版" in kept and "可以</textarea>" in kept
    assert not new.confirmations.filter(key="g1/ram", decision__isnull=False).exists()
    assert (
        client.post(reverse("contract-decide", args=[contract.uuid]), given | {"seen": new.sha256}).status_code == 302
    )
    assert new.confirmations.get(key="g1/ram").decision.answer == "accepted"


def test_terms_that_changed_behind_the_page_are_not_sent_unseen(client, ada, bing):
    contract = factories.drafted_contract()
    client.force_login(ada)
    check, send = (reverse(f"contract-draft-{name}", args=[contract.uuid]) for name in ("check", "send"))
    seen = client.get(check).context["seen"]
    services.write_terms(contract, values={"g1": {"ram_gb_per_node": 1024}}, by=bing)
    response = client.post(send, {"seen": seen})
    assert response.status_code == 422 and "有人改动了条款" in response.content.decode()
    assert not contract.revisions.sent().exists()
    assert client.post(send, {"seen": client.get(check).context["seen"]}).status_code == 302
    assert contract.revisions.sent().count() == 1


def test_sending_twice_from_two_tabs_sends_once(client, ada):
    contract = factories.drafted_contract()
    client.force_login(ada)
    send = reverse("contract-draft-send", args=[contract.uuid])
    assert [client.post(send).status_code for _ in range(2)] == [302, 422]
    assert contract.revisions.sent().count() == 1


def test_a_colleagues_answer_since_the_page_was_made_is_not_overwritten_unseen(client, contract, vera, sun):
    revision, page = factories.latest(contract), reverse("contract-answers", args=[contract.uuid])
    client.force_login(vera)
    client.post(page, {"answer-g1/ram": "confirm", "answer-g1/ecc": "confirm"})
    client.force_login(sun)
    made_at = client.get(page).context["made_at"]
    counter = {"g1/ram": services.Given("counter", "缺货", "1536")}
    services.answer_clauses(revision, answers=counter, by=vera)
    given = {"answer-g1/ram": "confirm", "answer-g1/ecc": "ask", "question-g1/ecc": "哪些卡？", "shown": made_at}
    response = client.post(page, given)
    said = response.content.decode()
    assert response.status_code == 422 and "Vera 已答复“提出修改” 1536 缺货" in said
    answers = dict(revision.confirmations.values_list("key", "answer"))
    assert answers == {"g1/ram": "counter", "g1/ecc": "confirm"}
    assert client.post(page, given | {"shown": response.context["made_at"]}).status_code == 302
    assert dict(revision.confirmations.values_list("key", "answer")) == {"g1/ram": "confirm", "g1/ecc": "ask"}


@pytest.mark.parametrize("shown", ["", "gestern", "2031-01-01T00:00:00"])
def test_a_time_that_cannot_be_read_asks_nothing(client, contract, vera, shown):
    client.force_login(vera)
    page = reverse("contract-answers", args=[contract.uuid])
    assert client.post(page, {"answer-g1/ram": "confirm", "shown": shown}).status_code == 302
