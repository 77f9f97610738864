"""Terms into clauses: the lines of the appendix, in the order of the sections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from string import Formatter
from typing import Any

from gpucontract.contracts.clause_rows.row import ClauseRow, Per
from gpucontract.contracts.clause_table import CLAUSE_ROWS, CLAUSE_TABLE
from gpucontract.contracts.clauses import Clause, Operator, Scope, Value, VerifiedBy
from gpucontract.contracts.sections.commercial import IN_CURRENCY
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS, terms_of
from gpucontract.contracts.sections.term import Kind, TermInfo, When
from gpucontract.contracts.suggestions import Suggestion, suggestion
from gpucontract.contracts.terms import Local, NotGiven, Terms
from gpucontract.contracts.values import UNIT_OF_KIND, held, in_days, joined, priced, same, words
from gpucontract.units import grouped
from gpucontract.wording import Text

VERSION = "2026.5"

# These say which row it is and stand in the revision's head.
STRUCTURE = ("name", "path", "groups")
# Rows whose order is what they say.
IN_ORDER = ("appendix_precedence",)
# A term with one of these promises nothing that could be measured; it prints as a plain line.
NO_PROMISE = (False, "none", "other")

_LABELS: Mapping[str, Mapping[Any, Text]] = {
    "dtype": TERMS["gemm_dtype"].choices,
    "kind": next(column.formal_choices for column in TERMS["delivery_documents"].columns if column.id == "kind"),
    "size": TERMS["intra_busbw_msg_size"].formal_choices,
    **{name: TERMS[name].formal_choices for name in ("day_basis", "pricing_unit", "currency", "data_deletion_method")},
}
_PLACE = Text("{label}（第 {place} 位）", "{label}, no. {place}")
_LINE = Text("{label}：{value}", "{label}: {value}")
_NONE = Text("{label}：不适用，理由：{reason}", "{label}: not applicable, as {reason}")
_OF_ROW = Text("{row}：{sentence}", "{row}: {sentence}")
# Terms whose days are of the kind that the acceptance window counts in.
_IN_WINDOW_DAYS = ("deemed_acceptance_days",)

Built = dict[str, Clause]


def clauses(terms: Terms, optional: Collection[str] = ()) -> tuple[Clause, ...]:
    """Every clause of the terms, section by section; a term that is not given makes no line.

    optional: keys of measured or documented clauses that the approver made not mandatory.
    """
    built: Built = {}
    used: set[str] = set()
    for code in _codes(terms):
        for row in CLAUSE_TABLE:
            if row.per in (Per(code[0]), Per.CHILD if code == "c" else None):
                _add(_from_row(row, terms.at(code), built, optional), built, used, row, terms.at(code))
    for code in _codes(terms):
        for clause in _plain_lines(terms.at(code), used):
            built[clause.key] = clause
    return _in_order(built.values(), terms)


def _add(made: Iterable[Clause], built: Built, used: set[str], row: ClauseRow, local: Local) -> None:
    for clause in made:
        built[clause.key] = clause
        used.update(local.path(term) for term in row.terms if row.per is Per.CHILD or TERMS[term].kind is not Kind.ROWS)


def _from_row(row: ClauseRow, local: Local, built: Built, optional: Collection[str]) -> list[Clause]:
    """The clauses one table row makes for one row of the contract; none where it does not apply."""
    try:
        if not all(_holds(when, local) for when in row.when):
            return []
        if row.per is Per.CHILD:
            return [_clause(row, local, {**child}, built, optional) for child in local[row.terms[0]]]
        conditions = dict(row.conditions(local))
        promised = row.fixed is not None or _promises(row, local[row.terms[0]])
        return [_clause(row, local, conditions, built, optional)] if promised and _is_said(row, conditions) else []
    except NotGiven:
        return []


def _holds(when: When, local: Local) -> bool:
    """Whether a condition holds here; a contract-wide row asks every group."""
    return any(when.holds(value) for value in local.seen(when.term))


def _promises(row: ClauseRow, value: Any) -> bool:
    if row.unit == "version":
        return _version(value) is not None
    if row.operator is Operator.AT_LEAST and not isinstance(value, bool | str):
        return Decimal(value) > 0
    return not any(value is nothing or value == nothing for nothing in NO_PROMISE if type(value) is type(nothing))


def _is_said(row: ClauseRow, conditions: Mapping[str, Any]) -> bool:
    named = {name for _, name, _, _ in Formatter().parse(row.text.zh) if name}
    return named <= {"value", *conditions}


def _clause(
    row: ClauseRow, local: Local, conditions: dict[str, Any], built: Built, optional: Collection[str]
) -> Clause:
    key = _key(row, local, conditions)
    value = _value(row, local)
    proposed = _proposal(row, local, value)
    judged = row.verified_by is not VerifiedBy.NONE
    return Clause(
        key=key, section=row.section, text=_sentence(row, local, conditions, value), operator=row.operator, value=value,
        unit=conditions[row.unit_from] if row.unit_from else row.unit,
        term=local.path(row.terms[0]) if row.terms and row.fixed is None else None,
        metric=row.metric, kind="rate" if row.is_rate else "fact", scope=row.scope, jobs=row.jobs,
        conditions={name: item for name, item in conditions.items() if item is not None},
        **(_repeats(local) if row.is_rate else {}),
        verified_by=row.verified_by, mandatory=judged and key not in optional,
        threshold_source=(proposed.source if proposed else "contract") if judged else "",
        computed_from=_sources(proposed, local, built),
    )  # fmt: skip


def _key(row: ClauseRow, local: Local, conditions: Mapping[str, Any]) -> str:
    name = f"{local.code}/{row.name}"
    if row.per is Per.CHILD:
        return f"{name}:{conditions.get('code') or conditions['kind']}"
    return f"{name}:{conditions[row.qualifier]}" if row.qualifier else name


def _value(row: ClauseRow, local: Local) -> Value:
    if row.fixed is not None:
        return row.fixed(local) if callable(row.fixed) else row.fixed
    value = held(local[row.terms[0]])
    if row.unit == "version":
        return _version(value) or value
    return (value,) if row.operator is Operator.IN and isinstance(value, str) else value


def _version(text: Any) -> str | None:
    found = re.search(r"\d+(?:\.\d+)*", str(text))
    return found[0] if found else None


def _proposal(row: ClauseRow, local: Local, value: Value) -> Suggestion | None:
    """The catalogue's proposal, where the term holds exactly that; a value somebody typed otherwise has none."""
    if row.fixed is not None:
        return None
    found = suggestion(local.terms, f"{local.code}/{row.terms[0]}")
    return found if found and held(found.value) == value else None


