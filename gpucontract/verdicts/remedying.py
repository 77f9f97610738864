"""Agreeing on a remedy: one side offers it for a clause that falls short, the other agrees or declines."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db import transaction

from gpucontract.accounts.models import User
from gpucontract.contracts.body import Body
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import STATES
from gpucontract.contracts.lifecycle import State as Stage
from gpucontract.contracts.models import Contract
from gpucontract.contracts.numbering import citations
from gpucontract.contracts.rights import must
from gpucontract.contracts.succession import must_stand
from gpucontract.contracts.values import same
from gpucontract.measurements.services import in_force
from gpucontract.units import grouped
from gpucontract.verdicts.models import Remedy, Verdict, VerdictChange
from gpucontract.verdicts.remedies import Basis, Kind, Offer, Standing, counting, left_open, may_be_for
from gpucontract.verdicts.rent import currency_of, needs_amount, rent_after
from gpucontract.verdicts.states import STATE_TEXTS, State
from gpucontract.wording import Text

LONGEST_REASON = 1000
# More money is never meant, and SQLite keeps more digits inexactly.
LARGEST_AMOUNT = Decimal(10_000_000_000)
FIRST_DAY, LAST_DAY = date(2020, 1, 1), date(2199, 12, 31)
# Machines may be handed over, and fall short, so long before the term that the contract names.
BEFORE_TERM = timedelta(days=366)

_NOT_NOW = Text(
    "合同处于“{state}”，只有验收期间才能商定处理办法。",
    "The contract is “{state}”; remedies are agreed on while it is in acceptance.",
)
_NO_VERDICT = Text(
    "这一条还没有判定，没有需要处理的问题。", "There is no verdict for this clause, so nothing to remedy."
)
_NOT_FAILING = Text("{clause} 的判定是“{state}”，不需要处理。", "{clause} is {state}; there is nothing to remedy.")
_NOT_MEASURED = Text(
    "{clause} 的判定是“{state}”：没有测出差多少，不能降价。请先再测一次，或者拒收测不了的机器。",
    "{clause} is {state}: nobody measured by how much it misses, so no price cut. Test it again, or reject the "
    "machines that cannot be tested.",
)
_NO_REASON = Text("请写明理由，最多 {limit} 个字。", "Give the reason, in at most {limit} characters.")
_TOO_LONG = Text(
    "理由有 {length} 个字，最多 {limit} 个：请写短些。",
    "The reason has {length} characters, the limit is {limit}; shorten it.",
)
_NO_AMOUNT = Text("请填写大于 0 的金额或百分比。", "Enter an amount or a percentage above 0.")
_TOO_LARGE = Text("金额是 {amount}，最多 {limit}：请核对。", "The amount is {amount}, the limit {limit}; check it.")
_OTHER_DAY = Text(
    "生效日期 {on} 不合理：请填 {first} 到 {last} 之间的一天。",
    "{on} cannot be meant: enter a day from {first} to {last}.",
)
_SHOWN_OTHER = Text(
    "打开页面之后，{clause} 的测量结果变了，没有提出。请核对下面的新结果再提出。",
    "{clause} shows another result since you opened the page; nothing was offered. Look at the new one and offer anew.",
)
_CENTS = Text("金额最多两位小数，现在是 {amount}。", "Amounts have two decimals at most; this is {amount}.")
_OVER = Text("降价最多 100 %，现在是 {amount} %。", "A price cut is at most 100 %; this is {amount} %.")
_NO_SLOTS = Text("请勾选不接收的机器。", "Tick the machines that are not taken.")
_UNKNOWN_SLOT = Text("合同中没有机器 {slot}。", "The contract has no machine {slot}.")
_ALL_SLOTS = Text(
    "不能拒收全部 {count} 台机器：一台都不接收时，请解除合同。",
    "All {count} machines cannot be rejected this way; to take none, terminate the contract.",
)
_PACKAGE = Text(
    "合同价是打包总价，没有单台价格：请填写总价减多少。",
    "The price is a package without a price per machine: enter how much comes off the total.",
)
_TOO_MUCH = Text(
    "连同已商定的处理办法，减去的超过了租金：{rent}请填写较小的数。",
    "With the remedies agreed already, more comes off than the rent is: {rent} Enter less.",
)
_OPEN_ALREADY = Text(
    "{clause} 已有一项处理办法待答复：请先答复或撤回。",
    "A remedy for {clause} waits for its answer already: answer it or take it back first.",
)
_OWN_WORD = Text("这是本方提出的，须由对方答复。", "Your own side offered this; the other side has to answer it.")
_NOT_YOURS = Text("只有提出的一方可以撤回。", "Only the side that offered it can take it back.")
_DECIDED = Text("这项处理办法已经答复或撤回了。", "This remedy was answered or taken back already.")
_TURNED = Text(
    "提出之后 {clause} 的测量结果变了，不能再按原来的结果同意。请对方撤回后按新结果重新提出。",
    "{clause} shows another result than the one this was offered for, so it cannot be agreed to. Ask the other side "
    "to take it back and offer anew.",
)


@dataclass(frozen=True, slots=True)
class Held:
    """What agreed remedies do to one contract now.

    remedies: those in force. left: see left_open.
    """

    remedies: tuple[Remedy, ...] = ()
    left: Mapping[str, State | None] = field(default_factory=dict)

    @property
    def settled(self) -> frozenset[str]:
        """The clauses that nothing is left open of."""
        return frozenset(key for key, state in self.left.items() if state is None)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The same remedies for the rules."""
        return tuple(remedy.offer for remedy in self.remedies)


