"""The buyer's decision on acceptance: looked at under the contract's lock, made on exactly what the page showed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.canonical import digest
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.handover import clocks
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import Fact, next_state
from gpucontract.contracts.models import ClausePaper, Contract, Revision
from gpucontract.contracts.moving import move
from gpucontract.contracts.rights import must
from gpucontract.contracts.succession import amended_by, must_stand
from gpucontract.measurements.models import Run
from gpucontract.measurements.plan import SETTLING_NOTHING
from gpucontract.measurements.services import in_force
from gpucontract.verdicts.acceptance import Delay, Settlement, delays, settlement
from gpucontract.verdicts.models import JudgeQueue, Remedy, Verdict, Waiver
from gpucontract.verdicts.remedies import Standing
from gpucontract.verdicts.remedying import Held, held
from gpucontract.verdicts.rent import Rent, rent_after
from gpucontract.verdicts.rules import RULES_VERSION
from gpucontract.verdicts.services import LONGEST_REASON
from gpucontract.verdicts.states import State
from gpucontract.verdicts.summary import Counts, count
from gpucontract.verdicts.writing import append_changes
from gpucontract.wording import Text

_TURNED = Text(
    "打开页面之后，判定、豁免或处理办法有了变化，尚未验收。请核对下面的最新情况再决定。",
    "Verdicts, waivers or remedies changed after you opened the page; nothing is accepted. Look again and decide.",
)
_JUDGING = Text(
    "刚收到新的证据或文件，正在判定，尚未验收。请过几秒再试。",
    "New evidence or papers have just come in and are being judged; nothing is accepted. Try again in some seconds.",
)
_NOT_TICKED = Text(
    "还有临界条款没有勾选接受：逐条勾选，或者先改正再测。",
    "Marginal clauses are not ticked yet: tick each that you accept, or have it mended and tested again.",
)
_NO_RENT = Text(
    "已商定的处理办法减去的超过了租金，不能据此验收：{rent}",
    "The remedies agreed take more off than the rent is, so nothing is accepted on them: {rent}",
)
_TAKEN = Text("验收时按临界接受，实测 {value}", "accepted as marginal at acceptance, measured {value}")


@dataclass(frozen=True, slots=True)
class Outlook:
    """How acceptance stands now. sha256: over every clause's verdict, waiver and remedies, so that a change shows.

    is_judging: evidence or papers have come in that no verdict speaks of yet. held: the remedies in force; offered:
    those without an answer. delays: what a decision waits for. rent: what the remedies in force make of it, None where
    there is none or no price.
    """

    revision: Revision
    settlement: Settlement
    verdicts: Mapping[str, Verdict]
    counts: Counts
    sha256: str
    is_judging: bool
    held: Held
    offered: tuple[Remedy, ...]
    delays: tuple[Delay, ...]
    rent: Rent | None


def outlook(contract: Contract, now: datetime) -> Outlook:
    """What keeps a contract in force from being accepted. Raises MeasurementError before signing."""
    revision = in_force(contract)
    body = revision.body()
    verdicts = {verdict.key: verdict for verdict in Verdict.objects.filter(contract=contract)}
    waived = set(Waiver.objects.filter(contract=contract).values_list("key", flat=True))
    remedies = held([contract]).get(contract.pk, Held())
    offered = tuple(contract.remedies.filter(standing=Standing.OPEN).select_related("by"))
    states = {key: verdict.state for key, verdict in verdicts.items()}
    seen = {
        "revision": revision.sha256,
        "verdicts": [[key, *astuple(each.found), key in waived] for key, each in sorted(verdicts.items())],
        "remedies": [[each.pk for each in remedies.remedies], [each.pk for each in offered]],
    }  # fmt: skip
    return Outlook(
        revision, settlement(body.clauses, states, waived, remedies.left), verdicts,
        count(states, waived, remedies.settled), digest(seen), _is_judging(contract, now), remedies, offered,
        _delays(contract), rent_after(body, remedies.offers) if remedies.remedies else None,
    )  # fmt: skip


@transaction.atomic
def accept(
    contract: Contract, *, by: User, seen: str, ticked: Collection[str] = (), now: datetime | None = None
) -> Contract:
    """Accept the machines. seen: Outlook.sha256 of the page; ticked: the marginal clauses accepted as they are.

    Raises NotAllowed, LifecycleError and ContractError; then nothing is changed.
    """
    must(contract, by, "accept")
    standing, at = lock(contract), now or timezone.now()
    must_stand(standing)
    next_state(standing.state, "accept", {Fact.ALL_SETTLED})
    known = outlook(standing, at)
    if known.is_judging:
        raise ContractError(_JUDGING)
    if known.delays:
        raise ContractError(known.delays[0].text)
    if known.sha256 != seen:
        raise ContractError(_TURNED)
    if known.rent and not known.rent.is_possible:
        raise ContractError(_NO_RENT.fill(rent=known.rent.lines[0]))
    if not known.settlement.blocking and not known.settlement.holds_with(ticked):
        raise ContractError(_NOT_TICKED)
    facts = {Fact.ALL_SETTLED} if known.settlement.holds_with(ticked) else set()
    said = {"counts": dict(known.counts.by_state), "verdicts_sha256": known.sha256, **_agreed(known)}
    moved = move(standing, "accept", by=by, facts=facts, now=at, body=said, revision=known.revision)
    _take_marginal(moved, [known.verdicts[key] for key in known.settlement.marginal], by, at)
    Remedy.objects.filter(pk__in=[each.pk for each in known.held.remedies]).update(final_at=at)
    return moved


def _agreed(known: Outlook) -> Mapping[str, Any]:
    """The remedies on which acceptance is given, for the journal, with the rent as they make it."""
    if not known.held.remedies:
        return {}
    lines = known.rent.lines if known.rent else ()
    return {"remedies": [each.pk for each in known.held.remedies], "rent": [[line.zh, line.en] for line in lines]}


def ripe(contracts: Collection[Contract]) -> frozenset[int]:
    """Keys of those in which all that was judged is verified, waived, marginal or remedied, and no test is open."""
    if not contracts:
        return frozenset()
    remedied = held(contracts)
    waived = Waiver.objects.filter(contract=OuterRef("contract"), key=OuterRef("key"))
    open_ones = Verdict.objects.failing().filter(contract__in=contracts).exclude(state=State.MARGINAL)
    settled = {(key, clause) for key, each in remedied.items() for clause in each.settled}
    failing = open_ones.filter(~Exists(waived)).values_list("contract", "key")
    runs = Run.objects.open().filter(contract__in=contracts).exclude(job__in=SETTLING_NOTHING)
    blocked = set(runs.values_list("contract", flat=True))
    blocked |= {contract for contract, key in failing if (contract, key) not in settled}
    return frozenset(contract.pk for contract in contracts if contract.pk not in blocked)


def _take_marginal(contract: Contract, verdicts: Collection[Verdict], by: User, at: datetime) -> None:
    """What was accepted as marginal lies over the measured state as a waiver with this reason of its own."""
    for verdict in verdicts:
        value = Text(verdict.value_zh or "—", verdict.value_en or "—")
        words = _TAKEN.fill(value=value)
        reason = f"{words.zh} / {words.en}"[:LONGEST_REASON]
        Waiver.objects.create(contract=contract, key=verdict.key, reason=reason, by=by, at=at)
        failing = [[each["scope"], each["state"]] for each in verdict.exceptions]
        changed = {"state": verdict.state, "failing": failing, "waived": True}
        append_changes(contract, {verdict.key: changed}, "waiver", at)
        said = {"state": verdict.state, "value": verdict.value, "unit": verdict.unit}
        record(contract, "marginal_accepted", by=by, at=at, key=verdict.key, body=said)


def _delays(contract: Contract) -> tuple[Delay, ...]:
    clock = clocks([contract]).get(contract.pk)
    day = clock.handover if clock else None
    unconfirmed = day.recorded_on if day and day.is_open else None
    return delays(unconfirmed, day.denied if day else "", contract.runs.open().values_list("round", "job"))


def _is_judging(contract: Contract, now: datetime) -> bool:
    line = [contract, *amended_by(contract)]
    runs = Run.objects.delivered().filter(contract__in=line, judged_version__lt=RULES_VERSION)
    return (
        runs.exists()
        or ClausePaper.objects.unjudged().filter(contract__in=line).exists()
        or JudgeQueue.objects.filter(contract=contract, due_at__lte=now).exists()
    )
