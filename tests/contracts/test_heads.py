"""Heads of journals are kept once a day, signed; verify_journal finds what was done behind the program's back."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from gpucontract.accounts.members import change_roles
from gpucontract.accounts.models import OrganisationEvent
from gpucontract.contracts.heads import heads_in, keep_heads, kept_heads
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import ChainHead, Event
from gpucontract.contracts.tasks import keep_heads as task
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def contract(adam, bing):
    change_roles(bing.memberships.get(), ["drafter", "viewer"], by=adam)
    return factories.agreed_contract()


def verify(*options):
    """Exit status and what was printed."""
    said = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("verify_journal", *options, stdout=said)
    return left.value.code, said.getvalue()


def test_every_chain_gets_one_head_a_day(contract):
    assert task() == 2 and task() == 0
    head = ChainHead.objects.get(chain=f"contract:{contract.uuid}")
    assert head.sha256 == contract.events.latest("number").sha256
    assert all(each.is_ours for each in kept_heads())


def test_the_next_day_only_chains_that_grew_get_another(contract, ada):
    now = timezone.now()
    keep_heads(now)
    assert keep_heads(now + timedelta(days=1)) == 0
    record(contract, "remark", by=ada)
    assert keep_heads(now + timedelta(days=2)) == 1


def test_the_days_heads_are_in_a_file_to_carry_elsewhere(contract, folder):
    keep_heads()
    (path,) = folder.glob("heads/*.csv")
    assert heads_in(path) == list(kept_heads())


def test_whole_journals_are_said_to_be_whole(contract):
    keep_heads()
    code, said = verify()
    assert code == 0 and "全部完整" in said and "all whole" in said


HARMS = {
    "altered": (lambda events: events.filter(number=4).update(kind="x"), "第 4 个事件被改动", "event 4 was altered"),
    "removed": (lambda events: events.filter(number=4).delete(), "第 4 个事件被删除", "event 4 was removed"),
    "cut": (lambda events: events.filter(number__gt=6).delete(), "从末尾被截去", "was cut from the end"),
}


@pytest.mark.parametrize(("harm", "zh", "en"), HARMS.values(), ids=HARMS)
def test_harm_is_named_in_both_languages(contract, intruder, harm, zh, en):
    keep_heads()
    harm(contract.events)
    code, said = verify()
    assert code == 1 and zh in said and en in said and contract.number in said


def test_reordered_events_are_named(contract, intruder):
    for number, place in ((4, 99), (5, 4), (99, 5)):
        contract.events.filter(number=number).update(number=place)
    code, said = verify()
    assert code == 1 and "被调换了顺序" in said


def test_a_cut_journal_and_its_heads_show_against_the_file(contract, folder, intruder):
    keep_heads()
    (path,) = folder.glob("heads/*.csv")
    contract.events.filter(number__gt=3).delete()
    ChainHead.objects.all().delete()
    assert verify()[0] == 0
    assert verify("--heads", str(path))[0] == 1


def test_an_organisations_journal_is_verified_too(contract, intruder):
    OrganisationEvent.objects.update(body="{}")
    code, said = verify("--json")
    assert code == 1 and json.loads(said)[0]["chain"].startswith("organisation:")


def test_a_forged_head_is_named_and_not_used(contract, folder, intruder):
    keep_heads()
    ChainHead.objects.update(number=500)
    code, said = verify()
    assert code == 1 and "不是本服务器的" in said and "从末尾" not in said


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "chain,day,number,sha256,signature\nc,d,x,e,f\n"], ids=["empty", "other", "no number"]
)
def test_a_file_that_holds_no_heads_is_bad_input(db, tmp_path, text):
    path = tmp_path / "heads.csv"
    path.write_text(text)
    with pytest.raises(CommandError) as refusal:
        call_command("verify_journal", heads=[path])
    assert refusal.value.returncode == 2


@pytest.mark.skipif(connection.vendor != "postgresql", reason="the guard is PostgreSQL's")
@pytest.mark.parametrize("table", [Event, OrganisationEvent, ChainHead])
def test_the_database_itself_refuses_changes(contract, table):
    keep_heads()
    for change in (lambda: table.objects.update(sha256="0" * 64), lambda: table.objects.all().delete()):
        with pytest.raises(DatabaseError, match="only ever added to"), transaction.atomic():
            change()
    assert table.objects.exists()