def held(contracts: Collection[Contract]) -> dict[int, Held]:
    """By contract key, for those with an agreed remedy; one query where there is none, three else."""
    agreed: dict[int, list[Remedy]] = {}
    chosen = Remedy.objects.filter(contract__in=contracts, standing=Standing.AGREED) if contracts else ()
    for remedy in chosen:
        agreed.setdefault(remedy.contract_id, []).append(remedy)
    if not agreed:
        return {}
    verdicts: dict[int, dict[str, Verdict]] = {key: {} for key in agreed}
    for verdict in Verdict.objects.failing().filter(contract__in=agreed):
        verdicts[verdict.contract_id][verdict.key] = verdict
    failing = _failing(agreed)
    return {key: _held(remedies, verdicts[key], failing.get(key, {})) for key, remedies in agreed.items()}


def _held(
    agreed: list[Remedy], verdicts: Mapping[str, Verdict], failing: Mapping[str, list[tuple[str, State]]]
) -> Held:
    current = {each.pk for each in agreed if (now := verdicts.get(each.key)) and now.found == each.was_found}
    standing = [each for each in agreed if each.pk in current or each.final_at]
    kept = tuple(standing[place] for place in counting([each.offer for each in standing]))
    cut = {each.key for each in kept if each.kind == Kind.PRICE_CUT and each.pk in current}
    rejected = {slot for each in kept for slot in each.slots}
    open_ones = {key: failing.get(key, []) for key in verdicts}
    return Held(kept, left_open(cut, rejected, open_ones))


def _failing(contracts: Collection[int]) -> dict[int, dict[str, list[tuple[str, State]]]]:
    """Every failing place of every clause, from the last change that judging wrote: rows keep only the first ones."""
    found: dict[int, dict[str, list[tuple[str, State]]]] = {}
    changes = VerdictChange.objects.filter(contract__in=contracts).exclude(why="waiver").order_by("number")
    for change in changes.iterator():
        places = [(scope, State(state)) for scope, state in change.body["failing"]]
        found.setdefault(change.contract_id, {})[change.key] = places
    return found


def failing_slots(contract: Contract, body: Body) -> tuple[str, ...]:
    """The contracted machines on which anything falls short: those there may be reason not to take."""
    named = {
        node
        for places in _failing([contract.pk]).get(contract.pk, {}).values()
        for scope, _state in places
        for node in scope.partition("/")[0].split("+")
    }
    return tuple(code for group in body.groups for code in group.node_codes if code in named)


