"""What only the whole contract shows: distinct machines, teams that cover every node, a run that fell back to TCP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Scope
from gpucontract.verdicts.answers import PlaceVerdict, Ruling
from gpucontract.verdicts.comparing import is_met
from gpucontract.verdicts.scopes import joined, nodes_of
from gpucontract.verdicts.states import Attribution, ScopeVerdict, State

# Facts that several places settle together.
_SETTLED_APART = ("node_count_reachable", "nccl_transport")
_PASSING = (State.VERIFIED, State.MARGINAL)


@dataclass(frozen=True, slots=True)
class Settled:
    """The scopes that decide a clause, and how many scopes there are in each state."""

    scopes: tuple[ScopeVerdict, ...]
    counts: Mapping[State, int]


def settle(clause: Clause, places: Sequence[PlaceVerdict], body: Body) -> Settled:
    """Put the places' answers together, given in the order of their names.

    Most clauses only add up; a few mean something only over all places.
    """
    if clause.metric == "node_count_reachable":
        return _counted(_machines(clause, _scopes(places)))
    if clause.metric == "nccl_transport":
        return _corrected(places, _fallen_back(_scopes(places), body))
    if clause.scope is Scope.GROUP and len(places) == 1 and places[0].place == clause.code:
        return _counted(_covered(clause, _scopes(places), body))
    measured = tuple(filter(_is_measured, _scopes(places))) if clause.scope is Scope.CONTRACT else ()
    if measured:
        return _counted(measured)
    rulings = [place.ruling for place in places]
    return Settled(_telling(places, rulings), plain(_totals(rulings)))


def adds_up(clause: Clause) -> bool:
    """Whether the places' answers only need to be added up, whatever they are."""
    return clause.scope not in (Scope.GROUP, Scope.CONTRACT) and clause.metric not in _SETTLED_APART


def _scopes(places: Iterable[PlaceVerdict]) -> tuple[ScopeVerdict, ...]:
    return tuple(scope for place in places for scope in place.kept)


def _telling(places: Sequence[PlaceVerdict], rulings: Sequence[Ruling]) -> tuple[ScopeVerdict, ...]:
    """Every failing scope, and of places that share a clean ruling the first by name: they rank alike but for it."""
    first = dict(zip(reversed(rulings), reversed(places), strict=True))
    clean = {ruling for ruling in first if ruling.is_clean}
    is_all_clean = len(clean) == len(first)
    told = () if is_all_clean else [place for place, own in zip(places, rulings, strict=True) if own not in clean]
    return _scopes([*told, *map(first.__getitem__, clean)])


def _totals(rulings: Iterable[Ruling]) -> Counter[State]:
    """How many scopes are in each state, over all places."""
    totals: Counter[State] = Counter()
    for ruling, times in Counter(rulings).items():
        for state, count in ruling.counts.items():
            totals[state] += count * times
    return totals


def plain(totals: Mapping[State, int]) -> dict[State, int]:
    """The states that occur, in their order."""
    return {state: totals[state] for state in State if totals.get(state, 0) > 0}


def _corrected(places: Sequence[PlaceVerdict], scopes: tuple[ScopeVerdict, ...]) -> Settled:
    """Scopes of which some got another state here, and the totals that follow."""
    totals = _totals(place.ruling for place in places)
    totals.subtract(Counter(scope.state for scope in _scopes(places)))
    totals.update(Counter(scope.state for scope in scopes))
    return Settled(scopes, plain(totals))


def _counted(scopes: Sequence[ScopeVerdict]) -> Settled:
    return _settled(scopes, [scope.state for scope in scopes])


def _settled(scopes: Sequence[ScopeVerdict], states: Sequence[State]) -> Settled:
    return Settled(tuple(scopes), {state: states.count(state) for state in State if state in states})


def _machines(clause: Clause, scopes: Sequence[ScopeVerdict]) -> tuple[ScopeVerdict, ...]:
    """One answer for the group: how many sets of GPUs answered, each counted once; missing slots stay, named."""
    answered = [scope for scope in scopes if scope.reason == "answered"]
    missing = tuple(replace(scope, value=None) for scope in scopes if scope.reason != "answered")
    twice = _sharing(answered)
    if twice:
        facts = {"nodes": tuple(sorted(scope.scope for scope in twice)), "found": len(answered) - len(twice) + 1}
        return (_joint(clause, twice, State.INCONCLUSIVE, "same_gpus", facts), *missing)
    if missing or not answered:
        return missing
    found = Decimal(len(answered))
    state, reason = (State.VERIFIED, "met") if is_met(clause, found) else (State.BREACHED, "missed")
    return (replace(_joint(clause, answered, state, reason, {}), value=found),)


