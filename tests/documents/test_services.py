"""Asking for the appendix, rendering it in the background, signing off one exact hash."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from gpucontract.accounts.models import Mandate
from gpucontract.accounts.second_factor import FRESH_FOR, Method, Proof
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Event
from gpucontract.documents import rendering, tasks
from gpucontract.documents.context import printed_moment, read
from gpucontract.documents.models import Document, SignOff
from gpucontract.documents.services import is_current, request_appendix, sign_off
from tests import factories

PDF = b"%PDF-1.7 printed"


@pytest.fixture
def agreed(db):
    return factories.agreed_contract()


@pytest.fixture
def revision(agreed):
    return factories.latest(agreed)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def printer(monkeypatch):
    """The child process, replaced: what it is given is kept, what it prints is short."""
    asked = []
    monkeypatch.setattr(rendering, "print_in_child", lambda context, data: asked.append((context, data)) or PDF)
    return asked


def signed(revision, who, **changes):
    user, now = factories.person(who), timezone.now()
    proof = Proof(user.pk, Method.TOTP, now)
    given = {"typed_name": who.title(), "sha256": revision.sha256, "proof": proof, "now": now} | changes
    return sign_off(revision, by=user, **given)


def test_asking_twice_gives_the_same_document(revision, ada):
    first = request_appendix(revision, by=ada, now=timezone.now())
    assert request_appendix(revision, by=ada, now=timezone.now()) == first
    assert Event.objects.filter(kind="appendix_requested").count() == 1


def test_rendering_twice_prints_once(revision, ada, printer):
    request_appendix(revision, by=ada, now=timezone.now())
    assert (tasks.render_due(), tasks.render_due()) == (1, 0)
    document = Document.objects.get()
    assert (document.state, document.due_at, len(printer)) == ("done", None, 1)
    assert rendering.stored_bytes(document) == PDF


def test_a_renderer_that_died_leaves_the_document_due_again(revision, ada, printer):
    now = timezone.now()
    request_appendix(revision, by=ada, now=now)
    assert rendering.claim(now) is not None
    assert rendering.render_due(now) == 0
    assert rendering.render_due(now + rendering.LEASE + timedelta(seconds=1)) == 1


def test_two_renderers_share_one_document(revision, ada):
    now = timezone.now()
    request_appendix(revision, by=ada, now=now)
    assert [rendering.claim(now) is None, rendering.claim(now) is None] == [False, True]


def test_a_failure_is_kept_in_words_and_ends_after_a_few_attempts(revision, ada, monkeypatch):
    def breaks(_context, _data):
        raise subprocess.CalledProcessError(1, "child", stderr=b"no room on the disk")

    monkeypatch.setattr(rendering, "print_in_child", breaks)
    now = timezone.now()
    request_appendix(revision, by=ada, now=now)
    for attempt in range(rendering.MAX_ATTEMPTS):
        assert rendering.render_due(now + timedelta(hours=attempt)) == 1
    document = Document.objects.get()
    assert (document.state, document.due_at, document.error) == ("failed", None, "no room on the disk")


def test_asking_again_for_a_failed_one_tries_it_again(revision, ada, printer):
    document = request_appendix(revision, by=ada, now=timezone.now())
    Document.objects.update(state="failed", due_at=None, attempts=3, error="no room on the disk")
    again = request_appendix(revision, by=ada, now=timezone.now())
    assert (again.pk, again.state, again.attempts, again.error) == (document.pk, "queued", 0, "")
    assert rendering.render_due() == 1
    assert Document.objects.get().state == "done"


def test_an_altered_file_is_not_handed_out(revision, ada, printer):
    request_appendix(revision, by=ada, now=timezone.now())
    rendering.render_due()
    document = Document.objects.get()
    rendering.path_of(document.sha256).write_bytes(b"%PDF-1.7 altered")
    with pytest.raises(ValueError, match="no longer has the recorded sha256"):
        rendering.stored_bytes(document)


def test_with_both_sides_the_contract_is_signed(agreed, revision):
    assert signed(revision, "ada").state == "agreed"
    assert signed(revision, "sun").state == "signed"
    assert set(SignOff.objects.values_list("side", "revision_sha256")) == {
        ("buyer", revision.sha256),
        ("vendor", revision.sha256),
    }


def test_the_appendix_of_a_signed_revision_is_made_by_itself_and_names_who_signed_how(agreed, revision, ada):
    before = request_appendix(revision, by=ada, now=timezone.now())
    signed(revision, "ada")
    assert not is_current(before, revision)
    signed(revision, "sun")
    after = revision.documents.latest("pk")
    assert after != before and is_current(after, revision)
    lines = read(after.context).sign_offs
    assert [(line.side, line.typed_name) for line in lines] == [("buyer", "Ada"), ("vendor", "Sun")]
    assert all("authenticator app" in line.factor and line.mandate for line in lines)
    assert all(line.at.endswith(" 北京时间 Beijing time (UTC+8)") for line in lines)


def test_a_moment_is_printed_by_the_clock_of_beijing_whatever_the_server_goes_by():
    late = datetime(2026, 11, 30, 17, 5, tzinfo=UTC)
    assert printed_moment(late) == "2026-12-01 01:05 北京时间 Beijing time (UTC+8)"
    assert printed_moment(late.astimezone(ZoneInfo("America/Chicago"))) == printed_moment(late)


@pytest.mark.parametrize("who", ("bing", "eng", "wen", "vera", "mallory", "zoe"))
def test_who_has_no_right_to_sign_is_refused(revision, who):
    with pytest.raises(NotAllowed):
        signed(revision, who)
    assert not SignOff.objects.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"sha256": "0" * 64}, "The version you saw \\(000000000000", id="another hash"),
        pytest.param({"typed_name": "  "}, "Sign with the name of your account, “Ada”; you typed “”", id="no name"),
        pytest.param({"typed_name": "Sun"}, "you typed “Sun”", id="somebody else's name"),
    ),
)
def test_it_refuses_in_a_sentence_and_keeps_nothing(revision, change, said):
    with pytest.raises(ContractError, match=said):
        signed(revision, "ada", **change)
    assert not SignOff.objects.exists()


def test_without_a_second_factor_nothing_is_signed(revision):
    with pytest.raises(ContractError, match="Prove that it is you"):
        signed(revision, "ada", proof=None)
    assert not SignOff.objects.exists()


@pytest.mark.parametrize("age", [FRESH_FOR + timedelta(seconds=1), -timedelta(seconds=1)], ids=["old", "future"])
def test_a_proof_counts_for_a_few_minutes_only(revision, ada, age):
    now = timezone.now()
    with pytest.raises(ContractError, match="Prove that it is you"):
        signed(revision, "ada", proof=Proof(ada.pk, Method.TOTP, now - age), now=now)


def test_the_proof_of_somebody_else_does_not_count(revision, sun):
    with pytest.raises(ContractError, match="Prove that it is you"):
        signed(revision, "ada", proof=Proof(sun.pk, Method.TOTP, timezone.now()))


def test_without_a_mandate_nothing_is_signed(revision, ada):
    Mandate.objects.filter(user=ada).update(revoked_at=timezone.now())
    with pytest.raises(ContractError, match="No mandate of"):
        signed(revision, "ada")
    assert not SignOff.objects.exists()


def test_beyond_the_mandate_nothing_is_signed(revision, ada):
    Mandate.objects.filter(user=ada).update(limit=1)
    with pytest.raises(ContractError, match="goes up to 1 CNY"):
        signed(revision, "ada")


def test_row_and_journal_say_by_which_factor_it_was_signed(agreed, revision):
    signed(revision, "ada")
    line = SignOff.objects.get()
    assert line.factor == "totp" and line.factor_at is not None
    body = json.loads(agreed.events.get(kind="signed_off").body)
    assert (body["factor"], body["typed_name"], body["basis"]) == ("totp", "Ada", "legal")
    assert str(line.mandate.uuid) == body["mandate"]


@pytest.mark.parametrize("typed", ("ada", " ADA ", "ＡＤＡ", "A d a"), ids=("case", "spaces", "width", "inner spaces"))
def test_a_name_is_the_same_name_whatever_its_case_width_and_spaces(revision, typed):
    signed(revision, "ada", typed_name=typed)
    assert SignOff.objects.get().typed_name == typed.strip()


def test_one_side_signs_once(revision):
    signed(revision, "ada")
    with pytest.raises(ContractError, match="already signed"):
        signed(revision, "ada")


def test_nothing_is_signed_before_every_line_is_agreed(db):
    revision = factories.latest(factories.sent_contract())
    with pytest.raises(ContractError, match="only after both sides have agreed"):
        signed(revision, "ada")
