"""Seldom-used terms come when asked for, are never lost by being away, and "not applicable" takes a reason."""

import pytest
from django.conf import settings

from gpucontract.contracts import services
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import NotApplicable
from tests import factories
from tests.web.typing_in import post, shown, typed_on, url

pytestmark = pytest.mark.django_db


def write(contract, **terms):
    services.write_terms(contract, values={"g1": terms}, by=factories.person("bing"))


@pytest.fixture
def plain(contract):
    """A draft of which nobody has filled a seldom-used term of the machines."""
    return contract


def page(client, contract, step="nodes", query=""):
    return client.get(url(contract, step) + query).content.decode()


def test_they_are_away_until_asked_for(drafter, plain):
    assert "g1-gpu_clock_note" not in shown(drafter, plain, "nodes")
    assert 'name="g1-gpu_clock_note"' in page(drafter, plain, query="?more=g1")


def test_without_a_script_the_button_brings_them_and_keeps_what_was_typed(drafter, plain):
    response = post(drafter, plain, "nodes", act="more:g1", g1__name="改过的名")
    assert response["Location"] == f"{url(plain, 'nodes')}?more=c&more=g1#more-g1"
    inputs = typed_on(drafter.get(response["Location"]).content.decode())
    assert (inputs["g1-name"], inputs["g1-gpu_clock_note"]) == (["改过的名"], [""])


def test_a_script_gets_only_them(drafter, plain):
    said = drafter.get(url(plain, "nodes", "contract-draft-more") + "?row=g1").content.decode()
    assert 'name="g1-gpu_clock_note"' in said and 'name="g1-node_count"' not in said
    assert drafter.get(url(plain, "nodes", "contract-draft-more") + "?row=g9").status_code == 404


def test_a_filled_one_stands_open_by_itself(drafter, plain):
    write(plain, gpu_clock_note="锁定 1410 MHz")
    assert shown(drafter, plain, "nodes")["g1-gpu_clock_note"] == ["锁定 1410 MHz"]


def test_saving_a_page_without_them_leaves_their_values_alone(drafter, plain):
    inputs = shown(drafter, plain, "nodes")
    write(plain, gpu_clock_note="锁定 1410 MHz")
    assert drafter.post(url(plain, "nodes"), inputs | {"act": "save"}).status_code == 302
    assert terms_of(plain)["g1/gpu_clock_note"] == "锁定 1410 MHz"


def test_an_emptied_one_stays_empty_on_the_way(drafter, plain):
    write(plain, gpu_clock_note="锁定 1410 MHz")
    post(drafter, plain, "nodes", act="more:g1", g1__gpu_clock_note="")
    assert shown(drafter, plain, "nodes")["g1-gpu_clock_note"] == [""]
    post(drafter, plain, "nodes")
    assert not terms_of(plain).is_given("g1/gpu_clock_note")


def test_not_applicable_is_saved_with_its_reason_and_shown_again(drafter, contract):
    changes = {"g1__gpu_power_limit_w": "", "g1-gpu_power_limit_w.na": "整机柜供电"}
    assert post(drafter, contract, "nodes", **changes).status_code == 302
    assert terms_of(contract).reason("g1/gpu_power_limit_w") == "整机柜供电"
    assert shown(drafter, contract, "nodes")["g1-gpu_power_limit_w.na"] == ["整机柜供电"]
    assert post(drafter, contract, "nodes").status_code == 302
    assert terms_of(contract).reason("g1/gpu_power_limit_w") == "整机柜供电"


def test_it_settles_a_required_term(drafter, contract):
    assert post(drafter, contract, "nodes", g1__gpu_memory_gb="").status_code == 422
    changes = {"g1__gpu_memory_gb": "", "g1-gpu_memory_gb.na": "由供应商按型号配置"}
    assert post(drafter, contract, "nodes", **changes).status_code == 302


def test_a_value_beside_a_reason_is_refused(drafter, contract):
    response = post(drafter, contract, "nodes", **{"g1-gpu_memory_gb.na": "不确定"})
    assert response.status_code == 422
    (problem,) = response.context["problems"]
    assert "去掉其中一个" in problem.message and problem.target == "id_g1-gpu_memory_gb"


