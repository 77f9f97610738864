"""A wizard step: shown as it was left, saved when right, kept as typed when not."""

import re
from datetime import UTC, date, datetime

import pytest
from django import forms
from django.urls import reverse
from django.utils import translation

from gpucontract.contracts import services
from gpucontract.contracts.models import StepBuffer
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.tables import TABLE_OF
from gpucontract.web.forms.fields import widget_for
from gpucontract.web.wizard import STEPS
from tests import factories
from tests.web.typing_in import post, typed_on, url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step", STEPS)
def test_every_step_saves_what_it_shows_and_leads_to_the_next(drafter, contract, step):
    before = terms_of(contract)
    response = post(drafter, contract, step)
    following = STEPS.index(step) + 1
    expected = (
        url(contract, STEPS[following]) if following < 10 else reverse("contract-draft-check", args=[contract.uuid])
    )
    assert response.status_code == 302, [str(p.message) for p in response.context["problems"]]
    assert response["Location"] == expected
    assert terms_of(contract) == before


def test_the_summary_keeps_the_order_of_the_page(drafter, contract):
    response = post(
        drafter, contract, "sla", c__p1_response_min="bald", c__sla_availability_pct="", c__node_replace_hours=""
    )
    told = [problem.target for problem in response.context["problems"]]
    assert told == ["id_c-sla_availability_pct", "id_c-p1_response_min", "id_c-node_replace_hours"]
    assert "共享存储的速率" not in response.content.decode()


def test_lines_of_a_long_text_become_one(drafter, contract):
    post(drafter, contract, "sla", c__p1_definition="任一机器连不上；\r\n  训练中断")
    assert terms_of(contract)["c/p1_definition"] == "任一机器连不上； 训练中断"


def test_missing_lines_that_are_not_usual_are_not_said_to_be_filled_in(drafter):
    page = post(drafter, factories.empty_contract(), "sla").content.decode()
    assert "赔付阶梯：请至少添加一行" in page and "已按常用方法填好" not in page


def test_a_text_grows_with_what_is_typed_and_one_word_stays_an_input(drafter, contract):
    nodes, parties, storage = (
        drafter.get(url(contract, step)).content.decode() for step in ("nodes", "parties", "storage")
    )
    assert '<textarea class="form-control prose-input" name="g1-server_model"' in nodes
    assert re.search('<input [^>]*name="g1-gpu_model"[^>]*list="gpu-models"', nodes)
    assert re.search('<input [^>]*name="c-buyer_notice_email"[^>]*inputmode="email"', parties)
    assert re.search('<input [^>]*name="m1-path"', storage)


def test_the_note_tells_the_day_unless_it_is_today(drafter, contract):
    post(drafter, contract, "nodes", act="later", g1__node_count="viele")
    assert re.search("已于 [0-9]{2}:[0-9]{2} 保存（Bing）", drafter.get(url(contract, "nodes")).content.decode())
    StepBuffer.objects.update(saved_at=datetime(2026, 3, 1, 2, 5, tzinfo=UTC))
    assert "已于 2026-03-01 10:05 保存（Bing）" in drafter.get(url(contract, "nodes")).content.decode()


def test_a_changed_value_is_written(drafter, contract):
    post(drafter, contract, "nodes", g1__node_count="4", c__total_gpu_count_stated="32")
    assert terms_of(contract)["g1/node_count"] == 4


def test_an_unticked_box_is_taken_back(drafter, contract):
    post(drafter, contract, "interconnect", g1__roce_lossless=["PFC"])
    assert terms_of(contract)["g1/roce_lossless"] == ("PFC",)


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("g1-node_count", "-5", "节点数：-5 台，超出范围。请填 1 到 10,000 台。"),
        ("g1-node_count", "若干", "不是数字"),
        ("g1-node_count", "2.5", "不是整数"),
        ("g1-ram_gb_per_node", "9999999", "1 到 65,536 GiB"),
        ("g1-gpu_model", "", "请填写：GPU 型号"),
        ("g1-gpu_ecc_enabled", "maybe", "“是”或“否”"),
    ],
)
def test_a_wrong_value_is_refused_with_what_to_do_and_kept_as_typed(drafter, contract, name, typed, told):
    response = post(drafter, contract, "nodes", **{name.replace("-", "__"): typed})
    page = response.content.decode()
    assert response.status_code == 422
    assert "<title>有误：" in page
    assert told in " ".join(problem.message for problem in response.context["problems"])
    assert terms_of(contract)["g1/node_count"] == 2
    assert StepBuffer.objects.get(step="nodes").values()[name] == [typed]


def test_each_line_of_the_summary_leads_to_an_input_on_the_page(drafter, contract):
    response = post(drafter, contract, "nodes", g1__node_count="x", g1__gpu_exclusive="x", g1__gpu_model="")
    page = response.content.decode()
    targets = [problem.target for problem in response.context["problems"]]
    assert len(targets) == 3
    assert all(f'id="{target}"' in page for target in targets)


