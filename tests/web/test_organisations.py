"""The pages of an organisation, and the page an invitation opens for each kind of visitor."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.models import Invitation, Mandate, Membership, User
from gpucontract.filing import MOST_BYTES
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-enough-password"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


@pytest.fixture
def organisation(adam):
    return factories.organisation_of("adam")


@pytest.fixture
def admin(client, adam):
    client.force_login(adam)
    return client


def invite(client, organisation, capture, email="new@buyer.example", roles=("engineer",)):
    """Post the form; the link in the mail."""
    with capture(execute=True):
        response = client.post(
            reverse("organisation-invite", args=[organisation.uuid]), {"email": email, "roles": roles}
        )
    assert response.status_code == 302, response.content.decode()
    return re.search(r"(/invitations/[^/]+/)", mail.outbox[-1].body)[1]


@pytest.fixture
def link(admin, organisation, django_capture_on_commit_callbacks):
    found = invite(admin, organisation, django_capture_on_commit_callbacks)
    admin.logout()
    return found


def test_a_new_person_joins_by_name_and_password_and_is_signed_in(client, link, organisation):
    assert "加入" in client.get(link).content.decode()
    response = client.post(link, {"name": "新人", "password": PASSWORD})
    assert response["Location"] == "/"
    assert Membership.objects.get(user__email="new@buyer.example").organisation == organisation
    assert client.get("/").status_code == 200


def test_looking_any_number_of_times_uses_nothing(client, link):
    for _ in range(3):
        assert client.get(link).status_code == 200
        client.head(link)
    assert Invitation.objects.get().accepted_at is None


def test_a_weak_password_is_told_and_the_name_kept(client, link):
    response = client.post(link, {"name": "新人", "password": "short"})
    assert response.status_code == 422 and "新人" in response.content.decode()
    assert not User.objects.filter(email="new@buyer.example").exists()


def test_a_used_one_says_so(client, link):
    client.post(link, {"name": "新人", "password": PASSWORD})
    client.logout()
    for response in (client.get(link), client.post(link, {"name": "又一人", "password": PASSWORD})):
        assert response.status_code == 410 and "已经使用过" in response.content.decode()


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"expires_at": timezone.now() - timedelta(days=1)}, "已过期", id="expired"),
        pytest.param({"revoked_at": timezone.now()}, "已被撤回", id="revoked"),
    ),
)
def test_one_that_is_over_says_why_and_whom_to_ask(client, link, change, said):
    Invitation.objects.update(**change)
    for response in (client.get(link), client.post(link, {"name": "新人", "password": PASSWORD})):
        text = response.content.decode()
        assert response.status_code == 410 and said in text and "Adam" in text


def test_the_wrong_account_is_told_to_sign_out_and_loses_nothing(client, link, zoe):
    client.force_login(zoe)
    text = client.get(link).content.decode()
    assert "zoe@other-buyer.example" in text and "new@buyer.example" in text
    assert client.post(link).status_code == 409
    assert Invitation.objects.get().accepted_at is None


def test_somebody_with_an_account_signs_in_and_accepts(
    client, admin, organisation, zoe, django_capture_on_commit_callbacks
):
    found = invite(admin, organisation, django_capture_on_commit_callbacks, email=zoe.email)
    admin.logout()
    assert f"next={found}" in client.get(found).content.decode()
    client.force_login(zoe)
    client.post(found)
    assert zoe.memberships.count() == 2


def test_an_unknown_link_is_not_found(client, db):
    assert client.get("/invitations/nothing-of-ours/").status_code == 404


def test_the_inviter_never_sees_the_link(admin, organisation, django_capture_on_commit_callbacks):
    found = invite(admin, organisation, django_capture_on_commit_callbacks)
    page = admin.get(reverse("organisation-detail", args=[organisation.uuid])).content.decode()
    assert "new@buyer.example" in page and found not in page


def test_members_read_and_only_the_admin_changes(client, organisation, bing, adam):
    client.force_login(bing)
    page = client.get(reverse("organisation-detail", args=[organisation.uuid])).content.decode()
    assert "Adam" in page and reverse("organisation-invite", args=[organisation.uuid]) not in page


def test_roles_are_changed_on_the_members_page(admin, organisation, bing):
    address = reverse("member-detail", args=[organisation.uuid, bing.memberships.get().pk])
    assert admin.post(address, {"roles": ["viewer"], "reason": "换岗"}).status_code == 302
    assert bing.memberships.get().roles == ("viewer",)
    assert admin.post(address, {"roles": []}).status_code == 422
    journal = admin.get(reverse("organisation-journal", args=[organisation.uuid])).content.decode()
    assert "修改角色" in journal and "换岗" in journal


def test_the_last_admin_is_told_why_they_stay(admin, organisation, adam):
    held = adam.memberships.get().pk
    response = admin.post(reverse("member-remove", args=[organisation.uuid, held]), follow=True)
    assert "唯一的组织管理员" in response.content.decode()


def test_a_member_is_removed_and_the_administration_handed_over(admin, organisation, bing, eng, adam):
    admin.post(reverse("member-remove", args=[organisation.uuid, bing.memberships.get().pk]), {"reason": "离职"})
    assert not bing.memberships.exists()
    admin.post(reverse("member-hand-over", args=[organisation.uuid, eng.memberships.get().pk]))
    assert "admin" in eng.memberships.get().roles and adam.memberships.get().roles == ("viewer",)


def test_a_letter_of_authority_is_kept_shown_and_handed_out(admin, organisation, ada):
    Mandate.objects.all().delete()
    address = reverse("member-mandate", args=[organisation.uuid, ada.memberships.get().pk])
    given = {"basis": "letter", "granted_by": "赵明", "limit": "1000000", "currency": "CNY", "valid_until": ""}
    letter = SimpleUploadedFile("授权书.pdf", b"%PDF-1.7 letter")
    assert admin.post(address, given | {"file": letter}).status_code == 302
    page = admin.get(reverse("member-detail", args=[organisation.uuid, ada.memberships.get().pk])).content.decode()
    assert "赵明" in page and "¥1,000,000.00" in page
    mandate = Mandate.objects.get()
    response = admin.get(reverse("mandate-letter", args=[mandate.uuid]))
    assert response.content == b"%PDF-1.7 letter" and response["Content-Disposition"].startswith("attachment")
    admin.post(reverse("mandate-revoke", args=[mandate.uuid]))
    mandate.refresh_from_db()
    assert mandate.revoked_at is not None


def test_a_letter_without_its_parts_is_refused_and_keeps_what_was_typed(admin, organisation, ada):
    address = reverse("member-mandate", args=[organisation.uuid, ada.memberships.get().pk])
    response = admin.post(address, {"basis": "letter", "granted_by": "赵明", "currency": "CNY"})
    assert response.status_code == 422 and "赵明" in response.content.decode()
    program = SimpleUploadedFile("x.pdf", b"MZ\x90\x00")
    response = admin.post(address, {"basis": "letter", "granted_by": "赵明", "currency": "CNY", "file": program})
    assert response.status_code == 422 and "可接受的类型" in response.content.decode()


def test_a_letter_above_the_limit_says_both_sizes_and_keeps_what_was_typed(admin, organisation, ada):
    Mandate.objects.all().delete()
    address = reverse("member-mandate", args=[organisation.uuid, ada.memberships.get().pk])
    given = {
        "basis": "letter",
        "granted_by": "赵明",
        "limit": "1000000",
        "currency": "USD",
        "valid_until": "2031-05-06",
    }
    response = admin.post(address, given | {"file": SimpleUploadedFile("x.pdf", b"%PDF-" + bytes(MOST_BYTES))})
    page = response.content.decode()
    assert response.status_code == 422 and "文件有 21 MB，上限为 20 MB" in page and not Mandate.objects.exists()
    kept = ('value="赵明"', 'value="1000000"', 'value="USD" selected', 'value="2031-05-06"')
    assert [each for each in kept if each not in page] == []
    admin.post(address, given | {"file": SimpleUploadedFile("x.pdf", b"%PDF-1.7")})
    assert Mandate.objects.get().granted_by == "赵明"


def test_whoever_has_one_organisation_goes_straight_there(admin, organisation):
    assert admin.get("/organisations/")["Location"] == reverse("organisation-detail", args=[organisation.uuid])


def test_somebody_without_an_organisation_is_told_what_to_do(client, db):
    client.force_login(User.objects.create_user("alone@nowhere.example"))
    assert "不属于任何组织" in client.get("/organisations/").content.decode()
