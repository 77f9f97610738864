"""A real Chromium on a real server; anything that breaks the content security policy fails the test."""

import shutil

import pytest
from django.conf import settings
from django.test import Client

from tests import factories

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """The system's Chromium where there is one, else the one playwright installed."""
    found = {"executable_path": CHROMIUM} if CHROMIUM else {}
    return browser_type_launch_args | found | {"args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """People here read Chinese and live in Shanghai's time."""
    return browser_context_args | {
        "locale": "zh-CN",
        "timezone_id": "Asia/Shanghai",
        "viewport": {"width": 1360, "height": 900},
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """A file: requests of one page run at the same time, which a database in memory cannot keep apart."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        settings.DATABASES["default"]["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "browser.sqlite3")


@pytest.fixture(autouse=True)
def quick_autosave(monkeypatch):
    """The delay of autosave is for people."""
    monkeypatch.setattr("gpucontract.web.views.draft.AUTOSAVE_MS", 50)


@pytest.fixture
def visit(transactional_db, browser, browser_context_args, live_server):
    """visit("bing", **context options) opens a page as that person; a refused style or script fails the test."""
    refused: list[str] = []
    contexts = []

    def as_person(name="", **options):
        context = browser.new_context(base_url=live_server.url, **browser_context_args | options)
        contexts.append(context)
        if name:
            sign_in(context, name, live_server.url)
        page = context.new_page()
        page.on("console", lambda line: "Content Security Policy" in line.text and refused.append(line.text))
        page.on("pageerror", lambda fault: refused.append(str(fault)))
        return page

    yield as_person
    for context in contexts:
        context.close()
    assert refused == []


def sign_in(context, name, url):
    """Give the browser the session cookie of one of factories.PEOPLE."""
    client = Client()
    client.force_login(factories.person(name))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