def test_red_notes_of_risk_checks_are_told_of_beside_what_was_refused(drafter, contract):
    page = post(drafter, contract, "interconnect", g1__nvlink_bw_gbs="600", g1__intra_busbw_min="x").content.decode()
    assert "有 1 处需要修改" in page and "另有 1 项风险检查不通过，不能发送" in page
    assert page.count('class="term-note bad"') == 1
    assert "项风险检查不通过" not in post(drafter, contract, "sla", c__p1_response_min="bald").content.decode()


def test_a_half_filled_step_is_shown_without_any_red(drafter, contract):
    post(drafter, contract, "nodes", act="later", g1__node_count="viele")
    page = drafter.get(url(contract, "nodes")).content.decode()
    assert 'value="viele"' in page
    assert "aria-invalid" not in page
    assert "is-invalid" not in page


def test_a_conditional_term_is_asked_only_when_its_condition_holds(drafter, contract):
    assert post(drafter, contract, "interconnect", g1__inter_busbw_min="").status_code == 422
    services.write_terms(contract, values={"g1": {"node_count": "1"}}, by=factories.person("bing"))
    assert post(drafter, contract, "interconnect", g1__inter_busbw_min="").status_code == 302


def test_a_vague_answer_is_hinted_at_and_not_refused(drafter, contract):
    response = post(drafter, contract, "software", c__os_version="Linux")
    assert response.status_code == 302
    assert "没有约定任何东西" in drafter.get(url(contract, "software")).content.decode()


def test_html_in_a_name_stays_text(drafter, contract):
    post(drafter, contract, "parties", c__vendor_name="<b onclick=x>公司</b>")
    page = drafter.get(url(contract, "parties")).content.decode()
    assert "&lt;b onclick=x&gt;" in page
    assert "<b onclick" not in page


def test_the_second_of_two_people_on_one_step_is_told_and_may_then_replace(drafter, contract, client, ada):
    theirs = typed_on(drafter.get(url(contract, "sla")).content.decode())
    drafter.force_login(ada)
    post(drafter, contract, "sla", c__p1_response_min="15")
    drafter.force_login(factories.person("bing"))
    response = drafter.post(url(contract, "sla"), theirs | {"c-p1_response_min": "45", "act": "save"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "Ada" in page
    assert 'value="45"' in page
    assert terms_of(contract)["c/p1_response_min"] == 15
    again = drafter.post(url(contract, "sla"), typed_on(page) | {"act": "save"})
    assert again.status_code == 302
    assert terms_of(contract)["c/p1_response_min"] == 45


def test_a_sent_contract_cannot_be_edited_and_says_so(drafter):
    contract = factories.sent_contract()
    response = drafter.get(url(contract, "nodes"))
    assert response.status_code == 409
    assert "条款不能修改" in response.content.decode()


def test_an_unknown_step_is_not_found(drafter, contract):
    assert drafter.get(url(contract, "weather")).status_code == 404


@pytest.mark.parametrize(
    ("name", "expected"), [("mallory", 404), ("zoe", 404), ("vera", 404), ("eng", 403), ("wen", 403)]
)
@pytest.mark.parametrize("view", ["contract-draft-step", "contract-draft-autosave"])
def test_only_drafters_of_the_buyer_reach_a_step(client, contract, name, expected, view):
    client.force_login(factories.person(name))
    assert client.post(url(contract, "nodes", view)).status_code == expected


@pytest.mark.parametrize("step", ["parties", "nodes", "interconnect", "storage"])
def test_a_step_of_five_groups_needs_few_queries(drafter, contract, step, django_assert_max_num_queries):
    for _ in range(4):
        services.duplicate_row(contract, code="g1", by=factories.person("bing"))
    with django_assert_max_num_queries(17):
        drafter.get(url(contract, step))


@pytest.mark.parametrize(
    ("language", "term", "is_radio"),
    [
        ("zh-hans", "signing_method", True), ("en", "signing_method", True),
        ("zh-hans", "price_adjust_rule", True), ("en", "payment_cycle", False), ("zh-hans", "payment_cycle", True),
    ],
)  # fmt: skip
def test_choices_too_wide_for_a_select_are_radio_buttons(language, term, is_radio):
    with translation.override(language):
        widget = widget_for(TERMS[term], {})
    assert isinstance(widget, forms.RadioSelect) is is_radio


@pytest.mark.parametrize(("step", "term"), [("commercial", "term_start"), ("acceptance", "delivery_date")])
def test_a_day_too_far_off_is_refused_and_one_that_was_stored_before_breaks_no_page(drafter, contract, step, term):
    page = post(drafter, contract, step, **{f"c__{term}": "9999-12-31"})
    assert "9999-12-31 超出范围。请填 1900-01-01 到 2199-12-31 之间的日期。" in page.content.decode()
    TABLE_OF[term].objects.filter(contract=contract).update(**{term: date.max})
    for name in STEPS:
        assert drafter.get(url(contract, name)).status_code == 200
    assert drafter.get(reverse("contract-draft-check", args=[contract.uuid])).status_code == 200
    assert drafter.get("/").status_code == 200
    assert terms_of(contract)[f"c/{term}"] == date.max
