"""Verdicts at one place as JSON and back, exact: the documents that aggregation reads instead of judging again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.verdicts.states import Attribution, PlaceVerdict, ScopeVerdict, State
from gpucontract.wording import Text

_TAG = "$"


def place_document(verdict: PlaceVerdict) -> dict[str, Any]:
    """A PlaceVerdict as JSON with short keys."""
    return {
        "p": verdict.place,
        "k": [_scope_document(kept) for kept in verdict.kept],
        "c": {state.value: number for state, number in verdict.counts.items()},
        "f": verdict.fresh_until.isoformat() if verdict.fresh_until else None,
    }


def place_verdict(document: Mapping[str, Any]) -> PlaceVerdict:
    """The PlaceVerdict that place_document() wrote."""
    return PlaceVerdict(
        place=document["p"], kept=tuple(_scope_verdict(kept) for kept in document["k"]),
        counts={State(state): number for state, number in document["c"].items()}, fresh_until=_moment(document["f"]),
    )  # fmt: skip


def _scope_document(verdict: ScopeVerdict) -> dict[str, Any]:
    whole = {
        "s": verdict.scope, "st": verdict.state.value, "r": verdict.reason, "v": _plain(verdict.value),
        "x": _plain(dict(verdict.facts)), "run": list(verdict.runs), "out": [list(each) for each in verdict.aside],
        "h": dict(verdict.hosts), "a": verdict.attribution.value,
        "f": verdict.fresh_until.isoformat() if verdict.fresh_until else None,
    }  # fmt: skip
    return {key: part for key, part in whole.items() if part not in (None, [], {})}


def _scope_verdict(document: Mapping[str, Any]) -> ScopeVerdict:
    return ScopeVerdict(
        scope=document["s"], state=State(document["st"]), reason=document["r"], value=_rich(document.get("v")),
        facts=_rich(document.get("x", {})), runs=tuple(document.get("run", ())),
        aside=tuple((run, reason) for run, reason in document.get("out", ())), hosts=document.get("h", {}),
        attribution=Attribution(document["a"]), fresh_until=_moment(document.get("f")),
    )  # fmt: skip


def _plain(value: Any) -> Any:
    """Decimals, Texts and moments become tagged objects; sequences lists. Raises TypeError for what has no form."""
    if isinstance(value, Decimal):
        return {_TAG: "d", "v": decimal_text(value)}
    if isinstance(value, Text):
        return {_TAG: "t", "zh": value.zh, "en": value.en}
    if isinstance(value, datetime):
        return {_TAG: "m", "v": value.isoformat()}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be stored in a verdict")


def _rich(value: Any) -> Any:
    if isinstance(value, Mapping):
        kind = value.get(_TAG)
        if kind == "d":
            return Decimal(value["v"])
        if kind == "t":
            return Text(value["zh"], value["en"])
        if kind == "m":
            return datetime.fromisoformat(value["v"])
        return {key: _rich(item) for key, item in value.items()}
    return tuple(_rich(item) for item in value) if isinstance(value, list) else value


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
