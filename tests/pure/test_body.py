"""A frozen revision read back: every hash checked, groups and mounts as they were."""

from decimal import Decimal

import pytest

from gpucontract.canonical import decode, encode, sha256
from gpucontract.contracts.body import PACK_FORMAT, BodyError, load, pack, unpack
from gpucontract.contracts.compile import clauses
from gpucontract.contracts.freezing import Deal, freeze
from gpucontract.contracts.sections.steps import SECTIONS
from tests.pure.making import drafted

SALTS = {name: bytes(32) for name in SECTIONS}


@pytest.fixture
def frozen():
    terms = drafted()
    deal = Deal("C-2027-1", 3, "训练集群", {"compiler": "1", "catalogue": "1", "rules": "1"}, demo=True)
    return freeze(deal, terms, clauses(terms), SALTS)


@pytest.fixture
def body(frozen):
    return load(frozen.head, frozen.sections)


def test_it_says_what_was_frozen(body, frozen):
    assert (body.contract, body.number, body.title, body.demo) == ("C-2027-1", 3, "训练集群", True)
    assert body.sha256 == frozen.sha256
    assert body.parties["vendor"]["name"] == "湖北江北算力服务有限公司"


def test_it_names_the_slots_of_each_group(body):
    assert body.group("g1").node_codes == ("g1-001", "g1-002")
    assert (body.groups[0].gpus_per_node, body.groups[0].nics_per_node) == (8, 8)
    assert body.mounts[0].path == "/data"


def test_its_clauses_are_those_that_were_compiled(body):
    assert [clause.sha256 for clause in body.clauses] == [clause.sha256 for clause in clauses(drafted())]
    assert body.clause("g1/busbw_intra:8GiB").value == Decimal(455)


def test_only_measured_and_documented_clauses_are_judged(body):
    assert {clause.verified_by.value for clause in body.judged} == {"measurement", "document"}


def test_an_altered_section_is_refused(frozen):
    sections = dict(frozen.sections) | {"nodes": frozen.sections["nodes"].replace(b"8", b"7", 1)}
    with pytest.raises(BodyError, match="'nodes'"):
        load(frozen.head, sections)


def test_a_section_may_be_held_back(frozen):
    sections = {name: document for name, document in frozen.sections.items() if name != "commercial"}
    assert not [clause for clause in load(frozen.head, sections).clauses if clause.section == "commercial"]


def test_another_salt_gives_another_hash_but_the_same_clauses(frozen):
    salted = freeze(
        Deal("C-2027-1", 3, "训练集群", {"compiler": "1", "catalogue": "1", "rules": "1"}, demo=True),
        drafted(), clauses(drafted()), SALTS | {"commercial": b"1" * 32},
    )  # fmt: skip
    assert salted.sha256 != frozen.sha256
    assert load(salted.head, salted.sections).clauses == load(frozen.head, frozen.sections).clauses


def test_a_pack_is_read_back_with_every_hash_checked(frozen, body):
    packed = pack(frozen.head, frozen.sections)
    assert unpack(packed) == body
    document = decode(packed)
    document["sections"]["nodes"] = document["sections"]["nodes"].replace("8", "9", 1)
    with pytest.raises(BodyError, match="'nodes'"):
        unpack(encode(document))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"format":"other","head":"","sections":{}}', b"\xff", b"%PDF-1.7"]
)
def test_what_is_no_pack_is_refused(data):
    with pytest.raises(BodyError):
        unpack(data)


def test_an_unknown_format_is_refused(frozen):
    head = decode(frozen.head) | {"format": "gpucontract/99"}
    with pytest.raises(BodyError, match="gpucontract/99"):
        load(encode(head), frozen.sections)


def test_the_hash_is_that_of_the_head(frozen):
    assert frozen.sha256 == sha256(frozen.head)


FORGED = {
    "nested without end": b"[" * 200_000,
    "a head nested without end": encode({"format": PACK_FORMAT, "head": "[" * 200_000, "sections": {}}),
    "a head that is a list": encode({"format": PACK_FORMAT, "head": "[]", "sections": {}}),
    "a head without sections": encode({"format": PACK_FORMAT, "head": '{"format":"gpucontract/1"}', "sections": {}}),
    "sections that are a list": encode({"format": PACK_FORMAT, "head": "{}", "sections": []}),
    "a section that is a number": encode({"format": PACK_FORMAT, "head": "{}", "sections": {"nodes": 1}}),
}


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_a_forged_pack_is_refused_in_words(data):
    with pytest.raises(BodyError):
        unpack(data)