def _sources(proposed: Suggestion | None, local: Local, built: Built) -> dict[str, str]:
    keys = [f"{local.code}/{name}" for name in proposed.computed_from] if proposed else []
    return {key: built[key].sha256 for key in keys if key in built}


def _repeats(local: Local) -> dict[str, Any]:
    return {
        "repeats": int(local.get("repeat_runs", TERMS["repeat_runs"].default)),
        "repeat_rule": local.get("repeat_rule", TERMS["repeat_rule"].default),
        "tolerance": Decimal(local.get("tolerance_pct", 0)),
    }


def _sentence(row: ClauseRow, local: Local, conditions: Mapping[str, Any], value: Value) -> Text:
    spoken = {name: _said(name, item) for name, item in conditions.items()}
    return _named(local, row.text.fill(**{**spoken, "value": _spoken_value(row, value, conditions)}))


def _said(name: str, item: Any) -> Any:
    if name in _LABELS:
        return _LABELS[name].get(item, item)
    return grouped(item) if isinstance(item, int) and not isinstance(item, bool) else item


def _spoken_value(row: ClauseRow, value: Value, conditions: Mapping[str, Any]) -> Text:
    if isinstance(value, tuple) and not row.terms:
        return Text(" 或 ".join(value), " or ".join(value))
    info = TERMS[row.terms[0]] if row.terms else None
    if isinstance(value, Decimal) or info is None:
        return words(replace(_BARE, unit=conditions[row.unit_from]) if row.unit_from else _BARE, value)
    return joined([words(info, each) for each in value]) if isinstance(value, tuple) else words(info, value)


def _named(local: Local, sentence: Text) -> Text:
    """The sentence with its group's name before it, where there are several groups to tell apart."""
    if local.code not in local.terms.groups or len(local.terms.groups) == 1:
        return sentence
    return _OF_ROW.fill(row=local.get("name", local.code), sentence=sentence)


