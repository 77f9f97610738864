"""The pages after drafting, walked as each person would: answer, sign, deliver, enrol, order, read."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.second_factor import code_of, set_up_app
from gpucontract.contracts import services
from gpucontract.documents.rendering import keep
from gpucontract.documents.services import request_appendix
from gpucontract.measurements.models import Agent, Run
from gpucontract.verdicts.models import Verdict, Waiver
from tests import factories
from tests.web import stage
from tests.web.opened import opened

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
pytestmark = pytest.mark.django_db


def page_of(client, person, name, *arguments, query=""):
    client.force_login(factories.person(person))
    return client.get(reverse(name, args=arguments) + query)


def breach(contract, key="g1/links_per_gpu"):
    return Verdict.objects.create(
        contract=contract, revision=factories.latest(contract), key=key, state="breached", scope="g1-002/gpu5",
        value="16", value_zh="16 条", value_en="16", attribution="provider", reason="missed",
        zh="GPU 5 只有 16 条链路。", en="GPU 5 shows 16 links.", digest="0" * 64, rules_version=1,
    )  # fmt: skip


def test_health_says_ok_to_anybody(client):
    response = client.get("/health/")
    assert (response.status_code, response.content) == (200, b"ok")


def test_a_new_buyer_is_offered_the_first_draft(client, bing):
    page = page_of(client, "bing", "dashboard").content.decode()
    assert "还没有合同" in page
    assert reverse("contract-new") in page


def test_a_vendor_without_offers_is_told_when_one_appears_and_not_to_draft(client, vera):
    page = page_of(client, "vera", "dashboard").content.decode()
    assert "暂无内容" in page


def test_the_dashboard_asks_the_vendor_to_answer_and_the_buyer_for_nothing(client):
    contract = factories.sent_contract()
    link = reverse("contract-answers", args=[contract.uuid])
    assert link in page_of(client, "vera", "dashboard").content.decode()
    assert "现在没有待办" in page_of(client, "bing", "dashboard").content.decode()


@pytest.mark.parametrize("name", ["dashboard", "contract-list"])
def test_lists_ask_no_more_of_the_database_for_more_contracts(client, django_assert_max_num_queries, name):
    for _ in range(4):
        factories.sent_contract()
    client.force_login(factories.person("ada"))
    with django_assert_max_num_queries(12):
        client.get(reverse(name))


@pytest.mark.parametrize(
    ("query", "is_there"),
    [("", True), ("?state=draft", True), ("?state=signed", False), ("?q=C-20", True), ("?q=nothing", False),
     ("?state=no-such-state", True)],
    ids=["all", "own state", "other state", "number", "other text", "unknown state is ignored"],
)  # fmt: skip
def test_the_list_is_filtered_by_its_address(client, contract, query, is_there):
    page = page_of(client, "bing", "contract-list", query=query).content.decode()
    assert (reverse("contract-detail", args=[contract.uuid]) in page) is is_there
    assert ("没有符合条件的合同" in page) is not is_there


def test_a_draft_has_no_clauses_to_show_yet(client, contract):
    assert "仍在起草" in page_of(client, "bing", "contract-detail", contract.uuid).content.decode()


def test_the_buyer_reads_questions_only_once_they_are_submitted(client):
    contract = factories.sent_contract()
    revision = factories.latest(contract)
    keys = [clause.key for clause in revision.body().clauses]
    vera = factories.person("vera")
    answers = {key: services.Given("confirm") for key in keys} | {keys[0]: services.Given("ask", "公章用哪一枚？")}
    services.answer_clauses(revision, answers=answers, by=vera)
    assert "公章用哪一枚" not in page_of(client, "ada", "contract-detail", contract.uuid).content.decode()
    services.submit_answers(revision, by=vera)
    assert "公章用哪一枚" in page_of(client, "ada", "contract-detail", contract.uuid).content.decode()


def test_the_vendor_saves_part_confirms_a_section_and_submits(client):
    contract = factories.sent_contract()
    revision = factories.latest(contract)
    here = reverse("contract-answers", args=[contract.uuid])
    clauses = revision.body().clauses
    client.force_login(factories.person("vera"))
    client.post(here, opened(revision) | {"act": "save", f"answer-{clauses[0].key}": "confirm"})
    assert revision.confirmations.count() == 1
    refused = client.post(here, opened(revision) | {"act": "submit"})
    assert refused.status_code == 422
    for section in dict.fromkeys(clause.section for clause in clauses):
        listing = reverse("contract-answers-list", args=[contract.uuid, section])
        assert client.post(here, opened(revision) | {"act": f"list:{section}"}).headers["Location"] == listing
        shown = [f"{line.row.key}|{line.sha256}" for line in client.get(listing).context["lines"]]
        assert revision.confirmations.filter(key=shown[0].partition("|")[0]).count() == 0 if shown else True
        client.post(listing, {"line": shown})
    assert revision.confirmations.count() == len(clauses)
    assert client.post(here, opened(revision) | {"act": "submit"}).status_code == 302
    contract.refresh_from_db()
    assert contract.state == "agreed"


def test_a_question_without_words_is_refused_and_the_choice_kept(client):
    contract = factories.sent_contract()
    revision = factories.latest(contract)
    key = revision.body().clauses[0].key
    client.force_login(factories.person("vera"))
    given = opened(revision) | {"act": "save", f"answer-{key}": "ask"}
    response = client.post(reverse("contract-answers", args=[contract.uuid]), given)
    page = response.content.decode()
    assert response.status_code == 422
    assert "请写明问题" in page
    assert f'name="answer-{key}" value="ask" checked' in page


def test_both_sides_sign_the_hash_they_see_and_no_other(client):
    contract = factories.agreed_contract()
    sha = factories.latest(contract).sha256
    here = reverse("contract-sign", args=[contract.uuid])
    given = {"sha256": sha, "is_read": "on"}
    for name in ("ada", "sun"):
        user = factories.person(name)
        set_up_app(user, SECRET)
        client.force_login(user)
        assert sha in client.get(here).content.decode()
        given |= {"typed_name": name, "code": code_of(SECRET, timezone.now())}
        assert client.post(here, given | {"sha256": "f" * 64}).status_code == 409
        assert (
            client.post(here, given | {"code": code_of(SECRET, timezone.now() + timedelta(seconds=30))}).status_code
            == 302
        )
    contract.refresh_from_db()
    assert contract.state == "signed"


def test_the_appendix_is_asked_for_once_and_polled_until_it_is_there(client):
    contract = factories.sent_contract()
    revision = factories.latest(contract)
    client.force_login(factories.person("vera"))
    here = reverse("contract-appendix-state", args=[contract.uuid, 1])
    client.post(here)
    client.post(here)
    assert revision.documents.count() == 1
    assert "every 3s" in client.get(here).content.decode()


def test_a_finished_appendix_carries_the_hash_of_its_bytes(client, settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    contract = factories.sent_contract()
    document = request_appendix(factories.latest(contract), by=None, now=timezone.now())
    digest = keep(b"%PDF-1.7 sample")
    type(document).objects.update(state="done", due_at=None, sha256=digest, size_bytes=15)
    response = page_of(client, "bing", "contract-appendix", contract.uuid, 1)
    assert response["ETag"] == f'"{digest}"'
    assert response["Content-Type"] == "application/pdf"
    assert "attachment" in response["Content-Disposition"]
    again = client.get(reverse("contract-appendix", args=[contract.uuid, 1]), headers={"if-none-match": f'"{digest}"'})
    assert again.status_code == 304


def test_delivering_enrolling_and_ordering_happen_on_the_runs_page(client, settings):
    settings.AGENT_NETWORKS = ["10.0.0.0/8"]
    contract = factories.signed_contract()
    client.force_login(factories.person("eng"))
    handed = {"on": timezone.localdate().isoformat(), "received_by": "周工", "is_handed_over": "on"}
    client.post(reverse("contract-deliver", args=[contract.uuid]), handed)
    node = contract.node_groups.get().nodes.first()
    enrol = reverse("node-enrol", args=[node.uuid])
    short = client.post(enrol, {"url": "http://10.0.0.11:9723", "secret": "short"})
    assert (short.status_code, Agent.objects.count()) == (422, 0)
    assert "至少需要 16 个" in short.content.decode()
    client.post(enrol, {"url": "http://10.0.0.11:9723", "secret": "a-secret-long-enough"})
    assert Agent.objects.get().node == node
    client.post(reverse("contract-order", args=[contract.uuid]), {"jobs": ["inventory", "topology"]})
    assert Run.objects.filter(contract=contract).exists()
    page = client.get(reverse("contract-runs", args=[contract.uuid])).content.decode()
    assert "every 3s" in page
    assert "a-secret-long-enough" not in page


def test_a_run_is_cancelled_and_tried_again(client):
    scene = stage.measured()
    client.force_login(factories.person("eng"))
    client.post(reverse("run-cancel", args=[scene.run.uuid]))
    scene.run.refresh_from_db()
    assert scene.run.state == "failed"
    client.post(reverse("run-retry", args=[scene.run.uuid]))
    scene.run.refresh_from_db()
    assert scene.run.state == "queued"


def test_breaches_lead_the_clause_list_and_verified_ones_can_be_filtered_out(client):
    contract = stage.measured().contract
    breach(contract)
    page = page_of(client, "eng", "contract-detail", contract.uuid).content.decode()
    assert "有 1 条违约：不能验收" in page
    assert page.count("“处”指单独判定的对象") == 1
    assert "乙方先整改违约项，再由甲方复测。" in page and "复测轮数上限：2 轮 · 整改期限：7 天" in page
    assert "GPU 5 只有 16 条链路。" in page
    other = page_of(client, "eng", "contract-detail", contract.uuid, query="?state=verified").content.decode()
    assert "GPU 5 只有 16 条链路。" not in other


def test_a_waiver_is_the_buyers_to_see_and_not_the_vendors(client):
    contract = stage.measured().contract
    breach(contract)
    asked = page_of(client, "ada", "contract-detail", contract.uuid).content.decode()
    assert "豁免理由（为什么可以不整改）" in asked
    client.post(
        reverse("contract-waive", args=[contract.uuid]), {"key": "g1/links_per_gpu", "reason": "只跑推理，够用"}
    )
    assert Waiver.objects.count() == 1
    for name in ("contract-detail", "contract-journal"):
        assert "豁免" in page_of(client, "ada", name, contract.uuid).content.decode()
        assert "豁免" not in page_of(client, "vera", name, contract.uuid).content.decode()


def test_a_waiver_can_be_taken_back_and_the_breach_leads_the_list_again(client):
    contract = stage.measured().contract
    breach(contract)
    client.force_login(factories.person("ada"))
    client.post(reverse("contract-waive", args=[contract.uuid]), {"key": "g1/links_per_gpu", "reason": "够用"})
    page = page_of(client, "ada", "contract-detail", contract.uuid).content.decode()
    assert "撤回豁免" in page and "有 1 条违约：不能验收" not in page
    assert "撤回豁免" not in page_of(client, "eng", "contract-detail", contract.uuid).content.decode()
    assert "撤回豁免" not in page_of(client, "vera", "contract-detail", contract.uuid).content.decode()
    client.force_login(factories.person("ada"))
    withdrawn = client.post(
        reverse("contract-waiver-withdraw", args=[contract.uuid]), {"key": "g1/links_per_gpu"}, follow=True
    ).content.decode()
    assert not Waiver.objects.exists()
    assert "豁免已撤回" in withdrawn and "有 1 条违约：不能验收" in withdrawn
    assert "撤回一项豁免" in page_of(client, "ada", "contract-journal", contract.uuid).content.decode()
    assert "豁免" not in page_of(client, "vera", "contract-journal", contract.uuid).content.decode()


@pytest.mark.parametrize(
    "kind", ["terms_written", "check_waived", "revision_frozen", "something_new"], ids=lambda kind: kind
)
def test_the_vendors_journal_leaves_the_buyers_desk_out(client, kind):
    contract = factories.sent_contract()
    event = services.record(contract, kind, by=factories.person("ada"))
    client.force_login(factories.person("vera"))
    shown = client.get(reverse("contract-journal", args=[contract.uuid])).context["page"]
    assert event.pk not in [entry.event.pk for entry in shown if entry.event]
    page = client.get(reverse("contract-journal", args=[contract.uuid])).content.decode()
    assert "甲方内部的记录" in page


def test_a_round_is_ordered_test_by_test_with_a_folder_for_the_disks(client):
    contract = stage.measured().contract
    client.force_login(factories.person("eng"))
    address = reverse("contract-order", args=[contract.uuid])
    refused = client.post(address, {"jobs": ["storage"], "local_path": "/mnt/../etc"})
    assert refused.status_code == 422 and "不含 .." in refused.content.decode()
    client.post(address, {"jobs": ["storage"], "local_path": "/mnt/nvme1"})
    runs = contract.runs.filter(round=2)
    page = client.get(reverse("contract-runs", args=[contract.uuid])).content.decode()
    boxes = {name: re.search(rf'<input[^>]*value="{name}"[^>]*>', page)[0] for name in ("storage", "training")}
    assert "checked" in boxes["storage"] and "checked" not in boxes["training"]
    assert "不判定条款，用来比较各台机器" in page
    assert {run.job for run in runs} == {"storage"}
    assert {run.params["local_path"] for run in runs} == {"/mnt/nvme1"}
