"""How many retests were ordered of those the contract allows, how long the cure may take, what to think of first."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucontract.contracts.body import Body
from gpucontract.contracts.carrying import carried
from gpucontract.contracts.models import Contract
from gpucontract.measurements.states import RunState
from gpucontract.verdicts.models import VerdictChange
from gpucontract.verdicts.retesting import Change, Ordered, retests
from gpucontract.verdicts.states import State

_ROUNDS, _DAYS = "c/retest_rounds_max", "c/retest_days"


@dataclass(frozen=True, slots=True)
class Retests:
    """rounds: those that count as retests. limit, days: None where the contract names none.

    open: runs of rounds ordered that have brought no result yet. before: retests of the same acceptance that were
    ordered under the contract that this one amends.
    """

    rounds: tuple[int, ...]
    limit: int | None
    days: int | None
    open: int
    before: int = 0

    @property
    def ordered(self) -> int:
        """How many retests were ordered in this acceptance."""
        return self.before + len(self.rounds)

    def told(self) -> str:
        """How many were ordered and how many are left; empty where the contract names no limit."""
        if self.limit is None:
            return ""
        said = {"ordered": self.ordered, "limit": self.limit, "left": self.limit - self.ordered}
        if self.ordered > self.limit:
            return _("Retests ordered: %(ordered)s, more than the %(limit)s agreed") % said
        return _("Retests ordered: %(ordered)s, left: %(left)s") % said

    def how(self) -> str:
        """Which rounds were counted and which are not; empty where the contract names no limit."""
        if self.limit is None:
            return ""
        rule = _(
            "A round counts as a retest when it measures something again after a breach was found; first measurements, "
            "repeats before that, rounds without any result and pair tests that single out a machine do not count."
        )
        if not self.rounds:
            return rule
        counted = ngettext("Counted: round %(rounds)s.", "Counted: rounds %(rounds)s.", len(self.rounds))
        return _("%(counted)s %(rule)s") % {
            "counted": counted % {"rounds": _(", ").join(map(str, self.rounds))}, "rule": rule,
        }  # fmt: skip

    def warnings(self) -> list[str]:
        """What to think of before another round is ordered."""
        said = {"limit": self.limit, "ordered": self.ordered}
        found = []
        if self.open:
            text = ngettext(
                "%(open)s run ordered earlier has no result yet: wait for it or cancel it before another round.",
                "%(open)s runs ordered earlier have no result yet: wait for them or cancel them before another round.",
                self.open,
            )  # fmt: skip
            found.append(text % {"open": self.open})
        if self.limit is not None and self.ordered >= self.limit:
            found.append(
                _("The contract allows %(limit)s retests and %(ordered)s were ordered: agree with the vendor on more.")
                % said
            )
        return found


def retests_of(contract: Contract, body: Body) -> Retests:
    """What was ordered, beside what the frozen clauses allow."""
    numbers = {clause.key: int(Decimal(str(clause.value))) for clause in body.clauses if clause.key in (_ROUNDS, _DAYS)}
    waiting = contract.runs.filter(state__in=("queued", "running")).count()
    rounds, before = _counted(contract)
    return Retests(rounds, numbers.get(_ROUNDS), numbers.get(_DAYS), waiting, before)


def _counted(contract: Contract) -> tuple[tuple[int, ...], int]:
    """The retests of this contract by round, and how many were ordered before under those that it amends."""
    runs: list[Ordered] = []
    singling: set[int] = set()
    # Each contract counts its rounds from one.
    line, offset = [*reversed(_same_acceptance(contract)), contract], 0
    for each in line:
        offset = max((run.round for run in runs), default=0)
        runs += _ordered(each, offset)
        orders = each.events.filter(kind="runs_ordered").values_list("body", flat=True)
        singling |= {order["round"] + offset for order in map(json.loads, orders) if "nodes" in order}
    changes = VerdictChange.objects.filter(contract__in=line).order_by("at", "number").iterator()
    found = retests(runs, [Change(each.key, State(each.body["state"]), each.at) for each in changes], singling)
    own = tuple(number - offset for number in found if number > offset)
    return own, len(found) - len(own)


def _ordered(contract: Contract, offset: int) -> list[Ordered]:
    columns = ("round", "group_code", "job", "lead__code", "state", "ordered_at")
    return [
        Ordered(number + offset, (group, job, lead), RunState(state), at)
        for number, group, job, lead, state, at in contract.runs.values_list(*columns)
    ]


def _same_acceptance(contract: Contract) -> list[Contract]:
    """The contracts that this one amends, as far as their acceptance was still going on when it took their place."""
    line: list[Contract] = []
    while (known := carried([contract]).get(contract.pk)) and known.accepted_on is None and contract.amends:
        contract = contract.amends
        line.append(contract)
    return line


def cure_until(contract: Contract, breached: Collection[str], days: int | None) -> str:
    """Since when the oldest of these clauses is breached, and the day the time to cure ends counted from there."""
    if days is None or (since := _since(contract, breached)) is None:
        return ""
    said = {"since": since.isoformat(), "days": days, "until": (since + timedelta(days=days)).isoformat()}
    return _("First breach found on %(since)s; %(days)s days from then end on %(until)s") % said


def _since(contract: Contract, keys: Collection[str]) -> date | None:
    """The day on which the oldest breach that still stands was found."""
    began: dict[str, date] = {}
    known = carried([contract]).get(contract.pk)
    own = VerdictChange.objects.filter(contract=contract, key__in=keys)
    same = set(keys) - set(known.changed if known else ())
    earlier = VerdictChange.objects.filter(contract__in=_same_acceptance(contract), key__in=same)
    for change in (own | earlier).order_by("at", "number"):
        if change.body["state"] != State.BREACHED:
            began.pop(change.key, None)
        else:
            began.setdefault(change.key, timezone.localdate(change.at))
    return min(began.values(), default=None)