def _sharing(answered: Sequence[ScopeVerdict]) -> list[ScopeVerdict]:
    """Slots that show a GPU which another slot shows too: the same machine twice, or a copied listing."""
    owners: dict[str, list[ScopeVerdict]] = {}
    for scope in answered:
        for uuid in str(scope.value).split():
            owners.setdefault(uuid, []).append(scope)
    shared = {scope.scope for several in owners.values() if len(several) > 1 for scope in several}
    return [scope for scope in answered if scope.scope in shared]


def _joint(
    clause: Clause, scopes: Sequence[ScopeVerdict], state: State, reason: str, facts: Mapping[str, object]
) -> ScopeVerdict:
    moments = [scope.fresh_until for scope in scopes if scope.fresh_until is not None]
    return ScopeVerdict(
        scope=clause.code, state=state, reason=reason, facts=facts,
        runs=tuple(run for scope in scopes for run in scope.runs),
        hosts={slot: host for scope in scopes for slot, host in scope.hosts.items()},
        fresh_until=min(moments, default=None),
    )  # fmt: skip


def _fallen_back(scopes: Sequence[ScopeVerdict], body: Body) -> tuple[ScopeVerdict, ...]:
    """A run over TCP although every machine in it has its ports up: breached, charged to the run, not to one machine.

    As long as one of the run's machines is short of ports, that machine explains it and the others are not blamed.
    """
    fell = [scope for scope in scopes if scope.reason == "fell_back"]
    innocent = [scope for scope in fell if _all_are_up(scope, scopes)]
    if not innocent:
        return tuple(scopes)
    rest = tuple(scope for scope in scopes if scope not in innocent)
    nodes = sorted({node for scope in innocent for node in scope.facts["nodes"]})
    joint = replace(
        innocent[0], scope=joined(nodes, body), state=State.BREACHED, reason="fell_back_everywhere",
        attribution=Attribution.UNKNOWN, hosts={k: v for scope in innocent for k, v in scope.hosts.items()},
        runs=tuple(dict.fromkeys(run for scope in innocent for run in (*scope.runs, *_over_tcp(scope)))),
        aside=tuple(pair for pair in innocent[0].aside if pair[0] not in _over_tcp(innocent[0])),
    )  # fmt: skip
    return (*rest, joint)


def _over_tcp(scope: ScopeVerdict) -> tuple[str, ...]:
    """The runs that say nothing about one machine because they left its network, and all about the network."""
    return tuple(run for run, why in scope.aside if why == "over_tcp")


def _all_are_up(scope: ScopeVerdict, scopes: Sequence[ScopeVerdict]) -> bool:
    up = {each.scope for each in scopes if each.reason == "fell_back"}
    return all(node in up for node in scope.facts["nodes"])


def _covered(clause: Clause, scopes: Sequence[ScopeVerdict], body: Body) -> tuple[ScopeVerdict, ...]:
    """Teams of a joint run: those that pass must together cover every machine, or the contracted share of them.

    A team that settled nothing does not block when passing teams cover all its machines; a breached one always stays.
    """
    everyone = nodes_of(clause.code, body)
    passing = {node for scope in scopes if scope.state in _PASSING for node in _team(scope)}
    kept = tuple(scope for scope in scopes if not _is_superseded(scope, passing))
    mentioned = {node for scope in kept for node in _team(scope)} | passing
    uncovered = [node for node in everyone if node not in mentioned]
    share = Decimal(len(passing)) * 100 / len(everyone)
    is_whole = any(not _team(scope) for scope in kept)
    if is_whole or not uncovered or (share >= Decimal(body.coverage_pct) and passing):
        return kept
    facts = {"nodes": tuple(uncovered), "covered": len(passing), "everyone": len(everyone)}
    return (*kept, ScopeVerdict(clause.code, State.PENDING, "uncovered", facts=facts, hosts=_hosts(scopes)))


def _team(scope: ScopeVerdict) -> tuple[str, ...]:
    return tuple(scope.facts.get("nodes", ()))


def _is_superseded(scope: ScopeVerdict, passing: set[str]) -> bool:
    undecided = scope.state in (State.INCONCLUSIVE, State.PENDING)
    return undecided and bool(_team(scope)) and passing.issuperset(_team(scope))


def _hosts(scopes: Sequence[ScopeVerdict]) -> dict[str, str]:
    return {slot: host for scope in scopes for slot, host in scope.hosts.items()}


def _is_measured(scope: ScopeVerdict) -> bool:
    return scope.state in (*_PASSING, State.BREACHED)
