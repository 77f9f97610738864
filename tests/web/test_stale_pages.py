"""Two tabs: a page that shows an earlier state binds nobody to what came after it."""

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts import services
from gpucontract.contracts.models import Decision
from tests import factories
from tests.web.opened import checked, opened
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
    return {f"answer-{clause.key}": "confirm" for clause in revision.body().clauses} | opened(revision)


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
    given = {"decision-g1/ram": "accepted", "text-g1/ram": "可以"} | opened(old)
    response = client.post(reverse("contract-decide", args=[contract.uuid]), given)
    kept = response.content.decode()
    assert response.status_code == 409 and "已到第 2 版" in kept and "可以</textarea>" in kept
    assert not new.confirmations.filter(key="g1/ram", decision__isnull=False).exists()
    assert client.post(reverse("contract-decide", args=[contract.uuid]), given | opened(new)).status_code == 302
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
    shown = checked(contract)
    assert [client.post(send, shown).status_code for _ in range(2)] == [302, 422]
    assert contract.revisions.sent().count() == 1


def test_a_colleagues_answer_since_the_page_was_made_is_not_overwritten_unseen(client, contract, vera, sun):
    revision, page = factories.latest(contract), reverse("contract-answers", args=[contract.uuid])
    client.force_login(vera)
    client.post(page, opened(revision) | {"answer-g1/ram": "confirm", "answer-g1/ecc": "confirm"})
    client.force_login(sun)
    newest = client.get(page).context["newest"]
    counter = {"g1/ram": services.Given("counter", "缺货", "1536")}
    services.answer_clauses(revision, answers=counter, by=vera)
    given = {"answer-g1/ram": "confirm", "answer-g1/ecc": "ask", "question-g1/ecc": "哪些卡？"}
    given |= opened(revision) | {"shown": newest}
    response = client.post(page, given)
    said = response.content.decode()
    assert response.status_code == 422 and "Vera 已答复“提出修改” 1536 缺货" in said
    answers = dict(revision.confirmations.values_list("key", "answer"))
    assert answers == {"g1/ram": "counter", "g1/ecc": "confirm"}
    assert client.post(page, given | {"shown": response.context["newest"]}).status_code == 302
    assert dict(revision.confirmations.values_list("key", "answer")) == {"g1/ram": "confirm", "g1/ecc": "ask"}


@pytest.mark.parametrize("which", ["answer", "file", "decision"])
def test_what_came_in_the_very_moment_the_page_was_made_is_not_overwritten_unseen(
    client, contract, asked, vera, sun, ada, bing, which, settings, tmp_path
):
    """Nothing tells the two apart by the clock: it stands still."""
    settings.DOCUMENT_ROOT = tmp_path
    with time_machine.travel(timezone.now(), tick=False):
        if which == "decision":
            page, marks, reader = reverse("contract-decide", args=[asked.contract.uuid]), opened(asked), ada
            services.decide(asked, "g1/ram", decision="declined", text="训练需要", by=bing)
            given = {"decision-g1/ram": "accepted"}
        else:
            revision = factories.latest(contract)
            page, marks, reader = reverse("contract-answers", args=[contract.uuid]), opened(revision), sun
            client.force_login(vera)
            laid = {"file-g1/ram": file("vera")} if which == "file" else {}
            assert client.post(page, COUNTER | opened(revision) | laid).status_code == 302
            given = {"no-file-g1/ram": "on"} | COUNTER if which == "file" else {"answer-g1/ram": "confirm"}
        client.force_login(reader)
        assert client.post(page, given | marks).status_code == 422
        # Without the colleague's word in between, the same page is taken.
        newer = opened(asked if which == "decision" else factories.latest(contract))
        assert client.post(page, given | newer).status_code == 302


COUNTER = {"answer-g1/ram": "counter", "value-g1/ram": "1536", "reason-g1/ram": "缺货"}
UNSAID = pytest.mark.parametrize(
    "marks", [{"seen": ""}, {"shown": ""}, {"shown": "-1"}, {"shown": "²"}, {"shown": "9" * 10}],
    ids=["no revision", "no number", "none below 0", "no digit", "no such number"],
)  # fmt: skip


@UNSAID
def test_answers_of_a_page_that_does_not_say_what_it_showed_are_not_saved_and_stay_typed(client, contract, vera, marks):
    revision = factories.latest(contract)
    client.force_login(vera)
    given = COUNTER | {"answer-g1/ecc": "confirm", "act": "submit"} | opened(revision) | marks
    response = client.post(reverse("contract-answers", args=[contract.uuid]), given)
    assert response.status_code == 409 and "没有说明打开时显示的是什么" in response.content.decode()
    assert not revision.confirmations.exists()
    typed = {line.row.key: line.typed for part in response.context["parts"] for line in part.lines}
    assert (typed["g1/ram"].answer, typed["g1/ram"].reason) == ("counter", "缺货")
    assert (typed["g1/ecc"].answer == "confirm") is ("seen" not in marks)


@UNSAID
def test_decisions_of_a_page_that_does_not_say_what_it_showed_are_not_kept_and_the_words_stay(client, ada, marks):
    contract = answered()
    client.force_login(ada)
    given = {"decision-g1/ram": "accepted", "text-g1/ram": "可以"} | opened(factories.latest(contract)) | marks
    response = client.post(reverse("contract-decide", args=[contract.uuid]), given)
    page = response.content.decode()
    assert response.status_code == 409 and "没有说明打开时显示的是什么" in page and "可以</textarea>" in page
    assert not Decision.objects.exists()


