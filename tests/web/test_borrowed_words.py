"""The libraries' own pages in our words: each message named is one of theirs, and ours is what people read."""

import gettext
from pathlib import Path

import allauth
import pytest
from django.contrib import auth
from django.core import mail
from django.urls import reverse
from django.utils import translation

from gpucontract.accounts.second_factor import set_up_app
from gpucontract.web.borrowed_words import COUNTED, WORDS

pytestmark = pytest.mark.django_db
PLACE = "locale/zh_Hans/LC_MESSAGES/django.mo"


def theirs(library):
    with (Path(library.__file__).parent / PLACE).open("rb") as stream:
        return gettext.GNUTranslations(stream)


def test_every_message_is_one_of_the_libraries_and_reads_otherwise_here():
    catalogues = theirs(allauth), theirs(auth)
    for word in WORDS:
        known = [catalogue.gettext(word) for catalogue in catalogues if catalogue.gettext(word) != word]
        with translation.override("zh-hans"):
            assert known and translation.gettext(word) not in (word, *known), word
    assert len(COUNTED) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mfa_reauthenticate", ("确认是您本人", "请输入验证器应用此刻显示的验证码")),
        ("account_email", ("您的账户使用以下邮箱", "添加邮箱")),
        ("account_reset_password", ("发送重置链接", "请联系您所在组织的管理员")),
    ],
)
def test_the_pages_of_an_account_speak_plainly(client, ada, name, said):
    set_up_app(ada, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    client.force_login(ada)
    text = client.get(reverse(name), headers={"accept-language": "zh-hans"}).content.decode()
    assert [words for words in said if words not in text] == []


def test_the_mail_that_resets_a_password_names_the_site_once(client, ada):
    client.post(reverse("account_reset_password"), {"email": ada.email}, headers={"accept-language": "zh-hans"})
    letter = mail.outbox[-1]
    assert letter.subject == "gpucontract: 重置登录密码"
    assert letter.body.startswith("有人（可能是您）") and "testserver" not in letter.body.replace(
        "http://testserver/", ""
    )
