"""The journals' filters, who reads how and from where, and the organisation's journal as a file."""

import csv
import io

import pytest
from django.urls import reverse

from gpucontract.accounts import journal
from gpucontract.accounts.presence import Presence
from gpucontract.contracts import services
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract(db, vera):
    contract = factories.sent_contract()
    vera.presence = Presence("password+totp", "10.9.8.7")
    services.comment(contract, "g1/ram", text="x", audience="shared", by=vera)
    return contract


def shown(client, contract, name="vera", **given):
    client.force_login(factories.person(name))
    response = client.get(reverse("contract-journal", args=[contract.uuid]), given)
    return [entry.event.kind for entry in response.context["page"] if entry.event], response.content.decode()


FILTERS = [
    ({"who": "VERA@"}, ["commented"]),
    ({"what": "commented"}, ["commented"]),
    ({"clause": "g1/ram"}, ["commented"]),
    ({"clause": "内存"}, ["commented"]),
    ({"clause": "MEMORY"}, ["commented"]),
    ({"clause": "g1/ecc"}, []),
    ({"who": "ada"}, ["move_send"]),
    ({"since": "2000-01-01"}, ["commented", "move_send"]),
    ({"until": "2000-01-01"}, []),
]


@pytest.mark.parametrize(("given", "kinds"), FILTERS, ids=[str(row[0]) for row in FILTERS])
def test_each_filter_keeps_what_fits(client, contract, given, kinds):
    assert shown(client, contract, **given)[0] == kinds


@pytest.mark.parametrize(("language", "words"), [("zh-hans", "内存"), ("en", "memory")])
def test_a_clause_is_said_by_number_and_words_and_a_term_by_its_label(client, contract, bing, language, words):
    client.cookies["django_language"] = language
    page = shown(client, contract)[1]
    assert "<code>g1/ram</code>" not in page and words in page.partition("row-title")[2]
    services.record(contract, "file_attached", by=bing, key="c/unit_price")
    page = shown(client, contract, "bing")[1]
    assert "<code>" not in page and {"zh-hans": "单价", "en": "Unit price"}[language] in page


def test_what_cannot_be_read_is_said_and_filters_nothing(client, contract):
    kinds, page = shown(client, contract, since="gestern", what="nothing")
    assert kinds == ["commented", "move_send"] and page.count("invalid-feedback") == 2


def test_means_and_address_are_read_by_ones_own_side_alone(client, contract):
    assert "10.9.8.7" in shown(client, contract)[1]
    assert "10.9.8.7" not in shown(client, contract, "ada")[1]


def test_the_organisations_journal_is_filtered_and_handed_out(client, adam):
    organisation = factories.organisation_of("adam")
    journal.record(organisation, "roles_changed", by=adam, body={"person": "=cmd()"})
    journal.record(organisation, "member_invited", by=None)
    client.force_login(adam)
    page = client.get(reverse("organisation-journal", args=[organisation.uuid]), {"what": "roles_changed"})
    assert [event.kind for event, _, _ in page.context["rows"]] == ["roles_changed"]
    text = client.get(reverse("organisation-journal-csv", args=[organisation.uuid])).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["kind"] for row in rows] == ["member_invited", "roles_changed"]
    said = client.get(reverse("organisation-journal-json", args=[organisation.uuid])).json()
    assert said["name"] == organisation.name and said["events"][1]["sha256"] == rows[1]["sha256"]


def test_the_journal_tells_what_was_done_not_what_to_do(client, contract, ada):
    client.force_login(ada)
    address = reverse("contract-journal", args=[contract.uuid])
    page = client.get(address, headers={"accept-language": "en"}).content.decode()
    assert "sent it to the vendor" in page and "send it to the vendor" not in page
