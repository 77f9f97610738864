"""RDMA writes between two machines as evidence for the ports of the one that writes: what each port reached there."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import OutputRecord, RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import condition_number, in_unit
from gpucontract.verdicts.fabric import Port, ports_of
from gpucontract.verdicts.scopes import short
from gpucontract.verdicts.trials import Printed, Trial, printed

TOOL = "ib_write_bw"
_LISTING = "ibv_devinfo"
# How perftest calls what a port calls its link layer.
_LINK_TYPES = {"InfiniBand": "IB", "Ethernet": "Ethernet"}
# Two clocks and a figure of a few digits; no wire carries more than its rate.
ABOVE_RATE = Decimal("1.02")
TEST = "RDMA_Write"

Miss = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Case:
    """One output beside the clause. words: of ib_write_bw as it was started; rate: of its port, Gb/s."""

    shown: Printed
    clause: Clause
    words: tuple[str, ...]
    other: str
    rate: Decimal | None

    @property
    def both_ways(self) -> bool:
        """Whether the clause is about both directions at once."""
        return self.clause.conditions.get("bidirectional") is True

    @property
    def reading(self) -> str:
        """The name of the average at the contracted size."""
        return f"bw_average_at_{condition_number(self.clause.conditions, 'size_bytes') or 0:f}"


def listed_ports(record: RunRecord, clause: Clause, place: str) -> tuple[Port, ...] | None:
    """The ports of this place's machine that the run saw up, of the contracted link layer; None where it saw none."""
    listings = (each for each in record.outputs if each.tool.startswith(_LISTING) and _is_of(each, record, place))
    listing = next((each for each in listings if not each.error), None)
    if listing is None:
        return None
    layer, shown = clause.conditions.get("link_layer", ""), ports_of(replace(record, outputs=(listing,)))
    return tuple(port for port in shown if port.state == "Active" and layer in ("", port.layer))


def write_trials(record: RunRecord, clause: Clause, place: str) -> dict[str, Trial]:
    """Port name -> what its writes reached in this run, or why that does not count; only ports of this place."""
    rates = {port.name: port.rate for port in listed_ports(record, clause, place) or ()}
    found: dict[str, Trial] = {}
    for shown in printed(record):
        if not shown.output.tool.startswith(TOOL) or not _is_of(shown.output, record, place):
            continue
        words = _words(shown.output)
        name = _port_name(words)
        if name:
            case = _Case(shown, clause, words, _other_host(record, place), rates.get(name))
            found[name] = _trial(record, case) if name not in found else Trial(record, why="many_results")
    return found


def failure(record: RunRecord) -> Trial:
    """Why a port that was up has no result in a run: what the tool said about the run as a whole, if anything."""
    error = next((each.error for each in record.outputs if each.tool.startswith(TOOL) and each.error), "")
    return Trial(record, why="tool_failed" if error else "not_read", facts={"detail": error} if error else {})


def _trial(record: RunRecord, case: _Case) -> Trial:
    for check in CHECKS:
        miss = check(case)
        if miss is not None:
            return Trial(record, why=miss[0], facts=miss[1])
    value = in_unit(case.shown.number(case.reading) or 0, case.shown.units[case.reading], case.clause.unit)
    return Trial(record, value)


def _is_of(output: OutputRecord, record: RunRecord, place: str) -> bool:
    """Whether this place's machine ran the tool: the lead by itself, the other one over SSH."""
    words = _split(output.command)
    is_lead = place == record.lead
    if words[:1] != ("ssh",):
        return is_lead
    return not is_lead and len(words) > 2 and _alike(words[-2], record.hostnames.get(place, ""))


def _words(output: OutputRecord) -> tuple[str, ...]:
    """The tool's own words, without those that start it on the other machine."""
    words = _split(output.command)
    own = _split(words[-1]) if words[:1] == ("ssh",) else words
    return own[own.index(TOOL) :] if TOOL in own else ()


def _split(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return ()


def _port_name(words: tuple[str, ...]) -> str:
    device, number = _option(words, "-d"), _option(words, "-i") or "1"
    return device if number == "1" or not device else f"{device}/{number}"


def _option(words: tuple[str, ...], name: str) -> str:
    at = words.index(name) + 1 if name in words else len(words)
    return words[at] if at < len(words) else ""


def _other_host(record: RunRecord, place: str) -> str:
    return next((host for slot, host in record.hostnames.items() if slot != place), "")


def _alike(one: str, other: str) -> bool:
    return bool(one) and short(one).lower() == short(other).lower()


def _failed(case: _Case) -> Miss | None:
    error = case.shown.output.error
    return ("tool_failed", {"detail": error}) if error else None


def _towards(case: _Case) -> Miss | None:
    """To the other machine of the pair, from the port that was named; within one machine no network is crossed."""
    is_loopback = any(finding.code == "perftest_loopback" for finding in case.shown.output.findings)
    if is_loopback or not _alike(case.words[-1], case.other):
        return "elsewhere", {}
    device = case.shown.word("device")
    wanted = _option(case.words, "-d")
    return None if device == wanted else ("other_profile", {"name": "device", "seen": device or "?", "wanted": wanted})


def _profile(case: _Case) -> Miss | None:
    """An RDMA write, one way or both as agreed, over the contracted kind of link."""
    test, layer = case.shown.word("test"), case.clause.conditions.get("link_layer", "")
    if not test.startswith(TEST):
        return "other_profile", {"name": "test", "seen": test or "?", "wanted": TEST}
    if case.shown.values.get("bidirectional") is not case.both_ways:
        seen = "?" if case.shown.values.get("bidirectional") is None else "-b" if not case.both_ways else "—"
        return "other_profile", {"name": "-b", "seen": seen, "wanted": "-b" if case.both_ways else "—"}
    link, wanted = case.shown.word("link_type"), _LINK_TYPES.get(layer, "")
    if wanted and link != wanted:
        return "other_profile", {"name": "link type", "seen": link or "?", "wanted": wanted}
    return None


def _sized(case: _Case) -> Miss | None:
    number = case.shown.number(case.reading)
    if number is None:
        return "size_missing", {"size": f"{condition_number(case.clause.conditions, 'size_bytes') or 0:f} B"}
    try:
        in_unit(number, case.shown.units[case.reading], case.clause.unit)
    except UnitError as fault:
        return "unread", {"detail": str(fault)}
    return None


def _possible(case: _Case) -> Miss | None:
    """Not more than the port's own rate, or twice that both ways."""
    most = case.rate * (2 if case.both_ways else 1) * ABOVE_RATE if case.rate else None
    value = in_unit(case.shown.number(case.reading) or 0, case.shown.units[case.reading], case.clause.unit)
    return ("over_ceiling", {"printed": value, "most": most}) if most is not None and value > most else None


CHECKS: tuple[Callable[[_Case], Miss | None], ...] = (_failed, _towards, _profile, _sized, _possible)
