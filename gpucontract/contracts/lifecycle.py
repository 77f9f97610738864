"""The states of a contract and the moves between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.errors import ContractError
from gpucontract.wording import Text


class State(StrEnum):
    DRAFT = "draft"
    WITH_VENDOR = "with_vendor"
    ANSWERED = "answered"
    AGREED = "agreed"
    SIGNED = "signed"
    DELIVERED = "delivered"
    ACCEPTING = "accepting"
    ACTIVE = "active"
    ENDED = "ended"
    WITHDRAWN = "withdrawn"
    REJECTED = "rejected"
    EXPIRED_OFFER = "expired_offer"
    TERMINATED = "terminated"
    SUPERSEDED = "superseded"


STATES: Mapping[str, Text] = {
    State.DRAFT.value: Text("起草中", "Draft"),
    State.WITH_VENDOR.value: Text("待乙方确认", "With the vendor"),
    State.ANSWERED.value: Text("乙方已答复", "Answered"),
    State.AGREED.value: Text("已达成一致", "Agreed"),
    State.SIGNED.value: Text("已签署", "Signed"),
    State.DELIVERED.value: Text("已交付", "Delivered"),
    State.ACCEPTING.value: Text("验收中", "In acceptance"),
    State.ACTIVE.value: Text("在租", "Active"),
    State.ENDED.value: Text("已到期", "Ended"),
    State.WITHDRAWN.value: Text("已撤回", "Withdrawn"),
    State.REJECTED.value: Text("乙方已拒绝", "Rejected"),
    State.EXPIRED_OFFER.value: Text("要约过期", "Offer expired"),
    State.TERMINATED.value: Text("已解除", "Terminated"),
    State.SUPERSEDED.value: Text("已被补充协议取代", "Superseded"),
}


class Fact(StrEnum):
    """What must be true before a move; the caller looks, the move only asks."""

    COMPLETE = "complete"
    CHECKED = "checked"
    HAS_VENDOR = "has_vendor"
    NEWER = "newer"
    ALL_DECIDED = "all_decided"
    OTHER_EYES = "other_eyes"
    ALL_ANSWERED = "all_answered"
    ALL_CONFIRMED = "all_confirmed"
    BUYER_SIGNED = "buyer_signed"
    VENDOR_SIGNED = "vendor_signed"
    SAME_HASH = "same_hash"
    ALL_SETTLED = "all_settled"
    REASON_GIVEN = "reason_given"
    DEADLINE_PASSED = "deadline_passed"
    DEADLINE_LATER = "deadline_later"
    TERM_OVER = "term_over"
    AMENDMENT_SIGNED = "amendment_signed"
    HANDED_OVER_BEFORE = "handed_over_before"
    TESTED_BEFORE = "tested_before"
    ACCEPTED_BEFORE = "accepted_before"


FACTS: Mapping[Fact, Text] = {
    Fact.COMPLETE: Text("还有必填的约定项没有填", "required terms are still empty"),
    Fact.CHECKED: Text(
        "还有阻断项没有改正，也没有由审批人写明理由豁免", "a blocking check neither mended nor waived with a reason"
    ),
    Fact.HAS_VENDOR: Text("还没有选定乙方", "no vendor is chosen"),
    Fact.NEWER: Text("自上次发送后没有改动", "nothing has changed since the last revision was sent"),
    Fact.ALL_DECIDED: Text(
        "乙方提出的修改或提问还有没答复的", "a counter or a question of the vendor has no decision or reply yet"
    ),
    Fact.OTHER_EYES: Text(
        "本合同要求四眼原则，改动过这一版条款的人不能自己发送或签署",
        "four eyes are required here: who changed the terms of this version may not send or sign them",
    ),
    Fact.ALL_ANSWERED: Text("还有条款没有答复", "some clauses have no answer yet"),
    Fact.ALL_CONFIRMED: Text("还有条款没有确认", "some clauses are not confirmed"),
    Fact.BUYER_SIGNED: Text("甲方尚未签署", "the buyer has not signed"),
    Fact.VENDOR_SIGNED: Text("乙方尚未签署", "the vendor has not signed"),
    Fact.SAME_HASH: Text(
        "签署的版本与乙方确认的版本不一致", "the revision signed is not the one that the vendor confirmed"
    ),
    Fact.ALL_SETTLED: Text(
        "还有必须达标的条款既未证实，也没有豁免、接受或处理办法",
        "a mandatory clause is neither verified nor waived, accepted or given a remedy",
    ),
    Fact.REASON_GIVEN: Text("没有写明理由", "no reason is given"),
    Fact.DEADLINE_PASSED: Text("答复期限未到", "the time to answer is not over"),
    Fact.DEADLINE_LATER: Text("新的期限须晚于现在和原来的期限", "the new date must be later than now and than before"),
    Fact.TERM_OVER: Text("租期未满", "the term is not over"),
    Fact.AMENDMENT_SIGNED: Text("补充协议还没有双方签署", "the amendment is not signed by both sides"),
    Fact.HANDED_OVER_BEFORE: Text(
        "所补充的合同还没有登记交付", "no delivery is recorded under the contract that it amends"
    ),
    Fact.TESTED_BEFORE: Text(
        "所补充的合同还没有开始验收", "the acceptance of the contract that it amends has not started"
    ),
    Fact.ACCEPTED_BEFORE: Text(
        "所补充的合同还没有验收，或有须验收的条款改动过",
        "the contract that it amends is not accepted, or clauses that need acceptance changed",
    ),
}


# While a signed contract binds, and while its machines are there to be measured.
IN_FORCE = (State.SIGNED, State.DELIVERED, State.ACCEPTING, State.ACTIVE)
MEASURABLE = IN_FORCE[1:]
# While it can still be signed.
NEGOTIABLE = (State.DRAFT, State.WITH_VENDOR, State.ANSWERED, State.AGREED)


@dataclass(frozen=True, slots=True)
class Move:
    """One move. sides and action: who may make it (roles.ACTIONS); no side means that time does, not a person."""

    name: str
    text: Text
    from_states: tuple[State, ...]
    to: State
    sides: tuple[Side, ...]
    action: str = ""
    facts: tuple[Fact, ...] = ()


_BUYER, _VENDOR, _EITHER = (Side.BUYER,), (Side.VENDOR,), (Side.BUYER, Side.VENDOR)
_OFFERED = (State.WITH_VENDOR, State.ANSWERED)

MOVES: Mapping[str, Move] = {
    move.name: move
    for move in (
        Move("send", Text("发送给乙方", "send it to the vendor"), (State.DRAFT, State.ANSWERED), State.WITH_VENDOR,
             _BUYER, "send",
             (Fact.HAS_VENDOR, Fact.COMPLETE, Fact.CHECKED, Fact.ALL_DECIDED, Fact.OTHER_EYES, Fact.NEWER)),
        Move("submit", Text("提交答复", "submit the answers"), (State.WITH_VENDOR,), State.ANSWERED,
             _VENDOR, "submit", (Fact.ALL_ANSWERED,)),
        Move("agree", Text("定稿", "close the wording"), (State.ANSWERED,), State.AGREED,
             (), facts=(Fact.ALL_CONFIRMED,)),
        Move("reopen", Text("重新打开", "reopen it"), (State.WITH_VENDOR, State.AGREED), State.ANSWERED,
             _BUYER, "send"),
        Move("sign", Text("签署", "sign it"), (State.AGREED,), State.SIGNED,
             _EITHER, "sign",
             (Fact.SAME_HASH, Fact.ALL_CONFIRMED, Fact.CHECKED, Fact.BUYER_SIGNED, Fact.VENDOR_SIGNED)),
        Move("deliver", Text("登记交付", "record its delivery"), (State.SIGNED,), State.DELIVERED, _EITHER, "deliver"),
        Move("start_acceptance", Text("开始验收", "start its acceptance"), (State.DELIVERED,), State.ACCEPTING,
             _BUYER, "order_runs"),
        Move("accept", Text("验收通过", "accept it"), (State.ACCEPTING,), State.ACTIVE,
             _BUYER, "accept", (Fact.ALL_SETTLED,)),
        # In acceptance, too: an amendment whose changed clauses are being accepted while the term runs on.
        Move("end", Text("到期结束", "end it"), (State.ACCEPTING, State.ACTIVE), State.ENDED,
             (), facts=(Fact.TERM_OVER,)),
        Move("withdraw", Text("撤回", "withdraw it"), NEGOTIABLE, State.WITHDRAWN,
             _BUYER, "withdraw"),
        Move("reject", Text("拒绝", "reject it"), _OFFERED, State.REJECTED, _VENDOR, "reject", (Fact.REASON_GIVEN,)),
        Move("expire", Text("作废过期的要约", "let the offer expire"), (State.WITH_VENDOR,), State.EXPIRED_OFFER,
             (), facts=(Fact.DEADLINE_PASSED,)),
        Move("extend", Text("延长答复期限", "extend the time to answer"), (State.WITH_VENDOR, State.EXPIRED_OFFER),
             State.WITH_VENDOR, _BUYER, "send", (Fact.DEADLINE_LATER,)),
        Move("terminate", Text("解除", "terminate it"), IN_FORCE, State.TERMINATED,
             _EITHER, "terminate", (Fact.REASON_GIVEN,)),
        # When an amendment is signed, its parent ends and it goes on from where that one stood.
        Move("supersede", Text("由补充协议取代", "put the signed amendment in its place"), IN_FORCE, State.SUPERSEDED,
             (), facts=(Fact.AMENDMENT_SIGNED,)),
        Move("carry_delivery", Text("沿用原合同的交付", "carry the delivery over"), (State.SIGNED,), State.DELIVERED,
             (), facts=(Fact.HANDED_OVER_BEFORE,)),
        Move("carry_tests", Text("接续原合同的验收", "go on with the acceptance"), (State.DELIVERED,),
             State.ACCEPTING, (), facts=(Fact.TESTED_BEFORE,)),
        Move("carry_acceptance", Text("沿用原合同的验收", "carry the acceptance over"), (State.ACCEPTING,),
             State.ACTIVE, (), facts=(Fact.ACCEPTED_BEFORE,)),
    )
}  # fmt: skip

# The rules of signing that no person can waive: which fact a move must have for each.
INVARIANTS: Mapping[str, Fact] = {
    "C-SIG-02": Fact.SAME_HASH,
    "C-SIG-03": Fact.ALL_CONFIRMED,
    "C-SIG-05": Fact.CHECKED,
}

_WRONG_STATE = Text(
    "合同处于“{state}”，不能{move}；这一步只能在“{states}”时进行。",
    "The contract is “{state}”: you cannot {move} now, only while it is “{states}”.",
)
_NOT_YET = Text("还不能{move}：{missing}。", "You cannot {move} yet: {missing}.")


class LifecycleError(ContractError):
    """The move does not fit the state, or a fact it needs is missing; `text` says which."""


def next_state(state: str, move: str, facts: Collection[str] = ()) -> State:
    """The state a move leads to. facts: the names of Fact that are true.

    Raises LifecycleError when the move does not start in this state or lacks a fact, KeyError for an unknown move.
    """
    wanted = MOVES[move]
    if state not in wanted.from_states:
        states = [STATES[each] for each in wanted.from_states]
        raise LifecycleError(_WRONG_STATE.fill(state=STATES[state], move=wanted.text, states=_joined(states, "、")))
    missing = [FACTS[fact] for fact in wanted.facts if fact not in facts]
    if missing:
        raise LifecycleError(_NOT_YET.fill(move=wanted.text, missing=_joined(missing, "；")))
    return wanted.to


def moves_for(state: str, side: str | None, roles: Collection[str]) -> tuple[Move, ...]:
    """The moves that a person with these roles on that side could make from a state, facts permitting."""
    return tuple(move for move in MOVES.values() if state in move.from_states and may_make(move, side, roles))


def may_make(move: Move, side: str | None, roles: Collection[str]) -> bool:
    """Whether a person with these roles on that side may make a move; a move that time makes is nobody's."""
    return side in move.sides and may(side, roles, move.action)


def _joined(parts: list[Text], between: str) -> Text:
    return Text(between.join(part.zh for part in parts), "; ".join(part.en for part in parts))
