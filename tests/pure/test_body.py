"""A frozen revision read back: every hash checked, groups and mounts as they were."""

import re
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


def _with(frozen, change):
    """The pack with a head that somebody changed."""
    head = decode(frozen.head)
    change(head)
    return pack(encode(head), frozen.sections)


def _first(rows, name, value):
    return lambda head: head[rows][0].update({name: value})


CHANGED_HEADS = {
    "a count that is a text": (_first("groups", "node_count", "2"), "node_count is '2', expected 1 to 10000"),
    "a count that is a yes": (_first("groups", "node_count", True), "node_count is True"),
    "a count below one": (_first("groups", "node_count", 0), "node_count is 0"),
    "a count without end": (_first("groups", "gpus_per_node", 10**9), "gpus_per_node is 1000000000, expected 1 to 128"),
    "ports below none": (_first("groups", "nics_per_node", -1), "nics_per_node is -1, expected 0 to 64"),
    "a model that is a number": (_first("groups", "gpu_model", 1), "not a group"),
    "groups that are texts": (lambda head: head.update(groups=["g1"]), "not a group"),
    "groups that are an object": (lambda head: head.update(groups={}), "must be lists"),
    "machines without end in many groups": (
        lambda head: head.update(groups=[head["groups"][0] | {"code": f"g{n}", "node_count": 10_000} for n in range(1, 102)]),
        "more than 1000000 machines",
    ),
    "a group twice": (lambda head: head.update(groups=head["groups"] * 2), "one and the same code"),
    "mounts that are empty lists": (lambda head: head.update(mounts=[[]]), "not a mount"),
    "a mount whose groups are a text": (lambda head: head.update(mounts=[{"code": "m1", "path": "/", "groups": "g1"}]),
                                        "not a mount"),
    "coverage that is no number": (lambda head: head.update(coverage_pct="NaN"), "coverage_pct is 'NaN'"),
    "coverage above all": (lambda head: head.update(coverage_pct="100.01"), "expected a number from 0 to 100"),
    "coverage below none": (lambda head: head.update(coverage_pct="-1"), "coverage_pct is '-1'"),
    "parties that are a number": (lambda head: head.update(parties=1), "parties must be an object"),
    "a party that is a text": (lambda head: head.update(parties={"buyer": "x"}), "each party must be an object of texts"),
    "a title that is a number": (lambda head: head.update(title=1), "must be texts"),
    "a revision that is a text": (lambda head: head.update(number="3"), "number is '3'"),
    "attachments that are texts": (lambda head: head.update(attachments=["x"]), "attachments must be a list"),
    "sections that are a list": (lambda head: head.update(sections=["nodes"]), "sections must be an object"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), CHANGED_HEADS.values(), ids=CHANGED_HEADS)
def test_a_head_with_wrong_types_or_without_end_is_refused_by_what_is_wrong(frozen, change, said):
    with pytest.raises(BodyError, match=f"this is not a packed appendix: .*{re.escape(said)}"):
        unpack(_with(frozen, change))


CHANGED_CLAUSES = {
    "a mark that is no number": {"value": "NaN", "operator": ">="},
    "a mark that is a word": {"value": "viel", "operator": ">="},
    "a tolerance without end": {"tolerance": "Infinity"},
    "repeats that are a text": {"repeats": "3"},
    "repeats without end": {"repeats": 10**9},
    "conditions that are a list": {"conditions": []},
    "jobs that are numbers": {"jobs": [1]},
    "a text without its words": {"text": {"zh": 1, "en": "x"}},
}


@pytest.mark.parametrize("change", CHANGED_CLAUSES.values(), ids=CHANGED_CLAUSES)
def test_a_clause_with_wrong_types_is_refused(frozen, change):
    section = decode(frozen.sections["nodes"])
    section["clauses"][0] |= change
    document = encode(section)
    head = decode(frozen.head)
    head["sections"]["nodes"] = sha256(document)
    with pytest.raises(BodyError, match="this is not a packed appendix"):
        unpack(pack(encode(head), {**frozen.sections, "nodes": document}))