@transaction.atomic
def propose_remedy(
    contract: Contract, offer: Offer, *, reason: str, by: User, now: datetime, seen: str | None = None
) -> Remedy:
    """Offer a remedy for a clause to the other side. Raises ContractError with what is wrong and NotAllowed.

    seen: the mark of the finding on the page that it was typed into; None where there was no page.
    """
    must(contract, by, "remedy")
    standing = _ready(contract)
    body, why = in_force(standing).body(), reason.strip()
    about = citations(body).get(offer.key, same(offer.key))
    verdict = _fitting(standing, offer, about)
    if seen not in (None, verdict.found.mark):
        raise ContractError(_SHOWN_OTHER.fill(clause=about))
    _must_be_sound(offer, body)
    _must_leave_rent(standing, offer, body)
    if not any(letter.isprintable() and not letter.isspace() for letter in why):
        raise ContractError(_NO_REASON.fill(limit=LONGEST_REASON))
    if len(why) > LONGEST_REASON:
        raise ContractError(_TOO_LONG.fill(length=len(why), limit=LONGEST_REASON))
    if Remedy.objects.filter(contract=standing, key=offer.key, standing=Standing.OPEN).exists():
        raise ContractError(_OPEN_ALREADY.fill(clause=about))
    found = {"state": verdict.state, "value": verdict.value, "finding": verdict.finding,
             "zh": verdict.value_zh, "en": verdict.value_en}  # fmt: skip
    made = Remedy.objects.create(
        contract=standing, key=offer.key, kind=offer.kind, basis=offer.basis or "", amount=offer.amount,
        slots=list(dict.fromkeys(offer.slots)), from_on=offer.from_on, reason=why, found=found,
        side=str(standing.side_of(by)), by=by, at=now,
    )  # fmt: skip
    _note(made, "remedy_proposed", by, now, body)
    return made


@transaction.atomic
def decide_remedy(remedy: Remedy, *, is_agreed: bool, by: User, now: datetime) -> Remedy:
    """Agree to the other side's remedy, which then binds both, or decline it; once only."""
    must(remedy.contract, by, "remedy")
    standing = _ready(remedy.contract)
    if standing.side_of(by) == remedy.side:
        raise ContractError(_OWN_WORD)
    body = in_force(standing).body()
    if is_agreed:
        _must_be_as_found(remedy, body)
        _must_leave_rent(standing, remedy.offer, body)
    outcome = Standing.AGREED if is_agreed else Standing.DECLINED
    _settle(remedy, outcome, by, now)
    _note(remedy, f"remedy_{outcome}", by, now, body)
    return remedy


@transaction.atomic
def withdraw_remedy(remedy: Remedy, *, by: User, now: datetime) -> Remedy:
    """Take one's own side's offer back as long as it has no answer."""
    must(remedy.contract, by, "remedy")
    standing = _ready(remedy.contract)
    if standing.side_of(by) != remedy.side:
        raise ContractError(_NOT_YOURS)
    _settle(remedy, Standing.WITHDRAWN, by, now)
    _note(remedy, "remedy_withdrawn", by, now, in_force(standing).body())
    return remedy


def waiting_for(contracts: Collection[Contract]) -> dict[int, frozenset[str]]:
    """By contract key: the sides whose offers have no answer yet, of contracts in acceptance."""
    accepting = [each for each in contracts if each.state == Stage.ACCEPTING]
    found: dict[int, set[str]] = {}
    if accepting:
        open_ones = Remedy.objects.filter(contract__in=accepting, standing=Standing.OPEN)
        for contract, side in open_ones.values_list("contract", "side"):
            found.setdefault(contract, set()).add(side)
    return {key: frozenset(sides) for key, sides in found.items()}


def _ready(contract: Contract) -> Contract:
    standing = lock(contract)
    if standing.state != Stage.ACCEPTING:
        raise ContractError(_NOT_NOW.fill(state=STATES[standing.state]))
    must_stand(standing)
    return standing


def _settle(remedy: Remedy, outcome: Standing, by: User, now: datetime) -> None:
    undecided = Remedy.objects.filter(pk=remedy.pk, standing=Standing.OPEN)
    if not undecided.update(standing=outcome, decided_by=by, decided_at=now):
        raise ContractError(_DECIDED)
    remedy.refresh_from_db()


