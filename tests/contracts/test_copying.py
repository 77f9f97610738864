"""Starting from a template, a copy or a file: all terms come along, and nothing that belongs to the other deal."""

import pytest

from gpucontract.contracts import copying, interchange
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Contract, DraftOrigin, Event, OwnTemplate
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.services import (
    add_group,
    add_mount,
    copy_contract,
    delete_template,
    remove_row,
    rename_template,
    save_template,
    start_from,
    write_terms,
)
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.templates import differences, templates
from tests import factories
from tests.every_term import every_term

pytestmark = pytest.mark.django_db
ALL_SECTIONS = list(SECTIONS)


def same_terms(one, other):
    """Whether two contracts hold the same values, whatever their codes."""
    return [list(row.items()) for row in plain(one)] == [list(row.items()) for row in plain(other)]


def plain(contract):
    terms = terms_of(contract)
    rows = []
    for row in terms.rows.values():
        rows.append(
            {
                name: [{k: v for k, v in each.items() if k != "code"} for each in value]
                if value and isinstance(value, tuple) and isinstance(value[0], dict)
                else value
                for name, value in sorted(row.items())
                if name != "groups"
            }
        )
    return rows


@pytest.fixture
def buyer(bing):
    return factories.organisation_of("bing")


@pytest.mark.parametrize("name", list(templates()))
def test_a_template_is_written_whole_and_remembered(buyer, bing, name):
    template = templates()[name]
    contract = start_from(copying.from_template(template, "zh-hans"), buyer, by=bing, title="训练")
    terms = terms_of(contract)
    assert {each.path for each in differences(terms, template.terms)} == {"c/buyer_name", "c/buyer_uscc"}
    assert terms["c/buyer_uscc"] == buyer.uscc
    assert (contract.origin.kind, contract.origin.reference) == ("template", name)
    assert differences(terms, copying.given_values(contract)) == ()


def test_what_was_changed_since_shows_against_what_was_given(buyer, bing):
    contract = start_from(copying.from_template(templates()["h20-roce"], "en"), buyer, by=bing, title="x")
    write_terms(contract, values={"g1": {"node_count": 4}, "c": {"unit_price": "65000"}}, by=bing)
    found = differences(terms_of(contract), copying.given_values(contract))
    assert {(each.path, each.before, each.now) for each in found} >= {("g1/node_count", 8, 4)}
    assert {each.path for each in found} == {"g1/node_count", "c/unit_price"}


def test_an_empty_draft_remembers_nothing(bing):
    assert copying.given_values(factories.empty_contract()) is None


def test_a_copy_has_every_term_and_its_own_number(bing):
    contract = factories.signed_contract()
    copy = copy_contract(contract, by=bing, title="第二期")
    assert (copy.state, copy.title, copy.vendor, copy.demo) == ("draft", "第二期", None, False)
    assert copy.number != contract.number
    assert same_terms(contract, copy)
    assert not copy.revisions.exists()
    assert not copy.check_waivers.exists()


def test_a_copy_keeps_a_default_that_somebody_emptied_empty(bing):
    contract = factories.drafted_contract(c={"tolerance_pct": None}, g1={"busbw_placement": ""})
    copied = terms_of(copy_contract(contract, by=bing))
    assert not copied.is_given("c/tolerance_pct")
    assert not copied.is_given("g1/busbw_placement")


def test_a_copys_rows_get_codes_of_their_own_and_mounts_follow_their_groups(bing):
    contract = factories.drafted_contract()
    add_group(contract, by=bing)
    add_group(contract, by=bing)
    remove_row(contract, code="g2", by=bing)
    write_terms(contract, values={"m1": {"groups": ("g3",)}}, by=bing)
    copied = terms_of(copy_contract(contract, by=bing))
    assert copied.groups == ("g1", "g2")
    assert copied["m1/groups"] == ("g2",)
    assert {row["code"][0] for row in copied["c/delivery_documents"]} == {"d"}


def test_a_draft_of_every_term_survives_export_and_import_field_by_field(buyer, bing):
    contract = factories.empty_contract()
    add_group(contract, by=bing)
    add_mount(contract, by=bing)
    add_mount(contract, by=bing)
    write_terms(contract, values=every_term(), by=bing)
    text = interchange.to_text(interchange.dump(terms_of(contract), contract.title))
    source = copying.from_file("a.json", interchange.load(text))
    imported = start_from(source, buyer, by=bing, title="回来")
    assert same_terms(contract, imported)
    assert terms_of(imported)["m2/groups"] == ("g1", "g2")
    assert imported.origin.reference == "a.json"


def test_the_journals_say_it(bing):
    contract = factories.drafted_contract()
    copy = copy_contract(contract, by=bing)
    assert Event.objects.filter(contract=copy, kind="draft_filled").exists()
    assert Event.objects.filter(contract=contract, kind="contract_copied").exists()


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_drafters_copy_or_keep_a_contract(name):
    contract, person = factories.sent_contract(), factories.person(name)
    before = Contract.objects.count()
    with pytest.raises(NotAllowed):
        copy_contract(contract, by=person)
    with pytest.raises(NotAllowed):
        save_template(contract, name="x", sections=ALL_SECTIONS, by=person)
    assert (Contract.objects.count(), OwnTemplate.objects.count()) == (before, 0)


def test_a_template_of_ones_own_holds_the_chosen_parts_only(bing, buyer):
    contract = factories.drafted_contract(c={"tolerance_pct": None})
    kept = save_template(contract, name=" 训练标准 ", sections=["nodes", "acceptance"], by=bing)
    started = terms_of(start_from(copying.from_own_template(kept), buyer, by=bing, title="x"))
    assert kept.name == "训练标准"
    assert started["g1/node_count"] == 2
    assert not started.is_given("c/tolerance_pct")
    assert not started.is_given("c/vendor_name")
    assert not started.is_given("g1/intra_busbw_min")
    assert started["g1/intra_busbw_msg_size"] == "8GiB"
    assert started["c/currency"] == "CNY"


def test_a_template_is_seen_inside_its_organisation_only(bing):
    save_template(factories.sent_contract(), name="x", sections=ALL_SECTIONS, by=bing)
    seeing = [name for name in factories.PEOPLE if OwnTemplate.objects.visible_to(factories.person(name)).exists()]
    buyers = [name for name, (_, company, _) in factories.PEOPLE.items() if company == factories.BUYER]
    assert seeing == buyers


def test_two_templates_of_an_organisation_never_share_a_name(bing):
    contract = factories.drafted_contract()
    first = save_template(contract, name="甲", sections=ALL_SECTIONS, by=bing)
    second = save_template(contract, name="乙", sections=ALL_SECTIONS, by=bing)
    with pytest.raises(ContractError, match="“甲”"):
        rename_template(second, name="甲", by=bing)
    assert rename_template(first, name="甲", by=bing).name == "甲"
    for wrong in ("", "  ", "x" * 81):
        with pytest.raises(ContractError, match="80"):
            rename_template(first, name=wrong, by=bing)


def test_deleting_a_template_leaves_its_drafts_and_is_for_drafters(bing, buyer, eng):
    kept = save_template(factories.drafted_contract(), name="x", sections=ALL_SECTIONS, by=bing)
    contract = start_from(copying.from_own_template(kept), buyer, by=bing, title="x")
    with pytest.raises(NotAllowed):
        delete_template(kept, by=eng)
    delete_template(kept, by=bing)
    assert not OwnTemplate.objects.exists()
    assert DraftOrigin.objects.get(contract=contract).title.zh == "x"
