"""A place's answers as the document that is kept, and back: compact JSON, exact numbers, both languages.

[[grounds, {clause key: ruling}], ...]: one part for all clauses that rest on the same grounds. A ground is [runs,
aside, hosts, fresh until]; a ruling [counts, oldest, [[scope, state, reason, value, facts, attribution, ground], ...]].
Decimals are {"d": "455"}, Texts {"zh", "en"}. Rulings name no machine, so a fleet that reads alike has few of them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from gpucontract.verdicts.answers import Ground, PlaceVerdict, Ruling, Said, standing
from gpucontract.verdicts.states import Attribution, State
from gpucontract.wording import Text


class Part(msgspec.Struct, frozen=True, array_like=True):
    """The grounds of some clauses, and the ruling of each, still as JSON."""

    grounds: tuple[Ground, ...]
    rulings: dict[str, msgspec.Raw]


# So many rulings are remembered in their plain form; of a contract's sixty clauses each has a handful.
MOST_KNOWN = 4096
_PARTS = msgspec.json.Decoder(tuple[Part, ...])


def written(answers: Mapping[str, PlaceVerdict]) -> list[Any]:
    """The document of one place."""
    parts: list[tuple[tuple[Ground, ...], dict[str, Any]]] = []
    for key, answer in answers.items():
        own = next((rulings for grounds, rulings in parts if grounds == answer.grounds), None)
        if own is None:
            own = {}
            parts.append((answer.grounds, own))
        own[key] = _written(answer.ruling)
    return [[msgspec.to_builtins(grounds), rulings] for grounds, rulings in parts]


def read(
    documents: Iterable[tuple[str, str | bytes]], only: Container[str] | None = None
) -> dict[str, list[PlaceVerdict]]:
    """Clause key -> the answers of all these places, from (place, document) as JSON. only: just these clauses."""
    known: dict[bytes, Ruling] = {}
    answers: dict[str, list[PlaceVerdict]] = {}
    for place, document in documents:
        for part in _PARTS.decode(document):
            grounds = part.grounds
            for key, raw in part.rulings.items():
                if only is not None and key not in only:
                    continue
                data = bytes(raw)
                ruling = known.get(data)
                if ruling is None:
                    ruling = known[data] = _ruling(msgspec.json.decode(data))
                answers.setdefault(key, []).append(standing(place, ruling, grounds))
    return answers


@lru_cache(maxsize=MOST_KNOWN)
def _written(ruling: Ruling) -> list[Any]:
    """A ruling in plain values; machines that read alike share one, and none of the lists is changed by anyone."""
    kept = [
        [
            said.scope, said.state.value, said.reason, _plain(said.value), _plain(said.facts), said.attribution.value,
            said.ground,
        ]
        for said in ruling.kept
    ]  # fmt: skip
    return [{state.value: count for state, count in ruling.counts.items()}, ruling.oldest, kept]


def _ruling(document: list[Any]) -> Ruling:
    counts, oldest, kept = document
    return Ruling(tuple(map(_said, kept)), {State(state): count for state, count in counts.items()}, oldest)


def _said(row: list[Any]) -> Said:
    scope, state, reason, value, facts, attribution, ground = row
    rich = {name: _rich(fact) for name, fact in facts.items()}
    return Said(scope, State(state), reason, _rich(value), rich, Attribution(attribution), ground)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {"d": format(value, "f")}
    if isinstance(value, Text):
        return {"zh": value.zh, "en": value.en}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_rich(item) for item in value)
    if not isinstance(value, dict):
        return value
    return Decimal(value["d"]) if "d" in value else Text(value["zh"], value["en"])
