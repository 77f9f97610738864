"""The page of an organisation's limits: everybody on the buyer's side reads it, an approver moves a number."""

import pytest
from django.urls import reverse

from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.policies import policy_of
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def buyer():
    return factories.organisation_of("ada")


@pytest.fixture
def approver(client, ada):
    client.force_login(ada)
    return client


def address(organisation):
    return reverse("organisation-policy", args=[organisation.uuid])


def test_a_drafter_reads_every_number_with_its_unit_default_and_checks(drafter, buyer):
    page = drafter.get(address(buyer)).content.decode()
    assert all(line.info.label.zh in page and line.info.why.zh in page for line in LINES.values())
    assert all(check in page for line in LINES.values() for check in line.checks)
    assert "72 小时" in page and 'name="gpu_replace_hours"' not in page


def test_an_approver_sets_a_number_and_sees_it_again(approver, buyer):
    response = approver.post(address(buyer), {"gpu_replace_hours": "48"}, follow=True)
    page = response.content.decode()
    assert policy_of(buyer).gpu_replace_hours == 48
    assert 'name="gpu_replace_hours" value="48"' in page


def test_what_is_out_of_bounds_stays_as_typed_with_its_reason(approver, buyer):
    response = approver.post(address(buyer), {"gpu_replace_hours": "0", "claim_days": "60"})
    page = response.content.decode()
    assert response.status_code == 422
    assert 'name="gpu_replace_hours" value="0"' in page and 'name="claim_days" value="60"' in page
    assert "超出范围" in page and 'href="#limit-gpu_replace_hours"' in page
    assert policy_of(buyer).claim_days == 30


def test_the_page_speaks_english_too(approver, buyer):
    approver.cookies["django_language"] = "en"
    page = approver.get(address(buyer)).content.decode()
    assert "Limits of the checks" in page and "Least notice before the vendor exits" in page


def test_a_vendors_own_organisation_has_no_such_page(client, vera):
    client.force_login(vera)
    assert client.get(address(factories.organisation_of("vera"))).status_code == 403


def test_a_member_finds_the_way_to_it(drafter, buyer):
    page = drafter.get(reverse("organisation-detail", args=[buyer.uuid])).content.decode()
    assert address(buyer) in page
