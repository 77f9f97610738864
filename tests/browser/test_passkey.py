"""A signer without a second factor sets up a passkey on the way and signs with it, in a browser with a virtual key."""

import pytest

from gpucontract.documents.models import SignOff
from tests import factories

pytestmark = pytest.mark.browser
PASSWORD = "a-long-enough-password"
KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_key(page):
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    return page


def test_from_no_factor_to_a_signature_by_passkey(visit):
    contract = factories.agreed_contract()
    ada = factories.person("ada")
    ada.name = "陈爱达"
    ada.set_password(PASSWORD)
    ada.save()
    page = with_key(visit("ada"))
    page.goto(f"/contracts/{contract.uuid}/sign/")
    page.get_by_role("link", name="设置通行密钥").click()
    page.fill("[name=password]", PASSWORD)
    page.locator("main button[type=submit]").click()
    with page.expect_navigation():
        page.click("#mfa_webauthn_add")
    page.get_by_role("link", name="继续签署").click()
    page.fill("[name=typed_name]", "陈爱达")
    page.check("[name=is_read]")
    page.get_by_role("button", name="用通行密钥签署").click()
    page.get_by_text("已签署").first.wait_for()
    line = SignOff.objects.get()
    assert (line.factor, line.typed_name, line.user) == ("webauthn", "陈爱达", ada)
    assert contract.events.get(kind="signed_off").strength == "password+webauthn"
