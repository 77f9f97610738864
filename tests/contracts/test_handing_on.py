"""A drafter hands a ready draft on to the approvers: once a day, by mail, on record."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.core import mail

from gpucontract.contracts import mailing
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.services import (
    approvers,
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
