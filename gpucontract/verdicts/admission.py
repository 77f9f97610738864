"""Which runs may speak: signed, of the newest round, of the machine that stands there now, whole, not copied, fresh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from gpucontract.canonical import sha256
from gpucontract.contracts.body import Body
from gpucontract.contracts.papers import Paper
from gpucontract.measurements import identities
from gpucontract.measurements.comparisons import (
    COMPARED_JOBS,
    Parts,
    are_exchanged,
    parts_in,
    standing,
)
from gpucontract.measurements.plan import not_settled
from gpucontract.measurements.records import Origin, OutputRecord, RunRecord
from gpucontract.verdicts import alike, scaled
from gpucontract.verdicts.comparing import Outcome
from gpucontract.verdicts.scopes import machines, short
from gpucontract.wording import Text

# Readings of outputs that hold timings: two machines, or two runs, never print the same bytes.
_TIMED = ("read_bw", "write_bw", "bw_average", "load_together", "train_step_time")

COPIED = "copied_output"

# Jobs whose outputs name the GPUs they are about.
_NAMING = ("topology", "health", "software", "gemm", "training", "burn_in")

# Fewer timings than these could agree by chance.
FEWEST_TIMES = 3

# From the one most telling for the reader to the least: named when no run of a scope counts.
ASIDE_ORDER = (
    "copied", "alike", "elsewhere", "other_gpus", "swapped", "unsigned", "replayed", "wrong_results", "over_tcp",
    "implausible", "over_ceiling", "over_ports", "over_contracted_ports",
    "over_contracted_disks", "env", "failed", "stale",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Context:
    """What judging needs beside clause and runs. place: the slot, group, mount or contract being judged.

    in_window: the acceptance window is open, so every run is fresh. accept_unsigned: the offline judge was told so.
    is_amendment: some of the runs may be of the contract that this one amends.
    hosts: slot -> host name of the machine there now. renewed: slot -> since when it has the cards and drives it has
    now, where some were exchanged. copied: marks of outputs that more than one slot showed.
    papers: clause key -> the papers handed in for it. unsettled: clause key -> why no job can settle it yet.
    outcomes: comparisons already made in this judging; machines of a fleet mostly read alike, so each is made once.
    """

    body: Body
    now: datetime
    place: str = ""
    in_window: bool = True
    accept_unsigned: bool = False
    is_amendment: bool = False
    hosts: Mapping[str, str] = field(default_factory=dict)
    renewed: Mapping[str, datetime] = field(default_factory=dict)
    copied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    papers: Mapping[str, tuple[Paper, ...]] = field(default_factory=dict)
    unsettled: Mapping[str, Text] = field(default_factory=dict)
    outcomes: dict[tuple[object, ...], Outcome] = field(default_factory=dict, repr=False, compare=False)

    def at(self, place: str) -> Context:
        """The same context for another place."""
        return replace(self, place=place)


@dataclass(frozen=True, slots=True)
class Admitted:
    """The runs that count, oldest first, and those set aside: (run id, reason)."""

    records: tuple[RunRecord, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no run at all has come."""
        return not self.records and not self.aside

    def without(self, aside: Iterable[tuple[str, str]]) -> Admitted:
        """The same with some more runs set aside."""
        out = tuple(aside)
        dropped = {run for run, _ in out}
        return Admitted(tuple(each for each in self.records if each.id not in dropped), self.aside + out)


def context_for(
    body: Body, records: Iterable[RunRecord], now: datetime, *, in_window: bool = True, accept_unsigned: bool = False
) -> Context:
    """The context of a whole contract's evidence: who stands where, what was copied, what no job can settle."""
    known = list(records)
    base = replace(base_context(body, now, in_window), accept_unsigned=accept_unsigned)
    trusted = (record for record in known if not _distrust(record, base))
    return replace(base, hosts=machines(known), renewed=renewed(trusted), copied=copies(known))


def base_context(body: Body, now: datetime, in_window: bool = True) -> Context:
    """The context without any evidence: what no job can settle yet."""
    return Context(body, now, in_window=in_window, unsettled={each.key: each.reason for each in not_settled(body)})


def renewed(records: Iterable[RunRecord]) -> dict[str, datetime]:
    """Slot -> when the newest round began whose cards or drives are not those of the round before it."""
    began: dict[int, datetime] = {}
    told: dict[tuple[str, str], dict[int, RunRecord]] = defaultdict(dict)
    for record in sorted(records, key=lambda record: (record.round, record.received_at, record.id)):
        began[record.round] = min(_moment(record), began.get(record.round, _moment(record)))
        if record.job in COMPARED_JOBS:
            told[record.lead, record.job][record.round] = record
    newest: dict[str, int] = defaultdict(int)
    for (slot, _), known in told.items():
        newest[slot] = max(newest[slot], _newest_exchange(list(known.values())))
    return {slot: began[round] for slot, round in newest.items() if round}


