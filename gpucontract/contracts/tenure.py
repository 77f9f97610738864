"""The term once it runs: the day the rent starts by the contract's own words, and the day on which the term is over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from gpucontract.contracts.body import Body
from gpucontract.contracts.money import add_months
from gpucontract.wording import Text

_RENT = {
    "acceptance_signed": Text("自验收之日起租：{day}。", "Rent starts at acceptance: {day}."),
    "delivery": Text("自交付之日起租：{day}。", "Rent starts at delivery: {day}."),
    "contract_date": Text("自合同签订之日起租：{day}。", "Rent starts at the date of the contract: {day}."),
}
_ENDS = Text(
    "租期到 {last} 为止：自 {start} 起 {months} 个月。", "The term runs until {last}: {months} months from {start}."
)
_LATER = Text(
    "合同写明的租期起始日是 {written}，起租日在其后，因此按起租日计算；双方有其他约定的，以约定为准。",
    "The contract says that the term starts on {written}; rent starts later, so it is counted from there. What you "
    "agreed otherwise prevails.",
)
_EARLIER = Text(
    "合同写明租期自 {written} 起，晚于起租日 {begins}：这段时间是否计租，请双方核对。",
    "The contract says that the term starts on {written}, after rent does on {begins}: agree on the days between.",
)
_NO_TERM = Text("合同没有写明租期，不会自动到期。", "The contract states no term; it does not end by itself.")


@dataclass(frozen=True, slots=True)
class Days:
    """What has come to pass, None before it has."""

    signed: date | None
    handed_over: date | None
    accepted: date | None


@dataclass(frozen=True, slots=True)
class Tenure:
    """over_on: the first day after the term, None where no term is stated. lines: all of it in words."""

    over_on: date | None
    lines: tuple[Text, ...]

    def is_over(self, today: date) -> bool:
        """Whether the last day has passed."""
        return self.over_on is not None and today >= self.over_on


def tenure(body: Body, days: Days) -> Tenure:
    """What the frozen clauses make of these days.

    Whole months from the stated start or from the first day of rent, whichever is later: nothing ends too early.
    """
    said = {clause.key: clause for clause in body.clauses}
    rent, begins = said.get("c/billing_start"), None
    lines: list[Text] = []
    if rent and (begins := _day_of(str(rent.value), days)):
        lines.append(_RENT[str(rent.value)].fill(day=begins))
    term = said.get("c/term")
    months = int(term.conditions.get("months", 0)) if term else 0
    if not term or not months:
        return Tenure(None, (*lines, _NO_TERM))
    if rent and begins is None:
        return Tenure(None, tuple(lines))
    written = date.fromisoformat(str(term.value))
    start = max(written, begins) if begins else written
    over_on = add_months(start, months)
    lines.append(_ENDS.fill(last=over_on - timedelta(days=1), start=start, months=months))
    lines += [_LATER.fill(written=written)] if start > written else []
    lines += [_EARLIER.fill(written=written, begins=begins)] if begins and begins < written else []
    return Tenure(over_on, tuple(lines))


def _day_of(billing_start: str, days: Days) -> date | None:
    known = {"acceptance_signed": days.accepted, "delivery": days.handed_over, "contract_date": days.signed}
    return known.get(billing_start)
