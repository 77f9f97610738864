"""Comments on a clause: to both sides, or to one's own side only."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Comment, Contract
from gpucontract.contracts.succession import must_stand
from gpucontract.wording import Text

LONGEST = 2000
MOST = 500
# Who speaks for a side may write to the other; everybody who may read may note something for their own side.
SPEAKERS = {Side.BUYER: "draft", Side.VENDOR: "answer"}

_MAY_NOT = Text(
    "您不能写双方可见的评论；可以写仅本方可见的评论，请有权限的同事转达。",
    "You may not write to the other side; write for your own side and ask a colleague to pass it on.",
)
_NO_LINE = Text("合同里没有条款 {key}。请刷新页面。", "The contract has no line {key}. Reload the page.")
_NO_TEXT = Text("请写评论，最多 {limit} 个字。", "Write a comment of at most {limit} characters.")
_TOO_MANY = Text("这一条已有 {most} 条评论，不能再加。", "This line has {most} comments already; no more fit.")
_OVER = Text(
    "这份合同已被补充协议取代，不再写评论。",
    "An amendment took the place of this contract; comment there.",
)


@transaction.atomic
def comment(
    contract: Contract, key: str, *, text: str, audience: str, by: User, now: datetime | None = None
) -> Comment:
    """Write one comment. audience: shared or internal. The journal keeps that there is one, never an internal text."""
    held = lock(contract)
    side = held.side_of(by)
    if side is None or not held.may(by, SPEAKERS[side] if audience == "shared" else "view"):
        raise NotAllowed(_MAY_NOT)
    must_stand(held)
    if held.state == State.SUPERSEDED:
        raise ContractError(_OVER)
    said = text.replace("\x00", "").strip()
    if not said or len(said) > LONGEST:
        raise ContractError(_NO_TEXT.fill(limit=LONGEST))
    _check_line(held, key)
    at = now or timezone.now()
    fresh = Comment.objects.create(
        contract=held, key=key, side=side.value, audience=audience, text=said, written_by=by, written_at=at
    )
    record(held, "commented" if audience == "shared" else f"noted_{side.value}", by=by, at=at, key=key)
    return fresh


def _check_line(contract: Contract, key: str) -> None:
    newest = contract.revisions.filter(sent_at__isnull=False).order_by("-number").first()
    if newest is None or key not in {clause.key for clause in newest.body().clauses}:
        raise ContractError(_NO_LINE.fill(key=key[:80]))
    if contract.comments.filter(key=key).count() >= MOST:
        raise ContractError(_TOO_MANY.fill(most=MOST))
