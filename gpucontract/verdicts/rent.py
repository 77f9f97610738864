"""What agreed remedies make of the rent: each step as a sum a reader can redo, exact to the cent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucontract.canonical import decimal_text
from gpucontract.contracts.amounts import as_agreed
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.money import CENT, FINE, half_up
from gpucontract.verdicts.remedies import Basis, Kind, Offer
from gpucontract.wording import Text

# The clause that names the price.
PRICE = "c/price"
_PERIODS = {
    "CNY/node/month": Text("每月 {amount}", "{amount} a month"),
    "CNY/GPU/month": Text("每月 {amount}", "{amount} a month"),
    "CNY/GPU/hour": Text("每小时 {amount}", "{amount} an hour"),
    "package": Text("总价 {amount}", "{amount} in total"),
}
_MACHINES = Text("{price} × {count} 台", "{price} per machine × {count}")
_CARDS = Text("{price} × {count} 张 GPU", "{price} per GPU × {count}")
_BEFORE = Text("合同租金：{rent}（{sum}）。", "Rent by the contract: {rent} ({sum}).")
_PACKAGE = Text("合同租金：{rent}。", "Rent by the contract: {rent}.")
_REJECTED = Text(
    "自 {on} 起不接收 {slots}：减 {amount}（{sum}）。", "{slots} not taken from {on} on: less {amount} ({sum})."
)
_REJECTED_FOR = Text("自 {on} 起不接收 {slots}：减 {amount}。", "{slots} not taken from {on} on: less {amount}.")
_PERCENT = Text(
    "自 {on} 起降价 {pct} %：减 {amount}（{rent} × {pct} %）。",
    "{pct} % off from {on} on: less {amount} ({rent} × {pct} %).",
)
_OFF = Text("自 {on} 起降价：减 {amount}。", "Price cut from {on} on: less {amount}.")
_AFTER = Text("调整后的租金：{rent}（自 {on} 起）。", "Rent after that: {rent} (from {on} on).")
_MONTHLY = Text("另外，自 {on} 起每月减 {amount}。", "Besides, {amount} off each month from {on} on.")
_ONCE = Text("另外，一次性减 {amount}，{on} 之前结清。", "Besides, {amount} off once, settled by {on}.")
_FEES = Text(
    "合同另有按台收取的费用，上面没有计入，请双方核对。",
    "The contract also has fees charged by the machine, which are not counted here: check them together.",
)


@dataclass(frozen=True, slots=True)
class Rent:
    """before, after: in the period that the price speaks of (month, hour, or the whole term), in the currency.

    lines: the computation in words. is_possible: False where more is taken off than there is.
    """

    before: Decimal
    after: Decimal
    lines: tuple[Text, ...]

    @property
    def is_possible(self) -> bool:
        """Whether something is left to pay, or at least nothing to pay back."""
        return self.after >= 0


@dataclass(frozen=True, slots=True)
class _Price:
    """The price clause as frozen. places: to which decimal amounts in its period are rounded."""

    value: Decimal
    unit: str
    currency: str
    body: Body

    @property
    def places(self) -> int:
        return FINE if self.unit == "CNY/GPU/hour" else CENT

    def count(self, slots: Sequence[str] | None = None) -> int:
        """How many machines or GPUs are paid for, of all or of these slots."""
        by_gpu = "GPU" in self.unit
        return sum(
            (group.gpus_per_node if by_gpu else 1)
            * (group.node_count if slots is None else sum(group.has(slot) for slot in slots))
            for group in self.body.groups
        )

    def sum(self, count: int) -> Text:
        words = _CARDS if "GPU" in self.unit else _MACHINES
        return words.fill(price=as_agreed(self.value, self.currency), count=count)

    def money(self, amount: Decimal) -> Text:
        return as_agreed(amount, self.currency)

    def rent(self, amount: Decimal) -> Text:
        return _PERIODS[self.unit].fill(amount=self.money(amount))


def needs_amount(body: Body) -> bool:
    """Whether machines have no price of their own, so that their rejection must say what it takes off."""
    price = _price(body)
    return price is not None and price.unit == "package"


def currency_of(body: Body) -> str:
    """The currency of the contract's price."""
    price = _price(body)
    return price.currency if price else "CNY"


