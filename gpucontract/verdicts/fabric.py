"""The network between machines: which ports count, how fast, which fabric a run really used, GPUDirect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gpucontract.catalogue.limits import LIMITS
from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.limits import Ceiling
from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError, grouped
from gpucontract.verdicts.comparing import condition_number, in_unit
from gpucontract.verdicts.containers import seen_from_inside
from gpucontract.verdicts.facts import answer as facts_answer
from gpucontract.verdicts.facts import judge_facts
from gpucontract.verdicts.hearing import Answer, Hearing
from gpucontract.verdicts.scopes import short
from gpucontract.verdicts.sightings import Seen, plain
from gpucontract.verdicts.states import ScopeVerdict, State
from gpucontract.verdicts.virtual_ports import sharing

# Which runs show a machine's ports; rates over them are held against what they carry.
PORTS_JOB = "fabric"
_FASTEST = Ceiling(LIMITS["port_gbps"].most, LIMITS["port_gbps"].unit, LIMITS["port_gbps"].text)


@dataclass(frozen=True, slots=True)
class Port:
    """One network port as its own tool shows it; rate in Gb/s, None unless the link is up.

    doubt: the first of its facts that no tool told, or that tools tell differently; such a port may be any.
    """

    name: str
    state: str
    layer: str
    rate: Decimal | None
    doubt: Seen | None = None

    @property
    def is_active(self) -> bool:
        """Whether the port carries traffic: Active with a rate; a Down port shows a rate that means nothing."""
        return self.state == "Active" and self.rate is not None


def ports_of(record: RunRecord) -> tuple[Port, ...]:
    """All ports that a run shows, by name; a virtual function beside its card's own port is none."""
    states, layers = plain(record, "port_state", "port:"), plain(record, "port_link_layer", "port:")
    rates = plain(record, "port_rate", "port:")
    scopes = sorted(states, key=_natural)
    shared = sharing(record, scopes)
    return tuple(
        Port(
            scope.removeprefix("port:"), _word(states.get(scope)), _word(layers.get(scope)),
            None if scope in shared else _rate(rates.get(scope)),
            shared.get(scope) or _doubt(scope, states.get(scope), layers.get(scope), rates.get(scope)),
        )
        for scope in scopes
        if scope not in shared or shared[scope] is not None
    )  # fmt: skip


def _doubt(scope: str, state: Seen | None, layer: Seen | None, rate: Seen | None) -> Seen | None:
    unread = Seen(scope, None, why="not_printed")
    told = (_as_word(state or unread), _as_word(layer or unread), rate or unread)
    if rate is not None and rate.value is not None and _FASTEST.is_below(rate.value, rate.unit):
        facts = {
            "finding_shown": f"{grouped(Decimal(str(rate.value)))} {rate.unit}",
            "most": _FASTEST.shown,
            "why": _FASTEST.why,
        }
        return Seen(scope, None, why="beyond_port", facts=facts)
    if rate is not None and rate.value is not None and _rate(rate) is None:
        return Seen(scope, None, why="not_a_number")
    # A tool that could not tell the state calls the port down, while another one saw it up.
    is_up = state is not None and state.value == "Active"
    return next((seen for seen in told if seen.value is None and (is_up or seen.why != "port_down")), None)


def _as_word(seen: Seen) -> Seen:
    """The same, unread where what should be a word is none."""
    is_word = isinstance(seen.value, str) and seen.value.strip()
    return seen if seen.value is None or is_word else Seen(seen.local, None, why="not_a_word")


def carried(hearing: Hearing) -> dict[str, tuple[Decimal, ...]]:
    """Slot -> what each of its active ports carries, Gb/s, where ports were measured and none is in doubt."""
    own: dict[str, list[RunRecord]] = {}
    for record in hearing.records:
        if record.job == PORTS_JOB:
            own.setdefault(record.lead, []).append(record)
    # Machine by machine, because a newer round of one makes nothing void that another showed.
    heard = [replace(hearing, records=tuple(records)).of_jobs(PORTS_JOB) for records in own.values()]
    newest = {each.lead: ports_of(each) for admitted in heard for each in admitted.records if _has_ports(each)}
    rates = {
        slot: tuple(port.rate for port in ports if port.is_active and port.rate)
        for slot, ports in newest.items()
        if not any(port.doubt for port in ports)
    }
    return {slot: each for slot, each in rates.items() if each}


