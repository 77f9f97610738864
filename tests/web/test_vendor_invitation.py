"""From a draft that names a company without an account to that company answering it."""

import re

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.models import Invitation, Organisation
from gpucontract.contracts import services
from tests import factories

pytestmark = pytest.mark.django_db
NAME = "武汉新算科技有限公司"
NEW = {"vendor_name": NAME, "vendor_uscc": "91420100MADEME000B", "payee_account_name": NAME}


@pytest.fixture
def contract(db):
    return factories.drafted_contract(c=NEW)


@pytest.fixture
def address(contract):
    return reverse("contract-vendor", args=[contract.uuid])


def invite(client, address, capture, email="boss@new-vendor.example"):
    with capture(execute=True):
        return client.post(address, {"email": email})


def test_the_check_page_leads_to_the_invitation(client, contract, address, bing):
    client.force_login(bing)
    assert address in client.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()
    page = client.get(address).content.decode()
    assert NEW["vendor_name"] in page and NEW["vendor_uscc"] in page and "没有人核实过" in page


def test_the_invited_vendor_opens_its_account_and_sees_the_contract_once_it_is_sent(
    client, contract, address, ada, bing, django_capture_on_commit_callbacks
):
    client.force_login(bing)
    assert invite(client, address, django_capture_on_commit_callbacks)["Location"] == address
    assert "boss@new-vendor.example" in client.get(address).content.decode()
    client.logout()
    link = re.search(r"(/invitations/[^/]+/)", mail.outbox[-1].body)[1]
    client.post(link, {"name": "老板", "password": "a-long-enough-password"})
    vendor = Organisation.objects.get(uscc=NEW["vendor_uscc"])
    assert vendor.name == NEW["vendor_name"]
    assert contract.number not in client.get("/contracts/").content.decode()
    client.force_login(bing)
    check = client.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()
    assert "您发给 boss@new-vendor.example 的邀请" in check and "没有人核实过" in check
    client.force_login(vendor.memberships.get().user)
    services.send_revision(contract, by=ada)
    assert contract.number in client.get("/contracts/").content.decode()
    assert client.get(reverse("contract-answers", args=[contract.uuid])).status_code == 200


def test_a_vendor_that_is_here_needs_none(client, bing, vera, django_capture_on_commit_callbacks):
    contract = factories.drafted_contract()
    address = reverse("contract-vendor", args=[contract.uuid])
    client.force_login(bing)
    assert "无须另行邀请" in client.get(address).content.decode()
    assert invite(client, address, django_capture_on_commit_callbacks).status_code == 422
    assert not Invitation.objects.exists()


def test_a_company_called_in_by_another_buyer_is_cautioned_of_without_its_address(client, bing, zoe):
    contract, vendor = factories.drafted_contract(), factories.organisation_of("vera")
    check = reverse("contract-draft-check", args=[contract.uuid])
    client.force_login(bing)
    assert "没有人核实过" not in client.get(check).content.decode()
    now = timezone.now()
    Invitation.objects.create(
        host=factories.organisation_of("zoe"), organisation=vendor, place_name=vendor.name, place_uscc=vendor.uscc,
        email="boss@new-vendor.example", roles="admin", created_by=zoe, created_at=now, expires_at=now,
        accepted_at=now, token_sha256="0" * 64,
    )  # fmt: skip
    page = client.get(check).content.decode()
    assert "没有人核实过" in page and "boss@new-vendor.example" not in page


def test_a_draft_without_a_vendor_says_where_to_name_it(client, bing):
    contract = factories.empty_contract()
    client.force_login(bing)
    page = client.get(reverse("contract-vendor", args=[contract.uuid])).content.decode()
    assert reverse("contract-draft-step", args=[contract.uuid, "parties"]) in page


def test_a_vendor_works_for_two_buyers_and_sees_only_what_each_sent_it(client, vera, zoe):
    first = factories.sent_contract()
    second = services.create_contract(factories.organisation_of("zoe"), by=zoe, title="另一甲方的草稿")
    client.force_login(vera)
    page = client.get("/contracts/").content.decode()
    assert "训练集群" in page and "另一甲方的草稿" not in page
    assert client.get(reverse("contract-detail", args=[second.uuid])).status_code == 404
    client.force_login(zoe)
    assert client.get(reverse("contract-detail", args=[first.uuid])).status_code == 404
