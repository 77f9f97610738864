"""What accepted counters do to the price: a concession is written by nobody but a person, so it is never forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.comparing import Change, Kind, changes
from gpucontract.contracts.countering import Price, price_words
from gpucontract.contracts.models import Confirmation, Revision
from gpucontract.wording import Text

SETTLED = Text("价格影响已处理，不改价格。", "The price effect is settled without a price change.")
CHANGED = Text("价格已作修改。", "The price was changed.")
NOT_YET = Text("价格不会自动修改。", "The price is not changed automatically.")
_OTHER_SUM = Text(
    "单价改动为 {delta}，已接受的价格影响合计为 {sum}，两者不同，请核对。",
    "The unit price changes by {delta}, the accepted price effects add up to {sum}: check which is meant.",
)
_UNCLEAR = Text(
    "价格已作修改；计价方式不同，无法自动核对是否与价格影响一致，请核对。",
    "The price was changed, in another basis: whether it covers the price effect cannot be told, so check it.",
)
_EFFECT = Text("“{line}”：{price}。{note}", "“{line}”: {price}. {note}")
_OPEN = Text(
    "“{line}”：已接受的修改带有价格影响（{price}），但价格还没有相应改动。请修改价格，或在往来页上勾选“价格影响已处理，不改价格”。",
    "“{line}”: accepted with a price effect ({price}), but the price is not changed to that effect. Change the price, "
    "or tick on the rounds page that the price effect is settled without a price change.",
)
# The pricing unit of the unit price that says the same as the basis of a price effect.
_BASIS_OF = {"CNY/GPU/hour": "gpu_hour", "CNY/GPU/month": "gpu_month", "CNY/node/month": "node_month"}


@dataclass(frozen=True, slots=True)
class Effect:
    """The price effect of one accepted counter. is_open: the price did not move its way and nobody said it stays."""

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


@dataclass(frozen=True, slots=True)
class Moved:
    """How the price lines moved. signs: up +1, down -1, 0 where it cannot be told; unit: of the unit price alone."""

    signs: frozenset[int]
    unit: Price | None = None

    def answers(self, amount: Decimal) -> bool:
        """Whether a price effect of this amount can be in it; an effect of nothing needs no change."""
        return not amount or 0 in self.signs or (1 if amount > 0 else -1) in self.signs


def effects(earlier: Revision, body: Body | None) -> Iterator[Effect]:
    """The price effects accepted on a revision, as the next body answers them; None: it cannot be compiled yet."""
    old = earlier.body()
    accepted = earlier.confirmations.filter(decision__answer="accepted", price_amount__isnull=False)
    answers = list(accepted.select_related("decision").order_by("key"))
    moved = moved_between(old, body) if body else Moved(frozenset())
    note = _note([_price(answer) for answer in answers if not answer.decision.price_settled], moved)
    for answer in answers:
        settled, is_answered = answer.decision.price_settled, moved.answers(_price(answer).amount)
        said = SETTLED if settled else note if is_answered else NOT_YET
        yield Effect(answer.key, old.clause(answer.key).text, _words(answer), said, not settled and not is_answered)


def moved_between(old: Body, new: Body) -> Moved:
    """How the unit price and the fees moved from one body to the next; wording alone moves nothing."""
    found = [each for each in changes(old, new) if is_price(each.key) and each.kind is not Kind.WORDING]
    steps = [_step(change) for change in found]
    signs = frozenset(0 if step is None else 1 if step > 0 else -1 for step in steps if step != 0)
    is_unit_alone = len(found) == 1 and found[0].key == "c/price" and found[0].new is not None
    return Moved(signs, _unit_price(found[0].new, steps[0]) if is_unit_alone and found[0].new else None)


def is_price(key: str) -> bool:
    """Whether a clause is the unit price or a fee."""
    return key == "c/price" or key.startswith("c/other_fees:")


def price_of(answer: Confirmation) -> Text | None:
    """A counter's price effect in words."""
    return None if answer.price_amount is None else _words(answer)


def _note(accepted: list[Price], moved: Moved) -> Text:
    """What is said of effects that the price answers: done, or what a person has to compare."""
    if not moved.signs:
        return NOT_YET
    bases = {(price.currency, price.basis) for price in accepted}
    unit = moved.unit
    if unit is None or bases != {(unit.currency, unit.basis)}:
        return _UNCLEAR
    total = Price(sum((price.amount for price in accepted), Decimal(0)), unit.currency, unit.basis)
    if total.amount == unit.amount:
        return CHANGED
    return _OTHER_SUM.fill(delta=price_words(unit), sum=price_words(total))


def _step(change: Change) -> Decimal | None:
    """By how much one price line moved; None where before and after cannot be subtracted."""
    before, after = (_charge(clause) for clause in (change.old, change.new))
    if before is None or after is None:
        return None
    is_same = before[1] == after[1] or not before[0] or not after[0]
    return after[0] - before[0] if is_same else None


def _charge(clause: Clause | None) -> tuple[Decimal, str] | None:
    """The amount of a price line and what it is per; a fee that is not listed or included costs nothing."""
    if clause is None:
        return Decimal(0), ""
    if isinstance(clause.value, Decimal):
        return clause.value, "/".join(str(value) for _name, value in sorted(clause.conditions.items()))
    cells = dict(str(cell).partition("=")[::2] for cell in clause.value) if isinstance(clause.value, tuple) else {}
    basis, amount = cells.get("basis", ""), cells.get("amount", "0" if cells.get("basis") == "included" else "")
    return (Decimal(amount), basis) if amount else None


def _unit_price(clause: Clause, step: Decimal | None) -> Price | None:
    """A step of the unit price as a price effect says it."""
    basis = _BASIS_OF.get(str(clause.conditions.get("pricing_unit")))
    return Price(step, str(clause.conditions.get("currency")), basis) if step and basis else None


def _price(answer: Confirmation) -> Price:
    assert answer.price_amount is not None
    return Price(answer.price_amount, answer.price_currency, answer.price_basis)


def _words(answer: Confirmation) -> Text:
    return price_words(_price(answer))
