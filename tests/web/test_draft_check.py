"""The last page of drafting: every answer with a way to change it, the checks, waivers, sending."""

import pytest
from django.urls import reverse

from gpucontract.contracts import copying, services
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.templates import templates
from gpucontract.contracts.terms import NotApplicable
from gpucontract.web.wizard import STEPS
from tests import factories
from tests.web.opened import checked
from tests.web.typing_in import post

pytestmark = pytest.mark.django_db


def page_of(client, contract):
    return client.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()


def send(client, contract):
    return client.post(reverse("contract-draft-send", args=[contract.uuid]), checked(contract))


@pytest.fixture
def approver(client, ada):
    client.force_login(ada)
    return client


def test_every_answer_stands_there_with_unit_and_a_way_to_change_it(drafter, contract):
    page = page_of(drafter, contract)
    step = reverse("contract-draft-step", args=[contract.uuid, "interconnect"])
    assert "455 GB/s" in page
    assert f'href="{step}#div_id_g1-intra_busbw_min"' in page


def test_a_missing_answer_is_marked(drafter):
    page = page_of(drafter, factories.empty_contract())
    assert page.count("未填写") > 20


def test_unsaved_text_is_told(drafter, contract):
    post(drafter, contract, "sla", act="later", c__p1_response_min="bald")
    assert "自动保留的内容还没有保存，或没有通过检查" in page_of(drafter, contract)


def test_the_drafter_is_told_who_sends_and_tells_them_with_one_button(drafter, ada, contract):
    page, ready = page_of(drafter, contract), reverse("contract-draft-ready", args=[contract.uuid])
    assert "由本组织的审批人发送" in page and f"<strong>{ada}</strong>" in page and f'action="{ready}"' in page
    assert send(drafter, contract).status_code == 403
    answer = drafter.post(ready, follow=True)
    assert f"已发邮件告知：{ada}。" in answer.content.decode()
    assert f'action="{ready}"' not in page_of(drafter, contract)
    assert "一天只告知一次" in drafter.post(ready, follow=True).content.decode()


def test_an_unfinished_draft_offers_no_mail_to_the_approvers(drafter, ada, contract, bing):
    services.write_terms(contract, values={"g1": {"ram_gb_per_node": None}}, by=bing)
    page, ready = page_of(drafter, contract), reverse("contract-draft-ready", args=[contract.uuid])
    assert f'action="{ready}"' not in page and "补齐并改正之后" in page
    assert "1 处不改不能发送" in drafter.post(ready, follow=True).content.decode()


def test_a_mistyped_code_of_the_vendor_is_told_before_anybody_is_invited(drafter, contract, bing):
    services.write_terms(contract, values={"c": {"vendor_uscc": "91420100MADEME000C"}}, by=bing)
    invite = reverse("contract-vendor", args=[contract.uuid])
    page = page_of(drafter, contract)
    assert "91420100MADEME000C 不是有效的统一社会信用代码" in page and invite not in page
    there = drafter.get(invite).content.decode()
    assert "请先改正乙方的代码" in there and 'name="email"' not in there


def test_where_nobody_may_send_the_drafter_is_told_whom_to_ask(drafter, contract):
    page = page_of(drafter, contract)
    assert "没有其他可以发送的审批人" in page and reverse("organisation-detail", args=[contract.buyer.uuid]) in page


def fold(page, step):
    """The tag that opens the fold of a step's answers."""
    before, _id, _after = page.partition(f'id="step-{step}"')
    return "<details" + before.rpartition("<details")[2].partition(">")[0] + ">"


def test_answers_are_folded_save_where_something_stops_sending(drafter, contract, bing):
    assert "<details open>" not in {fold(page_of(drafter, contract), step) for step in STEPS}
    services.write_terms(contract, values={"c": {"vendor_uscc": "9142"}}, by=bing)
    services.write_terms(contract, values={"g1": {"ram_gb_per_node": None}}, by=bing)
    page = page_of(drafter, contract)
    assert [step for step in STEPS if fold(page, step) == "<details open>"] == ["parties", "nodes"]


def test_a_check_says_in_words_where_to_mend_it(drafter, contract, bing):
    services.write_terms(contract, values={"c": {"vendor_uscc": "9142"}}, by=bing)
    assert "前往“主体与供应商资质”的“乙方统一社会信用代码”</a>" in page_of(drafter, contract)


def test_the_want_of_a_mount_leads_to_the_button_that_adds_one(drafter, contract, bing):
    services.remove_row(contract, code="m1", by=bing)
    step = reverse("contract-draft-step", args=[contract.uuid, "storage"])
    assert "C-STO-08" in page_of(drafter, contract) and f'href="{step}#add-m"' in page_of(drafter, contract)
    assert 'id="add-m"' in drafter.get(step).content.decode()


def test_a_missing_mandate_of_the_vendor_leads_to_the_vendor_and_to_no_term(drafter):
    contract = factories.sent_contract()
    revision, vera = factories.latest(contract), factories.person("vera")
    answers = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    answers["c/p1_response"] = services.Given("ask", reason="几点起算？")
    services.answer_clauses(revision, answers=answers, by=vera)
    services.submit_answers(revision, by=vera)
    page = page_of(drafter, contract)
    line = page[: page.index("C-SIG-04")].rpartition('<p class="check-do">')[2]
    assert f'href="{reverse("contract-detail", args=[contract.uuid])}"' in line and "#div_id_" not in line


def test_the_approver_sends_to_the_vendor_that_the_terms_name(approver, contract):
    response = send(approver, contract)
    contract.refresh_from_db()
    assert response.status_code == 302
    assert contract.state == State.WITH_VENDOR
    assert contract.vendor == factories.organisation_of("vera")