def test_not_applicable_without_a_reason_is_asked_for_it(drafter, contract):
    changes = {"g1__gpu_memory_gb": "", "g1-gpu_memory_gb.na": " "}
    response = post(drafter, contract, "nodes", **changes)
    (problem,) = response.context["problems"]
    assert response.status_code == 422
    assert problem.message == "节点组 1 · 单卡显存：“不适用”需要写明理由，最多 200 个字。"
    said = response.content.decode()
    assert '<details class="na" open>' in said[said.index('id="div_id_g1-gpu_memory_gb"') :][:3000]


def test_lines_that_are_not_applicable_need_a_reason_too(drafter, contract):
    services.write_terms(contract, values={"m1": {"io_test_profile": None}}, by=factories.person("bing"))
    response = post(drafter, contract, "storage", **{"m1-io_test_profile.na": " "})
    assert "存储测试口径：“不适用”需要写明理由" in response.context["problems"][0].message


def test_a_blank_reason_beside_a_value_says_nothing(drafter, contract):
    assert post(drafter, contract, "nodes", **{"g1-gpu_memory_gb.na": " "}).status_code == 302
    assert terms_of(contract)["g1/gpu_memory_gb"] == 80


def test_a_choice_that_does_not_apply_shows_nothing_chosen(drafter, contract):
    response = post(drafter, contract, "nodes", **{"g1-gpu_form_factor.na": "按型号", "g1__gpu_memory_gb": ""})
    assert response.status_code == 422
    assert "g1-gpu_form_factor" not in typed_on(response.content.decode())


def test_a_reason_on_several_lines_becomes_one(drafter, contract):
    changes = {"g1__gpu_memory_gb": "", "g1-gpu_memory_gb.na": "按型号\r\n配置"}
    assert post(drafter, contract, "nodes", **changes).status_code == 302
    assert terms_of(contract).reason("g1/gpu_memory_gb") == "按型号 配置"


def test_the_button_counts_only_what_applies(drafter, contract):
    count = 'name="act" value="more:g1"'
    for fabric, left in (("rocev2", 5), ("infiniband", 6), ("ethernet_tcp", 3)):
        write(contract, inter_fabric_type=fabric, link_error_policy=None)
        page = drafter.get(url(contract, "interconnect")).content.decode()
        assert f"另有 {left} 项" in page[page.index(count) :][:400]


def test_clearing_the_reason_asks_for_the_value_again(drafter, contract):
    write(contract, gpu_memory_gb=NotApplicable("按型号"))
    assert post(drafter, contract, "nodes", **{"g1-gpu_memory_gb.na": ""}).status_code == 422


def test_a_list_of_lines_can_be_not_applicable(drafter, contract):
    services.write_terms(contract, values={"m1": {"io_test_profile": None}}, by=factories.person("bing"))
    assert post(drafter, contract, "storage", **{"m1-io_test_profile.na": "只读缓存，不测"}).status_code == 302
    assert terms_of(contract).reason("m1/io_test_profile") == "只读缓存，不测"
    assert post(drafter, contract, "storage", act="line:m1-io_test_profile").status_code == 302


def test_the_check_page_says_it_with_its_reason(drafter, contract):
    write(contract, gpu_power_limit_w=NotApplicable("整机柜供电"))
    said = page(drafter, contract, "check")
    assert "不适用：整机柜供电" in said


def test_a_change_link_leads_to_a_folded_term(drafter, plain):
    write(plain, ram_channels_full=True)
    assert "?more=g1#div_id_g1-ram_channels_full" in page(drafter, plain, "check")


def test_not_applicable_stands_at_every_term_that_may_be_without_a_pointer_over_it(drafter, contract):
    style = (settings.BASE_DIR / "static" / "css" / "draft.css").read_text(encoding="utf-8")
    assert not [line for line in style.splitlines() if ".na" in line and ("opacity" in line or "hover: hover" in line)]
    assert drafter.get(url(contract, "nodes")).content.decode().count(">不适用<") > 3
