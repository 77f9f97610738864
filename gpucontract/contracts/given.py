"""One answer as the vendor gives it, and whether it can stand on its clause."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.countering import Price, read_counter
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.sections.values import TermRefused
from gpucontract.wording import Text

LONGEST_REASON = 1000
ANSWERS = ("confirm", "counter", "ask")

_NO_ANSWER = Text(
    "条款 {key}：“{answer}”不是答复，可选：确认、提出修改、提问。",
    "Clause {key}: “{answer}” is no answer; confirm, counter or ask.",
)
_NO_QUESTION = Text("“{line}”：提问时请写明问题。", "“{line}”: write the question you ask.")
_NO_REASON = Text("“{line}”：提出修改时请写明理由。", "“{line}”: say why you counter it.")
_TOO_LONG = Text(
    "“{line}”：问题或理由有 {length} 个字，最多 {limit} 个。",
    "“{line}”: the question or reason has {length} characters, at most {limit}.",
)


@dataclass(frozen=True, slots=True)
class Given:
    """One answer: confirm, counter with a value and a reason, or ask with a question in `reason`.

    value: the countered value, as typed or as its term reads it. price: what the counter does to the price.
    """

    answer: str
    reason: str = ""
    value: str = ""
    price: Price | None = None

    @property
    def money(self) -> tuple[Decimal | None, str, str]:
        """Amount, currency and basis of the price effect, empty where there is none."""
        return (self.price.amount, self.price.currency, self.price.basis) if self.price else (None, "", "")


def checked(clause: Clause, given: Given) -> Given:
    """The answer as it is kept: trimmed, its value as the term reads it. Raises ContractError with the line's name."""
    reason = given.reason.replace("\x00", "").strip()
    if given.answer not in ANSWERS:
        raise ContractError(_NO_ANSWER.fill(key=clause.key, answer=given.answer[:40]))
    if len(reason) > LONGEST_REASON:
        raise ContractError(_TOO_LONG.fill(line=clause.text, length=len(reason), limit=LONGEST_REASON))
    if given.answer == "confirm":
        return Given("confirm")
    if given.answer == "ask":
        return Given("ask", _said(reason, _NO_QUESTION, clause))
    try:
        value = read_counter(clause, given.value)
    except TermRefused as refusal:
        raise ContractError(refusal.text) from refusal
    return replace(given, reason=_said(reason, _NO_REASON, clause), value=value)


def _said(reason: str, refusal: Text, clause: Clause) -> str:
    if not reason:
        raise ContractError(refusal.fill(line=clause.text))
    return reason
