"""Whom a contract waits for: which side, which of its roles may do it, and what is to be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.accounts.roles import Side, who_may
from gpucontract.contracts.lifecycle import State
from gpucontract.localise import spoken


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that is waited for: done by those of a side who may do this action."""

    side: Side
    action: str
    what: str | Promise


SIGNS = tuple(Wait(side, "sign", gettext_lazy("sign it")) for side in Side)
STATES: Mapping[str, tuple[Wait, ...]] = {
    State.DRAFT: (
        Wait(Side.BUYER, "draft", gettext_lazy("draft it")),
        Wait(Side.BUYER, "send", gettext_lazy("send it")),
    ),
    State.WITH_VENDOR: (Wait(Side.VENDOR, "answer", gettext_lazy("answer every line")),),
    State.ANSWERED: (Wait(Side.BUYER, "send", gettext_lazy("settle the answers and send the next revision")),),
    State.SIGNED: (Wait(Side.VENDOR, "deliver", gettext_lazy("hand the machines over and record the day")),),
    State.DELIVERED: (
        Wait(Side.VENDOR, "enrol_agent", gettext_lazy("enrol the agents")),
        Wait(Side.BUYER, "order_runs", gettext_lazy("order the tests")),
    ),
}
CURE = (
    Wait(Side.VENDOR, "enrol_agent", gettext_lazy("cure the breaches")),
    Wait(Side.BUYER, "order_runs", gettext_lazy("order the retest")),
)
TESTS = (Wait(Side.BUYER, "order_runs", gettext_lazy("order the missing tests")),)
DAY = (Wait(Side.BUYER, "confirm_delivery", gettext_lazy("confirm the day of the delivery")),)
HAND_IN = (Wait(Side.VENDOR, "hand_in", gettext_lazy("hand in the missing files")),)
CONFIRM = (Wait(Side.BUYER, "decide_papers", gettext_lazy("look at the files handed in")),)

DECIDE = (Wait(Side.BUYER, "accept", gettext_lazy("decide the acceptance")),)


def in_words(waits: tuple[Wait, ...]) -> str:
    """All of it in the reader's language, one after another."""
    return _("; ").join(_said(wait) for wait in waits)


def _said(wait: Wait) -> str:
    sides = {Side.BUYER: _("the buyer"), Side.VENDOR: _("the vendor")}
    roles = _(" or ").join(spoken(role) for role in who_may(wait.side, wait.action))
    return _("%(side)s (%(roles)s) to %(what)s") % {"side": sides[wait.side], "roles": roles, "what": wait.what}
