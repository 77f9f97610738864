"""Ways in that a stranger would try: no token, a link that leads elsewhere, ids of others put into one's own address."""

import pytest
from django.test import Client
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.models import Attachment
from gpucontract.filing import FilingError, file_away
from tests import factories
from tests.web.test_access import ours

pytestmark = pytest.mark.django_db


def test_no_address_is_excused_from_the_token_and_without_one_nothing_happens(ada):
    excused = {each.name for each in ours() if getattr(each.callback, "csrf_exempt", False)}
    assert excused == set()
    contract, client = factories.sent_contract(), Client(enforce_csrf_checks=True)
    client.force_login(ada)
    answer = client.post(reverse("contract-withdraw", args=[contract.uuid]), {"reason": "x"})
    contract.refresh_from_db()
    assert (answer.status_code, contract.state) == (403, "with_vendor")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:1"])
def test_neither_the_language_switch_nor_signing_in_leads_elsewhere(client, elsewhere):
    person = factories.person("ada")
    person.set_password("a-long-secret-9")
    person.save()
    switched = client.post(reverse("set-language"), {"language": "en", "next": elsewhere})
    given = {"login": person.email, "password": "a-long-secret-9", "next": elsewhere}
    signed_in = client.post(reverse("account_login"), given)
    for answer in (switched, signed_in):
        assert answer.status_code == 302 and "evil" not in answer["Location"] and "javascript" not in answer["Location"]


def test_a_member_of_another_organisation_is_not_found_through_ones_own(client, adam, sun):
    client.force_login(adam)
    own, other = factories.organisation_of("adam"), sun.memberships.get()
    for name in ("member-remove", "member-hand-over", "member-mandate", "member-detail"):
        assert client.post(reverse(name, args=[own.uuid, other.pk])).status_code == 404
    other.refresh_from_db()
    assert other.roles


def test_a_file_of_one_contract_is_not_found_through_another(client, vera, settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    one, two = factories.sent_contract(), factories.sent_contract()
    revision = factories.latest(one)
    services.answer_clauses(revision, answers={"g1/ram": services.Given("ask", "哪些？")}, by=vera)
    page = services.AnswersPage({}, 0, files={"g1/ram": ("a.pdf", b"%PDF-1.7")})
    services.keep_page(revision, page, by=vera)
    file = Attachment.objects.get()
    client.force_login(vera)
    assert client.get(reverse("contract-answer-file", args=[one.uuid, file.uuid])).status_code == 200
    assert client.get(reverse("contract-answer-file", args=[two.uuid, file.uuid])).status_code == 404
    client.force_login(factories.person("ada"))
    assert client.get(reverse("contract-answer-file", args=[one.uuid, file.uuid])).status_code == 404


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("a.pdf", b"<html><script>alert(1)</script>", id="a page called PDF"),
        pytest.param("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", id="SVG"),
        pytest.param("a.exe", b"MZ\x90\x00\x03", id="a program"),
        pytest.param("a.txt", b"\xff\xfe\x00x", id="no UTF-8"),
    ],
)
def test_a_file_is_known_by_what_it_holds_not_by_its_name(name, data, settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    with pytest.raises(FilingError, match="no accepted type"):
        file_away(name, data)
    assert not list(tmp_path.rglob("*"))