@pytest.mark.parametrize("seen", [{}, {"seen": ""}, {"seen": "-1"}, {"seen": "²"}])
def test_an_offer_is_not_sent_from_a_page_that_does_not_say_which_terms_it_showed(client, ada, seen):
    contract = factories.drafted_contract()
    client.force_login(ada)
    given = {"until_day": "2031-05-06"} | seen
    response = client.post(reverse("contract-draft-send", args=[contract.uuid]), given)
    page = response.content.decode()
    assert response.status_code == 422 and "没有说明打开时显示的是什么" in page and 'value="2031-05-06"' in page
    assert not contract.revisions.sent().exists()


@pytest.fixture
def asked(db):
    """A counter and a question wait for the buyer."""
    contract, vera = factories.sent_contract(), factories.person("vera")
    revision = factories.latest(contract)
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    given |= {"g1/ram": services.Given("counter", "缺货", "1536"), "g1/ecc": services.Given("ask", "包括备机吗？")}
    services.answer_clauses(revision, answers=given, by=vera)
    services.submit_answers(revision, by=vera)
    return factories.latest(contract)


def decisions():
    return dict(Decision.objects.values_list("confirmation__key", "text"))


def test_a_colleagues_decision_since_the_page_was_made_is_not_overwritten_unseen(client, asked, ada, bing):
    page = reverse("contract-rounds", args=[asked.contract.uuid])
    client.force_login(ada)
    shown = client.get(page)
    newest = shown.context["newest"]
    assert f'name="shown" value="{newest}"' in shown.content.decode()
    services.decide(asked, "g1/ram", decision="declined", text="训练需要", by=bing)
    given = {"decision-g1/ram": "accepted", "text-g1/ecc": "包括。"} | opened(asked) | {"shown": newest}
    decide = reverse("contract-decide", args=[asked.contract.uuid])
    response = client.post(decide, given)
    said = response.content.decode()
    assert response.status_code == 422 and "Bing 已处理：未接受 训练需要" in said
    assert decisions() == {"g1/ram": "训练需要"} and "包括。</textarea>" in said
    assert client.post(decide, given | {"shown": response.context["newest"]}).status_code == 302
    assert decisions() == {"g1/ram": "", "g1/ecc": "包括。"}
    assert Decision.objects.get(confirmation__key="g1/ram").answer == "accepted"


def test_a_line_left_alone_does_not_ask_about_a_colleagues_word_on_it(client, asked, ada, bing):
    client.force_login(ada)
    shown = opened(asked)
    services.decide(asked, "g1/ecc", decision="replied", text="包括。", by=bing)
    given = {"decision-g1/ram": "declined", "text-g1/ram": "训练需要", "text-g1/ecc": ""} | shown
    assert client.post(reverse("contract-decide", args=[asked.contract.uuid]), given).status_code == 302
    assert decisions() == {"g1/ecc": "包括。", "g1/ram": "训练需要"}


def file(name):
    return SimpleUploadedFile(f"{name}.pdf", f"%PDF-1.7 {name}".encode())


@pytest.fixture
def overtaken(client, contract, vera, sun, settings, tmp_path):
    """What a page says whose line was countered, with a file, by a colleague after it was opened."""
    settings.DOCUMENT_ROOT = tmp_path
    revision, page = factories.latest(contract), reverse("contract-answers", args=[contract.uuid])
    shown = opened(revision)
    client.force_login(vera)
    assert client.post(page, COUNTER | opened(revision) | {"file-g1/ram": file("vera")}).status_code == 302
    client.force_login(sun)
    return shown


REFUSED = {
    "another file": COUNTER | {"file-g1/ram": "sun"},
    "another counter and a file": COUNTER | {"value-g1/ram": "1024", "file-g1/ram": "sun"},
    "a file on another line": COUNTER | {"value-g1/ram": "1024", "answer-g1/ecc": "ask", "question-g1/ecc": "?",
                                         "file-g1/ecc": "sun"},
    "a price nobody can read": COUNTER | {"amount-g1/ram": "much", "file-g1/ram": "sun"},
    "the file taken away": COUNTER | {"no-file-g1/ram": "on"},
    "a confirmation": {"answer-g1/ram": "confirm"},
}  # fmt: skip


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_nothing_stays_of_an_overtaken_page_neither_file_nor_answer(client, contract, overtaken, tmp_path, given):
    revision, before = factories.latest(contract), sorted(path.name for path in tmp_path.rglob("*"))
    head, address = contract.events.count(), reverse("contract-answers", args=[contract.uuid])

    def posted(shown):
        files = {name: file(value) for name, value in given.items() if name.startswith("file-")}
        return client.post(address, given | files | shown)

    response = posted(overtaken)
    assert response.status_code == 422 and "Vera" in response.content.decode()
    assert contract.events.count() == head and sorted(path.name for path in tmp_path.rglob("*")) == before
    assert list(revision.attachments.values_list("key", "name")) == [("g1/ram", "vera.pdf")]
    assert list(revision.confirmations.values_list("key", "value")) == [("g1/ram", "1536")]
    if given.get("amount-g1/ram") is None:
        assert posted({**overtaken, "shown": response.context["newest"]}).status_code == 302
        assert not revision.attachments.filter(key="g1/ram", name="vera.pdf").exists() or "file-g1/ecc" in given
