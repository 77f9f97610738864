"""What differs between two bodies: old and new values, conditions, lines added and removed, wording, sources."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.contracts.comparing import KINDS, Kind, changes, counts
from gpucontract.wording import Text


def clause(key="g1/ram", **fields):
    base = Clause(key, "nodes", Text("内存", "RAM"), Operator.AT_LEAST, Decimal(2048), "GB", term="g1/ram_gb_per_node")
    return replace(base, **fields)


def body(*clauses):
    return Body("C-2026-1", 1, "t", "0" * 64, {}, (), (), clauses)


OLD = clause(conditions={"runtime_s": 30}, computed_from={"g1/a": "1"})
TABLE = [
    ("value", {"value": Decimal(1536)}, Kind.VALUE),
    ("unit", {"unit": "GiB"}, Kind.VALUE),
    ("direction", {"operator": Operator.AT_MOST}, Kind.VALUE),
    ("value and wording", {"value": Decimal(1536), "text": Text("内存容量", "memory")}, Kind.VALUE),
    ("a condition", {"conditions": {"runtime_s": 60}}, Kind.CONDITIONS),
    ("whether acceptance depends on it", {"mandatory": True, "verified_by": "measurement"}, Kind.CONDITIONS),
    ("its source", {"computed_from": {"g1/a": "2"}}, Kind.SOURCE),
    ("its source and wording", {"computed_from": {}, "text": Text("内存容量", "memory")}, Kind.SOURCE),
    ("wording", {"text": Text("内存容量", "memory")}, Kind.WORDING),
]


@pytest.mark.parametrize(("fields", "kind"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_difference_has_its_kind(fields, kind):
    (found,) = changes(body(OLD), body(replace(OLD, **fields)))
    assert (found.kind, found.key) == (kind, "g1/ram")


def test_equal_lines_do_not_show():
    assert changes(body(OLD), body(OLD)) == ()


def test_old_and_new_value_stand_side_by_side():
    (found,) = changes(body(OLD), body(replace(OLD, value=Decimal(1536))))
    assert [text.en for text in found.values] == ["≥ 2,048 GB", "≥ 1,536 GB"]


def test_conditions_show_only_where_they_differ():
    new = replace(OLD, conditions={"runtime_s": 60, "direct": True})
    (found,) = changes(body(OLD), body(new))
    lost, gained = found.conditions
    assert [text.en for text in lost] == ["each run takes 30 s at least"]
    assert [text.en for text in gained] == ["each run takes 60 s at least", "direct I/O, no cache"]


def test_added_lines_stand_in_place_and_removed_ones_last():
    added, removed = clause("g1/new"), clause("g1/gone")
    found = changes(body(removed, OLD), body(added, replace(OLD, value=Decimal(1))))
    assert [(each.key, each.kind) for each in found] == [
        ("g1/new", Kind.ADDED), ("g1/ram", Kind.VALUE), ("g1/gone", Kind.REMOVED),
    ]  # fmt: skip
    assert found[0].values[0] is None and found[2].values[1] is None
    assert counts(found) == {Kind.ADDED: 1, Kind.REMOVED: 1, Kind.VALUE: 1}


@pytest.mark.parametrize(
    ("fields", "shows"),
    [
        ({"conditions": {"collective": "all_gather"}, "text": Text("新", "all_gather")}, True),
        ({"conditions": {"collective": "all_gather"}, "text": Text("新", "all_gather"), "value": Decimal(1)}, True),
        ({"text": Text("新", "1 GB"), "value": Decimal(1)}, False),
        ({"value": Decimal(1)}, False),
    ],
    ids=["another collective", "another collective and value", "the value its sentence says", "the value alone"],
)
def test_the_old_sentence_shows_where_it_said_more_than_the_value(fields, shows):
    old = clause(text=Text("旧", "all_reduce"), conditions={"collective": "all_reduce"})
    (found,) = changes(body(old), body(replace(old, **fields)))
    assert found.old_text == (old.text if shows else None)


def test_every_kind_has_words():
    assert set(KINDS) == set(Kind)


SHOWN = [
    ("value", {"value": Decimal(1536)}, "≥ 2,048 GB", "≥ 1,536 GB"),
    ("a condition", {"conditions": {"runtime_s": 60}}, "each run takes 30 s at least", "each run takes 60 s at least"),
    ("value and condition", {"value": Decimal(1536), "conditions": {"runtime_s": 60}},
     "≥ 2,048 GB; each run takes 30 s at least", "≥ 1,536 GB; each run takes 60 s at least"),
    ("wording", {"text": Text("内存容量", "memory")}, "RAM", "memory"),
    ("what only the sentence says", {"conditions": {"runtime_s": 30, "pricing_unit": "package"},
                                     "text": Text("内存（总价打包）", "RAM (package)")}, "RAM", "RAM (package)"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "before", "after"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_the_list_of_changes_always_shows_what_differs(fields, before, after):
    (found,) = changes(body(OLD), body(replace(OLD, **fields)))
    assert [text.en for text in found.shown] == [before, after]


def test_a_changed_source_alone_shows_no_difference_of_its_own():
    (found,) = changes(body(OLD), body(replace(OLD, computed_from={"g1/a": "2"})))
    assert found.shown == (None, None)
