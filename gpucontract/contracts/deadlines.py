"""The days a contract counts from its handover: end of the acceptance window, deemed acceptance, start of the rent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from gpucontract.contracts.body import Body
from gpucontract.contracts.sections.acceptance import DAY_BASES
from gpucontract.contracts.working_days import OFFICIAL, last_day, uncertainty
from gpucontract.wording import Text

_DUE = Text("约定的交付日期：{day}。", "The machines are due on {day}.")
_WAS_DUE = Text("约定的交付日期是 {day}。", "The agreed day of delivery was {day}.")
_NO_START = Text(
    "验收期 {days} 个{basis}，自交付之日起算；还没有登记交付。",
    "The acceptance window, {days} {basis}, runs from the day of delivery; no delivery is recorded yet.",
)
_ENDS = Text(
    "验收期到 {end} 为止：自 {on} 交付起 {days} 个{basis}，交付当天不计。",
    "The acceptance window ends on {end}: {days} {basis} from the delivery on {on}, that day not counted.",
)
_NOT_DEEMED = Text(
    "没有约定视为验收合格：期满不答复也不算合格。", "No deemed acceptance is agreed: silence accepts nothing."
)
_ON_SILENCE = Text(
    "按合同约定，甲方到 {end} 仍不答复，视为验收合格。本系统不会自动验收；主张视为合格的一方须另行告知对方。",
    "By the contract the machines count as accepted when the buyer is silent until {end}. Nothing is accepted by "
    "itself here: whoever relies on it says so to the other side.",
)
_ON_SILENCE_LATER = Text(
    "按合同约定，交付后 {days} 个{basis}内甲方不答复，视为验收合格。",
    "By the contract the machines count as accepted when the buyer is silent for {days} {basis} after the delivery.",
)
_AFTER_NOTICE = Text(
    "按合同约定，书面催告后 {days} 个{basis}内甲方仍不答复，视为验收合格。本系统不会自动验收。",
    "By the contract the machines count as accepted when a written notice stays unanswered for {days} {basis}. Nothing "
    "is accepted by itself here.",
)
_ON_USE = Text(
    "按合同约定，甲方一经使用满 {days} 个{basis}，视为验收合格。验收测试之外请不要使用。本系统不会自动验收。",
    "By the contract the machines count as accepted after {days} {basis} of use: use them for nothing but the tests. "
    "Nothing is accepted by itself here.",
)
_SAME_DAY = Text(
    "交付日沿用合同 {of} 的登记，验收期不重新起算。",
    "The day of delivery is that of contract {of}; the acceptance window does not start again.",
)
_AGAIN = Text(
    "合同 {of} 已于 {day} 验收，租期和租金照常计算。本协议改动或新增的内容须另行验收；"
    "验收期没有重新起算，请双方约定完成的日期。",
    "Contract {of} was accepted on {day}; its term and rent run on. What this amendment changed or added is still to "
    "be accepted. No new window runs for it: agree on a day.",
)
_ADDED = Text(
    "本协议新增 {count} 台机器：原合同的交付日不适用于它们，它们的交付日和验收期请双方约定。",
    "Machines added by this amendment: {count}. That day of delivery is not theirs: agree on theirs, and their window.",
)
_RENT = {
    "acceptance_signed": Text("自验收签字之日起租；尚未签字。", "Rent starts when acceptance is signed, not yet."),
    "delivery": Text("自交付之日起租：{handed_over}。", "Rent starts at delivery: {handed_over}."),
    "contract_date": Text("自合同签订之日起租：{signed}。", "Rent starts at the date of the contract: {signed}."),
}
_NO_DAY = Text("还没有这一天", "no such day yet")


@dataclass(frozen=True, slots=True)
class Carried:
    """What an amendment took over. of: the number of the contract it amends; accepted_on: when that was accepted.

    changed: mandatory judged clauses that are not what was accepted. added: slots that it has more.
    """

    of: str
    accepted_on: date | None
    changed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deadlines:
    """What counts from the handover.

    ends_on: the window's last day, None before a delivery. lines: all of it in words.
    """

    ends_on: date | None
    lines: tuple[Text, ...]

    def days_left(self, today: date) -> int | None:
        """Days until the window's last one; 0 on it, below 0 once it is over, None before a delivery."""
        return (self.ends_on - today).days if self.ends_on else None


def deadlines(body: Body, handed_over: date | None, signed: date | None) -> Deadlines:
    """What the frozen clauses make of these days. handed_over: None before a delivery; signed: None before signing."""
    said = {clause.key: clause for clause in body.clauses}
    window = said.get("c/window")
    basis = str(window.conditions.get("day_basis", "calendar")) if window else "calendar"
    days = int(Decimal(str(window.value))) if window else 0
    ends_on = last_day(handed_over, days, basis) if window and handed_over else None
    lines: list[Text] = []
    if due := _value(said, "delivery_date"):
        lines.append((_WAS_DUE if handed_over else _DUE).fill(day=due))
    if window:
        counted = {"days": days, "basis": DAY_BASES[basis]}
        lines.append(_ENDS.fill(end=ends_on, on=handed_over, **counted) if ends_on else _NO_START.fill(**counted))
    silent_until = _silence(said, handed_over, basis)
    lines += _deemed(said, silent_until, basis)
    if basis == "working":
        ends = [day for day in (ends_on, silent_until) if day]
        doubt = uncertainty(handed_over, max(ends), basis) if handed_over and ends else None
        lines += [OFFICIAL, *([doubt] if doubt else [])]
    if rent := _RENT.get(_value(said, "billing_start")):
        lines.append(rent.fill(handed_over=handed_over or _NO_DAY, signed=signed or _NO_DAY))
    return Deadlines(ends_on, tuple(lines))


def deadlines_carried(known: Deadlines, carried: Carried, handed_over: date | None) -> Deadlines:
    """The same for an amendment, whose machines were handed over, and maybe accepted, before it was signed."""
    added = [_ADDED.fill(count=len(carried.added))] if carried.added and handed_over else []
    if carried.accepted_on is None:
        return replace(known, lines=(*([_SAME_DAY.fill(of=carried.of)] if handed_over else []), *known.lines, *added))
    said = _AGAIN.fill(of=carried.of, day=carried.accepted_on)
    return Deadlines(None, (said, *added))


def _silence(said: dict[str, Any], handed_over: date | None, basis: str) -> date | None:
    """The last day on which the buyer's silence accepts nothing yet; None where it never does, or nothing runs."""
    if handed_over is None or _value(said, "deemed_acceptance") != "on_silence":
        return None
    return last_day(handed_over, int(Decimal(_value(said, "deemed_acceptance_days") or 0)), basis)


def _deemed(said: dict[str, Any], silent_until: date | None, basis: str) -> list[Text]:
    how, days = _value(said, "deemed_acceptance"), int(Decimal(_value(said, "deemed_acceptance_days") or 0))
    counted = {"days": days, "basis": DAY_BASES[basis]}
    if how == "none":
        return [_NOT_DEEMED]
    if silent_until:
        return [_ON_SILENCE.fill(end=silent_until)]
    words = {"on_silence": _ON_SILENCE_LATER, "after_notice": _AFTER_NOTICE, "on_use": _ON_USE}
    return [words[how].fill(**counted)] if how in words else []


def _value(said: dict[str, Any], term: str) -> str:
    """What a contract-wide term was frozen as; nothing where it was not given."""
    clause = said.get(f"c/{term}")
    return str(clause.value) if clause is not None else ""
