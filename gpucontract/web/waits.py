"""Whom a contract waits for: which side, which of its roles may do it, and what is to be done."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.accounts.models import Mandate, Membership
from gpucontract.accounts.roles import Side, may, who_may
from gpucontract.contracts.lifecycle import State
from gpucontract.localise import spoken

MOST_NAMES = 3


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
# By the side that offered a remedy: the other one answers.
ANSWERS: Mapping[str, Wait] = {
    Side.BUYER: Wait(Side.VENDOR, "remedy", gettext_lazy("agree to the remedy or decline it")),
    Side.VENDOR: Wait(Side.BUYER, "remedy", gettext_lazy("agree to the remedy or decline it")),
}
DECIDE = (Wait(Side.BUYER, "accept", gettext_lazy("decide the acceptance")),)


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of the reader's own side. is_mandated: a mandate to sign is in force for them."""

    key: int
    name: str
    roles: tuple[str, ...]
    is_mandated: bool

    def may(self, wait: Wait, barred: Collection[int]) -> bool:
        """Whether they may do what is waited for. barred: whom four eyes keep from sending and signing."""
        is_kept = wait.action in ("send", "sign") and self.key in barred
        return may(wait.side, self.roles, wait.action) and not is_kept and (wait.action != "sign" or self.is_mandated)


def members_of(organisations: Collection[int]) -> dict[int, tuple[Member, ...]]:
    """The people of these organisations, by organisation key; one query."""
    in_force = Q(valid_until=None) | Q(valid_until__gte=timezone.localdate())
    own = Mandate.objects.filter(in_force, user=OuterRef("user"), organisation=OuterRef("organisation"))
    known = Membership.objects.filter(organisation__in=organisations, user__is_active=True).select_related("user")
    found: dict[int, tuple[Member, ...]] = {}
    for each in known.annotate(is_mandated=Exists(own.filter(revoked_at=None))).order_by("pk"):
        made = Member(each.user_id, str(each.user), tuple(each.roles), each.is_mandated)
        found[each.organisation_id] = (*found.get(each.organisation_id, ()), made)
    return found


def in_words(waits: tuple[Wait, ...], own: Side | None, members: Collection[Member], barred: Collection[int]) -> str:
    """All of it in the reader's language, one after another; people by name on the reader's own side."""
    return _("; ").join(_said(wait, members if wait.side is own else None, barred) for wait in waits)


def _said(wait: Wait, members: Collection[Member] | None, barred: Collection[int]) -> str:
    sides = {Side.BUYER: _("the buyer"), Side.VENDOR: _("the vendor")}
    who = _(" or ").join(spoken(role) for role in who_may(wait.side, wait.action))
    if members is not None:
        names = [each.name for each in members if each.may(wait, barred)]
        who = _named(names) if names else _("%(roles)s: nobody of your side yet") % {"roles": who}
    return _("%(side)s (%(roles)s) to %(what)s") % {"side": sides[wait.side], "roles": who, "what": wait.what}


def _named(names: Sequence[str]) -> str:
    shown = _(", ").join(names[:MOST_NAMES])
    all_of_them = {"names": shown, "count": len(names)}
    return shown if len(names) <= MOST_NAMES else _("%(names)s … %(count)s people in all") % all_of_them
