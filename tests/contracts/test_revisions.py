"""Freezing and sending: the same terms give the same clauses, and what is not ready is named."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.canonical import decode, sha256
from gpucontract.contracts.body import FORMAT, BodyError, load
from gpucontract.contracts.clauses import thaw
from gpucontract.contracts.errors import ContractError, NotAllowed, NotReady
from gpucontract.contracts.models import CheckRecord, Contract, Revision
from gpucontract.contracts.services import (
    add_group,
    freeze_revision,
    order_rows,
    reopen,
    send_revision,
    waive_check,
    withdraw,
    write_terms,
)
from gpucontract.contracts.snapshot import terms_of
from gpucontract.contracts.suggestions import suggestion
from tests import factories

pytestmark = pytest.mark.django_db


def hashes(revision):
    return {clause.key: clause.sha256 for clause in revision.body().clauses}


def rewrite(contract, bing, **changes):
    write_terms(contract, values={"g1": changes}, by=bing)


def test_the_head_says_who_what_and_how_many(bing):
    contract = factories.drafted_contract(demo=True, title="训练集群")
    head = decode(freeze_revision(contract, by=bing).head)
    assert head["format"] == FORMAT and head["contract"] == contract.number and head["number"] == 1
    assert head["parties"]["vendor"]["name"] == "湖北江北算力服务有限公司"
    group = {"code": "g1", "name": "训练组", "gpu_model": "H100 SXM5 80GB"}
    assert head["groups"] == [{**group, "node_count": 2, "gpus_per_node": 8, "nics_per_node": 8}]
    assert head["mounts"] == [{"code": "m1", "path": "/data", "groups": ["g1"]}]
    assert head["demo"] is True and head["coverage_pct"] == "100"
    assert {"compiler", "catalogue", "rules"} <= set(head)


def test_a_contract_that_is_no_demonstration_does_not_say_so(bing):
    revision = freeze_revision(factories.drafted_contract(), by=bing)
    assert "demo" not in decode(revision.head) and revision.body().demo is False


def test_each_section_has_its_own_salt_and_its_hash_stands_in_the_head(bing):
    revision = freeze_revision(factories.drafted_contract(), by=bing)
    documents = {part.name: bytes(part.document) for part in revision.sections.all()}
    salts = [decode(document)["salt"] for document in documents.values()]
    assert len(set(salts)) == len(documents) == 10 and all(re.fullmatch("[0-9a-f]{64}", salt) for salt in salts)
    assert decode(revision.head)["sections"] == {name: sha256(document) for name, document in documents.items()}
    assert revision.sha256 == sha256(bytes(revision.head))


def test_a_section_can_be_handed_out_without_the_price(bing):
    revision = freeze_revision(factories.drafted_contract(), by=bing)
    technical = {part.name: bytes(part.document) for part in revision.sections.exclude(name="commercial")}
    body = load(bytes(revision.head), technical)
    assert body.sha256 == revision.sha256 and not any(clause.section == "commercial" for clause in body.clauses)


def test_changed_bytes_are_refused(bing):
    revision = freeze_revision(factories.drafted_contract(), by=bing)
    part = revision.sections.get(name="commercial")
    revision.sections.filter(pk=part.pk).update(document=bytes(part.document).replace(b"65000", b"15000"))
    with pytest.raises(BodyError, match="commercial"):
        Revision.objects.get(pk=revision.pk).body()


def test_frozen_clauses_come_back_with_the_hash_they_had(bing):
    revision = freeze_revision(factories.drafted_contract(), by=bing)
    for clause in Revision.objects.get(pk=revision.pk).body().clauses:
        assert thaw(clause.frozen() | {"text": {"zh": clause.text.zh, "en": clause.text.en}}).sha256 == clause.sha256
        assert not isinstance(clause.value, int) or isinstance(clause.value, bool)


def test_the_same_terms_typed_otherwise_and_reloaded_give_the_same_clauses(bing):
    first, second = factories.drafted_contract(), factories.drafted_contract()
    typed = {"intra_busbw_min": "455.00", "local_nvme_tb": "30.720", "node_count": "2", "roce_lossless": "ECN,PFC"}
    write_terms(second, values={"g1": typed, "c": {"unit_price": "65000.0"}}, by=bing)
    again = Contract.objects.get(pk=second.pk)
    assert hashes(freeze_revision(first, by=bing)) == hashes(freeze_revision(again, by=bing))


def test_freezing_twice_without_a_change_gives_the_same_revision(bing):
    contract = factories.drafted_contract()
    first = freeze_revision(contract, by=bing)
    assert freeze_revision(contract, by=bing) == first and contract.revisions.count() == 1
    rewrite(contract, bing, intra_busbw_min=Decimal(450))
    assert freeze_revision(contract, by=bing).number == 2
    assert Revision.objects.get(pk=first.pk).sha256 == first.sha256


def test_order_and_a_new_group_leave_the_keys_of_the_first_alone(bing):
    contract = factories.drafted_contract()
    before = hashes(freeze_revision(contract, by=bing))
    add_group(contract, by=bing)
    write_terms(contract, values={"g2": {"name": "推理组", "node_count": 1, "gpus_per_node": 4}}, by=bing)
    order_rows(contract, codes=["g2", "g1"], by=bing)
    revision = freeze_revision(contract, by=bing)
    assert [group.code for group in revision.body().groups] == ["g2", "g1"]
    assert {key for key in before if key.startswith("g1/")} <= set(hashes(revision))


CHANGES = [
    ({"node_count": 3}, {"g1/node_count"}),
    ({"gpu_power_limit_w": 650}, {"g1/power_limit"}),
    ({"cpu_model": "EPYC 9654"}, {"g1/cpu_model"}),
]


@pytest.mark.parametrize(("change", "changed"), CHANGES, ids=[str(change) for change, _ in CHANGES])
def test_a_change_reopens_its_own_line(bing, change, changed):
    contract = factories.drafted_contract()
    before = hashes(freeze_revision(contract, by=bing))
    rewrite(contract, bing, **change)
    after = hashes(freeze_revision(contract, by=bing))
    reopened = {key for key in after if before.get(key) != after[key]}
    assert changed <= reopened and len(reopened) < 8


def test_half_the_ports_at_twice_the_rate_reopen_the_floor_computed_from_them(bing):
    """8 x 400 and 16 x 200 Gb/s add up alike and propose the same floor, yet it follows from other lines."""
    contract = factories.drafted_contract()
    floors = []
    for ports, rate in ((8, 400), (16, 200)):
        rewrite(contract, bing, nics_per_node=ports, inter_port_gbps=rate)
        rewrite(contract, bing, inter_busbw_min=suggestion(terms_of(contract), "g1/inter_busbw_min").value)
        floors.append(freeze_revision(contract, by=bing).body().clause("g1/busbw_inter:8GiB"))
    assert floors[0].value == floors[1].value and floors[0].sha256 != floors[1].sha256
    rewrite(contract, bing, inter_busbw_min=Decimal(200))
    assert freeze_revision(contract, by=bing).body().clause("g1/busbw_inter:8GiB").computed_from == {}


def test_sending_shows_it_to_the_vendor_and_moves_the_state(ada, vera):
    contract = factories.drafted_contract()
    assert contract.side_of(vera) is None
    revision = send_revision(contract, by=ada)
    contract.refresh_from_db()
    assert (contract.state, contract.side_of(vera), revision.sent_by) == ("with_vendor", "vendor", ada)
    assert [event.kind for event in contract.events.all()][-2:] == ["revision_frozen", "move_send"]


def test_it_refuses_to_send_what_lacks_terms_and_names_each(bing, ada):
    contract = factories.drafted_contract(g1={"intra_busbw_min": "", "gpu_memory_gb": ""}, c={"root_access": None})
    with pytest.raises(NotReady) as caught:
        send_revision(contract, by=ada)
    said = " ".join(reason.en for reason in caught.value.reasons)
    assert "Memory per GPU" in said and "Root access" in said and "g1" in said
    assert len(caught.value.reasons) == 3 and not contract.revisions.exists()
    contract.refresh_from_db()
    assert contract.state == "draft"


BLOCKED = [
    ("wrong uscc digit", {"c": {"buyer_uscc": "91420100MADEMA019C"}}, "C-PTY-02"),
    ("eight as two by four", {"g1": {"gpus_per_node": 4, "node_count": 4}}, "C-NOD-02"),
    ("total that does not add up", {"c": {"total_gpu_count_stated": 15}}, "C-NOD-01"),
    ("600 GB/s of eight H100", {"g1": {"intra_busbw_min": 600}}, "C-NET-26"),
    ("600 GB/s of eight A100", {"g1": {"gpu_model": "A100 80GB SXM4", "intra_busbw_min": 600}}, "C-NET-06"),
    ("RoCE without PFC", {"g1": {"roce_lossless": ("ECN",)}}, "C-NET-17"),
    ("ports that do not add up", {"g1": {"inter_node_gbps_stated": 400}}, "C-NET-14"),
]


@pytest.mark.parametrize(("changes", "check"), [row[1:] for row in BLOCKED], ids=[row[0] for row in BLOCKED])
def test_a_blocking_check_stops_sending(ada, changes, check):
    contract = factories.drafted_contract(**changes)
    with pytest.raises(NotReady) as caught:
        send_revision(contract, by=ada)
    assert any(check in reason.en for reason in caught.value.reasons)


def test_a_waived_blocker_lets_it_through_and_is_kept_beside_the_revision(ada):
    contract = factories.drafted_contract(g1={"intra_busbw_min": 600})
    waive_check(contract, "C-NET-26", code="g1", reason="厂商出具了实测报告", by=ada)
    revision = send_revision(contract, by=ada)
    kept = {
        (result["check"], result["path"][:2]): result for result in CheckRecord.objects.get(revision=revision).results
    }
    assert kept["C-NET-26", "g1"]["waived"] == "厂商出具了实测报告"
    stored = bytes(revision.head) + b"".join(bytes(part.document) for part in revision.sections.all())
    assert b"C-NET-26" not in stored and "实测报告".encode() not in stored


def test_a_waiver_does_not_outlive_the_sentence_it_waived(bing, ada):
    contract = factories.drafted_contract(g1={"intra_busbw_min": 600})
    waive_check(contract, "C-NET-26", code="g1", reason="测试报告", by=ada)
    rewrite(contract, bing, intra_busbw_min=650)
    with pytest.raises(NotReady):
        send_revision(contract, by=ada)


WAIVERS = [
    ("unwaivable", "C-PTY-02", "c", "理由", {"c": {"buyer_uscc": "91420100MADEMA019C"}}, "cannot be waived"),
    ("without a reason", "C-NET-26", "g1", "  ", {"g1": {"intra_busbw_min": 600}}, "needs a reason"),
    ("nothing to waive", "C-NET-26", "g1", "理由", {}, "does not object"),
]


@pytest.mark.parametrize(
    ("check", "code", "reason", "changes", "said"), [w[1:] for w in WAIVERS], ids=[w[0] for w in WAIVERS]
)
def test_it_refuses_a_waiver(ada, check, code, reason, changes, said):
    contract = factories.drafted_contract(**changes)
    with pytest.raises(ContractError) as caught:
        waive_check(contract, check, code=code, reason=reason, by=ada)
    assert said in caught.value.text.en


@pytest.mark.parametrize("name", ["bing", "eng", "wen", "vera", "sun", "mallory", "zoe"])
def test_only_the_buyers_approver_sends_waives_and_withdraws(name):
    contract, who = factories.drafted_contract(g1={"intra_busbw_min": 600}), factories.person(name)
    with pytest.raises(NotAllowed):
        send_revision(contract, by=who)
    with pytest.raises(NotAllowed):
        waive_check(contract, "C-NET-26", code="g1", reason="理由", by=who)
    with pytest.raises(NotAllowed):
        withdraw(contract, by=who)


VENDORS = [
    ("unknown here", "91420100MADEMC0300", "No organisation here"),
    ("the buyer itself", "91420100MADEMA019B", "equals the buyer's"),
]


@pytest.mark.parametrize(("uscc", "said"), [v[1:] for v in VENDORS], ids=[v[0] for v in VENDORS])
def test_the_vendor_is_found_by_its_uscc_or_the_sending_says_why_not(ada, uscc, said):
    contract = factories.drafted_contract(c={"vendor_uscc": uscc})
    with pytest.raises(ContractError) as caught:
        send_revision(contract, by=ada)
    assert said in caught.value.text.en


def test_a_contract_never_changes_hands_once_a_vendor_has_seen_it(bing, ada, mallory):
    contract = factories.sent_contract()
    reopen(contract, by=ada)
    write_terms(contract, values={"c": {"vendor_uscc": factories.OTHER_VENDOR[1]}}, by=bing)
    with pytest.raises(ContractError) as caught:
        send_revision(contract, by=ada)
    assert "was sent to" in caught.value.text.en and contract.side_of(mallory) is None


def test_replacing_the_number_shows_that_bodies_differ_only_there(bing):
    contract = factories.drafted_contract()
    first = freeze_revision(contract, by=bing).body()
    rewrite(contract, bing, gpu_power_limit_w=650)
    second = freeze_revision(contract, by=bing).body()
    assert replace(first, number=0, sha256="", clauses=()) == replace(second, number=0, sha256="", clauses=())
