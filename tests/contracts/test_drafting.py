"""Rows come and go with codes given once; what is typed is never lost, and two people on one step are told."""

import json

import pytest

from gpucontract.contracts import buffering, groups
from gpucontract.contracts.buffering import buffer_step
from gpucontract.contracts.errors import ContractError, NotAllowed, StepConflict
from gpucontract.contracts.models import NodeGroup, SharedMount, StepBuffer
from gpucontract.contracts.services import add_group, add_mount, duplicate_row, order_rows, remove_row, write_terms
from gpucontract.contracts.snapshot import terms_of
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract():
    return factories.drafted_contract()


def codes(contract):
    terms = terms_of(contract)
    return [*terms.groups, *terms.mounts]


def test_a_new_draft_has_one_group_no_mount_and_the_buyers_name(bing):
    contract = factories.empty_contract()
    assert codes(contract) == ["g1"]
    assert terms_of(contract)["c/buyer_uscc"] == contract.buyer.uscc


def test_a_code_is_given_once_and_never_again(contract, bing):
    assert add_group(contract, by=bing).code == "g2"
    remove_row(contract, code="g2", by=bing)
    assert add_group(contract, by=bing).code == "g3"
    assert add_mount(contract, by=bing).code == "m2"
    remove_row(contract, code="m2", by=bing)
    assert add_mount(contract, by=bing).code == "m3"


def test_a_copy_has_all_terms_and_its_own_code(contract, bing):
    profile = {"rw": "read", "block_size": "1MiB", "iodepth": 16, "numjobs": 8, "clients": 2, "runtime_s": 60}
    write_terms(contract, values={"m1": {"io_test_profile": [{**profile, "direct": True}]}}, by=bing)
    assert (duplicate_row(contract, code="g1", by=bing), duplicate_row(contract, code="m1", by=bing)) == ("g2", "m2")
    terms = terms_of(contract)
    assert terms.rows["g2"] == terms.rows["g1"]
    (first,), (copied,) = terms["m1/io_test_profile"], terms["m2/io_test_profile"]
    assert first["code"] != copied["code"] and {**first, "code": ""} == {**copied, "code": ""}


def test_a_copy_does_not_change_with_its_original(contract, bing):
    duplicate_row(contract, code="g1", by=bing)
    write_terms(contract, values={"g1": {"node_count": 5, "intra_busbw_min": 400}}, by=bing)
    terms = terms_of(contract)
    assert (terms["g2/node_count"], terms["g2/intra_busbw_min"]) == (2, 455)


def test_order_changes_order_and_nothing_else(contract, bing):
    add_group(contract, by=bing)
    before = terms_of(contract).rows["g1"]
    order_rows(contract, codes=["g2", "g1"], by=bing)
    assert codes(contract) == ["g2", "g1", "m1"] and terms_of(contract).rows["g1"] == before


@pytest.mark.parametrize("wanted", [["g1"], ["g1", "g2", "g9"], ["g1", "g1"], []], ids=str)
def test_an_order_must_name_every_row_once(contract, bing, wanted):
    add_group(contract, by=bing)
    with pytest.raises(ContractError):
        order_rows(contract, codes=wanted, by=bing)
    assert codes(contract) == ["g1", "g2", "m1"]


def test_removing_a_group_takes_its_terms_and_leaves_the_mount(contract, bing):
    add_group(contract, by=bing)
    write_terms(contract, values={"m1": {"groups": ["g1", "g2"]}}, by=bing)
    remove_row(contract, code="g1", by=bing)
    assert codes(contract) == ["g2", "m1"] and terms_of(contract)["m1/groups"] == ("g2",)


REFUSED = [("g1", "last node group"), ("g7", "no group or mount g7"), ("c", "no group or mount c"), ("", "no group")]


@pytest.mark.parametrize(("code", "said"), REFUSED, ids=[code or "empty" for code, _ in REFUSED])
def test_it_refuses_to_remove(contract, bing, code, said):
    with pytest.raises(ContractError) as caught:
        remove_row(contract, code=code, by=bing)
    assert said in caught.value.text.en and codes(contract) == ["g1", "m1"]


