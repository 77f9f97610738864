"""The vendor's list: what is open is counted and linked, bulk confirmation lists first, no counter says why."""

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from tests import factories
from tests.web.opened import opened

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision(db):
    return factories.latest(factories.sent_contract())


@pytest.fixture
def here(client, revision, vera):
    client.force_login(vera)
    return reverse("contract-answers", args=[revision.contract.uuid])


def test_a_refused_submission_counts_the_open_lines_links_to_them_and_keeps_the_answers(client, revision, here):
    count = len(revision.body().clauses)
    response = client.post(here, opened(revision) | {"act": "submit", "answer-g1/ram": "confirm"})
    page = response.content.decode()
    assert response.status_code == 422 and f"共 {count} 条，还有 {count - 1} 条没有答复" in page
    assert 'href="?show=open">查看' in page and revision.confirmations.get().key == "g1/ram"


def test_all_that_is_open_is_listed_and_then_confirmed_but_nothing_else(client, revision, here):
    ask = services.Given("ask", "哪些卡？")
    services.answer_clauses(revision, answers={"g1/ecc": ask}, by=factories.person("vera"))
    listing = reverse("contract-answers-list", args=[revision.contract.uuid, "open"])
    assert client.post(here, opened(revision) | {"act": "list:open"})["Location"] == listing
    page = client.get(listing)
    lines = page.context["lines"]
    assert len(lines) == len(revision.body().clauses) - 1
    assert page.content.decode().count("legal@buyer.example") == 1
    client.post(listing, {"line": [f"{line.row.key}|{line.sha256}" for line in lines]})
    assert revision.confirmations.filter(answer="confirm").count() == len(lines)
    assert revision.confirmations.get(key="g1/ecc").answer == "ask"


def test_a_line_without_a_counter_says_why(client, revision, here):
    parts = client.get(here).context["parts"]
    lines = {line.row.key: line for part in parts for line in part.lines}
    assert not lines["g1/ram"].no_counter and lines["g1/ram"].widget
    assert "一行" in lines["c/credit_tiers:t1"].no_counter and "固定要求" in lines["g1/mig_off"].no_counter
    assert all(bool(line.widget) != bool(line.no_counter) for line in lines.values())


def test_the_vendor_is_told_how_many_lines_of_the_second_revision_wait_and_led_to_them(client, revision, here):
    ada, vera = factories.person("ada"), factories.person("vera")
    answers = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=answers | {"g1/ram": services.Given("counter", "缺货", "1536")}, by=vera)
    services.submit_answers(revision, by=vera)
    services.decide(revision, "g1/ram", decision="accepted", by=ada)
    services.send_revision(revision.contract, by=ada)
    page = client.get(reverse("dashboard")).content.decode()
    open_now = len(answers) - factories.latest(revision.contract).confirmations.count()
    assert 0 < open_now < 5 and f"{open_now} 条等您答复" in page and f"{here}?show=open" in page
