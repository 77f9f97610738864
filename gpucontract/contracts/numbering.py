"""The numbers clauses bear on paper and on every page: chapter by wizard step, line by order; layout, never a key."""

from __future__ import annotations

from collections.abc import Mapping
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
    found: list[Part] = []
    for step in STEPS:
        clauses = [clause for clause in body.clauses if clause.section == step.id]
        if clauses:
            number = len(found) + 1
            lines = tuple((f"{number}.{place}", clause) for place, clause in enumerate(clauses, 1))
            found.append(Part(number, step.title, lines))
    return tuple(found)


def citations(body: Body) -> Mapping[str, Text]:
    """Clause key -> how a sentence speaks of it: its number and what it says."""
    return {
        clause.key: _CITED.fill(number=number, text=clause.text)
        for part in parts(body)
        for number, clause in part.lines
    }