def test_there_is_an_end_to_adding(contract, bing, monkeypatch):
    monkeypatch.setattr(groups, "MOST_ROWS", 1)
    for add in (add_group, add_mount):
        with pytest.raises(ContractError, match="at most 1"):
            add(contract, by=bing)


@pytest.mark.parametrize("name", ["eng", "wen", "vera", "mallory", "zoe"])
def test_only_drafters_and_approvers_change_rows_and_buffers(contract, name):
    who = factories.person(name)
    calls = (
        lambda: add_group(contract, by=who),
        lambda: add_mount(contract, by=who),
        lambda: duplicate_row(contract, code="g1", by=who),
        lambda: remove_row(contract, code="m1", by=who),
        lambda: order_rows(contract, codes=["g1"], by=who),
        lambda: buffer_step(contract, "nodes", raw={}, revision=0, by=who),
    )
    for call in calls:
        with pytest.raises(NotAllowed):
            call()


def test_rows_are_closed_while_the_vendor_reads_them(bing):
    contract = factories.sent_contract()
    with pytest.raises(ContractError, match="With the vendor"):
        add_group(contract, by=bing)
    assert NodeGroup.objects.count() == SharedMount.objects.count() == 1


ODD = {"g1-gpu_model": "H100 级\x00", "g1-node_count": "−5 台", "html": "<script>alert(1)</script>", "half": "\ud800"}


def test_what_is_typed_is_kept_as_typed_valid_or_not(contract, bing):
    buffer = buffer_step(contract, "nodes", raw=ODD, revision=0, by=bing)
    assert StepBuffer.objects.get(pk=buffer.pk).values() == ODD and buffer.revision == 1


def test_each_save_counts_up_and_says_who(contract, bing, ada):
    buffer_step(contract, "nodes", raw={"a": "1"}, revision=0, by=bing)
    second = buffer_step(contract, "nodes", raw={"a": "2"}, revision=1, by=ada)
    assert (second.revision, second.saved_by, second.values()) == (2, ada, {"a": "2"})
    assert buffer_step(contract, "storage", raw={}, revision=0, by=ada).revision == 1


@pytest.mark.parametrize("revision", [0, 1, 7], ids=["page from before", "page one behind", "page from nowhere"])
def test_the_second_person_is_told_and_the_first_ones_text_stays(contract, bing, ada, revision):
    buffer_step(contract, "nodes", raw={"a": "0"}, revision=0, by=bing)
    buffer_step(contract, "nodes", raw={"a": "1"}, revision=1, by=bing)
    with pytest.raises(StepConflict) as caught:
        buffer_step(contract, "nodes", raw={"a": "2"}, revision=revision, by=ada)
    assert "Bing changed this step at" in caught.value.text.en and "Bing" in caught.value.text.zh
    assert StepBuffer.objects.get().values() == {"a": "1"}


def test_a_page_overtakes_its_own_save_in_flight_but_not_somebody_elses(contract, bing, ada):
    buffer_step(contract, "nodes", raw={"a": "1"}, revision=0, by=bing, tab="t1")
    assert buffer_step(contract, "nodes", raw={"a": "2"}, revision=0, by=bing, tab="t1").revision == 2
    buffer_step(contract, "nodes", raw={"a": "3"}, revision=2, by=ada, tab="t2")
    for who, tab in ((bing, "t1"), (bing, "t2")):
        with pytest.raises(StepConflict):
            buffer_step(contract, "nodes", raw={"a": "4"}, revision=2, by=who, tab=tab)


def test_it_refuses_a_step_that_is_none_and_a_text_without_end(contract, bing):
    with pytest.raises(ContractError, match="no step prices"):
        buffer_step(contract, "prices", raw={}, revision=0, by=bing)
    with pytest.raises(ContractError, match=f"at most {buffering.LARGEST_BYTES}"):
        buffer_step(contract, "nodes", raw={"a": "x" * buffering.LARGEST_BYTES}, revision=0, by=bing)
    assert not StepBuffer.objects.exists()


def test_the_buffer_is_plain_json_text(contract, bing):
    buffer = buffer_step(contract, "nodes", raw={"a": "一"}, revision=0, by=bing)
    assert json.loads(buffer.raw) == {"a": "一"}