def test_an_empty_draft_is_not_sent_and_everything_in_the_way_is_listed(approver):
    contract = factories.empty_contract()
    response = send(approver, contract)
    contract.refresh_from_db()
    assert response.status_code == 422
    assert len(response.context["problems"]) > 20
    assert contract.state == State.DRAFT


def test_a_blocking_check_stops_sending_until_it_is_waived_with_a_reason(approver):
    contract = factories.drafted_contract(g1={"nvlink_bw_gbs": "600"})
    path = reverse("contract-draft-waive", args=[contract.uuid])
    assert send(approver, contract).status_code == 422
    assert approver.post(path, {"check": "C-NET-03", "code": "g1", "reason": " "}).status_code == 422
    assert approver.post(path, {"check": "C-NET-03", "code": "g1", "reason": "厂商定制"}).status_code == 302
    assert "厂商定制" in page_of(approver, contract)
    assert send(approver, contract).status_code == 302


def test_a_check_that_cannot_be_waived_offers_no_waiver(approver):
    contract = factories.drafted_contract(g1={"gpu_model": "A100 80GB SXM4", "intra_busbw_min": "600"})
    page = page_of(approver, contract)
    assert "C-NET-06" in page
    assert 'id="waive-C-NET-06-g1"' not in page


def test_a_vendor_that_is_not_here_is_refused_in_words(approver):
    contract = factories.drafted_contract(c={"vendor_uscc": "91110108551385082Q"})
    response = send(approver, contract)
    assert response.status_code == 422
    assert "91110108551385082Q" in response.content.decode()


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("get", "contract-draft"),
        ("get", "contract-draft-check"),
        ("post", "contract-draft-send"),
        ("post", "contract-draft-waive"),
    ],
)
@pytest.mark.parametrize("person", ["mallory", "zoe", "vera"])
def test_strangers_find_nothing(client, contract, method, name, person):
    client.force_login(factories.person(person))
    assert getattr(client, method)(reverse(name, args=[contract.uuid])).status_code == 404


def test_the_check_page_needs_few_queries(drafter, contract, django_assert_max_num_queries):
    with django_assert_max_num_queries(24):
        page_of(drafter, contract)


def test_the_four_eyes_button_says_what_it_does(approver, contract):
    assert "改动过本版条款的人不能自己发送或签署，须由没有改动过的审批人办理" in page_of(approver, contract)


def test_what_the_contract_costs_stands_on_the_page(drafter, contract):
    page = page_of(drafter, contract)
    assert "1,560,000.00 元" in page
    assert "156 万元" in page
    assert "人民币壹佰伍拾陆万元整" in page
    assert "130,000.00 元" in page


def test_every_empty_term_that_is_asked_for_is_listed_with_the_way_to_it(drafter, contract):
    empty = {"unit_price": None, "delivery_date": None}
    services.write_terms(contract, values={"c": empty}, by=factories.person("bing"))
    response = drafter.get(reverse("contract-draft-check", args=[contract.uuid]))
    listed = {step.name: [(term.target, term.stops) for term in step.terms] for step in response.context["lacking"]}
    assert listed == {
        "acceptance": [("#div_id_c-delivery_date", False)],
        "commercial": [("#div_id_c-unit_price", True)],
    }
    step = reverse("contract-draft-step", args=[contract.uuid, "acceptance"])
    assert f'href="{step}#div_id_c-delivery_date"' in response.content.decode()
    states = {task.name: task.state for task in response.context["tasks"]}
    assert (states["acceptance"], states["sla"]) == ("started", "complete")


def test_the_terms_that_checks_wait_for_are_named(drafter, contract):
    services.write_terms(contract, values={"c": {"unit_price": None}}, by=factories.person("bing"))
    findings = drafter.get(reverse("contract-draft-check", args=[contract.uuid])).context["findings"]
    assert [(term.label, term.target) for term in findings.awaited] == [("单价", "#div_id_c-unit_price")]
    assert findings.open == findings.awaited[0].checks > 0


def test_checks_wait_for_nothing_in_a_complete_draft(drafter, contract):
    assert drafter.get(reverse("contract-draft-check", args=[contract.uuid])).context["findings"].awaited == ()


def test_what_differs_from_the_template_is_marked_with_what_it_gave(drafter, bing):
    source = copying.from_template(templates()["a100-one-node"], "zh-hans")
    contract = copying.start_from(source, factories.organisation_of("bing"), by=bing)
    assert "带来的内容都没有改动" in page_of(drafter, contract)
    values = {"c": {"p1_response_min": 45, "unit_price": "30000"}, "g1": {"gemm_tflops_min": NotApplicable("不单测")}}
    services.write_terms(contract, values=values, by=bing)
    response = drafter.get(reverse("contract-draft-check", args=[contract.uuid]))
    answers = [answer for step in response.context["steps"] for row in step.rows for answer in row.answers]
    assert response.context["changes_of_origin"] == 2
    changed = {answer.label: (answer.before, answer.values) for answer in answers if answer.before}
    assert changed[TERMS["p1_response_min"].label.zh] == (["15 分钟"], ["45 分钟"])
    assert changed[TERMS["gemm_tflops_min"].label.zh][1] == ["不适用：不单测"]


def test_a_vague_answer_is_doubted_beside_it(drafter, contract):
    services.write_terms(contract, values={"c": {"os_version": "Linux"}}, by=factories.person("bing"))
    assert "“Linux”没有约定任何东西" in page_of(drafter, contract)
