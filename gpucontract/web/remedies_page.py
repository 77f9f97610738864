"""Remedies as pages show them: what is offered for which clause and finding, and who may answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucontract.accounts.models import User
from gpucontract.contracts.body import Body
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.numbering import parts
from gpucontract.localise import spoken
from gpucontract.verdicts.models import Remedy
from gpucontract.verdicts.remedies import STANDINGS, Standing
from gpucontract.verdicts.remedying import Held, held
from gpucontract.verdicts.rent import currency_of
from gpucontract.wording import Text

_REPLACED = Text("已被后来商定的取代", "replaced by a later one")
_UNANSWERED = Text("验收时未答复，作罢", "unanswered at acceptance: void")
_TONES = {Standing.OPEN: "warn", Standing.AGREED: "good", Standing.DECLINED: "idle", Standing.WITHDRAWN: "idle",
          Standing.LAPSED: "unsure"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """One remedy. number, clause: the line it is for; anchor: of that line. found: the value it was offered for."""

    remedy: Remedy
    number: str
    clause: str
    what: str
    found: str
    word: str
    tone: str
    is_open: bool
    is_in_force: bool
    may_decide: bool
    may_withdraw: bool

    @property
    def anchor(self) -> str:
        """Of the clause on the contract's page."""
        return f"clause-{self.number.replace('.', '-')}"


def shown(contract: Contract, body: Body, user: User, known: Held | None = None) -> list[Shown]:
    """Every remedy of a contract, the newest first, as this person may act on it."""
    lines = {clause.key: (number, spoken(clause.text)) for part in parts(body) for number, clause in part.lines}
    remedies = list(contract.remedies.select_related("by", "decided_by").order_by("-pk"))
    if not remedies:
        return []
    now = known or held([contract]).get(contract.pk, Held())
    kept = {each.pk: each for each in now.remedies}
    side = contract.side_of(user) if may_offer(contract, user) else None
    currency = currency_of(body)
    return [_one(each, lines.get(each.key, ("", each.key)), currency, kept, side) for each in remedies]


def may_offer(contract: Contract, user: User) -> bool:
    """Whether this person may offer remedies now, or answer those of the other side."""
    return contract.state == State.ACCEPTING and contract.may(user, "remedy")


def _one(
    remedy: Remedy,
    line: tuple[str, str],
    currency: str,
    kept: Mapping[int, Remedy],
    side: str | None,
) -> Shown:
    number, clause = line
    is_open, is_kept = remedy.standing == Standing.OPEN, remedy.pk in kept
    word, tone = STANDINGS[remedy.standing], _TONES[Standing(remedy.standing)]
    if remedy.standing == Standing.AGREED and not is_kept:
        is_replaced = any(each.key == remedy.key and each.kind == remedy.kind for each in kept.values())
        word, tone = (_REPLACED, "idle") if is_replaced else (STANDINGS[Standing.LAPSED], _TONES[Standing.LAPSED])
    elif is_open and remedy.contract.state != State.ACCEPTING:
        word, tone = _UNANSWERED, "idle"
    found = spoken(Text(remedy.found["zh"] or "—", remedy.found["en"] or "—"))
    return Shown(
        remedy, number, clause, spoken(remedy.offer.said(currency)), found, spoken(word), tone, is_open, is_kept,
        bool(side) and is_open and side != remedy.side, bool(side) and is_open and side == remedy.side,
    )  # fmt: skip
