"""What accepted counters do to the price: a concession is written by nobody but a person, so it is never forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpucontract.contracts.body import Body
from gpucontract.contracts.comparing import Kind, changes
from gpucontract.contracts.countering import Price, price_words
from gpucontract.contracts.models import Confirmation, Revision
from gpucontract.wording import Text

SETTLED = Text("已确认：价格影响不通过修改价格处理。", "The price effect is settled without a price change.")
CHANGED = Text("价格已作修改。", "The price was changed.")
NOT_YET = Text("价格不会自动修改。", "The price is not changed automatically.")
_EFFECT = Text("“{line}”：{price}。{note}", "“{line}”: {price}. {note}")
_OPEN = Text(
    "“{line}”：已接受的修改带有价格影响（{price}），但价格还没有改。请修改价格，或在往来页上勾选“价格影响已处理，不改价格”。",
    "“{line}”: accepted with a price effect ({price}), but the price is still as before. Change the price, or tick on "
    "the rounds page that the price effect is settled without a price change.",
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The price effect of one accepted counter. is_open: nobody changed the price or said that it stays."""

    key: str
    line: Text
    price: Text
    note: Text
    is_open: bool

    @property
    def sentence(self) -> Text:
        """The line, what it does to the price and what became of that; while it is open, what to do."""
        if self.is_open:
            return _OPEN.fill(line=self.line, price=self.price)
        return _EFFECT.fill(line=self.line, price=self.price, note=self.note)


def effects(earlier: Revision, body: Body | None) -> Iterator[Effect]:
    """The price effects accepted on a revision, as the next body answers them; None: it cannot be compiled yet."""
    old = earlier.body()
    accepted = earlier.confirmations.filter(decision__answer="accepted", price_amount__isnull=False)
    is_changed = body is not None and is_price_changed(old, body)
    for answer in accepted.select_related("decision").order_by("key"):
        settled = answer.decision.price_settled
        note = SETTLED if settled else CHANGED if is_changed else NOT_YET
        yield Effect(answer.key, old.clause(answer.key).text, _words(answer), note, not settled and not is_changed)


def is_price_changed(old: Body, new: Body) -> bool:
    """Whether the unit price or a fee differs in more than its wording."""
    found = (change for change in changes(old, new) if change.kind is not Kind.WORDING)
    return any(is_price(change.key) for change in found)


def is_price(key: str) -> bool:
    """Whether a clause is the unit price or a fee."""
    return key == "c/price" or key.startswith("c/other_fees:")


def price_of(answer: Confirmation) -> Text | None:
    """A counter's price effect in words."""
    return None if answer.price_amount is None else _words(answer)


def _words(answer: Confirmation) -> Text:
    assert answer.price_amount is not None
    return price_words(Price(answer.price_amount, answer.price_currency, answer.price_basis))
