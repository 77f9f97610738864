"""Every page of the frame and the wizard: readable by machine, in both themes and languages, on a phone."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
ENTRANCE = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
ACCOUNT = ["/accounts/2fa/", "/accounts/password/change/", "/accounts/email/", "/nowhere/"]
WIZARD = ["", "parties/", "nodes/", "interconnect/", "storage/", "software/", "acceptance/", "commercial/", "check/"]
# Names, units and code that stay Latin on a Chinese page.
LATIN = re.compile(
    r"gpucontract|English|[A-Z]{2,}[\w.-]*|GB/s|Gb/s|GiB|\bW\b|[\w.+-]+@[\w.-]+|C-[\w-]+|NVLink\w*|NVSwitch|PCIe|InfiniBand"
    r"|RoCE|all_\w+|busbw|out-of-place|in-place|Lustre|CephFS|BeeGFS|WekaFS|vGPU|Docker|Enroot|Apptainer|containerd"
    r"|Fabric Manager|root|Ada|Bing|\d\w*|Dragonfly|Xeon Platinum|SXM\w*|Asia/Shanghai|Ubuntu|cuDNN|GPUDirect"
    r"|/data|MiB|KiB|Mb|fio|mpirun|Xid|ib_write_bw|Word|Excel|ppm|ConnectX|node[ _-]exporter|nvidia-smi[\w.-]*|[\w-]+\.txt"
    r"|× min"
)


def problems_of(page):
    found = Axe().run(page, options=RULES).response["violations"]
    return [(each["id"], [node["target"] for node in each["nodes"]][:3]) for each in found]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_entrance_and_account_pages_are_accessible(visit, theme):
    stranger, person = visit(color_scheme=theme), visit("bing", color_scheme=theme)
    for page, paths in ((stranger, ENTRANCE), (person, ACCOUNT)):
        for path in paths:
            page.goto(path)
            assert (path, problems_of(page)) == (path, [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_wizard_pages_are_accessible(visit, theme):
    contract = factories.drafted_contract(g1={"inter_node_gbps_stated": "1600"})
    page = visit("ada", color_scheme=theme)
    for path in ["/", "/contracts/new", *(f"/contracts/{contract.uuid}/draft/{step}" for step in WIZARD)]:
        page.goto(path)
        assert (path, problems_of(page)) == (path, [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_full_of_errors_is_accessible(visit, theme):
    page = visit("bing", color_scheme=theme)
    page.goto(f"/contracts/{factories.empty_contract().uuid}/draft/nodes/")
    page.get_by_role("button", name="保存并继续").click()
    expect(page.locator("[data-error-summary]")).to_be_focused()
    assert problems_of(page) == []


def test_no_page_scrolls_sideways_on_a_phone(visit):
    contract = factories.drafted_contract()
    page = visit("ada", **PHONE)
    for path in ["/", *ACCOUNT, *(f"/contracts/{contract.uuid}/draft/{step}" for step in WIZARD)]:
        page.goto(path)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert (path, max(wider, 0)) == (path, 0)


def test_the_saving_bar_stays_in_sight_on_a_phone(visit):
    page = visit("bing", **PHONE)
    page.goto(f"/contracts/{factories.drafted_contract().uuid}/draft/interconnect/")
    expect(page.get_by_role("button", name="保存并继续")).to_be_in_viewport()
    box = page.get_by_role("button", name="保存并继续").bounding_box()
    assert box["height"] >= 44


TOO_SMALL = """() => [...document.querySelectorAll(
    'main :is(.btn, .form-control, .form-select):not(details:not([open]) *)')]
    .filter(each => each.checkVisibility() && !each.closest('.visually-hidden'))
    .filter(each => each.getBoundingClientRect().height < 44)
    .map(each => each.name || each.innerText)"""


def test_whatever_is_pressed_or_typed_into_is_as_tall_as_a_thumb_on_a_phone(visit):
    contract = factories.drafted_contract()
    page = visit("ada", **PHONE)
    for path in ["contracts/", "contracts/new", *(f"contracts/{contract.uuid}/draft/{step}" for step in WIZARD)]:
        page.goto(f"/{path}")
        assert (path, page.evaluate(TOO_SMALL)) == (path, [])


def test_a_chinese_page_holds_no_english_words(visit):
    contract = factories.drafted_contract(g1={"inter_node_gbps_stated": "1600"})
    page = visit("ada")
    left = []
    for path in ["/", "/contracts/new", *ACCOUNT[:2], *(f"/contracts/{contract.uuid}/draft/{step}" for step in WIZARD)]:
        page.goto(path)
        words = re.findall(r"[A-Za-z]{3,}", LATIN.sub("", page.locator("body").inner_text()))
        left += [(path, word) for word in words]
    assert left == []


def test_an_english_page_holds_no_chinese_but_names(visit):
    contract = factories.drafted_contract(title="East site")
    page = visit("ada", locale="en-US")
    # The check page repeats what the sample's people typed, which is Chinese.
    for path in WIZARD[:-1]:
        page.goto(f"/contracts/{contract.uuid}/draft/{path}")
        text = re.sub(
            r"中文|武汉\S+公司|湖北\S+公司|训练组|人民币\S+[元角分]整?", "", page.locator("body").inner_text()
        )
        assert (path, re.findall(r"[\u4e00-\u9fff]+", text)) == (path, [])


def test_the_theme_switch_is_kept_for_the_next_page(visit):
    page = visit("bing")
    page.goto("/")
    page.locator("[data-theme-switch]").click()
    page.reload()
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"


def test_the_keyboard_reaches_the_content_first(visit):
    page = visit("bing")
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()


def test_a_second_factor_can_be_set_up(visit):
    person = factories.person("sun")
    person.set_password("a-long-password")
    person.save()
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    page = visit()
    page.goto("/accounts/login/?next=/accounts/2fa/totp/activate/")
    page.locator("[name=login]").fill(person.email)
    page.locator("[name=password]").fill("a-long-password")
    page.get_by_role("button", name="登录").click()
    page.locator("[name=password]").fill("a-long-password")
    page.get_by_role("button", name="确认").click()
    expect(page.locator("img.qr")).to_be_visible()
    assert problems_of(page) == []
    secret = page.locator("#authenticator_secret").input_value()
    code = hotp_value(secret, next(yield_hotp_counters_from_time()))
    page.locator("[name=code]").fill(format_hotp_value(code))
    page.get_by_role("button", name="启用").click()
    expect(page.locator("main")).to_contain_text("恢复代码")
