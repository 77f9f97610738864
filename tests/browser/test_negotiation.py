"""The whole negotiation as two companies live it, in Chinese: counter, question, second revision, two signatures."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.second_factor import code_of, set_up_app
from gpucontract.contracts.snapshot import terms_of
from gpucontract.documents.models import SignOff
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def line_of(page, text):
    """The line of the vendor's list that reads so."""
    return page.locator(".answer-line", has_text=text).first


def confirm_the_rest(page):
    """Section by section, each time after looking at the list of what it confirms."""
    buttons = page.get_by_role("button", name=re.compile("^确认本部分"))
    while buttons.count():
        buttons.first.click()
        page.get_by_role("button", name=re.compile(r"^确认这 \d+ 条")).click()
        page.wait_for_url(re.compile(r"/answers/(#.*)?$"))


def say(page, contract):
    page.goto(reverse("contract-answers", args=[contract.uuid]))
    ram = line_of(page, "每台机器的内存")
    ram.get_by_label("提出修改", exact=True).check()
    ram.get_by_label(re.compile("您方的值")).fill("1536")
    ram.get_by_label(re.compile("^理由")).fill("64 GB 内存条缺货")
    ecc = line_of(page, "开启 ECC")
    ecc.get_by_label("提问", exact=True).check()
    ecc.get_by_label("您的问题").fill("包括备机吗？")


def sign(visit, name, contract):
    set_up_app(factories.person(name), SECRET)
    page = visit(name)
    page.goto(reverse("contract-sign", args=[contract.uuid]))
    page.get_by_label(re.compile("您的姓名")).fill(name.title())
    page.get_by_label(re.compile("我已阅读")).check()
    page.get_by_label(re.compile("验证码")).fill(code_of(SECRET, timezone.now()))
    page.get_by_role("button", name="签署这一版本").click()
    page.get_by_text(re.compile("已签署[。，]")).or_(page.locator(".alert, .invalid-feedback")).first.wait_for()
    return page


def test_two_companies_agree_line_by_line_and_sign(visit):
    contract = factories.drafted_contract()
    factories.person("sun")
    buyer = visit("ada")
    buyer.goto(reverse("contract-draft-check", args=[contract.uuid]))
    buyer.get_by_role("button", name="发送给乙方").click()
    assert "已作为第 1 版发送给" in buyer.locator("main").inner_text()

    vendor = visit("vera")
    say(vendor, contract)
    vendor.get_by_role("button", name="保存，稍后继续").click()
    confirm_the_rest(vendor)
    vendor.get_by_role("button", name="向甲方提交全部答复").click()
    vendor.wait_for_url(re.compile(f"/{contract.uuid}/$"))
    contract.refresh_from_db()
    assert contract.state == "answered"

    buyer.goto(reverse("contract-rounds", args=[contract.uuid]))
    assert "2 条等您处理" in buyer.locator("main").inner_text()
    counter = buyer.locator(".decide", has_text="64 GB 内存条缺货")
    counter.get_by_label("接受修改").check()
    question = buyer.locator(".decide", has_text="包括备机吗？")
    question.get_by_label("您的答复").fill("包括备机。")
    buyer.locator("button.btn:visible", has_text="保存本页全部内容").last.click()
    buyer.get_by_text("都已处理").wait_for()
    assert terms_of(contract)["g1/ram_gb_per_node"] == 1536
    buyer.get_by_role("button", name="核对并发送下一版").click()
    assert "1,536" in buyer.locator(".changes").inner_text()
    buyer.get_by_role("button", name="发送给乙方").click()
    buyer.get_by_text("已作为第 2 版发送给").wait_for()

    vendor.goto(reverse("contract-answers", args=[contract.uuid]))
    assert "包括备机。" in line_of(vendor, "开启 ECC").inner_text()
    changed = line_of(vendor, "每台机器的内存")
    assert "2,048" in changed.locator("del").first.inner_text() and "1,536" in changed.locator("ins").first.inner_text()
    vendor.get_by_role("link", name="查看全部改动").click()
    assert "v1 → v2" in vendor.locator("main").inner_text()
    vendor.goto(reverse("contract-answers", args=[contract.uuid]))
    confirm_the_rest(vendor)
    vendor.get_by_role("button", name="向甲方提交全部答复").click()
    vendor.wait_for_url(re.compile(f"/{contract.uuid}/$"))
    contract.refresh_from_db()
    assert contract.state == "agreed"

    sign(visit, "ada", contract)
    page = sign(visit, "sun", contract)
    contract.refresh_from_db()
    assert contract.state == "signed", page.locator("main").inner_text()
    assert SignOff.objects.filter(revision=factories.latest(contract)).count() == 2
