"""A contract's machines beside each other: each rate by machine, their median, who falls behind; and pair by pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median

from django.utils import timezone

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause, Scope, VerifiedBy
from gpucontract.contracts.models import Contract
from gpucontract.contracts.succession import amended_by
from gpucontract.measurements.models import Node
from gpucontract.measurements.plan import BY_HAND
from gpucontract.measurements.records import RunRecord
from gpucontract.measurements.services import as_signed, records_of
from gpucontract.metrics import METRICS
from gpucontract.verdicts import papers
from gpucontract.verdicts.admission import base_context, may_speak
from gpucontract.verdicts.answers import PlaceVerdict
from gpucontract.verdicts.exchanges import renewed
from gpucontract.verdicts.models import NodeVerdict
from gpucontract.verdicts.outliers import FEWEST, Outlier, Pair, Suspect, outliers, slow_pairs, suspects
from gpucontract.verdicts.trials import busy, printed
from gpucontract.wording import Text

_TRAINING = Text(
    "节点组 {group} 的参考训练（健康检查，不判定条款）",
    "Reference training of group {group} (a health check, no clause)",
)
_VARIANCE = "node_variance_max_pct"
_OF_A_MACHINE = (Scope.NODE, Scope.GPU, Scope.PORT)


@dataclass(frozen=True, slots=True)
class Spread:
    """One rate over a group's machines; where devices are judged, a machine counts with its deciding one.

    what: the clause's text, or what the health check is. values: (slot, value in the unit), the least first.
    middle: their median; None below FEWEST machines. gap: from the least to the greatest in % of the median; None for
    one machine. promised: the greatest gap that the contract allows in %, of a rate that it does not name.
    """

    what: Text
    unit: str
    values: tuple[tuple[str, Decimal], ...]
    middle: Decimal | None
    outliers: tuple[Outlier, ...]
    gap: Decimal | None
    promised: Decimal | None = None


@dataclass(frozen=True, slots=True)
class PairsOfGroup:
    """A group's machines two by two.

    count: pairs that gave a number. middle: their median in GB/s. slow: those far below it.
    """

    group: str
    count: int
    middle: Decimal
    slow: tuple[tuple[str, Decimal], ...]
    suspects: tuple[Suspect, ...]


def pairs(contract: Contract) -> tuple[PairsOfGroup, ...]:
    """The groups whose machines were measured two by two.

    The newest round with pairs enough for a median says which are slow; pairs measured alone after it are retests.
    """
    by_group: dict[str, dict[int, dict[Pair, Decimal]]] = defaultdict(lambda: defaultdict(dict))
    for record in _that_count(contract):
        speed = _speed(record)
        if speed is not None:
            by_group[record.group][record.round][frozenset(record.nodes)] = speed
    found = (_of_group(group, rounds) for group, rounds in sorted(by_group.items()))
    return tuple(each for each in found if each is not None)


def _that_count(contract: Contract) -> Iterator[RunRecord]:
    """The pair tests that speak of the machines standing there now: what stood there before is no longer suspected."""
    records = records_of(contract, jobs=("nccl_pairs",))
    if not records:
        return
    body = as_signed(contract).body()
    hosts = dict(Node.objects.of(contract).exclude(hostname="").values_list("code", "hostname"))
    line = [contract, *amended_by(contract)]
    context = replace(base_context(body, timezone.now()), hosts=hosts, renewed=renewed(line, body))
    yield from (record for record in records if may_speak(record, context))


def _of_group(group: str, rounds: dict[int, dict[Pair, Decimal]]) -> PairsOfGroup | None:
    whole = max((number for number, known in rounds.items() if len(known) >= FEWEST), default=None)
    if whole is None:
        return None
    known = rounds[whole]
    retests: dict[Pair, Decimal] = {}
    for number in sorted(rounds):
        retests |= rounds[number] if number > whole else {}
    slow = tuple((" – ".join(sorted(pair)), known[pair]) for pair in slow_pairs(known))
    return PairsOfGroup(group, len(known), median(known.values()), slow, suspects(known, retests))


def _speed(record: RunRecord) -> Decimal | None:
    """Bus bandwidth at the largest size, GB/s, of a whole run of two hosts that had their GPUs to themselves."""
    told = (each for each in printed(record) if not each.output.error and each.number("hosts") == 2)
    speeds = (each.number(f"busbw_at_{each.number('largest_size')}_out_of_place") for each in told)
    return None if busy(record) else next(filter(None, speeds), None)


def spreads(contract: Contract) -> tuple[Spread, ...]:
    """Every rate clause that machines were measured for, those with machines out of line first."""
    body = as_signed(contract).body()
    rates = [each for each in body.clauses if _is_machine_rate(each)]
    documents = NodeVerdict.objects.filter(contract=contract).documents()
    answers = papers.read(documents, {clause.key for clause in rates})
    found = [spread for clause in rates if (spread := _spread(clause, answers.get(clause.key, ()), body)) is not None]
    return tuple(sorted([*found, *_trainings(contract)], key=lambda spread: not spread.outliers))


def _trainings(contract: Contract) -> Iterator[Spread]:
    """The reference training of each group's machines, the newest run of each that had its GPUs to itself."""
    by_group: dict[str, dict[str, Decimal]] = defaultdict(dict)
    for record in sorted(records_of(contract, jobs=BY_HAND), key=lambda each: each.received_at):
        told = (each.number("tokens_per_s") for each in printed(record) if not each.output.error)
        speed = None if busy(record) else next(filter(None, told), None)
        if speed is not None:
            by_group[record.group][record.lead] = speed
    for group, values in sorted(by_group.items()):
        what = _TRAINING.fill(group=group)
        yield _spread_of(what, METRICS["tokens_per_s"].unit, values, outliers("tokens_per_s", values))


def _is_machine_rate(clause: Clause) -> bool:
    return clause.verified_by is VerifiedBy.MEASUREMENT and clause.kind == "rate" and clause.scope in _OF_A_MACHINE


def _spread(clause: Clause, answers: Iterable[PlaceVerdict], body: Body) -> Spread | None:
    group = body.group(clause.code)
    measured = [(answer.place, answer.worst.value) for answer in answers if group.has(answer.place)]
    values = {slot: value for slot, value in measured if isinstance(value, Decimal)}
    if not values:
        return None
    promised = next((each.value for each in body.clauses if each.key == f"{clause.code}/{_VARIANCE}"), None)
    found = _spread_of(clause.text, clause.unit, values, outliers(clause.metric, values))
    return replace(found, promised=promised if isinstance(promised, Decimal) else None)


def _spread_of(what: Text, unit: str, values: Mapping[str, Decimal], behind: tuple[Outlier, ...]) -> Spread:
    ordered = tuple(sorted(values.items(), key=lambda item: (item[1], item[0])))
    middle = median(values.values())
    gap = (ordered[-1][1] - ordered[0][1]) / middle * 100 if len(values) > 1 and middle else None
    return Spread(what, unit, ordered, middle if len(values) >= FEWEST else None, behind, gap)
