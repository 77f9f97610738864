"""NCCL runs against bus bandwidth clauses: the contracted test, on the contracted wire, with a possible number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.plan import ITERATIONS
from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts import plausibility
from gpucontract.verdicts.comparing import condition_number, in_unit
from gpucontract.verdicts.machines import ranks_of_other_models
from gpucontract.verdicts.trials import Printed, Trial, busy, not_allowed, printed

Miss = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Case:
    """One collective's output beside the clause and the contract it is held against."""

    shown: Printed
    clause: Clause
    wires: plausibility.Wires
    record: RunRecord

    @property
    def body(self) -> Body:
        """The contract."""
        return self.wires.body

    def number(self, name: str) -> Decimal | None:
        """A numeric reading of the output."""
        return self.shown.number(name)

    def condition(self, name: str) -> str:
        """A side condition as text, "" where the clause has none."""
        return str(self.clause.conditions.get(name, ""))

    def reading(self, figure: str) -> str:
        """The name of busbw or time at the contracted size, in the contracted column."""
        size = condition_number(self.clause.conditions, "size_bytes") or Decimal(0)
        return f"{figure}_at_{size:f}_{self.condition('placement') or 'out_of_place'}"


Check = Callable[[_Case], Miss | None]


def collective_trial(record: RunRecord, clause: Clause, wires: plausibility.Wires) -> Trial:
    """The run's bus bandwidth at the contracted size, or the first condition that it does not meet."""
    shown = next((each for each in printed(record) if _is_collective(each)), None)
    if shown is None:
        return Trial(record, why="not_read")
    case = _Case(shown, clause, wires, record)
    for check in CHECKS:
        miss = check(case)
        if miss is not None:
            why, facts = miss
            return Trial(record, why=why, facts={**facts, "nodes": record.nodes})
    name = case.reading("busbw")
    value = in_unit(shown.number(name) or 0, shown.units[name], clause.unit)
    facts = {"hosts_seen": shown.number("hosts"), "collective": shown.word("collective"), "nodes": record.nodes}
    return Trial(record, value, facts=facts)


def _is_collective(shown: Printed) -> bool:
    return "ranks" in shown.values or "busbw_max" in shown.values or "nccl-tests" in shown.output.tool


def _idle(case: _Case) -> Miss | None:
    return busy(case.record)


def _failed(case: _Case) -> Miss | None:
    error = case.shown.output.error
    return ("tool_failed", {"detail": error}) if error else None


def _collective(case: _Case) -> Miss | None:
    wanted, seen = case.condition("collective"), case.shown.word("collective")
    return ("other_collective", {"seen": seen or "?", "wanted": wanted}) if wanted and seen != wanted else None


def _extent(case: _Case) -> Miss | None:
    """Hosts and ranks: one host inside a machine, at least the contracted number between them, and every GPU."""
    hosts, ranks = case.number("hosts"), case.number("ranks")
    wanted = condition_number(case.clause.conditions, "hosts")
    if hosts is None or ranks is None:
        return "not_read", {}
    if ranks < 1:
        return "not_read", {}
    if ranks == 1:
        return "single_rank", {}
    if wanted == 1 and hosts > 1:
        return "several_hosts", {"hosts_seen": hosts, "ranks": ranks}
    if wanted is not None and hosts < wanted:
        return "too_few_hosts", {"hosts_seen": hosts, "wanted": wanted}
    expected = hosts * case.body.group(case.clause.code).gpus_per_node
    if ranks != expected:
        return "wrong_ranks", {"ranks": ranks, "wanted": expected}
    cards = case.number("distinct_gpus")
    return ("shared_gpus", {"ranks": ranks, "cards": cards}) if cards is not None and cards < ranks else None


def _models(case: _Case) -> Miss | None:
    """Every rank on the contracted model, as NCCL names it: another one is a fact of the machine, not a speed."""
    others = ranks_of_other_models(case.record, case.body)
    return ("other_model", {"seen": "; ".join(others)}) if others else None


def _timed(case: _Case) -> Miss | None:
    """Enough passes, after at least one that is not timed: a first pass holds connecting, a single one is chance.

    As many as ordered, or the tool's own 20 where no order says.
    """
    if case.shown.values.get("is_cpu_time"):
        return "cpu_time", {}
    passes, warm_up = case.number("iterations"), case.number("warm_up_iterations")
    wanted = condition_number(case.record.params, "iterations") or Decimal(ITERATIONS)
    if passes is None or passes < wanted:
        return "few_iterations", {"seen": "?" if passes is None else passes, "wanted": wanted}
    return ("no_warm_up", {}) if not warm_up else None


def _algorithm(case: _Case) -> Miss | None:
    wanted = case.condition("algorithm")
    forced = case.shown.output.env.get("NCCL_ALGO", "")
    seen = case.shown.word("algorithm") or forced
    is_other = wanted and wanted.lower() not in (seen.lower(), forced.lower())
    return ("other_algorithm", {"seen": seen or "?", "wanted": wanted}) if is_other else None


def _wire(case: _Case) -> Miss | None:
    """RDMA where it is contracted: NCCL falls back to TCP without a word on the screen."""
    network = case.shown.word("network")
    if case.condition("transport") != "IB" or network == "IB":
        return None
    return ("over_tcp", {"network": network}) if network in ("Socket", "mixed") else ("no_network", {})


def _environment(case: _Case) -> Miss | None:
    names = not_allowed(case.shown.output, case.clause)
    return ("env", {"names": tuple(names)}) if names else None


def _correct(case: _Case) -> Miss | None:
    wrong = case.number("wrong_results")
    if wrong:
        return "wrong_results", {"wrong": wrong}
    is_checked = wrong is not None and case.shown.values.get("validation") is not False
    return None if is_checked or not case.clause.conditions.get("validation") else ("validation_off", {})


def _sized(case: _Case) -> Miss | None:
    name = case.reading("busbw")
    if case.number(name) is None:
        return "size_missing", {"size": case.condition("size"), "largest": case.number("largest_size")}
    try:
        in_unit(case.number(name) or 0, case.shown.units[name], case.clause.unit)
    except UnitError as fault:
        return "unread", {"detail": str(fault)}
    return None


def _adds_up(case: _Case) -> Miss | None:
    """The printed figure against its own size and time."""
    busbw, time, ranks = case.number(case.reading("busbw")), case.number(case.reading("time")), case.number("ranks")
    if busbw is None or not time or ranks is None:
        return "no_time", {}
    size = int(condition_number(case.clause.conditions, "size_bytes") or 0)
    again = plausibility.recomputed(case.shown.word("collective"), int(ranks), size, time)
    if again is None or not plausibility.agrees(busbw, again, time):
        return "implausible", {"printed": busbw, "again": again}
    return None


def _possible(case: _Case) -> Miss | None:
    """The printed figure against what links and ports allow."""
    busbw, hosts = case.number(case.reading("busbw")), case.number("hosts")
    if busbw is None or hosts is None:
        return None
    algorithm = case.shown.word("algorithm") or case.condition("algorithm")
    most = plausibility.busbw_ceiling(case.clause, case.wires, int(hosts), case.shown.word("collective"), algorithm)
    if most is None or busbw <= most.gbs:
        return None
    return most.why, {"printed": busbw, "most": most.gbs}


CHECKS: tuple[Check, ...] = (
    _failed, _idle, _collective, _extent, _models, _wire, _environment, _algorithm, _timed, _correct, _sized, _adds_up,
    _possible,
)  # fmt: skip
