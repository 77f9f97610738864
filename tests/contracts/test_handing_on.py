"""A drafter hands a finished draft on to the approvers: seldom, by mail, on record."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail

from gpucontract.contracts import mailing
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.services import (
    approvers,
    review,
    send_revision,
    set_four_eyes,
    tell_approvers,
    told_today,
    write_terms,
)
from tests import factories

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 12, 1, 12, tzinfo=ZoneInfo("Asia/Shanghai"))


def test_the_approvers_get_one_letter_with_the_way_to_the_page_where_they_send(bing, ada, eng, vera):
    contract = factories.drafted_contract()
    assert tell_approvers(contract, by=bing, now=NOON) == [ada]
    assert mailing.send_due(NOON) == 1
    (letter,) = mail.outbox
    assert letter.to == [ada.email] and "草稿已备好" in letter.subject and "the draft is ready" in letter.subject
    assert f"/contracts/{contract.uuid}/draft/check/" in letter.body and str(bing) in letter.body
    assert contract.events.get(kind="draft_ready").actor == bing


def test_one_draft_is_told_of_once_a_day(bing, ada):
    contract = factories.drafted_contract()
    tell_approvers(contract, by=bing, now=NOON)
    with pytest.raises(ContractError, match="12:00"):
        tell_approvers(contract, by=bing, now=NOON.replace(hour=23, minute=59))
    assert told_today(contract, NOON.replace(hour=13)) is not None
    assert told_today(contract, NOON.replace(day=2, hour=0)) is None
    tell_approvers(contract, by=bing, now=NOON.replace(day=2, hour=0))
    assert contract.events.filter(kind="draft_ready").count() == 2


def test_of_a_draft_that_changed_since_they_are_told_again_after_an_hour(bing, ada):
    contract = factories.drafted_contract()
    written = contract.events.latest("number").at
    tell_approvers(contract, by=bing, now=written)
    write_terms(contract, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    with pytest.raises(ContractError, match="after an hour"):
        tell_approvers(contract, by=bing, now=written + timedelta(minutes=59))
    midnight = written.astimezone(NOON.tzinfo).replace(hour=0, minute=0) + timedelta(days=1)
    again = min(written + timedelta(hours=1), midnight)
    assert tell_approvers(contract, by=bing, now=again) == [ada]


UNFINISHED = {
    "an empty term": {"g1": {"ram_gb_per_node": None}},
    "a check that nobody can waive": {"c": {"vendor_uscc": "91420100MADEME000C"}},
}


@pytest.mark.parametrize("values", UNFINISHED.values(), ids=UNFINISHED)
def test_of_an_unfinished_draft_nobody_is_told(bing, ada, values):
    contract = factories.drafted_contract()
    write_terms(contract, values=values, by=bing)
    with pytest.raises(ContractError, match="no approver can waive: 1"):
        tell_approvers(contract, by=bing, now=NOON)
    assert not contract.events.filter(kind="draft_ready").exists()


def test_what_an_approver_can_waive_keeps_nobody_from_telling_them(bing, ada):
    contract = factories.drafted_contract()
    write_terms(contract, values={"c": {"signing_method": "wet_seal", "seal_type": ("contract",)}}, by=bing)
    assert [result.check for result in review(contract).blocking] == ["C-SIG-01"]
    assert tell_approvers(contract, by=bing, now=NOON) == [ada]


def test_who_may_not_send_is_no_approver(bing, ada, eng):
    contract = factories.drafted_contract()
    assert approvers(contract) == [ada]
    set_four_eyes(contract, True, by=ada)
    assert approvers(contract) == [ada]
    write_terms(contract, values={"g1": {"node_count": 4}}, by=ada)
    assert approvers(contract) == []
    with pytest.raises(ContractError, match="approver's role"):
        tell_approvers(contract, by=bing)


def test_without_another_approver_the_refusal_says_whom_to_ask(bing):
    contract = factories.drafted_contract()
    with pytest.raises(ContractError, match="admin"):
        tell_approvers(contract, by=bing)


def test_only_who_drafts_tells_and_only_while_the_terms_are_open(bing, ada, eng, vera):
    contract = factories.drafted_contract()
    for other in (eng, vera):
        with pytest.raises(NotAllowed):
            tell_approvers(contract, by=other)
    send_revision(contract, by=ada)
    with pytest.raises(ContractError, match="Withdraw or reopen"):
        tell_approvers(contract, by=bing)
