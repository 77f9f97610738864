"""The journal shows tampering, and every move is made by whom the table allows."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from gpucontract.canonical import FIRST_LINK, NotCanonical, link
from gpucontract.contracts.errors import NotAllowed
from gpucontract.contracts.journal import record, verify_chain
from gpucontract.contracts.lifecycle import MOVES, Fact, LifecycleError, State
from gpucontract.contracts.models import Contract, Event
from gpucontract.contracts.services import create_contract, move, reopen, withdraw
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract():
    return factories.agreed_contract()


def test_every_step_from_first_click_to_agreement_is_in_one_whole_chain(contract):
    kinds = [event.kind for event in contract.events.all()]
    assert kinds == [
        "contract_created", "group_added", "mount_added", "terms_written", "vendor_named", "revision_frozen",
        "move_send", "clauses_answered", "move_submit", "move_agree",
    ]  # fmt: skip
    found = verify_chain(contract)
    assert found.is_whole and found.length == len(kinds)
    assert found.head_sha256 == contract.events.latest("number").sha256
    assert contract.events.get(number=1).prev_sha256 == FIRST_LINK


def test_an_event_says_who_in_which_role_on_which_revision(contract, vera):
    event = contract.events.get(kind="move_submit")
    assert (event.actor, event.actor_email, event.role) == (vera, "vera@vendor.example", "vendor:confirmer")
    assert event.revision_sha256 == factories.latest(contract).sha256
    agreed = contract.events.get(kind="move_agree")
    assert (agreed.actor, agreed.role) == (None, "system")


TAMPERINGS = {
    "its body": {"body": '{"from":"draft","to":"signed"}'},
    "its kind": {"kind": "move_sign"},
    "its actor": {"actor_email": "someone@else.example"},
    "its role": {"role": "vendor:signer"},
    "its time": {"at": timezone.now()},
    "its revision": {"revision_sha256": "0" * 64},
    "its clause": {"key": "g1/ram"},
    "its own hash": {"sha256": "0" * 64},
    "the hash before": {"prev_sha256": "0" * 64},
    "its number": {"number": 99},
}


@pytest.mark.parametrize("change", TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_changed_column_breaks_the_chain_there(contract, change, intruder):
    contract.events.filter(number=5).update(**change)
    found = verify_chain(contract)
    assert not found.is_whole and found.broken_at in (5, 6) and found.length == 4


def test_a_rehashed_event_breaks_the_next_link(contract, intruder):
    event = contract.events.get(number=5)
    event.kind = "something_else"
    contract.events.filter(number=5).update(kind=event.kind, sha256=link(event.prev_sha256, event.canonical()))
    assert verify_chain(contract).broken_at == 6


def test_a_removed_event_breaks_the_chain(contract, intruder):
    contract.events.filter(number=3).delete()
    assert verify_chain(contract).broken_at == 4


def test_a_cut_tail_shows_against_a_head_kept_elsewhere(contract, intruder):
    kept = verify_chain(contract)
    contract.events.filter(number__gt=6).delete()
    now = verify_chain(contract)
    assert now.is_whole and (now.length, now.head_sha256) != (kept.length, kept.head_sha256)


def test_an_event_of_another_contract_does_not_fit_in(contract, bing, intruder):
    other = factories.empty_contract()
    moved = other.events.get(number=1)
    contract.events.filter(number=1).delete()
    Event.objects.filter(pk=moved.pk).update(contract=contract)
    assert verify_chain(contract).broken_at == 1


def test_a_body_without_a_canonical_form_is_refused(contract, bing):
    with pytest.raises(NotCanonical):
        record(contract, "odd", by=bing, body={"share": 0.1})


def test_it_is_whole_again_when_read_back(contract, bing):
    record(contract, "remark", by=bing, key="g1/ram", body={"text": "第一行\n第二行", "none": None})
    assert verify_chain(Contract.objects.get(pk=contract.pk)).is_whole


def test_nobody_who_is_not_signed_in_drafts():
    with pytest.raises(NotAllowed):
        create_contract(factories.organisation_of("bing"), by=AnonymousUser())


def test_a_number_is_given_per_buyer_and_year(bing, zoe):
    first, second = factories.empty_contract(), factories.empty_contract()
    year = timezone.localtime().year
    assert (first.number, second.number) == (f"C-{year}-1", f"C-{year}-2")
    assert create_contract(factories.organisation_of("zoe"), by=zoe).number == f"C-{year}-1"


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "mallory", "zoe"])
def test_only_a_drafter_or_approver_starts_a_contract_for_the_buyer(name):
    with pytest.raises(NotAllowed):
        create_contract(factories.organisation_of("bing"), by=factories.person(name))


def try_to_move(contract, name, user):
    """Make the move as this user and look whether the table allows it, then undo it."""
    with transaction.atomic():
        contract.state = MOVES[name].from_states[0].value
        contract.save(update_fields=["state"])
        if contract.side_of(user) in MOVES[name].sides and contract.may(user, MOVES[name].action):
            assert move(contract, name, by=user, facts=set(Fact)).state == MOVES[name].to
        else:
            with pytest.raises(NotAllowed):
                move(contract, name, by=user, facts=set(Fact))
        transaction.set_rollback(True)


@pytest.mark.parametrize("name", [name for name, made in MOVES.items() if made.sides])
def test_a_move_is_made_only_by_those_whom_the_table_allows(contract, name, subtests):
    for who in factories.PEOPLE:
        with subtests.test(who=who):
            try_to_move(Contract.objects.get(pk=contract.pk), name, factories.person(who))


def test_a_move_from_the_wrong_state_or_without_its_facts_changes_nothing(contract, ada):
    before = contract.events.count()
    for name in ("deliver", "sign"):
        with pytest.raises(LifecycleError):
            move(contract, name, by=ada)
    contract.refresh_from_db()
    assert contract.state == State.AGREED and contract.events.count() == before


def test_time_makes_the_moves_that_belong_to_nobody(contract, ada):
    Contract.objects.filter(pk=contract.pk).update(state="active")
    with pytest.raises(NotAllowed):
        move(contract, "end", by=ada, facts={Fact.TERM_OVER})
    assert move(contract, "end", by=None, facts={Fact.TERM_OVER}).state == State.ENDED


def test_reopening_and_withdrawing_keep_their_reason(contract, ada):
    assert reopen(contract, by=ada, reason="换型号").state == State.ANSWERED
    assert withdraw(contract, by=ada, reason="项目取消").state == State.WITHDRAWN
    assert contract.state == "withdrawn" and "项目取消" in contract.events.latest("number").body


def test_a_signed_contract_is_signed_in_state_and_journal():
    contract = factories.signed_contract()
    assert contract.state == "signed" and verify_chain(contract).is_whole
