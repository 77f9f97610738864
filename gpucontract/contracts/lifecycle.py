"""The states of a contract and the moves between them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

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
}
