"""What the wizard's page does while somebody types: saves, checks, tells, and never takes the text away."""

import re

import pytest
from playwright.sync_api import expect

from gpucontract.web.wizard import AUTOSAVE_MS
from tests import factories
from tests.browser.conftest import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def contract():
    return factories.drafted_contract()


def open_step(page, contract, step):
    page.goto(f"/contracts/{contract.uuid}/draft/{step}/")
    return page


def test_typing_is_saved_without_a_click_and_keeps_the_caret(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    field = page.locator('[name="g1-name"]')
    field.fill("华东")
    expect(page.locator("#save-note")).to_have_text(re.compile("已于 .* 保存（Bing）"))
    field.press_sequentially("集群")
    expect(page.locator("#revision")).not_to_have_value("1")
    assert field.evaluate("input => [document.activeElement === input, input.selectionStart]") == [True, 4]
    assert open_step(visit("ada"), contract, "nodes").locator('[name="g1-name"]').input_value() == "华东集群"


def test_the_checks_and_figures_follow_what_is_typed(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    page.locator('[name="c-total_gpu_count_stated"]').fill("64")
    expect(page.locator("#side")).to_contain_text("C-NOD-01")
    expect(page.locator("#side dd.clash")).to_have_count(2)


def test_the_second_person_is_told_while_typing_and_keeps_the_text(visit, contract):
    first, second = (open_step(visit(name), contract, "sla") for name in ("bing", "ada"))
    first.locator('[name="c-p1_response_min"]').fill("20")
    expect(first.locator("#save-note")).to_contain_text("已于")
    second.locator('[name="c-p1_response_min"]').fill("45")
    expect(second.locator("#save-note .bad")).to_contain_text("（Bing）")
    assert second.locator('[name="c-p1_response_min"]').input_value() == "45"


def test_a_lost_session_is_told_and_keeps_the_text(visit, contract):
    page = open_step(visit("bing"), contract, "sla")
    page.context.clear_cookies()
    page.locator('[name="c-p1_response_min"]').fill("45")
    expect(page.locator("#save-note")).to_contain_text("未保存")
    assert page.locator('[name="c-p1_response_min"]').input_value() == "45"


def test_a_lost_network_is_told_and_the_next_letter_saves(visit, contract):
    page = open_step(visit("bing"), contract, "sla")
    page.context.set_offline(True)
    page.locator('[name="c-p1_response_min"]').fill("45")
    expect(page.locator("#save-note")).to_contain_text("网络已断开")
    page.context.set_offline(False)
    page.locator('[name="c-p1_response_min"]').fill("46")
    expect(page.locator("#save-note")).to_contain_text("已于")


def test_the_error_summary_takes_the_focus_and_its_lines_lead_to_the_inputs(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    page.locator('[name="g1-node_count"]').fill("两台")
    page.get_by_role("button", name="保存并继续").click()
    expect(page.locator("[data-error-summary]")).to_be_focused()
    assert page.title().startswith("有误：")
    page.locator("[data-error-summary] a").first.click()
    expect(page.locator('[name="g1-node_count"]')).to_be_focused()
    assert page.locator('[name="g1-node_count"]').input_value() == "两台"
    page.locator('[name="g1-node_count"]').fill("2")
    page.get_by_role("button", name="保存并继续").click()
    page.wait_for_url(re.compile("/interconnect/"))
    assert "#" not in page.url


def test_a_term_shows_when_it_is_needed_and_hides_when_not(visit):
    contract = factories.empty_contract()
    page = open_step(visit("bing"), contract, "interconnect")
    generation = page.locator("#div_id_g1-nvlink_generation")
    expect(generation).to_be_hidden()
    page.locator('[name="g1-intra_link_type"]').select_option("nvlink_nvswitch")
    expect(generation).to_be_visible()
    page.locator('[name="g1-intra_link_type"]').select_option("pcie_switch")
    expect(generation).to_be_hidden()


def test_a_proposed_value_is_taken_with_one_click_and_saved(visit):
    contract = factories.drafted_contract(g1={"intra_busbw_min": ""})
    page = open_step(visit("bing"), contract, "interconnect")
    page.locator('[data-fill="g1-intra_busbw_min"]').click()
    assert page.locator('[name="g1-intra_busbw_min"]').input_value() == "455"
    expect(page.locator('[data-fill="g1-intra_busbw_min"]')).to_have_count(0)


def test_enter_saves_and_presses_no_other_button(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    page.locator('[name="g1-node_count"]').press("Enter")
    page.wait_for_url(re.compile("/interconnect/"))
    assert contract.node_groups.count() == 1


def test_the_reason_of_a_term_opens_beside_it_and_escape_closes_it(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    why = page.locator("#div_id_g1-node_count .why")
    why.locator("summary").click()
    expect(why.locator("p")).to_be_visible()
    page.keyboard.press("Escape")
    expect(why.locator("p")).to_be_hidden()


def test_removing_a_filled_group_is_asked_first(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    page.get_by_role("button", name="复制").click()
    expect(page.locator("[data-row=g2]")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="移除 节点组 2").click()
    assert contract.node_groups.count() == 2


def test_seldom_used_terms_come_without_leaving_the_page_and_a_link_opens_them(visit):
    page = open_step(visit("bing"), factories.empty_contract(), "nodes")
    page.locator('[name="g1-name"]').fill("华东")
    page.locator("#more-g1 button").click()
    page.locator('[name="g1-hbm_bw_min_gbs"]').fill("3000")
    expect(page.locator("#save-note")).to_contain_text("已于")
    page.locator("#more-g1 > details > summary").click()
    expect(page.locator('[name="g1-hbm_bw_min_gbs"]')).to_be_hidden()
    page.evaluate("location.hash = 'div_id_g1-hbm_bw_min_gbs'")
    expect(page.locator('[name="g1-hbm_bw_min_gbs"]')).to_be_focused()
    assert page.locator('[name="g1-name"]').input_value() == "华东"


def test_text_that_never_reached_the_server_is_offered_when_the_step_is_opened_again(visit, contract):
    page = open_step(visit("bing"), contract, "sla")
    page.context.clear_cookies()
    page.locator('[name="c-p1_response_min"]').fill("45")
    expect(page.locator("#save-note")).to_contain_text("未保存")
    page.goto("/accounts/login/")
    sign_in(page.context, "bing", page.evaluate("location.origin"))
    open_step(page, contract, "sla")
    assert page.locator('[name="c-p1_response_min"]').input_value() != "45"
    page.get_by_role("button", name="放回页面").click()
    expect(page.locator('[name="c-p1_response_min"]')).to_have_value("45")
    expect(page.locator("#save-note")).to_contain_text("已于")
    open_step(page, contract, "sla")
    expect(page.locator("#kept")).to_be_hidden()
    assert page.locator('[name="c-p1_response_min"]').input_value() == "45"


def test_a_page_that_is_closed_at_once_saves_the_last_letters(visit, contract):
    page = open_step(visit("bing"), contract, "sla")
    page.locator('[name="c-p1_response_min"]').press_sequentially("7")
    page.goto("/contracts/")
    assert open_step(page, contract, "sla").locator('[name="c-p1_response_min"]').input_value() == "715"


def test_after_signing_in_again_elsewhere_the_next_letter_saves(visit, contract):
    page = open_step(visit("bing"), contract, "sla")
    page.context.clear_cookies()
    page.locator('[name="c-p1_response_min"]').fill("45")
    expect(page.locator("#save-note")).to_contain_text("未保存")
    sign_in(page.context, "bing", page.evaluate("location.origin"))
    page.context.new_page().goto(page.url)
    page.locator('[name="c-p1_response_min"]').fill("46")
    expect(page.locator("#save-note")).to_contain_text("已于")


def test_both_versions_of_a_conflict_stand_side_by_side(visit, contract):
    first, second = (open_step(visit(name), contract, "sla") for name in ("bing", "ada"))
    first.locator('[name="c-p1_response_min"]').fill("20")
    expect(first.locator("#save-note")).to_contain_text("已于")
    second.locator('[name="c-p1_response_min"]').fill("45")
    expect(second.locator("#save-note .bad")).to_contain_text("（Bing）")
    second.locator("#save-note button").click()
    row = second.locator(".problems tbody tr")
    expect(row.locator("td").nth(0)).to_have_text("45")
    expect(row.locator("td").nth(1)).to_contain_text("20")
    row.get_by_role("button", name="用已保存的").click()
    assert second.locator('[name="c-p1_response_min"]').input_value() == "20"


def test_a_ticked_answer_and_a_reason_exclude_each_other(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    place = page.locator("#div_id_g1-gpu_form_factor")
    place.locator(".na > summary").click()
    place.get_by_label("不适用的理由").fill("按型号")
    expect(place.locator("input:checked")).to_have_count(0)
    place.get_by_label("SXM", exact=True).check()
    expect(page.locator('[name="g1-gpu_form_factor.na"]')).to_have_value("")


def test_not_applicable_that_was_opened_is_asked_for_its_reason(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    page.locator('[name="g1-gpu_memory_gb"]').fill("")
    page.locator("#div_id_g1-gpu_memory_gb .na > summary").click()
    page.get_by_role("button", name="保存并继续").click()
    expect(page.locator(".problems li")).to_have_text(["节点组 1 · 单卡显存：“不适用”需要写明理由，最多 200 个字。"])
    expect(page.locator('[name="g1-gpu_memory_gb.na"]')).to_be_visible()


def test_a_waiting_autosave_does_not_overtake_a_button(visit, contract):
    page = open_step(visit("bing"), contract, "nodes")
    saves, held = [], []
    page.on("request", lambda request: saves.append(request.url) if "autosave" in request.url else None)
    page.route(re.compile("/draft/nodes/$"), lambda route: held.append(route))
    page.evaluate("""() => {
      const name = document.querySelector('[name="g1-name"]');
      name.value = "华东";
      name.dispatchEvent(new Event("input", { bubbles: true }));
      document.getElementById("add-g").click();
    }""")
    # Twice as long as an autosave waits.
    page.wait_for_timeout(2 * AUTOSAVE_MS)
    assert not saves
    held[0].continue_()
    expect(page.locator("#row-g2")).to_be_visible()
    assert page.locator('[name="g1-name"]').input_value() == "华东"
