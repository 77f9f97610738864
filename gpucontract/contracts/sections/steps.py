"""All ten sections in the wizard's order, and every term by its id."""

from __future__ import annotations

from gpucontract.contracts.sections import (
    acceptance,
    commercial,
    exit,
    interconnect,
    nodes,
    parties,
    security,
    sla,
    software,
    storage,
)
from gpucontract.contracts.sections.term import Row, Section, TermInfo

STEPS: tuple[Section, ...] = tuple(
    module.SECTION
    for module in (parties, nodes, interconnect, storage, software, security, sla, acceptance, commercial, exit)
)
SECTIONS: dict[str, Section] = {section.id: section for section in STEPS}
TERMS: dict[str, TermInfo] = {info.id: info for section in STEPS for info in section.terms}
SECTION_OF: dict[str, str] = {info.id: section.id for section in STEPS for info in section.terms}

ROW_OF_LETTER = {"c": Row.CONTRACT, "g": Row.GROUP, "m": Row.MOUNT}


def terms_of(code: str) -> tuple[TermInfo, ...]:
    """The terms that a row of such a code holds: c, g1, m1; computed ones are held nowhere."""
    row = ROW_OF_LETTER[code[0]]
    return tuple(info for info in TERMS.values() if info.row is row and not info.is_computed)
