"""RDMA write bandwidth of each port: which ports a machine must answer for, and who may be behind a slow one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from gpucontract.verdicts.comparing import is_met
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.rates import decided
from gpucontract.verdicts.states import Attribution, ScopeVerdict, State
from gpucontract.verdicts.trials import Trial
from gpucontract.verdicts.writes import failure, listed_ports, write_trials

_MISSED = (State.BREACHED, State.MARGINAL)


def judge_writes(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """One verdict for each port that counts: as many of the machine's fastest as contracted, more where they tie.

    Which of more ports are the contracted ones nobody says: they are kept if all of them are, and broken once too few
    are left that may be.
    """
    place, clause, records = hearing.context.place, hearing.clause, hearing.admitted.records
    if not records:
        return (hearing.without_runs(),)
    trials = [write_trials(each, clause, place) for each in records]
    ports = _counting_ports(hearing, trials)
    if not ports and not any(listed_ports(each, clause, place) is not None for each in records):
        return (hearing.without_readings(),)
    wanted = _contracted(hearing) or len(ports)
    verdicts = tuple(_port_verdict(hearing, port, trials) for port in ports)
    if len(ports) > wanted and sum(each.state not in _MISSED for each in verdicts) >= wanted:
        facts = {"ports": len(ports), "wanted": wanted}
        verdicts = tuple(
            replace(each, state=State.INCONCLUSIVE, reason="which_ports", facts={**each.facts, **facts},
                    attribution=Attribution.UNKNOWN)
            if each.state in _MISSED else each
            for each in verdicts
        )  # fmt: skip
    return verdicts if len(ports) >= max(wanted, 1) else (*verdicts, _ports_missing(hearing, len(ports), wanted))


def _contracted(hearing: Hearing) -> int:
    """How many ports each machine of this place's group has by contract, 0 where it does not say."""
    return hearing.context.body.group(hearing.clause.code).nics_per_node


def _counting_ports(hearing: Hearing, trials: list[dict[str, Trial]]) -> tuple[str, ...]:
    """The names of the ports that may be the contracted ones: none that is slower than so many others."""
    rates: dict[str, Decimal | None] = {name: None for each in trials for name in each}
    for record in hearing.admitted.records:
        known = listed_ports(record, hearing.clause, hearing.context.place) or ()
        rates |= {port.name: port.rate for port in known}
    wanted = _contracted(hearing) or len(rates)
    ordered = sorted((rate for rate in rates.values() if rate is not None), reverse=True)
    least = ordered[wanted - 1] if 0 < wanted <= len(ordered) else Decimal(0)
    return tuple(sorted(name for name, rate in rates.items() if rate is None or rate >= least))


def _port_verdict(hearing: Hearing, port: str, trials: list[dict[str, Trial]]) -> ScopeVerdict:
    """One port's verdict; a miss that only one other machine saw may be that machine's doing, and says so."""
    pairs = zip(hearing.admitted.records, trials, strict=True)
    own = [each.get(port) or failure(record) for record, each in pairs]
    verdict = decided(hearing, f"{hearing.context.place}/port:{port}", own)
    used = [trial for trial in own if trial.record.id in verdict.runs and trial.value is not None]
    others = {slot for trial in used if not is_met(hearing.clause, trial.value or Decimal(0))
              for slot in trial.record.nodes if slot != hearing.context.place}  # fmt: skip
    if verdict.state is not State.BREACHED or len(others) != 1:
        return verdict
    facts = {**verdict.facts, "nodes": tuple(others)}
    return replace(verdict, reason="one_partner", facts=facts, attribution=Attribution.UNKNOWN)


def _ports_missing(hearing: Hearing, count: int, wanted: int) -> ScopeVerdict:
    facts = {"wanted": max(wanted, 1), "active": count, "idle": ()}
    return hearing.say(Answer(State.INCONCLUSIVE, "ports_missing", None, facts))
