"""The page a contract is started from, and the templates an organisation keeps."""

import pytest
from django.urls import reverse

from gpucontract.accounts.models import Membership
from gpucontract.contracts import services
from gpucontract.contracts.models import Contract, OwnTemplate
from gpucontract.contracts.sections.gaps import counted, unanswered
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.templates import templates
from gpucontract.web.starting import contents_of
from tests import factories

pytestmark = pytest.mark.django_db
NEW = reverse("contract-new")


def start(client, **fields):
    buyer = factories.organisation_of("bing").pk
    return client.post(NEW, {"title": "东区训练集群", "buyer": buyer, **fields})


def newest():
    return Contract.objects.order_by("-pk").first()


def test_it_offers_every_template_with_what_it_holds(drafter):
    page = drafter.get(NEW, headers={"accept-language": "en"}).content.decode()
    for template in templates().values():
        assert f'value="template:{template.id}"' in page
    assert "16 × 8 H100" in page
    assert page.count("7 of them stop sending</summary>Vendor&#x27;s legal name") == len(templates())


@pytest.mark.parametrize("name", list(templates()))
def test_choosing_a_template_starts_a_draft_with_its_values(drafter, name):
    answer = start(drafter, start=f"template:{name}")
    contract = newest()
    assert answer.status_code == 302
    assert answer.url == reverse("contract-draft-step", args=[contract.uuid, "parties"])
    assert terms_of(contract)["g1/gpu_model"] == templates()[name].terms["g1/gpu_model"]


@pytest.mark.parametrize("name", list(templates()))
def test_a_card_says_the_number_that_the_draft_then_says(drafter, name):
    promised = contents_of(templates()[name].terms).left
    start(drafter, start=f"template:{name}")
    assert counted(unanswered(terms_of(newest()))) == promised
    page = drafter.get(reverse("contract-draft", args=[newest().uuid])).content.decode()
    assert f"待填 {promised.empty} 项，其中 {promised.stops} 项不填不能发送" in page


def test_choosing_nothing_starts_an_empty_draft(drafter):
    start(drafter)
    assert not terms_of(newest()).is_given("g1/gpu_model")


def test_free_text_comes_in_the_language_of_the_page(drafter):
    drafter.cookies["django_language"] = "en"
    start(drafter, start="template:a100-one-node")
    assert terms_of(newest())["g1/name"] == "Training machine"


def test_a_template_nobody_knows_is_refused_and_nothing_typed_is_lost(drafter):
    answer = start(drafter, start="template:nope")
    assert answer.status_code == 422
    assert "东区训练集群" in answer.content.decode()
    assert not Contract.objects.exists()


def test_a_contract_is_copied_by_its_own_buyer_only(drafter, contract):
    page = drafter.get(NEW, {"copy": contract.uuid}).content.decode()
    assert f'value="{contract.uuid}" selected' in page
    start(drafter, start="copy", copy_of=contract.uuid)
    assert newest() != contract
    assert terms_of(newest())["g1/gpu_model"] == "H100 SXM5 80GB"


def test_a_copy_without_its_contract_says_so(drafter, contract):
    assert start(drafter, start="copy").status_code == 422
    assert Contract.objects.count() == 1


def test_no_stranger_copies_anything(client, contract):
    client.force_login(factories.person("zoe"))
    buyer = factories.organisation_of("zoe").pk
    answer = client.post(NEW, {"title": "x", "buyer": buyer, "start": "copy", "copy_of": contract.uuid})
    assert answer.status_code == 422
    assert contract.number not in answer.content.decode()


def test_what_belongs_to_one_organisation_is_not_carried_into_another(drafter, contract, bing):
    other = factories.organisation_of("zoe")
    Membership.objects.create(user=bing, organisation=other, roles=("drafter",))
    answer = drafter.post(NEW, {"title": "x", "buyer": other.pk, "start": "copy", "copy_of": contract.uuid})
    assert answer.status_code == 422
    assert Contract.objects.count() == 1


def test_a_contract_is_saved_as_a_template_and_offered_to_colleagues(drafter, contract, client):
    url = reverse("contract-save-template", args=[contract.uuid])
    assert drafter.get(url).status_code == 200
    answer = drafter.post(url, {"name": "标准训练", "sections": ["nodes", "sla"]})
    kept = OwnTemplate.objects.get()
    assert answer.url == reverse("own-template", args=[kept.uuid])
    client.force_login(factories.person("ada"))
    assert "标准训练" in client.get(NEW).content.decode()
    start(client, start=f"own:{kept.uuid}")
    assert terms_of(newest())["g1/node_count"] == 2


def test_a_templates_page_leads_to_a_draft_from_it(drafter):
    page = drafter.get(reverse("contract-template", args=["rtx4090-workstations"])).content.decode()
    address = f"{NEW}?start=template%3Artx4090-workstations"
    assert f'href="{address}"' in page
    chosen = drafter.get(address).content.decode()
    assert 'value="template:rtx4090-workstations" id="start-template:rtx4090-workstations" checked' in chosen


def test_a_template_with_two_groups_says_of_which_each_value_is(drafter, contract, bing):
    services.duplicate_row(contract, code="g1", by=bing)
    kept = services.save_template(contract, name="两组", sections=["nodes"], by=bing)
    page = drafter.get(reverse("own-template", args=[kept.uuid])).content.decode()
    assert "<dt>节点组 1 · 节点数</dt>" in page and "<dt>节点组 2 · 节点数</dt>" in page


def test_a_taken_name_is_refused_beside_its_field(drafter, contract, bing):
    services.save_template(contract, name="标准", sections=["nodes"], by=bing)
    answer = drafter.post(
        reverse("contract-save-template", args=[contract.uuid]), {"name": "标准", "sections": ["nodes"]}
    )
    assert answer.status_code == 422
    assert "已有名为“标准”的模板" in answer.content.decode()


def test_a_template_is_renamed_and_removed(drafter, contract, bing):
    kept = services.save_template(contract, name="标准", sections=["nodes"], by=bing)
    url = reverse("own-template", args=[kept.uuid])
    assert drafter.post(url, {"name": "新名称"}).status_code == 302
    assert "新名称" in drafter.get(url).content.decode()
    drafter.post(reverse("own-template-delete", args=[kept.uuid]))
    assert OwnTemplate.objects.exists()
    drafter.post(reverse("own-template-delete", args=[kept.uuid]), {"confirm": "yes"})
    assert not OwnTemplate.objects.exists()


def test_a_template_page_says_where_its_marks_come_from(drafter):
    drafter.cookies["django_language"] = "en"
    page = drafter.get(reverse("contract-template", args=["a100-one-node"])).content.decode()
    assert "231.58 GB/s" in page
    assert "github.com" in page
    assert drafter.get(reverse("contract-template", args=["nope"])).status_code == 404


def test_the_page_needs_few_queries_however_many_contracts_there_are(drafter, contract, django_assert_max_num_queries):
    for _ in range(3):
        services.copy_contract(contract, by=factories.person("bing"))
    with django_assert_max_num_queries(14):
        drafter.get(NEW)


def test_what_is_wrong_stands_on_top_and_leads_to_its_input(drafter, contract):
    page = start(drafter, title="", start="copy").content.decode()
    summary = page.partition("data-error-summary")[2].partition("</div>")[0]
    assert 'href="#id_title"' in summary and 'href="#copy-of"' in summary
    assert 'id="id_title"' in page and 'id="copy-of"' in page
    assert "data-error-summary" not in drafter.get(NEW).content.decode()
