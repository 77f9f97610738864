"""The limits of an organisation's checks as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpucontract.accounts.models import Organisation
from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.policies import default_of, own_values
from gpucontract.contracts.sections.values import limits
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import typed_as, unit_of
from gpucontract.web.wizard import said
from gpucontract.wording import Text

LONGEST = 40


@dataclass(frozen=True, slots=True)
class Limit:
    """One number: what stands in its input, what holds while that is empty, between which bounds it lies."""

    name: str
    label: str
    does: str
    unit: str
    typed: str
    now: str
    default: str
    bare: str
    bounds: str
    checks: tuple[str, ...]
    error: str = ""

    @property
    def message(self) -> str:
        """For the list of problems at the top."""
        return self.error

    @property
    def target(self) -> str:
        """The id of its input."""
        return f"limit-{self.name}"


def limits_of(organisation: Organisation, typed: Mapping[str, str] | None, refusals: Mapping[str, Text]) -> list[Limit]:
    """Every limit. typed: what was posted, where that is shown again; refusals: what is wrong with it."""
    own = own_values(organisation)
    posted = {name: typed_as(own.get(name))[0] for name in LINES} if typed is None else typed
    return [_limit(name, own.get(name), posted.get(name, ""), refusals.get(name)) for name in LINES]


def typed_by(posted: Mapping[str, Any]) -> dict[str, str]:
    """The limits that a form sent, as typed."""
    return {name: str(posted[name])[:LONGEST] for name in LINES if name in posted}


def _limit(name: str, own: Any, typed: str, refusal: Text | None) -> Limit:
    info, default = LINES[name].info, default_of(name)
    return Limit(
        name=name, label=spoken(info.label), does=spoken(info.why), unit=unit_of(info), typed=typed,
        now=said(info, default if own is None else own), default=said(info, default),
        bare=typed_as(default)[0], bounds=spoken(limits(info)),
        checks=LINES[name].checks, error=spoken(refusal) if refusal else "",
    )  # fmt: skip