def _placed_in(local: Local, sentence: Text) -> Text:
    """A line without a wording of its own: whose it is stands before it, a mount's always, a group's as ever."""
    if local.code in local.terms.mounts:
        return _OF_ROW.fill(row=local["path"], sentence=sentence) if local.is_given("path") else sentence
    return _named(local, sentence)


def _plain_lines(local: Local, used: set[str]) -> Iterator[Clause]:
    """A line for each given term of the row that no clause of the table has used."""
    currency = local.get("currency", TERMS["currency"].default)
    for info in terms_of(local.code):
        path = f"{local.code}/{info.id}"
        if reason := local.terms.reason(path):
            yield _none_line(local, info, reason, path)
        if path in used or info.id in STRUCTURE or not local.terms.is_given(path):
            continue
        if info.kind is Kind.ROWS:
            yield from (_plain_line(local, _placed(info, place), child, f"{path}:{_child_name(child, place)}", currency)
                        for place, child in enumerate(local[info.id], 1))  # fmt: skip
        else:
            yield _plain_line(local, info, local[info.id], path, currency)


def _placed(info: TermInfo, place: int) -> TermInfo:
    """Where the order of the rows says something, the line carries its place."""
    return replace(info, printed=_PLACE.fill(label=info.formal, place=place)) if info.id in IN_ORDER else info


def _child_name(child: Mapping[str, Any], place: int) -> str:
    return str(child.get("code") or place)


def _plain_line(local: Local, info: TermInfo, value: Any, key: str, currency: str) -> Clause:
    info = priced(info, currency)
    basis = str(local.get("day_basis", "")) if info.id in _IN_WINDOW_DAYS else ""
    said = in_days(value, basis) if basis else words(info, value)
    beside = {"day_basis": basis, "currency": currency if _has_money(info) else ""}
    return Clause(
        key=key, section=SECTION_OF[info.id], text=_placed_in(local, _LINE.fill(label=info.formal, value=said)),
        operator=Operator.EQUAL, value=held(value), unit=info.unit or UNIT_OF_KIND[info.kind],
        term=None if info.kind is Kind.ROWS else key, conditions={name: each for name, each in beside.items() if each},
        scope={"g": Scope.GROUP, "m": Scope.MOUNT}.get(local.code[0], Scope.CONTRACT),
    )  # fmt: skip


def _has_money(info: TermInfo) -> bool:
    """Whether cells of its rows are amounts: a clause's own unit says the currency of a single amount."""
    return any(column.id in IN_CURRENCY for column in info.columns)


def _none_line(local: Local, info: TermInfo, reason: str, key: str) -> Clause:
    """What is not applicable is agreed like any other line; nothing measures it."""
    text = _placed_in(local, _NONE.fill(label=info.formal, reason=reason))
    return Clause(
        key=key, section=SECTION_OF[info.id], text=text, operator=Operator.EQUAL, value=reason, unit="text",
        conditions={"not_applicable": True},
        scope={"g": Scope.GROUP, "m": Scope.MOUNT}.get(local.code[0], Scope.CONTRACT),
    )  # fmt: skip


def _in_order(built: Iterable[Clause], terms: Terms) -> tuple[Clause, ...]:
    """Section by section, there contract, groups, mounts, and in each the order in which the wizard asks."""
    codes, sections, asked = _codes(terms), list(SECTIONS), list(TERMS)

    def place(clause: Clause) -> tuple[int, int, int]:
        term = _asked_by(clause)
        position = asked.index(term) if term else len(asked)
        return sections.index(clause.section), codes.index(clause.code), position

    return tuple(sorted(built, key=place))


def _codes(terms: Terms) -> tuple[str, ...]:
    return ("c", *terms.groups, *terms.mounts)


def _asked_by(clause: Clause) -> str | None:
    """The term a clause comes from, or the one that brings a fixed clause in."""
    row = CLAUSE_ROWS.get(clause.name)
    if row is None:
        return clause.name
    return next(iter((*row.terms, *(when.term for when in row.when))), None)


_BARE = TermInfo("", same("-"), same("-"), Kind.DECIMAL)
