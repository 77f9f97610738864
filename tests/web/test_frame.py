"""The frame round every page, for people who are not signed in and for requests made by htmx."""

import re

import pytest
from django.conf import settings
from django.test import Client

from gpucontract.accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"
TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
ICONS = {path.stem for path in (settings.BASE_DIR / "static/vendor/bootstrap-icons").glob("*.svg")}


@pytest.fixture
def person():
    return User.objects.create_user("li@buyer.example", PASSWORD, name="李雷")


def test_a_stranger_is_sent_to_sign_in_and_brought_back(client):
    response = client.get("/")
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/"


def test_the_sign_in_page_speaks_chinese_first(client):
    page = client.get("/accounts/login/").content.decode()
    assert '<html lang="zh-Hans"' in page
    assert "登录" in page
    assert "Sign in" not in page


def test_signing_in_by_e_mail_leads_to_the_dashboard(client, person):
    response = client.post("/accounts/login/", {"login": "LI@buyer.example", "password": PASSWORD})
    assert response["Location"] == "/"


def test_a_wrong_password_is_told_and_the_address_kept(client, person):
    page = client.post("/accounts/login/", {"login": person.email, "password": "wrong"}).content.decode()
    assert "密码不正确" in page or "不正确" in page
    assert person.email in page


def test_signing_up_uninvited_says_whom_to_ask(client):
    page = client.get("/accounts/signup/").content.decode()
    assert "凭邀请注册" in page


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
def test_entrance_pages_carry_the_strict_policy_and_nothing_inline(client, path):
    response = client.get(path)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script>", response.content.decode())


@pytest.mark.parametrize("path", ["/accounts/2fa/", "/accounts/password/change/", "/accounts/email/"])
def test_account_pages_stand_in_the_frame(client, person, path):
    client.force_login(person)
    page = client.get(path).content.decode()
    assert "settings-nav" in page
    assert 'aria-current="page"' in page


def test_the_language_switch_keeps_english_and_comes_back(client):
    response = client.post("/language/", {"language": "en", "next": "/accounts/login/?next=/"})
    assert response["Location"] == "/accounts/login/?next=/"
    page = client.get("/accounts/login/").content.decode()
    assert '<html lang="en"' in page
    assert "Sign in" in page


def test_the_theme_comes_from_the_cookie_and_nothing_else_gets_into_the_page(client):
    client.cookies["theme"] = "dark"
    assert 'data-bs-theme="dark"' in client.get("/accounts/login/").content.decode()
    client.cookies["theme"] = '"><b>'
    assert "data-bs-theme" not in client.get("/accounts/login/").content.decode()


def test_htmx_is_told_of_a_lost_session_instead_of_getting_the_sign_in_page(client):
    response = client.get("/", headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert "登录已失效" in response.content.decode()


def test_an_unknown_address_says_what_it_may_mean(client, person):
    client.force_login(person)
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "找不到页面" in response.content.decode()


def test_a_page_that_is_out_of_date_says_how_to_keep_what_was_typed():
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a"})
    assert response.status_code == 403
    assert "页面已过期" in response.content.decode()


def test_a_fault_of_ours_shows_a_reference_that_stands_in_the_log(client, caplog, monkeypatch):
    client.raise_request_exception = False

    def fail(*_arguments):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("gpucontract.web.views.frame.django_set_language", fail)
    response = client.post("/language/", {"language": "en"})
    reference = re.search(r"<code>(\w+)</code>", response.content.decode())[1]
    assert response.status_code == 500
    assert reference in caplog.text


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_icon_a_template_names_is_vendored(path):
    named = set(re.findall(r'\{% icon "([\w-]+)" %\}', path.read_text(encoding="utf-8")))
    assert named <= ICONS


@pytest.mark.parametrize(("zone", "said"), [("Asia/Shanghai", "时间均为北京时间"), ("Asia/Tokyo", "Asia/Tokyo 时区")])
def test_the_foot_says_in_words_people_use_which_time_is_meant(client, settings, zone, said):
    settings.TIME_ZONE = zone
    assert said in client.get("/accounts/login/").content.decode()