def _moment(record: RunRecord) -> datetime:
    """When a run was ordered; when it came, where nobody ordered it."""
    return record.ordered_at or record.received_at


def _newest_exchange(rounds: Sequence[RunRecord]) -> int:
    """The newest of these rounds that shows other parts than those before it; 0 where none does."""
    if len(rounds) < 2:
        return 0
    parts: list[Parts] = [parts_in([one for output in record.outputs for one in output.readings]) for record in rounds]
    changed = (at for at in range(1, len(parts)) if are_exchanged(standing(parts[:at]), parts[at]))
    return max((rounds[at].round for at in changed), default=0)


@dataclass(frozen=True, slots=True)
class Mark:
    """What one output tells apart from others: whose it is, its mark, its figures."""

    lead: str
    mark: str
    figures: alike.Figures


def marks(records: Iterable[RunRecord]) -> Iterator[Mark]:
    """A mark for every output that no second machine could print."""
    for record in records:
        for output in record.outputs:
            if _is_own(output):
                yield Mark(record.lead, mark_of(output), alike.figures(output))


def copies(records: Iterable[RunRecord]) -> dict[str, tuple[str, ...]]:
    """Mark -> slots, for outputs that cannot be alike on two machines and yet are: word for word, nearly, or scaled."""
    return shared(list(marks(records)))


def shared(told: Sequence[Mark], since: int = 0) -> dict[str, tuple[str, ...]]:
    """Mark -> slots of all that show it, where they are several. since: only what the marks from there on reveal."""
    # What one machine delivered twice is one measurement, so it stands here once.
    first = {(each.mark, each.lead): place for place, each in reversed(list(enumerate(told)))}
    places = sorted(first.values())
    news = {told[place].mark for place in places if place >= since}
    seen: dict[str, set[str]] = defaultdict(set)
    for place in places:
        if told[place].mark in news:
            seen[told[place].mark].add(told[place].lead)
    tables = [told[place].figures for place in places]
    known = sum(place < since for place in places)
    curves = [scaled.curve(alike.halves(table)) for table in tables]
    for one, other in alike.alike(tables, known) + scaled.scaled(curves, known):
        pair = told[places[one]], told[places[other]]
        slots = {each.lead for each in pair}
        for each in pair if len(slots) > 1 else ():
            seen[each.mark] |= slots
    return {mark: tuple(sorted(slots)) for mark, slots in seen.items() if len(slots) > 1}


def admit(records: Iterable[RunRecord], jobs: tuple[str, ...], validity: timedelta, context: Context) -> Admitted:
    """Sort the runs of these jobs at this place into those that count and those set aside, each with its reason.

    A newer round replaces the older ones even if it failed: after a cure, what was measured before it proves nothing.
    """
    ordered = sorted(records, key=lambda record: (record.received_at, record.id))
    here = [record for record in ordered if record.job in jobs]
    trusted = [record for record in here if not _distrust(record, context)]
    newest = {job: max((r.round for r in trusted if r.job == job), default=0) for job in jobs}
    trusted_lists = [r for r in ordered if r.job == "inventory" and not _distrust(r, context)]
    newest_cards = _newest_cards(r for r in ordered if not _distrust(r, context)) if _name_cards(jobs) else {}
    seen: set[str] = set()
    # A recording is played back as often as a demo wants it.
    measured = [record for record in trusted if record.origin is not Origin.REPLAY]
    twins = alike.repeated(_distinct(measured)) if len(measured) > 1 else set()
    counted, aside = [], []
    for record in here:
        reason = _distrust(record, context) or _objection(record, newest[record.job], validity, context)
        reason = reason or _of_other_gpus(record, trusted_lists) or _before_a_swap(record, newest_cards)
        reason = reason or _repeated(record, seen)
        reason = reason or ("alike" if record.id in twins else "")
        if reason:
            aside.append((record.id, reason))
        else:
            counted.append(record)
    return Admitted(tuple(counted), tuple(aside))


def may_speak(record: RunRecord, context: Context) -> bool:
    """Whether a run, of whatever round, says something about the machines and parts that stand there now."""
    return not (_distrust(record, context) or _objection(record, record.round, timedelta(0), context))


def fresh_until(records: Iterable[RunRecord], validity: timedelta, context: Context) -> datetime | None:
    """When the first of these runs goes stale; None inside the window, where nothing measured for it does."""
    aging = (record for record in records if _ages(record, context))
    return min((record.received_at + validity for record in aging), default=None)


def telling(aside: Iterable[tuple[str, str]]) -> str:
    """The reason to name when no run counts: the most telling one, else the last."""
    reasons = [reason for _, reason in aside]
    return next((reason for reason in ASIDE_ORDER if reason in reasons), reasons[-1] if reasons else "no_run")


