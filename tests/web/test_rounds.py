"""The rounds page: one form for all lines, so that nothing typed is lost whichever button is pressed."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts import services
from gpucontract.contracts.countering import Price
from gpucontract.contracts.models import Contract, Decision
from tests import factories
from tests.web.opened import opened

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision(db):
    revision, vera = factories.latest(factories.sent_contract()), factories.person("vera")
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    given["g1/ram"] = services.Given("counter", "缺货", "1536", Price(Decimal("-0.2"), "CNY", "gpu_hour"))
    given["g1/ecc"] = services.Given("ask", "包括备机吗？")
    services.answer_clauses(revision, answers=given, by=vera)
    services.submit_answers(revision, by=vera)
    return revision


def post(client, revision, name="ada", **typed):
    client.force_login(factories.person(name))
    fields = {key.replace("_", "-g1/", 1): value for key, value in typed.items() if key != "go"}
    go = {"go": typed["go"]} if "go" in typed else {}
    return client.post(reverse("contract-decide", args=[revision.contract.uuid]), opened(revision) | fields | go)


def test_one_button_keeps_the_reply_to_a_question_and_the_note_on_a_counter(client, revision):
    response = post(client, revision, text_ecc="包括。", decision_ram="declined", text_ram="训练需要")
    assert response.status_code == 302
    assert set(Decision.objects.values_list("answer", "text")) == {("replied", "包括。"), ("declined", "训练需要")}


def test_a_note_without_a_choice_is_refused_and_everything_typed_stays(client, revision):
    response = post(client, revision, text_ecc="包括。", text_ram="再谈谈")
    page = response.content.decode()
    assert response.status_code == 422 and not Decision.objects.exists()
    assert "包括。</textarea>" in page and "再谈谈</textarea>" in page and "还没有选择" in page


@pytest.mark.parametrize(
    ("go", "page"), [("draft", "contract-draft"), ("check", "contract-draft-check"), ("price", "contract-draft-step")]
)
def test_the_buttons_that_lead_away_keep_what_was_typed_too(client, revision, go, page):
    response = post(client, revision, text_ecc="包括。", go=go)
    args = [revision.contract.uuid] + (["commercial"] if go == "price" else [])
    assert response["Location"].partition("#")[0] == reverse(page, args=args)
    assert Decision.objects.get().text == "包括。"


def test_saving_the_same_again_writes_nothing_new(client, revision):
    for _ in range(2):
        post(client, revision, text_ecc="包括。")
    assert revision.contract.events.filter(kind="question_answered").count() == 1


def test_a_drafter_cannot_accept_and_is_told_so_with_the_text_kept(client, revision):
    response = post(client, revision, name="bing", decision_ram="accepted", text_ram="好的")
    assert response.status_code == 422 and "好的</textarea>" in response.content.decode()
    assert not Decision.objects.exists()


def test_the_page_holds_the_next_revision_back_until_the_price_effect_is_settled(client, revision):
    post(client, revision, text_ecc="包括。", decision_ram="accepted")
    here = reverse("contract-rounds", args=[revision.contract.uuid])
    page = client.get(here).content.decode()
    assert "价格不会" in page and 'value="check"' not in page and 'value="price"' in page
    post(client, revision, text_ecc="包括。", decision_ram="accepted", settled_ram="on")
    page = client.get(here).content.decode()
    assert 'value="check"' in page and 'value="price"' not in page and "−0.2" in page


def test_an_accepted_line_is_headed_by_its_new_words(client, revision):
    post(client, revision, decision_ram="accepted")
    page = client.get(reverse("contract-rounds", args=[revision.contract.uuid])).context
    heading = next(card.thread.text for card in page["asked"] if card.thread.key == "g1/ram")
    assert "1,536" in heading and "2,048" not in heading


def test_what_waits_for_the_buyer_is_not_told_a_second_time_below(client, revision):
    here = reverse("contract-rounds", args=[revision.contract.uuid])
    client.force_login(factories.person("ada"))
    page = client.get(here)
    assert [card.thread.key for card in page.context["asked"]] == ["g1/ecc", "g1/ram"]
    assert page.context["threads"] == [] and page.content.decode().count("包括备机吗？") == 1
    client.force_login(factories.person("vera"))
    assert [thread.key for thread in client.get(here).context["threads"]] == ["g1/ecc", "g1/ram"]


def test_a_counter_is_told_in_the_numbers_that_were_typed(client, revision):
    client.force_login(factories.person("ada"))
    page = client.get(reverse("contract-rounds", args=[revision.contract.uuid])).content.decode()
    assert "≥ 2,048 GiB" in page and "≥ 1,536 GiB" in page and "× 97 %" not in page


def test_an_open_price_effect_shows_the_box_that_settles_it(client, revision):
    post(client, revision, text_ecc="包括。", decision_ram="accepted")
    here = reverse("contract-rounds", args=[revision.contract.uuid])
    assert client.get(here).content.decode().count('<details class="more" open>') == 1
    post(client, revision, text_ecc="包括。", decision_ram="accepted", settled_ram="on")
    assert '<details class="more" open>' not in client.get(here).content.decode()


@pytest.mark.parametrize(("days", "kept"), [(5, True), (-5, False)])
def test_the_last_day_to_answer_is_kept_for_the_next_revision_while_it_lies_ahead(client, revision, days, kept):
    until = timezone.now() + timedelta(days=days)
    Contract.objects.update(offer_valid_until=until)
    client.force_login(factories.person("ada"))
    page = client.get(reverse("contract-draft-check", args=[revision.contract.uuid])).content.decode()
    day = f'name="until_day" value="{timezone.localtime(until):%Y-%m-%d}"'
    assert (day in page) is kept
