"""A paper that comes or is decided is judged in the next round, alone, and its verdict goes stale with it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.models import ClausePaper
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import JudgeQueue, Verdict, VerdictChange
from gpucontract.verdicts.tasks import judge_due
from tests import factories
from tests.verdicts.storing import delivered_contract

pytestmark = pytest.mark.django_db
KEY = "c/licence"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def contract():
    contract = delivered_contract()
    judge_due()
    return contract


def handed(contract, **changes):
    given = {"name": "许可证.pdf", "data": b"%PDF-1.7", "valid_on": None} | changes
    return hand_in(contract, KEY, by=factories.person("vera"), **given)


def found(contract):
    row = Verdict.objects.get(contract=contract, key=KEY)
    return row.state, row.zh


def test_from_nothing_to_verified_and_back(contract, eng):
    assert found(contract)[0] == "pending" and "还没有上传" in found(contract)[1]
    paper = handed(contract)
    assert judge_due() == 1
    assert found(contract)[0] == "pending" and "等甲方确认" in found(contract)[1]
    decide_paper(paper, confirmed=True, by=eng)
    assert judge_due() == 1 and judge_due() == 0
    state, said = found(contract)
    assert state == "verified" and paper.sha256[:12] in said and "许可证.pdf" in said
    decide_paper(paper, confirmed=False, reason="编号不符", by=eng)
    judge_due()
    assert found(contract)[0] == "inconclusive" and "编号不符" in found(contract)[1]
    whys = VerdictChange.objects.filter(contract=contract, key=KEY).order_by("number").values_list("why", flat=True)
    assert list(whys)[1:] == ["evidence", "evidence"]


def test_only_this_clause_moves(contract, eng):
    before = dict(Verdict.objects.exclude(key=KEY).values_list("key", "state"))
    decide_paper(handed(contract), confirmed=True, by=eng)
    judge_due()
    assert dict(Verdict.objects.exclude(key=KEY).values_list("key", "state")) == before


def test_it_goes_stale_on_the_day_after_its_last(contract, eng):
    day = timezone.localdate() + timedelta(days=30)
    decide_paper(handed(contract, valid_on=day), confirmed=True, by=eng)
    judge_due()
    due_at = JudgeQueue.objects.get(contract=contract).due_at
    assert timezone.localtime(due_at).date() == day + timedelta(days=1)
    assert judge_contract(contract.pk, due_at + timedelta(seconds=1))
    assert found(contract)[0] == "inconclusive" and f"已于 {day.isoformat()} 到期" in found(contract)[1]


def test_a_decision_made_while_judging_is_not_lost(contract, eng):
    paper = handed(contract)
    ClausePaper.objects.filter(pk=paper.pk).update(judged_change=1)
    decide_paper(paper, confirmed=True, by=eng)
    assert judge_due() == 1 and found(contract)[0] == "verified"
