"""Everyone concerned is told, once, in both languages, of nothing that is not theirs to know."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from gpucontract.contracts import mailing, tasks
from gpucontract.contracts.handover import confirm_handover, deny_handover
from gpucontract.contracts.letters import FACTS, LETTERS, UNTOLD, written
from gpucontract.contracts.lifecycle import MOVES
from gpucontract.contracts.models import Mail
from gpucontract.contracts.services import (
    Given,
    answer_clauses,
    comment,
    extend_offer,
    reject,
    submit_answers,
    withdraw,
)
from gpucontract.measurements.services import deliver
from gpucontract.web.events import WORDS
from tests import factories

pytestmark = pytest.mark.django_db


def to():
    return sorted(letter.to[0].partition("@")[0] for letter in mail.outbox)


@pytest.mark.parametrize("kind", LETTERS)
def test_every_letter_reads_in_both_languages_with_and_without_its_facts(kind):
    for facts in ({}, dict.fromkeys(FACTS, "X")):
        subject, body = written(LETTERS[kind], facts, "https://x.example/")
        assert " / " in subject and "{" not in subject + body and body.count("https://x.example/") == 2


# Of each move, whom it concerns: who is told by letter, apart from whoever made it.
TOLD = {
    "send": "vendor", "submit": "buyer", "agree": "buyer vendor", "reopen": "buyer vendor", "sign": "buyer vendor",
    "deliver": "buyer vendor", "start_acceptance": "vendor", "accept": "buyer vendor", "end": "buyer vendor",
    "withdraw": "buyer vendor", "reject": "buyer vendor", "expire": "buyer vendor", "extend": "vendor",
    "terminate": "buyer vendor", "supersede": "buyer vendor",
    "carry_delivery": "", "carry_tests": "", "carry_acceptance": "",
}  # fmt: skip
ASKED = {
    "offer_reminded": "vendor", "signed_off": "buyer vendor", "handover_confirmed": "buyer vendor",
    "handover_denied": "buyer vendor", "commented": "buyer vendor", "draft_ready": "buyer", "signer_named": "vendor",
    **{f"remedy_{what}": "buyer vendor" for what in ("proposed", "agreed", "declined", "withdrawn", "lapsed")},
}  # fmt: skip


@pytest.mark.parametrize("move", MOVES)
def test_every_move_tells_whom_it_concerns_or_says_what_does_instead(move):
    letter = LETTERS.get(f"move_{move}")
    told = [side.value for side in letter.sides] if letter else []
    assert told == TOLD[move].split()
    assert (letter is None) == (move in UNTOLD) and all(UNTOLD.values())


@pytest.mark.parametrize("kind", LETTERS)
def test_every_letter_is_about_something_that_is_recorded(kind):
    known = {f"move_{move}": sides for move, sides in TOLD.items()} | ASKED
    assert known[kind].split() == [side.value for side in LETTERS[kind].sides] and kind in WORDS


def test_what_the_buyer_says_of_the_handover_reaches_the_vendor(ada, eng, vera):
    contract = factories.signed_contract()
    deliver(contract, by=vera, now=timezone.now())
    Mail.objects.all().delete()
    deny_handover(contract, reason="少一台", by=eng)
    tasks.mail_due()
    assert "vera" in to() and "ada" in to() and "eng" not in to() and "少一台" in mail.outbox[0].body
    mail.outbox.clear()
    today = timezone.localdate()
    confirm_handover(contract, on=today, by=eng)
    tasks.mail_due()
    assert "vera" in to() and f"甲方确认了交付日 {today}" in mail.outbox[0].subject


def test_sending_tells_the_vendors_people_and_nobody_else(bing, ada, vera, sun, mallory, zoe):
    factories.sent_contract()
    assert tasks.mail_due() == 2 and to() == ["sun", "vera"]
    letter = mail.outbox[0]
    assert "请逐项确认" in letter.subject and "please confirm line by line" in letter.subject
    assert "/answers/" in letter.body
    assert "答复期限：未约定。" in letter.body and "Answer by: no date is set." in letter.body


def test_running_twice_sends_once(ada, vera):
    factories.sent_contract()
    assert tasks.mail_due() > 0 and tasks.mail_due() == 0
    assert not Mail.objects.filter(sent_at=None).exists()


def test_the_buyer_hears_how_many_lines_counters_and_questions(bing, ada, vera):
    revision = factories.latest(factories.sent_contract())
    given = {clause.key: Given("confirm") for clause in revision.body().clauses}
    given |= {"g1/ram": Given("counter", "缺货", "1536"), "g1/ecc": Given("ask", "哪些卡？")}
    answer_clauses(revision, answers=given, by=vera)
    Mail.objects.all().delete()
    submit_answers(revision, by=vera)
    tasks.mail_due()
    assert to() == ["ada", "bing"]
    lines = len(given)
    assert (
        "提出修改 1 条，提问 1 条" in mail.outbox[0].subject and "counters: 1, questions: 1" in mail.outbox[0].subject
    )
    assert f"Confirmed: {lines - 2}, countered: 1, asked about: 1" in mail.outbox[0].body


def test_a_draft_withdrawn_unseen_tells_the_vendor_nothing(ada, vera):
    withdraw(factories.drafted_contract(), by=ada, reason="改买")
    tasks.mail_due()
    assert to() == ["bing"] and "改买" in mail.outbox[0].body


def test_a_refused_offer_reaches_the_buyer_with_its_reason(ada, bing, sun):
    contract = factories.sent_contract()
    Mail.objects.all().delete()
    reject(contract, by=sun, reason="交期不行")
    tasks.mail_due()
    assert to() == ["ada", "bing", "vera"] and "Sun代表" in mail.outbox[0].body and "交期不行" in mail.outbox[0].body


def test_an_internal_comment_sends_nothing_and_a_shared_one_only_that_there_is_one(ada, bing, vera, sun):
    contract = factories.sent_contract()
    Mail.objects.all().delete()
    comment(contract, "g1/ram", text="底价 1024", audience="internal", by=ada)
    assert Mail.objects.count() == 0
    comment(contract, "g1/ram", text="能否早点？", audience="shared", by=ada)
    tasks.mail_due()
    assert to() == ["bing", "sun", "vera"] and "底价" not in "".join(letter.body for letter in mail.outbox)


def test_a_server_that_refuses_is_tried_again_later_with_the_same_message_id(ada, vera, monkeypatch):
    factories.sent_contract()

    def refuses(self, fail_silently=False):
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as broken:
        broken.setattr("django.core.mail.EmailMessage.send", refuses)
        assert tasks.mail_due() == 0
    assert tasks.mail_due() == 0, "not before its pause"
    assert mailing.send_due(timezone.now() + timedelta(minutes=5)) == 1
    ids = {letter.extra_headers["Message-ID"] for letter in mail.outbox}
    assert ids == {f"<{row.uuid}@gpucontract>" for row in Mail.objects.all()}


def test_a_sender_that_died_leaves_the_letter_due_again(ada, vera):
    factories.sent_contract()
    now = timezone.now()
    row = Mail.objects.order_by("due_at").first()
    assert mailing._claim(row.pk, now) is not None and mailing._claim(row.pk, now) is None
    assert mailing.send_due(now + mailing.LEASE + timedelta(seconds=1)) == 1


def test_a_title_with_a_line_break_is_one_line_in_the_subject_and_adds_no_header(ada, mailoutbox):
    contract = factories.sent_contract(title="集群\r\nBcc: x@evil.example")
    mailing.send_due()
    assert mailoutbox and all("\n" not in letter.subject and not letter.bcc for letter in mailoutbox)
    assert contract.number in mailoutbox[0].subject


def test_a_letter_that_no_mail_can_bear_is_given_up_and_keeps_no_other_back(ada, mailoutbox):
    factories.sent_contract()
    bad = Mail.objects.order_by("due_at", "pk").first()
    Mail.objects.filter(pk=bad.pk).update(subject="a\nb")
    assert mailing.send_due() == Mail.objects.count() - 1
    bad.refresh_from_db()
    assert bad.attempts == 1 and bad.error and bad.due_at is not None


def test_more_time_is_told_with_the_day_it_lasts_until(ada, vera):
    contract = factories.sent_contract()
    Mail.objects.all().delete()
    until = timezone.now() + timedelta(days=20)
    extend_offer(contract, until, by=ada)
    letter, day = Mail.objects.get(to=vera), f"{timezone.localtime(until):%Y-%m-%d %H:%M}"
    assert f"新的答复期限：{day}。" in letter.body and f"Answer by: {day}." in letter.body


def test_a_comment_is_told_with_the_words_of_its_line_and_leads_there(ada, vera):
    contract = factories.sent_contract()
    Mail.objects.all().delete()
    comment(contract, "g1/ram", text="必须 2048 吗？", audience="shared", by=vera)
    letter, line = Mail.objects.get(to=ada), factories.latest(contract).body().clause("g1/ram").text
    assert f"对条款“{line.zh}”写了" in letter.body and f"on the line “{line.en}”" in letter.body
    assert f"/contracts/{contract.uuid}/line/g1/ram/" in letter.body and "2048 吗" not in letter.body
