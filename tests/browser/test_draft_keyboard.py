"""A contract from a template to the last page before sending, with the keyboard alone and focus always in sight."""

import re

import pytest
from playwright.sync_api import expect

from gpucontract.contracts import services
from gpucontract.contracts.models import Contract
from gpucontract.contracts.sections.gaps import unanswered
from gpucontract.contracts.sections.steps import SECTION_OF
from gpucontract.contracts.snapshot import terms_of
from gpucontract.web.wizard import STEPS
from tests import factories
from tests.sample_terms import VENDOR

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# As many places as the longest step may have between two that matter.
MOST_TABS = 250
FOCUSED = """() => {
  const here = document.activeElement, style = getComputedStyle(here), box = here.getBoundingClientRect();
  // A date's calendar button has a ring of its own, which no style tells.
  const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const ring = here.type === "date" || outline || style.boxShadow !== "none";
  return {
    name: here.name || "", id: here.id, text: here.innerText || "", href: here.href || "", tag: here.tagName,
    value: here.value || "", term: here.closest(".term")?.id.replace("div_id_", "") || "",
    isAnswer: here.matches(".term :is(input, select, textarea), .pick > summary") && !here.closest(".na"),
    isSeen: ring && box.bottom > 0 && box.top < innerHeight,
  };
}"""
# Typed into the inputs in which an empty answer is asked for.
TYPED = {
    "c-buyer_notice_email": "legal@buyer.example", "c-buyer_signatory": "王经理，法定代表人授权书 2026-11",
    "c-vendor_name": VENDOR[0], "c-vendor_uscc": VENDOR[1], "c-vendor_founded_on": "2020-03-01",
    "c-vendor_registered_capital": "5000", "c-vendor_licence_no": "B1-20200001",
    "c-vendor_licence_expiry": "2031-01-01", "c-datacenter_name": "光谷数据中心", "c-datacenter_address": "武汉市光谷大道 1 号",
    "g1-server_model": "浪潮 NF5488A5", "c-data_region": "湖北武汉", "c-local_ops_staff": "4", "c-local_ops_city": "武汉", "c-mlps_cert_ref": "42010012345-24001",
    "c-hotline": "400-027-0000",
    "c-delivery_date": "2027-01-10", "c-unit_price": "60000", "c-term_start": "2027-02-01", "c-payee_account_name": VENDOR[0],
    "c-total_value_stated": "720000",
}  # fmt: skip


def focused(page):
    """What has the focus; it must be in sight and look like it."""
    found = page.evaluate(FOCUSED)
    assert found["tag"] == "BODY" or found["isSeen"], found
    return found


def tab_to(page, matches):
    """Press Tab until the focus is where it should be."""
    seen = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        here = focused(page)
        if matches(here):
            return here
        seen.append(here["id"] or here["text"][:20])
    raise AssertionError(f"Tab never came there; it passed {seen}")


def answer(page, here):
    """Answer the term that has the focus, as its kind asks for it."""
    kind = page.evaluate("document.activeElement.type")
    if kind in ("radio", "checkbox"):
        page.keyboard.press("Space")
    elif here["tag"] == "SELECT":
        page.keyboard.press("ArrowDown")
    elif here["tag"] == "SUMMARY":
        page.keyboard.press("Enter")
        tab_to(page, lambda place: place["name"])
        page.keyboard.press("Space")
    elif kind == "date":
        year, month, day = TYPED[here["name"]].split("-")
        page.keyboard.type(f"{month}{day}{year}")
        assert page.evaluate("document.activeElement.value") == TYPED[here["name"]]
    else:
        page.keyboard.type(TYPED[here["name"]])


def to_the_last_page(page):
    """By the link in the list of steps."""
    tab_to(page, lambda here: here["href"].endswith("/check/"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/check/"))


def gaps_of(contract, step):
    """The inputs of a step that are asked for and empty; an answer may bring further ones."""
    return [gap.path.replace("/", "-") for gap in unanswered(terms_of(contract)) if SECTION_OF[gap.info.id] == step]


def fill_step(page, step, gaps):
    """From the list of what is empty to the first such term of a step, answer it and those after it, and save."""
    to_the_last_page(page)
    tab_to(page, lambda here: f"/{step}/" in here["href"] and "#div_id" in here["href"])
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#div_id"))
    expect(page.locator(".term :focus")).to_have_count(1)
    for gap in gaps:
        here = focused(page)
        if here["term"] != gap:
            here = tab_to(page, lambda here, gap=gap: here["term"] == gap and here["isAnswer"])
        answer(page, here)
    tab_to(page, lambda here: here["tag"] == "BUTTON" and here["text"] == "保存并继续")
    page.keyboard.press("Enter")
    expect(page.locator("#step-form .term :focus, .save-bar :focus")).to_have_count(0)
    assert page.locator(".problems li").all_inner_texts() == []
    page.wait_for_url(lambda address: f"/{step}/" not in address)


def test_from_a_template_to_the_last_page_by_keyboard(visit):
    factories.person("vera"), factories.person("ada")
    page = visit("bing", reduced_motion="reduce")
    page.goto("/")
    tab_to(page, lambda here: "新建合同" in here["text"])
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/contracts/new"))
    tab_to(page, lambda here: here["name"] == "title")
    page.keyboard.type("单机训练")
    tab_to(page, lambda here: here["name"] == "start")
    # The templates come first: the arrow leads on from the last choice, the empty draft, to the first one.
    page.keyboard.press("ArrowDown")
    assert focused(page)["value"] == "template:a100-one-node"
    tab_to(page, lambda here: here["text"] == "开始起草")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/parties/"))

    contract = Contract.objects.get(title="单机训练")
    for step in STEPS:
        while gaps := gaps_of(contract, step):
            fill_step(page, step, gaps)
    to_the_last_page(page)
    expect(page.locator("#lacking")).to_have_count(0)
    expect(page.get_by_text("由本组织的审批人发送")).to_be_visible()
    tab_to(page, lambda here: here["text"] == "发邮件告知审批人草稿已备好")
    page.keyboard.press("Enter")
    expect(page.get_by_text("已发邮件告知").first).to_be_visible()
    assert unanswered(terms_of(contract)) == ()
    assert services.review(contract).blocking == ()
