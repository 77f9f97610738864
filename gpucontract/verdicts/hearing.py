"""One clause heard at one place: the runs that may speak, and the verdict in due form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.metrics import DAY, METRICS
from gpucontract.verdicts.admission import Admitted, Context, admit, fresh_until, telling
from gpucontract.verdicts.answers import Ground
from gpucontract.verdicts.reasons import ASIDE
from gpucontract.verdicts.states import Attribution, Measured, ScopeVerdict, State

_TEST_ITSELF = (
    "failed", "tool_failed", "copied", "implausible", "over_ceiling", "over_ports", "over_contracted_ports",
    "over_contracted_disks",
    "not_read", "env", "other_collective",
    "wrong_path", "wrong_place", "place_unknown", "few_iterations", "no_warm_up", "cpu_time", "beyond", "beyond_port",
    "few_clients", "many_results", "not_together",
)  # fmt: skip


Spent = tuple[RunRecord, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """State, the sentence's key, the value in the clause's unit, and what fills the sentence's blanks."""

    state: State
    reason: str
    value: Measured | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hearing:
    """A clause, the place where it is heard, all runs of that place, and those of its own jobs that count."""

    clause: Clause
    context: Context
    records: tuple[RunRecord, ...]
    admitted: Admitted

    def say(self, answer: Answer, local: str = "", used: tuple[RunRecord, ...] | None = None) -> ScopeVerdict:
        """The verdict for a local scope of this place ("" = the place itself), resting on these runs."""
        place = self.context.place
        return self.say_of(f"{place}/{local}" if local else place, answer, used)

    def say_of(
        self, scope: str, answer: Answer, used: tuple[RunRecord, ...] | None = None, spent: tuple[Spent, ...] = ()
    ) -> ScopeVerdict:
        """The verdict for a whole scope name. spent: runs that were looked at and do not count, each with its reason.

        Where nothing is decided because of what a run is, that run does not count either.
        """
        runs: tuple[RunRecord, ...] = self.admitted.records[-1:] if used is None else used
        if not spent and answer.state is State.INCONCLUSIVE and answer.reason in ASIDE:
            spent, runs = tuple((run, answer.reason) for run in runs), ()
        ground = self.ground((*runs, *(run for run, _ in spent)))
        known = dict(ground.aside)
        return ScopeVerdict(
            scope=scope, state=answer.state, reason=answer.reason, value=answer.value, facts=answer.facts,
            runs=ground.runs[: len(runs)], hosts=ground.hosts, attribution=_side(answer), fresh_until=ground.until,
            aside=(*ground.aside, *((run.id, why) for run, why in spent if run.id not in known)),
        )  # fmt: skip

    def ground(self, runs: tuple[RunRecord, ...]) -> Ground:
        """What a verdict rests on that was reached from these runs."""
        until = fresh_until(runs, self.validity, self.context)
        return Ground(tuple(record.id for record in runs), self.admitted.aside, dict(self._hosts(runs)), until)

    def of_jobs(self, *jobs: str) -> Admitted:
        """The runs of other jobs at this place that count."""
        return admit(self.records, jobs, self.validity, self.context)

    def only(self, *jobs: str) -> Hearing:
        """The same hearing with only these of its jobs."""
        return replace(self, admitted=self.of_jobs(*jobs))

    def with_aside(self, aside: tuple[tuple[str, str], ...]) -> Hearing:
        """The same with some more runs set aside, each with its reason."""
        return replace(self, admitted=self.admitted.without(aside))

    @property
    def validity(self) -> timedelta:
        """How long its readings hold during the term."""
        return validity_of(self.clause)

    def without_runs(self) -> ScopeVerdict:
        """No run counts: pending while none has come, else inconclusive for what was wrong with those that did."""
        if self.admitted.aside:
            return self.say(Answer(State.INCONCLUSIVE, telling(self.admitted.aside)))
        return self.say(self._pending(Answer(State.PENDING, "no_run", facts={"jobs": self.clause.jobs})))

    def without_readings(self) -> ScopeVerdict:
        """Runs came but none says anything about this clause: a tool failed, was missing or was cut off."""
        errors = [output.error for output in self.admitted.records[-1].outputs if output.error]
        silent = Answer(State.INCONCLUSIVE, "not_read")
        answer = self._pending(
            Answer(State.INCONCLUSIVE, "tool_failed", facts={"detail": errors[0]}) if errors else silent
        )
        return self.say(answer, used=() if answer.state is State.PENDING else None)

    def _pending(self, answer: Answer) -> Answer:
        """A clause that no job can settle yet is pending, whatever else was run."""
        why = self.context.unsettled.get(self.clause.key)
        return Answer(State.PENDING, "no_job_yet", facts={"detail": why}) if why else answer

    def _hosts(self, records: tuple[RunRecord, ...]) -> Mapping[str, str]:
        """Slot -> host for the place itself and for every machine of a joint run."""
        hosts, place = self.context.hosts, self.context.place
        if len(records) == 1 and len(records[0].hostnames) == 1 and records[0].hostnames.get(place):
            return records[0].hostnames
        known = {place: hosts[place]} if place in hosts else {}
        for record in records:
            known |= {slot: host for slot, host in record.hostnames.items() if host}
        return known


Admissions = dict[tuple[tuple[str, ...], timedelta | None], Admitted]


def hear(
    clause: Clause, records: Iterable[RunRecord], context: Context, admissions: Admissions | None = None
) -> Hearing:
    """Admit the runs of the clause's own jobs. admissions: those of other clauses over the same records and place."""
    known, key = tuple(records), admission_key(clause, context)
    shared = {} if admissions is None else admissions
    if key not in shared:
        shared[key] = admit(known, clause.jobs, validity_of(clause), context)
    return Hearing(clause, context, known, shared[key])


def admission_key(clause: Clause, context: Context) -> tuple[tuple[str, ...], timedelta | None]:
    """What decides which runs count for a clause: its jobs and, where readings can go stale, how long they hold."""
    ages = context.is_amendment or not context.in_window
    return clause.jobs, validity_of(clause) if ages else None


def validity_of(clause: Clause) -> timedelta:
    """How long the readings of its metric hold during the term."""
    metric = METRICS.get(clause.metric)
    return metric.validity if metric else DAY


def _side(answer: Answer) -> Attribution:
    if answer.reason in _TEST_ITSELF:
        return Attribution.HARNESS
    if answer.state in (State.BREACHED, State.MARGINAL):
        return Attribution.PROVIDER
    return Attribution.UNKNOWN
