"""A place's answers as the document that is kept, and back: compact JSON, exact numbers, both languages.

{clause key: {"c": {state: scopes}, "f": fresh until, "k": [[scope, state, reason, value, facts, runs, aside, hosts,
attribution, fresh until], ...]}}; Decimals are {"d": "455"}, Texts {"zh", "en"}.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from gpucontract.verdicts.states import Attribution, PlaceVerdict, ScopeVerdict, State
from gpucontract.wording import Text


def written(answers: Mapping[str, PlaceVerdict]) -> dict[str, Any]:
    """The document of one place."""
    return {key: _written_answer(answer) for key, answer in answers.items()}


def read(place: str, document: Mapping[str, Any]) -> dict[str, PlaceVerdict]:
    """The answers that written() put down."""
    return {key: _read_answer(place, answer) for key, answer in document.items()}


def _written_answer(answer: PlaceVerdict) -> dict[str, Any]:
    return {
        "c": {state.value: count for state, count in answer.counts.items()},
        "f": _moment(answer.fresh_until),
        "k": [_written_scope(verdict) for verdict in answer.kept],
    }


def _written_scope(verdict: ScopeVerdict) -> list[Any]:
    return [
        verdict.scope, verdict.state.value, verdict.reason, _plain(verdict.value), _plain(dict(verdict.facts)),
        list(verdict.runs), [list(pair) for pair in verdict.aside], dict(verdict.hosts), verdict.attribution.value,
        _moment(verdict.fresh_until),
    ]  # fmt: skip


def _read_answer(place: str, answer: Mapping[str, Any]) -> PlaceVerdict:
    counts = {State(state): count for state, count in answer["c"].items()}
    return PlaceVerdict(place, tuple(_read_scope(scope) for scope in answer["k"]), counts, _read_moment(answer["f"]))


def _read_scope(row: list[Any]) -> ScopeVerdict:
    scope, state, reason, value, facts, runs, aside, hosts, attribution, until = row
    return ScopeVerdict(
        scope=scope, state=State(state), reason=reason, value=_rich(value), facts=_rich_facts(facts), runs=tuple(runs),
        aside=tuple((run, why) for run, why in aside), hosts=hosts, attribution=Attribution(attribution),
        fresh_until=_read_moment(until),
    )  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {"d": format(value, "f")}
    if isinstance(value, Text):
        return {"zh": value.zh, "en": value.en}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _rich_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _rich(value) for name, value in facts.items()}


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_rich(item) for item in value)
    if not isinstance(value, dict):
        return value
    return Decimal(value["d"]) if "d" in value else Text(value["zh"], value["en"])


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _read_moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
