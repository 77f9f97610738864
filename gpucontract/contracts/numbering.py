"""The numbers clauses bear on paper and on every page: chapter by wizard step, line by order; layout, never a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.sections.steps import STEPS
from gpucontract.wording import Text

_CITED = Text("{number}“{text}”", "{number} (“{text}”)")


@dataclass(frozen=True, slots=True)
class Part:
    """One chapter: its number, title and clauses, each with its own number."""

    number: int
    title: Text
    lines: tuple[tuple[str, Clause], ...]


def parts(body: Body) -> tuple[Part, ...]:
    """The chapters that have clauses, in the wizard's order."""
    return numbered(body.clauses)


def numbered(clauses: Iterable[Clause]) -> tuple[Part, ...]:
    """The same for clauses of which there is no frozen body yet."""
    found: list[Part] = []
    by_section: dict[str, list[Clause]] = {}
    for clause in clauses:
        by_section.setdefault(clause.section, []).append(clause)
    for step in STEPS:
        if step.id in by_section:
            number = len(found) + 1
            lines = tuple((f"{number}.{place}", clause) for place, clause in enumerate(by_section[step.id], 1))
            found.append(Part(number, step.title, lines))
    return tuple(found)


def citations(body: Body) -> Mapping[str, Text]:
    """Clause key -> how a sentence speaks of it: its number and what it says."""
    return {
        clause.key: _CITED.fill(number=number, text=clause.text)
        for part in parts(body)
        for number, clause in part.lines
    }