def _distrust(record: RunRecord, context: Context) -> str:
    if record.origin in (Origin.AGENT, Origin.BUNDLE) or context.accept_unsigned:
        return ""
    if record.origin is Origin.REPLAY:
        return "" if context.body.demo else "replayed"
    return "unsigned"


def _objection(record: RunRecord, newest: int, validity: timedelta, context: Context) -> str:
    if record.round < newest:
        return "older_round"
    if _is_of_another_machine(record, context.hosts):
        return "other_machine"
    if any(slot in context.renewed and _moment(record) < context.renewed[slot] for slot in record.nodes):
        return "other_parts"
    if record.error:
        return "failed"
    if _ran_elsewhere(record):
        return "elsewhere"
    if any(_is_copied(output, context) for output in record.outputs):
        return "copied"
    if _ages(record, context) and record.received_at + validity < context.now:
        return "stale"
    return ""


def _ages(record: RunRecord, context: Context) -> bool:
    """Whether a run can go stale: in the term every one, before it those of the contract that this one amends."""
    return not context.in_window or record.round < 1


def _is_of_another_machine(record: RunRecord, hosts: Mapping[str, str]) -> bool:
    """Whether a slot of the run has another machine by now, so that the run says nothing about it."""
    return any(slot in hosts and short(hosts[slot]) != short(host) for slot, host in record.hostnames.items() if host)


def _ran_elsewhere(record: RunRecord) -> bool:
    """Whether the ranks of a collective sat on a host that is none of the run's machines."""
    expected = {short(host).lower() for host in record.hostnames.values() if host}
    if len(expected) < len(record.nodes):
        return False
    told = (reading.value for _, reading in record.readings("host_names"))
    listed = {short(str(host)).lower() for hosts in told if isinstance(hosts, tuple) for host in hosts}
    return not listed <= expected


def _of_other_gpus(record: RunRecord, inventories: Iterable[RunRecord]) -> str:
    """Why links or health do not count when not one of their GPUs is among those the same slot listed."""
    shown = _uuids(record) if record.job in _NAMING else set()
    if not shown:
        return ""
    lists = [uuids for each in inventories if each.lead == record.lead and (uuids := _uuids(each))]
    return "other_gpus" if lists and shown.isdisjoint(lists[-1]) else ""


def _name_cards(jobs: Iterable[str]) -> bool:
    return any(job == "inventory" or job in _NAMING for job in jobs)


def _newest_cards(ordered: Iterable[RunRecord]) -> dict[str, set[str]]:
    """Slot -> the GPUs that its newest run which names any shows, by UUID."""
    return {run.lead: cards for run in ordered if _name_cards((run.job,)) and (cards := _uuids(run))}


def _before_a_swap(record: RunRecord, newest: Mapping[str, set[str]]) -> str:
    """Why a run does not count that shows a GPU gone since while another came; one that is only lost is no swap."""
    shown = _uuids(record) if _name_cards((record.job,)) else set()
    now = newest.get(record.lead, set())
    return "swapped" if shown & now and shown - now and now - shown else ""


def _uuids(record: RunRecord) -> set[str]:
    return {str(reading.value) for _, reading in record.readings("gpu_uuid") if reading.value is not None}


def _is_copied(output: OutputRecord, context: Context) -> bool:
    """Whether the same bytes came from elsewhere: as these runs show, or as measuring noted elsewhere."""
    return mark_of(output) in context.copied or any(finding.code == COPIED for finding in output.findings)


def _distinct(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Runs without those of the same round that are another one word for word, which count once."""
    first: dict[tuple[int, frozenset[str]], RunRecord] = {}
    for record in records:
        first.setdefault((record.round, frozenset(mark_of(output) for output in record.outputs)), record)
    return list(first.values())


def _repeated(record: RunRecord, seen: set[str]) -> str:
    """Two runs that show the very same timings are one run delivered twice; it counts once."""
    unique = {mark_of(output) for output in record.outputs if _is_timed(output)}
    if unique & seen:
        return "same_bytes"
    seen |= unique
    return ""


def mark_of(output: OutputRecord) -> str:
    """What tells one measurement from another: its timings, which no edited host name changes, else its bytes."""
    times = [f"{row.name}={value}" for row in output.timed if (value := row.whole().value)]
    if len(times) < FEWEST_TIMES:
        return output.sha256
    return sha256("\n".join(sorted(times)).encode())


def _is_own(output: OutputRecord) -> bool:
    """Whether no second machine could print the same: it holds timings, or what only one machine can be named."""
    return _is_timed(output) or identities.any_unique(output.rows)


def _is_timed(output: OutputRecord) -> bool:
    """Whether the output holds a value that no other run would print the same."""
    named = [row for name in _TIMED for row in output.rows.get(name, ())]
    return any(row.value is not None for row in (*named, *output.timed))
