"""Remedies that two sides agree on for what falls short: which of them hold, and what they leave open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from gpucontract.canonical import decimal_text, digest
from gpucontract.contracts.amounts import as_agreed
from gpucontract.verdicts.states import State
from gpucontract.wording import Text


class Kind(StrEnum):
    PRICE_CUT = "price_cut"
    PARTIAL_REJECT = "partial_reject"


class Basis(StrEnum):
    """What the amount of a price cut is: percent of the rent, so much a month, or so much once."""

    PERCENT = "pct"
    MONTH = "month"
    ONCE = "once"


class Standing(StrEnum):
    """What has become of an offer."""

    OPEN = "open"
    AGREED = "agreed"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


KINDS: Mapping[str, Text] = {
    Kind.PRICE_CUT: Text("降价", "price cut"),
    Kind.PARTIAL_REJECT: Text("部分拒收", "partial rejection"),
}
BASES: Mapping[str, Text] = {
    Basis.PERCENT: Text("租金的百分比（%）", "percent of the rent (%)"),
    Basis.MONTH: Text("每月减", "so much a month"),
    Basis.ONCE: Text("一次性减", "so much once"),
}
STANDINGS: Mapping[str, Text] = {
    Standing.OPEN: Text("待答复", "waits for an answer"),
    Standing.AGREED: Text("已商定", "agreed"),
    Standing.DECLINED: Text("不同意", "declined"),
    Standing.WITHDRAWN: Text("已撤回", "taken back"),
    Standing.LAPSED: Text("结果已变，须重新商定", "lapsed: the result changed"),
}
_PERCENT = Text("租金降 {amount} %，自 {on} 起", "{amount} % off the rent, from {on} on")
_MONTH = Text("每月租金减 {amount}，自 {on} 起", "{amount} off each month's rent, from {on} on")
_ONCE = Text("一次性减 {amount}，{on} 之前结清", "{amount} off once, settled by {on}")
_REJECT = Text("不接收 {slots}，自 {on} 起不计租金", "{slots} not taken, no rent for them from {on} on")
_REJECT_FOR = Text("{rejected}，总价减 {amount}", "{rejected}; {amount} off the total")
# What was measured to miss can be worth less; what nobody could measure can only be tested again or not taken.
_CUT_FOR = (State.BREACHED, State.MARGINAL)


@dataclass(frozen=True, slots=True)
class Found:
    """What a verdict said: its state, the exact value and the digest over all that falls short, place by place."""

    state: str
    value: str | None
    finding: str

    @property
    def mark(self) -> str:
        """The same as one word, for a page to say what it showed."""
        return digest([self.state, self.value or "", self.finding])


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered for a clause. amount: percent or money, None where nothing but machines is given up.

    slots: the machines that are not taken. from_on: the day from which it applies, for what is paid once the last day.
    """

    key: str
    kind: Kind
    from_on: date
    amount: Decimal | None = None
    basis: Basis | None = None
    slots: tuple[str, ...] = ()

    def said(self, currency: str) -> Text:
        """The offer in words, with its exact amount."""
        if self.kind is Kind.PARTIAL_REJECT:
            rejected = _REJECT.fill(slots=Text("、".join(self.slots), ", ".join(self.slots)), on=self.from_on)
            return (
                _REJECT_FOR.fill(rejected=rejected, amount=as_agreed(self.amount, currency))
                if self.amount
                else rejected
            )
        amount = self.amount or Decimal(0)
        if self.basis is Basis.PERCENT:
            return _PERCENT.fill(amount=decimal_text(amount), on=self.from_on)
        words = _MONTH if self.basis is Basis.MONTH else _ONCE
        return words.fill(amount=as_agreed(amount, currency), on=self.from_on)


def may_be_for(kind: Kind, state: State) -> bool:
    """Whether a clause in this state can be settled this way."""
    return state in _CUT_FOR if kind is Kind.PRICE_CUT else state.is_failing


def counting(offers: Sequence[Offer]) -> tuple[int, ...]:
    """Which of agreed offers count, given oldest first: of price cuts for one clause the last, all rejections."""
    last = {offer.key: place for place, offer in enumerate(offers) if offer.kind is Kind.PRICE_CUT}
    return tuple(
        place for place, offer in enumerate(offers) if offer.kind is Kind.PARTIAL_REJECT or last[offer.key] == place
    )


def left_open(
    cut: Collection[str], rejected: Collection[str], failing: Mapping[str, Sequence[tuple[str, State]]]
) -> dict[str, State | None]:
    """By clause key, the state that agreed remedies leave; None where they settle it. Other clauses are left out.

    cut: clauses whose finding a price cut was agreed for; it settles what was measured to miss, not what was not.
    rejected: machines not taken: what falls short on them alone holds nothing up. failing: every place that keeps a
    clause from being verified.
    """
    found: dict[str, State | None] = {}
    for key, places in failing.items():
        rest = [state for scope, state in places if not _lies_in(scope, rejected)]
        if key in cut:
            rest = [state for state in rest if state not in _CUT_FOR]
        if places and not rest:
            found[key] = None
        elif len(rest) < len(places):
            found[key] = max(rest, key=lambda state: state.severity)
    return found


def _lies_in(scope: str, rejected: Collection[str]) -> bool:
    """Whether every machine of a scope is one of these; a whole group or mount never is."""
    return all(node in rejected for node in scope.partition("/")[0].split("+"))