def rent_after(body: Body, offers: Sequence[Offer]) -> Rent | None:
    """The rent with these remedies; None where the contract names no price.

    Percentages are of the rent for the machines that are taken, and add up.
    """
    price = _price(body)
    if price is None:
        return None
    before = price.value if price.unit == "package" else price.value * price.count()
    head = _PACKAGE.fill(rent=price.rent(before)) if price.unit == "package" else _BEFORE.fill(
        rent=price.rent(before), sum=price.sum(price.count())
    )  # fmt: skip
    steps = list(_rejections(price, offers))
    taken = before - sum((amount for amount, _line in steps), Decimal(0))
    steps += _cuts(price, taken, offers)
    after = before - sum((amount for amount, _line in steps), Decimal(0))
    lines = [head, *(line for _amount, line in steps)]
    if steps:
        on = max(offer.from_on for offer in offers if not _is_apart(price, offer))
        lines.append(_AFTER.fill(rent=price.rent(after), on=on))
    return Rent(before, after, (*lines, *_apart(price, offers)))


def _price(body: Body) -> _Price | None:
    clause: Clause | None = next((each for each in body.clauses if each.key == PRICE), None)
    if clause is None or clause.conditions.get("pricing_unit") not in _PERIODS or not isinstance(clause.value, Decimal):
        return None
    currency = str(clause.conditions.get("currency") or "CNY")
    return _Price(clause.value, str(clause.conditions["pricing_unit"]), currency, body)


def _rejections(price: _Price, offers: Sequence[Offer]) -> Iterator[tuple[Decimal, Text]]:
    """What each rejection takes off; a machine named in several is counted once."""
    gone: set[str] = set()
    for offer in offers:
        slots = [slot for slot in offer.slots if slot not in gone]
        if offer.kind is not Kind.PARTIAL_REJECT or not slots:
            continue
        gone.update(slots)
        named = {"on": offer.from_on, "slots": Text("、".join(slots), ", ".join(slots))}
        if price.unit == "package":
            off = offer.amount or Decimal(0)
            yield off, _REJECTED_FOR.fill(amount=price.money(off), **named)
        else:
            count = price.count(slots)
            off = price.value * count
            yield off, _REJECTED.fill(amount=price.money(off), sum=price.sum(count), **named)


def _cuts(price: _Price, taken: Decimal, offers: Sequence[Offer]) -> Iterator[tuple[Decimal, Text]]:
    percent, off_so_far = Fraction(0), Decimal(0)
    for offer in offers:
        if offer.kind is not Kind.PRICE_CUT or offer.amount is None or _is_apart(price, offer):
            continue
        if offer.basis is Basis.PERCENT:
            # The sum is rounded, not each part: 50 % and 50 % leave nothing, and nothing below it.
            percent += Fraction(offer.amount)
            off = half_up(Fraction(taken) * percent / 100, price.places) - off_so_far
            off_so_far += off
            rent, pct = price.money(taken), decimal_text(offer.amount)
            yield off, _PERCENT.fill(on=offer.from_on, pct=pct, amount=price.money(off), rent=rent)
        else:
            yield offer.amount, _OFF.fill(on=offer.from_on, amount=price.money(offer.amount))


def _is_apart(price: _Price, offer: Offer) -> bool:
    """Whether the amount is of another period than the price, so that the two are never added up."""
    if offer.kind is Kind.PARTIAL_REJECT or offer.basis is Basis.PERCENT:
        return False
    own = {"package": Basis.ONCE, "CNY/GPU/hour": None}.get(price.unit, Basis.MONTH)
    return offer.basis is not own


def _apart(price: _Price, offers: Sequence[Offer]) -> Iterator[Text]:
    for offer in offers:
        if _is_apart(price, offer) and offer.amount is not None:
            words = _MONTHLY if offer.basis is Basis.MONTH else _ONCE
            yield words.fill(on=offer.from_on, amount=price.money(offer.amount))
    if any(offer.slots for offer in offers) and _has_fees_by_machine(price.body):
        yield _FEES


def _has_fees_by_machine(body: Body) -> bool:
    rows = (each for each in body.clauses if each.name == "other_fees")
    return any(isinstance(row.value, tuple) and "basis=per_node_month" in row.value for row in rows)
