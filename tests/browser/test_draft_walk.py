"""A contract from its name to the vendor, typed into every step, with and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from gpucontract.contracts.models import Contract
from gpucontract.contracts.sections.gaps import may_stop
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS
from gpucontract.contracts.sections.term import Kind
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.terms import NotApplicable
from gpucontract.web.forms.fields import typed_as
from gpucontract.web.wizard import STEPS
from tests import factories
from tests.sample_terms import SAMPLE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def type_into(page, name, values):
    """Fill one term as a person would: tick, choose or type."""
    inputs = page.locator(f'#step-form [name="{name}"]')
    kind = inputs.first.get_attribute("type")
    if kind in ("radio", "checkbox"):
        fold = page.locator("details.pick:not([open])").filter(has=page.locator(f'[name="{name}"]'))
        if fold.count():
            fold.locator("summary").click()
        for value in values:
            page.locator(f'#step-form [name="{name}"][value="{value}"]').check()
    elif inputs.first.evaluate("input => input.tagName") == "SELECT":
        inputs.first.select_option(values[0])
    else:
        inputs.first.fill(values[0])


def say_none(page, name, reason):
    """Open what stands beside a term and write why it is not applicable."""
    place = page.locator("details.na").filter(has=page.locator(f'[name="{name}.na"]'))
    place.locator("summary").click()
    place.locator("textarea").fill(reason)


def type_lines(page, name, lines):
    """Add the lines of a table, then fill them."""
    rows = page.locator(f'[data-row^="{name}-"]')
    for count in range(1, len(lines) + 1):
        page.locator(f"#add-{name}").click()
        expect(rows).to_have_count(count)
    for number, line in enumerate(lines):
        for column, value in line.items():
            found = rows.nth(number).locator(f'[name$="-{column}"]')
            type_into(page, found.first.get_attribute("name"), typed_as(value))


def fill_step(page, step):
    """Everything the sample says in this step, of tables only those a step cannot do without and shows; what hides
    behind an answer comes after it."""
    page.wait_for_url(re.compile(rf"/{step}/"))
    folds = page.locator(".more-button")
    for left in reversed(range(folds.count())):
        folds.first.click()
        expect(folds).to_have_count(left)
    for code, terms in SAMPLE.items():
        for term, value in terms.items():
            if SECTION_OF[term] == step:
                fill_term(page, f"{code}-{term}", TERMS[term], value)


def fill_term(page, name, info, value):
    """One term of the sample."""
    if isinstance(value, NotApplicable):
        say_none(page, name, value.reason)
    elif info.kind is not Kind.ROWS:
        type_into(page, name, typed_as(value))
    elif may_stop(info) and page.locator(f"#add-{name}").is_visible():
        type_lines(page, name, value)


@pytest.mark.parametrize("script", [True, False], ids=["with-script", "without-script"])
def test_a_contract_is_drafted_and_sent(visit, script):
    factories.person("vera")
    page = visit("bing", java_script_enabled=script)
    page.goto("/")
    page.get_by_role("link", name="新建合同").first.click()
    page.get_by_label("合同名称").fill("华东训练集群")
    page.get_by_role("button", name="开始起草").click()
    for step in STEPS:
        if step == "storage":
            page.wait_for_url(re.compile("/storage/"))
            page.get_by_role("button", name="添加共享挂载").click()
        fill_step(page, step)
        page.get_by_role("button", name="保存并继续").click()
    page.wait_for_url(re.compile("/check/"))
    assert page.get_by_role("heading", level=1).inner_text() == "核对全部内容"
    contract = Contract.objects.get(title="华东训练集群")
    assert terms_of(contract)["g1/intra_busbw_min"] == SAMPLE["g1"]["intra_busbw_min"]

    approver = visit("ada", java_script_enabled=script)
    approver.goto(page.url)
    approver.get_by_role("button", name="发送给乙方").click()
    assert "已作为第 1 版发送给" in approver.locator("main").inner_text()
