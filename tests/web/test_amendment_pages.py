"""An amendment on the page: every line in which it differs from what it amends, for those of its own two sides."""

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from gpucontract.contracts import services
from gpucontract.contracts.earlier import amended
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def amendment(bing, ada):
    amendment = services.amend_contract(factories.signed_contract(), by=bing)
    services.write_terms(amendment, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    services.send_revision(amendment, by=ada)
    amendment.refresh_from_db()
    return amendment


def here(contract, number=1):
    return reverse("contract-compare-amended", args=[contract.uuid, number])


@pytest.mark.parametrize("name", ["bing", "vera"])
def test_both_sides_compare_it_with_what_was_signed(client, amendment, name):
    client.force_login(factories.person(name))
    page = client.get(here(amendment))
    assert [line.key for chapter in page.context["chapters"] for line in chapter.lines] == ["g1/ram"]
    assert f"{amendment.amends.number} v1 → {amendment.number} v1" in strip_tags(page.content.decode())
    pages = ["contract-rounds", "contract-sign"] + (["contract-answers"] if name == "vera" else [])
    for each in pages:
        assert here(amendment) in client.get(reverse(each, args=[amendment.uuid])).content.decode(), each


def test_what_is_no_amendment_and_who_is_a_stranger_finds_nothing(client, amendment, ada):
    client.force_login(ada)
    assert client.get(here(amendment.amends)).status_code == 404
    client.force_login(factories.person("mallory"))
    assert client.get(here(amendment)).status_code == 404


def test_another_vendor_would_never_be_shown_the_signed_contract(amendment):
    amendment.vendor = factories.organisation_of("mallory")
    assert amended(amendment) is None


@pytest.mark.parametrize("name", ["bing", "vera"])
def test_once_signed_the_old_contract_says_what_took_its_place_and_is_amended_no_more(client, amendment, name):
    client.force_login(factories.person(name))
    old = reverse("contract-detail", args=[amendment.amends.uuid])
    notice = "took the place of this contract"
    assert notice not in client.get(old, headers={"accept-language": "en"}).content.decode()
    type(amendment).objects.filter(pk=amendment.pk).update(state="signed")
    type(amendment).objects.filter(pk=amendment.amends.pk).update(state="superseded")
    page = client.get(old, headers={"accept-language": "en"})
    assert notice in page.content.decode() and page.context["may_amend"] is False
    assert "已签署并取代本合同" in client.get(old, headers={"accept-language": "zh-hans"}).content.decode()


def test_a_drafted_amendment_is_not_said_to_have_amended_anything(client, ada):
    contract = factories.signed_contract()
    services.amend_contract(contract, by=factories.person("bing"))
    client.force_login(ada)
    client.cookies["django_language"] = "en"
    page = client.get(f"/contracts/{contract.uuid}/").content.decode()
    head = page.partition('<nav class="tabs"')[0]
    assert "Amendments" in head and "Amended by" not in head and "Draft" in head


@pytest.mark.parametrize("name", ["ada", "sun"])
def test_nothing_is_left_to_do_on_a_contract_whose_place_an_amendment_took(client, amendment, name):
    client.force_login(factories.person(name))
    old = reverse("contract-detail", args=[amendment.amends.uuid])
    assert client.get(old).context["step"] is not None
    type(amendment).objects.filter(pk=amendment.pk).update(state="signed")
    type(amendment).objects.filter(pk=amendment.amends.pk).update(state="superseded")
    page = client.get(old).context
    assert (page["step"], page["papers_step"], page["waits"], page["clock_lines"]) == (None, None, "", [])
    listed = client.get(reverse("dashboard"))
    assert [step.contract for step in listed.context["steps"] if step.contract == amendment.amends] == []
    assert f'已由补充协议 <a href="{reverse("contract-detail", args=[amendment.uuid])}">' in listed.content.decode()


def test_the_vendor_confirms_what_stays_as_signed_after_looking_it_through(client, amendment, vera):
    client.force_login(vera)
    answers = reverse("contract-answers", args=[amendment.uuid])
    page = client.get(answers)
    assert page.context["as_signed"] == page.context["all"] - 1
    assert f"条与已签署的合同 {amendment.amends.number} 一致" in page.content.decode()
    shown = client.get(f"{answers}?show=changed").context
    assert [line.row.key for part in shown["parts"] for line in part.lines] == ["g1/ram"]
    signed = reverse("contract-answers-list", args=[amendment.uuid, "signed"])
    lines = client.get(signed).context["lines"]
    client.post(signed, {"line": [f"{line.row.key}|{line.sha256}" for line in lines]})
    left = client.get(f"{answers}?show=open").context
    assert [line.row.key for part in left["parts"] for line in part.lines] == ["g1/ram"] and left["as_signed"] == 0


def test_only_an_amendment_has_lines_that_stay_as_signed(client, vera):
    client.force_login(vera)
    contract = factories.sent_contract()
    assert client.get(reverse("contract-answers", args=[contract.uuid])).context["as_signed"] == 0
    assert client.get(reverse("contract-answers-list", args=[contract.uuid, "signed"])).status_code == 404


@pytest.mark.parametrize("name", ["bing", "ada"])
def test_its_draft_names_what_it_amends_and_shows_what_it_changes(client, bing, name):
    made = services.amend_contract(factories.signed_contract(), by=bing)
    services.write_terms(made, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    client.force_login(factories.person(name))
    link = f'<a href="{reverse("contract-detail", args=[made.amends.uuid])}">{made.amends.number}</a>'
    assert link in client.get(reverse("contract-draft", args=[made.uuid])).content.decode()
    page = client.get(reverse("contract-draft-check", args=[made.uuid]))
    assert link in page.content.decode() and "与已签署的合同相比的改动" in page.content.decode()
    assert [line.key for chapter in page.context["changes"] for line in chapter.lines] == ["g1/ram"]
    services.write_terms(made, values={"g1": {"node_count": None}}, by=bing)
    assert client.get(reverse("contract-draft-check", args=[made.uuid])).context["changes"] is None
