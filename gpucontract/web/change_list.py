"""Changes between two bodies as pages show them: part by part, old beside new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gpucontract.contracts.comparing import KINDS, Change, changes
from gpucontract.contracts.models import Contract, Revision
from gpucontract.contracts.price_effects import effects
from gpucontract.contracts.revising import drafted_body
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.localise import spoken

LOOKS = {"added": "good", "removed": "bad", "value": "warn", "conditions": "warn", "source": "info", "wording": "idle"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One changed line in the reader's language. tone: as in parts.css; before, after: printed values."""

    key: str
    text: str
    old_text: str
    kind: str
    word: str
    tone: str
    before: str
    after: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The changed lines of one section."""

    title: str
    lines: tuple[Shown, ...]


def chapters_of(found: Iterable[Change]) -> list[Chapter]:
    """The changes in the order of the sections."""
    all_found = list(found)
    by_section = {name: [change for change in all_found if change.section == name] for name in SECTIONS}
    return [
        Chapter(spoken(SECTIONS[name].title), tuple(map(shown, lines))) for name, lines in by_section.items() if lines
    ]


def shown(change: Change) -> Shown:
    """One change in words."""
    before, after = change.values
    lost, gained = change.conditions
    return Shown(
        key=change.key, text=spoken(change.text), old_text=spoken(change.old_text) if change.old_text else "",
        kind=change.kind.value, word=spoken(KINDS[change.kind]), tone=LOOKS[change.kind],
        before=spoken(before) if before else "", after=spoken(after) if after else "", lost=tuple(map(spoken, lost)),
        gained=tuple(map(spoken, gained)),
    )  # fmt: skip


def drafted(revision: Revision) -> dict[str, Any]:
    """What the terms as drafted now would change for the vendor, and the price effects accepted on the revision."""
    body = drafted_body(revision.contract)
    found = list(effects(revision, body))
    chapters = chapters_of(changes(revision.body(), body)) if body else []
    texts = {clause.key: clause.text for clause in body.clauses} if body else {}
    return {
        "changes": chapters,
        "texts": texts,
        "effects": found,
        "open_effects": [effect for effect in found if effect.is_open],
    }


def drafted_since_sent(contract: Contract) -> dict[str, Any]:
    """What sending the terms now would change since the vendor last saw them, and what that does about the price.

    For an amendment that was never sent: since the contract that it amends was signed.
    """
    newest = contract.revisions.sent().order_by("-number").first()
    if newest:
        return drafted(newest)
    signed = contract.amends.revisions.sent().order_by("-number").first() if contract.amends else None
    body = drafted_body(contract) if signed else None
    chapters = chapters_of(changes(signed.body(), body)) if signed and body else None
    return {"changes": chapters, "effects": [], "is_against_signed": signed is not None}