def _fitting(contract: Contract, offer: Offer, about: Text) -> Verdict:
    """The clause's verdict, where it can be settled this way."""
    verdict = Verdict.objects.filter(contract=contract, key=offer.key).first()
    if verdict is None:
        raise ContractError(_NO_VERDICT)
    state = State(verdict.state)
    if not state.is_failing:
        raise ContractError(_NOT_FAILING.fill(clause=about, state=STATE_TEXTS[state]))
    if not may_be_for(offer.kind, state):
        raise ContractError(_NOT_MEASURED.fill(clause=about, state=STATE_TEXTS[state]))
    return verdict


def _must_be_sound(offer: Offer, body: Body) -> None:
    first = _first_day(body)
    if not first <= offer.from_on <= LAST_DAY:
        raise ContractError(_OTHER_DAY.fill(on=offer.from_on, first=first, last=LAST_DAY))
    if offer.kind is Kind.PARTIAL_REJECT:
        _must_be_some(offer, body)
    elif not offer.amount or offer.amount <= 0 or offer.basis is None:
        raise ContractError(_NO_AMOUNT)
    elif offer.basis is Basis.PERCENT and offer.amount > 100:
        raise ContractError(_OVER.fill(amount=offer.amount))
    if offer.amount is not None and offer.amount > LARGEST_AMOUNT:
        raise ContractError(_TOO_LARGE.fill(amount=grouped(offer.amount), limit=grouped(LARGEST_AMOUNT)))
    if offer.amount is not None and offer.amount != offer.amount.quantize(Decimal("0.01")):
        raise ContractError(_CENTS.fill(amount=offer.amount))


def _first_day(body: Body) -> date:
    term = next((clause for clause in body.clauses if clause.key == "c/term"), None)
    return date.fromisoformat(str(term.value)) - BEFORE_TERM if term and term.value else FIRST_DAY


def _must_be_some(offer: Offer, body: Body) -> None:
    known = [code for group in body.groups for code in group.node_codes]
    if not offer.slots:
        raise ContractError(_NO_SLOTS)
    odd = next((slot for slot in offer.slots if slot not in known), None)
    if odd is not None:
        raise ContractError(_UNKNOWN_SLOT.fill(slot=odd[:40]))
    if needs_amount(body) and not (offer.amount and offer.amount > 0):
        raise ContractError(_PACKAGE)


def _must_leave_rent(contract: Contract, offer: Offer, body: Body) -> None:
    """Something must be left of the machines and of the rent, with all that is agreed already."""
    others = held([contract]).get(contract.pk, Held()).offers
    known = [code for group in body.groups for code in group.node_codes]
    if offer.slots and set(known) <= {*offer.slots, *(slot for each in others for slot in each.slots)}:
        raise ContractError(_ALL_SLOTS.fill(count=len(known)))
    offers = [*others, offer]
    rent = rent_after(body, [offers[place] for place in counting(offers)])
    if rent is not None and not rent.is_possible:
        raise ContractError(_TOO_MUCH.fill(rent=rent.lines[0]))


def _must_be_as_found(remedy: Remedy, body: Body) -> None:
    verdict = Verdict.objects.filter(contract=remedy.contract_id, key=remedy.key).first()
    if verdict is None or verdict.found != remedy.was_found:
        raise ContractError(_TURNED.fill(clause=citations(body).get(remedy.key, same(remedy.key))))


def _note(remedy: Remedy, kind: str, by: User, now: datetime, body: Body) -> None:
    what, about = remedy.offer.said(currency_of(body)), citations(body).get(remedy.key, same(remedy.key))
    said = {
        "remedy": remedy.pk, "kind": remedy.kind, "basis": remedy.basis or None, "amount": remedy.amount,
        "slots": remedy.slots, "from_on": remedy.from_on, "found": remedy.found, "reason": remedy.reason,
        "what": [what.zh, what.en], "about": [about.zh, about.en],
    }  # fmt: skip
    record(remedy.contract, kind, by=by, at=now, key=remedy.key, body=said)
