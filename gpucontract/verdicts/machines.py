"""How many GPUs, and whether they sit in one machine: questions that one source alone does not settle."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpucontract.contracts.body import Body
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.comparing import is_met, names_model, number_of
from gpucontract.verdicts.derive import gpu_count
from gpucontract.verdicts.facts import judge_facts
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.sightings import each, one
from gpucontract.verdicts.states import ScopeVerdict, State

# The GPU has fallen off the bus: the kernel's word, independent of the driver's tools.
_FALLEN_OFF = "xid_79"


def judge_gpu_count(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """The driver's list against a second source (the matrix, the kernel log) where it falls short or is doubtful."""
    listed = judge_facts(hearing, gpu_count)[0]
    if not isinstance(listed.value, Decimal) or hearing.clause.unit != "count":
        return (listed,)
    hidden = _against_kernel(hearing, listed, listed.value)
    if hidden is not None:
        return (hidden,)
    if listed.state is State.BREACHED and listed.facts.get("unreadable"):
        return (_unreadable(hearing, listed),)
    if listed.state is State.VERIFIED:
        return (_confirmed(hearing, listed),)
    return (listed,)


def judge_one_machine(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """The promised number inside one machine: its list, and a collective over that many ranks on a single host.

    Eight ranks on two hosts never verify it, whatever the lists say.
    """
    inventory = judge_gpu_count(hearing.only("inventory"))[0]
    if inventory.state is not State.VERIFIED:
        return (inventory,)
    intra = hearing.only("nccl_intra")
    if not intra.admitted.records:
        return (intra.without_runs(),)
    for record in reversed(intra.admitted.records):
        hosts, ranks = _count(record, "hosts"), _count(record, "ranks")
        if hosts is not None and ranks is not None:
            return (_by_hosts(intra, inventory, record, hosts, ranks),)
    return (intra.without_readings(),)


def judge_model(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """The model of each card by the driver's list; a collective whose ranks name another model contradicts it."""
    verdicts = judge_facts(hearing, each("gpu_name", "gpu"))
    place, body = hearing.context.place, hearing.context.body
    for record in reversed(hearing.of_jobs("nccl_intra").records):
        others = ranks_of_other_models(record, body)
        if others and any(verdict.state is State.VERIFIED for verdict in verdicts):
            first = next(str(verdict.value) for verdict in verdicts if verdict.state is State.VERIFIED)
            facts = {"first": first, "second": "; ".join(others), "tools": "nvidia-smi, NCCL"}
            return tuple(_doubted(hearing, verdict, facts, record, place) for verdict in verdicts)
    return verdicts


def _doubted(
    hearing: Hearing, verdict: ScopeVerdict, facts: Mapping[str, Any], record: RunRecord, place: str
) -> ScopeVerdict:
    if verdict.state is not State.VERIFIED:
        return verdict
    answer = Answer(State.INCONCLUSIVE, "sources_disagree", verdict.value, facts)
    return hearing.say(answer, verdict.scope.removeprefix(f"{place}/"), (record,))


def ranks_of_other_models(record: RunRecord, body: Body) -> list[str]:
    """The models that NCCL's ranks name and the contract does not, each with its host; none where names are unknown."""
    clauses = (one for one in body.clauses if one.metric == "gpu_model" and one.code == record.group)
    names = {name for clause in clauses for name in clause.conditions.get("printed_names", ())}
    if not names:
        return []
    told = [(reading.scope.removeprefix("@"), reading.value) for _, reading in record.readings("rank_gpu_models")]
    return [
        f"{host}: {model}"
        for host, models in told
        if host and isinstance(models, tuple)
        for model in models
        if not names_model(model, names)
    ]


def _against_kernel(hearing: Hearing, listed: ScopeVerdict, value: Decimal) -> ScopeVerdict | None:
    """Open, when the kernel's own list in the same run is longer or shorter than the driver's; one of them is wrong."""
    record = next((one for one in hearing.admitted.records if one.id in listed.runs), None)
    kernel = _count(record, "kernel_gpu_count") if record is not None else None
    if kernel is None or kernel == value + int(listed.facts.get("unreadable", 0)):
        return None
    facts = {"first": value, "second": kernel, "tools": "nvidia-smi, /proc/driver/nvidia/gpus"}
    return hearing.say(Answer(State.INCONCLUSIVE, "sources_disagree", value, facts), used=(record,) if record else None)


def _unreadable(hearing: Hearing, listed: ScopeVerdict) -> ScopeVerdict:
    second = _second_count(hearing)
    lost = any(_count(record, _FALLEN_OFF) for record in hearing.of_jobs("health").records)
    is_short = second is not None and not is_met(hearing.clause, second)
    if not lost and not is_short:
        return hearing.say(Answer(State.INCONCLUSIVE, "unreadable_count", listed.value, listed.facts))
    reason = "lost_confirmed" if lost else "short_confirmed"
    return hearing.say(Answer(State.BREACHED, reason, listed.value, {**listed.facts, "second": second}))


def _confirmed(hearing: Hearing, listed: ScopeVerdict) -> ScopeVerdict:
    if _fell_off_since(hearing, listed):
        facts = {"first": listed.value, "second": "Xid 79", "tools": "nvidia-smi, dmesg"}
        return hearing.say(Answer(State.INCONCLUSIVE, "sources_disagree", listed.value, facts))
    second = _second_count(hearing)
    if second is None or second == listed.value:
        return listed
    facts = {"first": listed.value, "second": second, "tools": "nvidia-smi, nvidia-smi topo -m"}
    return hearing.say(Answer(State.INCONCLUSIVE, "sources_disagree", listed.value, facts))


def _fell_off_since(hearing: Hearing, listed: ScopeVerdict) -> bool:
    """Whether the kernel log that came after the list says that a card fell off the bus."""
    since = max(record.received_at for record in hearing.admitted.records if record.id in listed.runs)
    logs = (record for record in hearing.of_jobs("health").records if record.received_at >= since)
    return any(_count(record, _FALLEN_OFF) for record in logs)


def _second_count(hearing: Hearing) -> Decimal | None:
    """The number of GPUs in the link matrix of the newest topology run."""
    counts = [_count(record, "gpu_count") for record in hearing.of_jobs("topology").records]
    return next((count for count in reversed(counts) if count is not None), None)


def _by_hosts(
    hearing: Hearing, inventory: ScopeVerdict, record: RunRecord, hosts: Decimal, ranks: Decimal
) -> ScopeVerdict:
    cards = _count(record, "distinct_gpus")
    facts = {"hosts_seen": hosts, "ranks": ranks, "cards": cards}
    if cards is not None and cards < ranks:
        return hearing.say(Answer(State.INCONCLUSIVE, "shared_gpus", inventory.value, facts), used=(record,))
    if hosts > 1:
        return hearing.say(Answer(State.INCONCLUSIVE, "several_hosts", inventory.value, facts), used=(record,))
    if not is_met(hearing.clause, ranks):
        return hearing.say(Answer(State.INCONCLUSIVE, "too_few_ranks", inventory.value, facts), used=(record,))
    return hearing.say(Answer(State.VERIFIED, "met", inventory.value, facts), used=(record,))


def _count(record: RunRecord, name: str) -> Decimal | None:
    seen = one(record, name)
    return number_of(seen.value) if seen else None