def counted_ports(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """How many ports count: active, of the contracted link layer, at least at the contracted rate."""
    if not _has_ports(record):
        return
    ports, least = ports_of(record), condition_number(clause.conditions, "port_gbps") or Decimal(0)
    usable = [port for port in _right_ones(ports, clause) if port.rate is not None and port.rate >= least]
    doubtful = [port for port in ports if port.doubt is not None and port not in usable]
    if doubtful and isinstance(clause.value, Decimal) and len(usable) < clause.value <= len(usable) + len(doubtful):
        yield _doubted(doubtful)
        return
    yield Seen("", len(usable), "count", facts=_described(ports, clause))


def fastest_ports(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """The rate of each of the fastest ports that the contract counts; too few active ones are named, not guessed."""
    if not _has_ports(record):
        return
    ports = ports_of(record)
    right = sorted(_right_ones(ports, clause), key=lambda port: (-(port.rate or 0), _natural(port.name)))
    wanted = int(condition_number(clause.conditions, "ports") or len(right))
    for port in right[:wanted]:
        yield Seen(f"port:{port.name}", port.rate, "Gb/s")
    doubtful = [port for port in ports if port.doubt is not None]
    if doubtful and len(right) < wanted <= len(right) + len(doubtful):
        yield _doubted(doubtful)
    elif len(right) < wanted or not right:
        yield Seen("", None, why="ports_missing", facts={**_described(ports, clause), "wanted": wanted})


def judge_fabric_type(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """The fabric of one machine, from its own ports and from what a joint run says about its host.

    Its own ports decide against it; a run that fell back to TCP while its ports are up does not (see rules.settle).
    """
    ports = hearing.only("fabric")
    if not ports.admitted.records:
        return (ports.without_runs(),)
    record = next((each for each in reversed(ports.admitted.records) if _has_ports(each)), None)
    if record is None:
        return (ports.without_readings(),)
    joint = hearing.only("nccl_inter")
    return (seen_from_inside(hearing, _by_ports(hearing, record, joint, _networks(joint, hearing))),)


def judge_gpu_direct(hearing: Hearing) -> tuple[ScopeVerdict, ...]:
    """Whether this machine's GPUs and NICs talk directly, from the log of a joint run over RDMA."""
    place = hearing.context.place

    def read(record: RunRecord, _: Clause) -> Iterator[Seen]:
        network, direct = _of_host(record, "network", place), _of_host(record, "gdr", place)
        if network is not None and network.value == "Socket":
            yield Seen("", None, why="over_tcp", facts={"nodes": record.nodes})
        elif direct is not None:
            yield replace(direct, local="", unit="bool")

    return judge_facts(hearing, read)


def _by_ports(
    hearing: Hearing, record: RunRecord, joint: Hearing, networks: list[tuple[RunRecord, str]]
) -> ScopeVerdict:
    ports, clause = ports_of(record), hearing.clause
    active, right = [port for port in ports if port.is_active], _right_ones(ports, clause)
    facts: dict[str, Any] = _described(ports, clause)
    if not right and any(port.doubt for port in ports):
        return hearing.say(facts_answer(hearing, _doubted(ports)), used=(record,))
    if active and not right:
        found = ", ".join(sorted({port.layer for port in active}))
        return hearing.say(Answer(State.BREACHED, "wrong_layer", found, facts), used=(record,))
    if not networks:
        return joint.without_readings() if joint.admitted.records else joint.without_runs()
    runs = {network: run for run, network in networks}
    answer = _by_runs(clause, runs, facts) if right else _without_ports(clause, runs, facts)
    joint_run = runs.get("Socket", networks[-1][0])
    if answer.state is State.INCONCLUSIVE:
        why = "over_tcp" if "Socket" in runs else "no_network"
        return hearing.say_of(hearing.context.place, answer, used=(record,), spent=((joint_run, why),))
    return hearing.say(answer, used=(record, joint_run))


def _doubted(ports: Iterable[Port]) -> Seen:
    """Why a question about all ports has no answer: what is open about the first doubtful one."""
    doubt = next(port.doubt for port in ports if port.doubt is not None)
    return Seen("", None, why=doubt.why, facts=doubt.facts)


def _without_ports(clause: Clause, runs: Mapping[str, RunRecord], facts: Mapping[str, Any]) -> Answer:
    """No port is up: a breach once a run shows that TCP was all there was."""
    if _wants_rdma(clause) and "Socket" in runs:
        return Answer(State.BREACHED, "no_fabric", "Socket", facts)
    return Answer(State.INCONCLUSIVE, "ports_missing", None, {**facts, "wanted": 1})


def _by_runs(clause: Clause, runs: Mapping[str, RunRecord], facts: Mapping[str, Any]) -> Answer:
    """The ports are up: what the joint runs really used."""
    if not _wants_rdma(clause) or set(runs) == {"IB"}:
        return Answer(State.VERIFIED, "met", str(clause.value), facts)
    if "Socket" in runs:
        reason = "fell_back" if len(runs) == 1 else "mixed_runs"
        return Answer(State.INCONCLUSIVE, reason, "Socket", {**facts, "nodes": runs["Socket"].nodes})
    return Answer(State.INCONCLUSIVE, "no_network", None, facts)


def _wants_rdma(clause: Clause) -> bool:
    return bool(clause.conditions.get("transport") != "Socket")


def _networks(joint: Hearing, hearing: Hearing) -> list[tuple[RunRecord, str]]:
    """What each joint run says this host used."""
    place = hearing.context.place
    said = [(record, _of_host(record, "network", place)) for record in joint.admitted.records]
    return [(record, seen.value) for record, seen in said if seen is not None and isinstance(seen.value, str)]


def _of_host(record: RunRecord, name: str, place: str) -> Seen | None:
    """A reading about one machine of a joint run: its own line, else what holds for the whole run."""
    found, host = plain(record, name), record.hostnames.get(place, "")
    own = next((seen for scope, seen in found.items() if scope[:1] == "@" and short(scope[1:]) == short(host)), None)
    overall = found.get("")
    return own or (overall if overall and overall.value != "mixed" else None)


def _right_ones(ports: tuple[Port, ...], clause: Clause) -> list[Port]:
    layer = clause.conditions.get("link_layer", "")
    return [port for port in ports if port.is_active and layer in ("", port.layer)]


def _described(ports: tuple[Port, ...], clause: Clause) -> dict[str, Any]:
    """Counts and names for the sentence: how many ports, how many active of the right layer, which are not."""
    right = {port.name for port in _right_ones(ports, clause)}
    idle = [port.name for port in ports if not port.is_active]
    return {"ports": len(ports), "active": len(right), "idle": idle, "layer": clause.conditions.get("link_layer", "")}


def _has_ports(record: RunRecord) -> bool:
    """Whether a port tool answered: ports, or a plain statement that there are none."""
    answered = (
        one for name in ("port_state", "ib_ports_active", "ethernet_rdma_ports") for _, one in record.readings(name)
    )
    return any(reading.value is not None for reading in answered)


def _word(seen: Seen | None) -> str:
    return str(seen.value) if seen is not None and seen.value is not None else ""


def _rate(seen: Seen | None) -> Decimal | None:
    if seen is None or seen.value is None or _FASTEST.is_below(seen.value, seen.unit):
        return None
    try:
        return in_unit(seen.value, seen.unit, "Gb/s")
    except UnitError:
        return None


def _natural(name: str) -> tuple[str, int]:
    """mlx5_10 after mlx5_9."""
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0)
