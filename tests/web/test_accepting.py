"""The way from missing papers to the running term, and out of it, through the pages people use."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from gpucontract.contracts.models import ClausePaper, Contract
from gpucontract.contracts.services import move
from gpucontract.measurements.models import Run
from gpucontract.verdicts import judging
from gpucontract.verdicts.accepting import outlook
from gpucontract.verdicts.models import Verdict, Waiver
from gpucontract.verdicts.services import waive_clause
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = pytest.mark.django_db
MARGINAL = "g1/busbw_intra:8GiB"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def contract(eng, ada):
    """Healthy machines in acceptance: only the paper is missing."""
    made = move(delivered_contract(), "start_acceptance", by=eng, now=making.NOW)
    store(made, *making.all_healthy())
    judging.judge_contract(made.pk, making.NOW)
    for key in outlook(made, making.NOW).settlement.blocking.keys() - {"c/licence"}:
        waive_clause(made, key=key, reason="另测", by=ada, now=making.NOW)
    return made


def page(client, contract, who, name="contract-detail"):
    client.force_login(factories.person(who))
    return client.get(reverse(name, args=[contract.uuid])).content.decode()


def post(client, contract, who, name, **given):
    client.force_login(factories.person(who))
    return client.post(reverse(name, args=[contract.uuid]), given)


def shown(client, contract):
    client.force_login(factories.person("ada"))
    return client.get(reverse("contract-accept", args=[contract.uuid])).context["outlook"].sha256


def papers_done(client, contract):
    given = {"key": "c/licence", "file": SimpleUploadedFile("licence.pdf", b"%PDF-1.7 licence")}
    assert post(client, contract, "vera", "contract-paper", **given).status_code == 302
    client.force_login(factories.person("eng"))
    client.post(reverse("paper-decide", args=[ClausePaper.objects.get().uuid]), {"decision": "confirmed"})
    judging.judge_contract(contract.pk, timezone.now())


def state_of(contract):
    return Contract.objects.get(pk=contract.pk).state


def test_from_a_missing_paper_to_the_running_term(client, contract):
    card = page(client, contract, "ada")
    assert "作出验收决定" in card and "还有 1 条必须达标的条款阻碍验收" in card
    blocked = page(client, contract, "ada", "contract-accept")
    assert "1 条必须达标的条款阻碍验收" in blocked and reverse("contract-papers", args=[contract.uuid]) in blocked
    assert "我代表本组织验收" not in blocked
    refused = post(client, contract, "ada", "contract-accept", seen=shown(client, contract), is_meant="on")
    assert refused.status_code == 409 and state_of(contract) == "accepting"
    papers_done(client, contract)
    client.force_login(factories.person("ada"))
    assert reverse("contract-accept", args=[contract.uuid]) in client.get("/").content.decode()
    decision = page(client, contract, "ada", "contract-accept")
    assert "自验收之日起租" in decision and "租期到" in decision and "不能撤回" in decision
    seen = shown(client, contract)
    untold = post(client, contract, "ada", "contract-accept", seen=seen)
    assert untold.status_code == 422 and state_of(contract) == "accepting"
    for _twice in range(2):
        done = post(client, contract, "ada", "contract-accept", seen=seen, is_meant="on")
        assert done.status_code == 302
    assert state_of(contract) == "active" and contract.events.filter(kind="move_accept").count() == 1
    for who in ("ada", "sun"):
        running = page(client, contract, who)
        assert "在租" in running and "租期与起租" in running and "租期到" in running
        assert "验收通过" in page(client, contract, who, "contract-journal")


def test_marginal_clauses_are_ticked_one_by_one_and_the_tick_speaks_of_the_value_seen(client, contract):
    papers_done(client, contract)
    row = Verdict.objects.filter(contract=contract, key=MARGINAL)
    row.update(state="marginal", value="471", value_zh="471 GB/s", value_en="471 GB/s")
    seen = shown(client, contract)
    assert "有 1 条临界" in page(client, contract, "ada")
    unticked = post(client, contract, "ada", "contract-accept", seen=seen, is_meant="on")
    assert unticked.status_code == 409 and "还有临界条款没有勾选接受" in unticked.content.decode()
    row.update(value="470")
    turned = post(client, contract, "ada", "contract-accept", seen=seen, tick=[MARGINAL], is_meant="on")
    assert turned.status_code == 409 and "尚未验收" in turned.content.decode() and turned.context["ticked"] == []
    seen = turned.context["outlook"].sha256
    assert (
        post(client, contract, "ada", "contract-accept", seen=seen, tick=[MARGINAL], is_meant="on").status_code == 302
    )
    assert state_of(contract) == "active" and Waiver.objects.filter(key=MARGINAL).exists()
    assert "验收时按临界接受" in page(client, contract, "ada")
    assert "验收时按临界接受" not in page(client, contract, "sun")


def test_a_decision_that_has_to_wait_says_for_what_and_where_to_go(client, contract):
    papers_done(client, contract)
    Run.objects.filter(pk=contract.runs.first().pk).update(state="queued", job="health", round=2)
    for name in ("contract-detail", "contract-accept"):
        assert "第 2 轮还有 1 项测试在排队或运行" in page(client, contract, "ada", name)
    waiting = page(client, contract, "ada", "contract-accept")
    assert reverse("contract-runs", args=[contract.uuid]) + "#runs" in waiting and "我代表本组织验收" not in waiting
    refused = post(client, contract, "ada", "contract-accept", seen=shown(client, contract), is_meant="on")
    assert refused.status_code == 409 and state_of(contract) == "accepting"


def test_nobody_else_sees_the_card_and_no_state_but_acceptance_has_it(client, contract):
    for who in ("bing", "eng", "wen", "vera", "sun"):
        assert 'id="acceptance"' not in page(client, contract, who)
    Contract.objects.filter(pk=contract.pk).update(state="delivered")
    assert 'id="acceptance"' not in page(client, contract, "ada")
    client.force_login(factories.person("ada"))
    assert client.get(reverse("contract-accept", args=[contract.uuid])).status_code == 409


def test_the_signer_terminates_by_reason_and_number_and_both_read_why(client, contract):
    form = page(client, contract, "sun", "contract-terminate")
    assert "合同中关于退出的约定" in form and "天导出数据" in form and "天内删除全部数据" in form
    for wrong in ({"reason": "x"}, {"typed": contract.number}, {"reason": "x", "typed": "C-1"}):
        assert post(client, contract, "sun", "contract-terminate", **wrong).status_code == 422
    assert (
        post(client, contract, "sun", "contract-terminate", reason="x" * 1001, typed=contract.number).status_code == 422
    )
    assert state_of(contract) == "accepting"
    for _twice in range(2):
        given = {"reason": "机房停电", "typed": f" {contract.number} "}
        assert post(client, contract, "sun", "contract-terminate", **given).status_code == 302
    assert state_of(contract) == "terminated" and contract.events.filter(kind="move_terminate").count() == 1
    for who in ("ada", "sun"):
        assert "机房停电" in page(client, contract, who, "contract-journal")
        assert reverse("contract-terminate", args=[contract.uuid]) not in page(client, contract, who)


PAGES = ("contract-detail", "contract-rounds", "contract-sign", "contract-runs", "contract-fleet", "contract-papers",
         "contract-documents", "contract-journal")  # fmt: skip


@pytest.mark.parametrize("state", ["active", "ended", "terminated"])
@pytest.mark.parametrize("who", ["ada", "sun"])
def test_every_page_of_a_measured_contract_opens_after_acceptance(client, contract, who, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    client.force_login(factories.person(who))
    found = {name: client.get(reverse(name, args=[contract.uuid])).status_code for name in PAGES}
    assert found == dict.fromkeys(PAGES, 200)


@pytest.mark.parametrize(("state", "headline", "repairs"), [
    ("accepting", "条违约：不能验收", True), ("active", "条违约</h2>", True),
    ("ended", "条违约</h2>", False), ("terminated", "条违约</h2>", False),
])  # fmt: skip
def test_a_breach_blocks_acceptance_only_until_then_and_is_repaired_only_while_in_force(
    client, contract, state, headline, repairs
):
    Verdict.objects.filter(contract=contract, key=MARGINAL).update(state="breached")
    Contract.objects.filter(pk=contract.pk).update(state=state)
    shown_page = page(client, contract, "sun")
    assert headline in shown_page and ("乙方先整改违约项" in shown_page) is repairs


@pytest.mark.parametrize(("state", "says"), [("active", False), ("ended", True), ("terminated", True)])
def test_papers_of_a_contract_that_is_over_stay_as_they_are(client, contract, state, says):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    papers = page(client, contract, "vera", "contract-papers")
    assert ("合同已经结束：文件保持原样。" in papers) is says and "签署之后才能提交" not in papers
