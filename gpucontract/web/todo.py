"""What a person must do next on each contract they see: one table, used by the dashboard and the contract page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from gpucontract.accounts import roles
from gpucontract.accounts.models import User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.answering import still_open
from gpucontract.contracts.eyes import drafters_of
from gpucontract.contracts.handover import Clock, clocks
from gpucontract.contracts.lifecycle import MEASURABLE, NEGOTIABLE, State
from gpucontract.contracts.models import Contract, PartiesTerms
from gpucontract.contracts.sections.gaps import missing
from gpucontract.contracts.snapshot import terms_by_contract
from gpucontract.contracts.succession import SIGNED
from gpucontract.documents.models import SignOff
from gpucontract.measurements.replacing import waiting
from gpucontract.verdicts.accepting import ripe
from gpucontract.verdicts.owed_papers import Owed, owed
from gpucontract.verdicts.remedying import waiting_for
from gpucontract.verdicts.services import counts_by_contract
from gpucontract.verdicts.summary import Counts
from gpucontract.web.waits import (
    ANSWERS,
    CONFIRM,
    CURE,
    DAY,
    DECIDE,
    HAND_IN,
    SIGNS,
    STATES,
    TESTS,
    Member,
    Wait,
    in_words,
    members_of,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: what, where, what the button says. tone as in parts.css."""

    contract: Contract
    text: str | Promise
    button: str | Promise
    url: str
    tone: str = "info"


@dataclass(frozen=True, slots=True)
class Offer:
    """A step of the table: who may do it in which state, its words and page."""

    state: State
    side: Side
    action: str
    text: str | Promise
    button: str | Promise
    page: str


OFFERS = (
    Offer(State.DRAFT, Side.BUYER, "send", _("Check the draft and send it to the vendor"), _("Check and send"),
          "contract-draft-check"),
    Offer(State.DRAFT, Side.BUYER, "draft", _("The draft is complete: an approver of your organisation sends it"),
          _("Check answers"), "contract-draft-check"),
    Offer(State.ANSWERED, Side.BUYER, "draft",
          _("Settle the vendor's counters and questions and send the next revision"),
          _("Settle and revise"), "contract-rounds"),
    Offer(State.AGREED, Side.BUYER, "sign", _("Every line is agreed: sign it"), _("Sign"), "contract-sign"),
    Offer(State.AGREED, Side.VENDOR, "sign", _("Every line is agreed: sign it"), _("Sign"), "contract-sign"),
    Offer(State.SIGNED, Side.BUYER, "deliver", _("Signed: record the delivery when the machines are handed over"),
          _("Record the delivery"), "contract-deliver"),
    Offer(State.SIGNED, Side.VENDOR, "deliver", _("Signed: record the delivery when the machines are handed over"),
          _("Record the delivery"), "contract-deliver"),
    Offer(State.DELIVERED, Side.BUYER, "order_runs", _("Delivered: order the acceptance tests"),
          _("Order the tests"), "contract-runs"),
    Offer(State.DELIVERED, Side.VENDOR, "enrol_agent", _("Delivered: enrol the agent of every machine"),
          _("Enrol agents"), "contract-runs"),
)  # fmt: skip
_BREACHED = {
    Side.BUYER: _("Clauses are breached: see the evidence and agree on a cure with the vendor"),
    Side.VENDOR: _("Clauses are breached: see the evidence and mend the machines"),
}
_REPLACED = _("The vendor has replaced parts of a machine: agree to it or refuse it")
_OFFERED = _("The other side offers a remedy for a clause that falls short: agree to it or decline it")
_UNCONFIRMED = _("The vendor recorded the delivery: confirm the day, the acceptance window runs from it")
_OPEN = _("Clauses are not settled yet: see which tests are missing")
_DECIDE = _("Nothing blocks acceptance any more: decide it")


@dataclass(frozen=True, slots=True)
class Desk:
    """The contracts a person sees with what is known about each; made once per page, so that no list asks one by one.

    roles: organisation -> roles of this person. signed: (contract, side) pairs. vendors: as typed, before one is tied.
    open: lines without an answer, of offers with the vendor. replaced: contracts with a replacement to agree to.
    clocks: what runs from the handover. unfinished: empty terms that stop sending, of drafts this person works on.
    members: the people of the person's own organisations. drafted: who is barred where four eyes are demanded.
    papers: what is owed of delivery documents. ripe: contracts that nothing keeps this person from accepting.
    successors: signed amendments by the contract whose place they took; nothing is done there any more.
    offered: the sides of each contract whose remedies wait for an answer.
    """

    contracts: tuple[Contract, ...]
    roles: Mapping[int, tuple[str, ...]]
    signed: frozenset[tuple[int, str]] = frozenset()
    counts: Mapping[int, Counts] = field(default_factory=dict)
    vendors: Mapping[int, str] = field(default_factory=dict)
    open: Mapping[int, int] = field(default_factory=dict)
    replaced: frozenset[int] = frozenset()
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    unfinished: Mapping[int, int] = field(default_factory=dict)
    papers: Mapping[int, Owed] = field(default_factory=dict)
    ripe: frozenset[int] = frozenset()
    successors: Mapping[int, Contract] = field(default_factory=dict)
    members: Mapping[int, tuple[Member, ...]] = field(default_factory=dict)
    drafted: Mapping[int, frozenset[int]] = field(default_factory=dict)
    offered: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, user: User, contracts: Iterable[Contract]) -> Desk:
        """A few queries, however many contracts: memberships, sign-offs, verdicts with waivers, names, replacements."""
        seen = tuple(contracts)
        held = user.memberships.filter(organisation__is_active=True).values_list("organisation", "roles")
        signed = SignOff.objects.filter(revision__contract__in=seen).values_list("revision__contract", "side")
        untied = [contract.pk for contract in seen if contract.vendor_id is None]
        vendors = dict(PartiesTerms.objects.filter(contract__in=untied).values_list("contract", "vendor_name"))
        roles_held = {key: tuple(names) for key, names in held}
        offered = [each for each in seen if each.state == State.WITH_VENDOR and each.vendor_id in roles_held]
        lines = still_open(offered) if offered else {}
        replaced = waiting([each for each in seen if each.state in MEASURABLE])
        counts = counts_by_contract(seen)
        accepting = [each for each in seen if each.state == State.ACCEPTING and each.pk in counts]
        decides = [each for each in accepting if roles.may(Side.BUYER, roles_held.get(each.buyer_id, ()), "accept")]
        own = [each for each in seen if roles.may(Side.BUYER, roles_held.get(each.buyer_id, ()), "draft")]
        return cls(
            seen, roles_held, frozenset(signed), counts, vendors, lines, replaced, clocks(seen),
            _unfinished([each for each in own if each.state == State.DRAFT]), owed(seen), ripe(decides),
            _successors(seen),
            members_of(roles_held) if seen else {}, _barred(seen),
            waiting_for(seen),
        )  # fmt: skip

    def side_of(self, contract: Contract) -> Side:
        """The side of a contract that is visible to the person."""
        return Side.BUYER if contract.buyer_id in self.roles else Side.VENDOR

    def may(self, contract: Contract, action: str) -> bool:
        """Whether the person may do an action on a contract that is visible to them."""
        side = self.side_of(contract)
        own = contract.buyer_id if side is Side.BUYER else contract.vendor_id
        return roles.may(side, self.roles.get(own, ()), action)

    def counts_of(self, contract: Contract) -> Mapping[str, int] | None:
        """Every clause once, as the contract's page shows it to the person; None before anything was judged."""
        counts = self.counts.get(contract.pk)
        return counts.looks(sees_waivers=self.side_of(contract) is Side.BUYER) if counts else None

    def vendor_of(self, contract: Contract) -> str:
        """The vendor's name: of its organisation, or as typed while none is tied to the contract."""
        return str(contract.vendor) if contract.vendor else self.vendors.get(contract.pk, "")

    def step(self, contract: Contract) -> Step | None:
        """What the person must do next on this contract, if it is theirs to do."""
        return self._next(contract) or self.papers_step(contract)

    def _next(self, contract: Contract) -> Step | None:
        side = self.side_of(contract)
        if contract.state == State.AGREED and (contract.pk, side.value) in self.signed:
            return None
        if contract.state == State.WITH_VENDOR and side is Side.VENDOR and self.may(contract, "answer"):
            return self._answers(contract)
        if contract.pk in self.replaced and self.may(contract, "approve_node"):
            return Step(contract, _REPLACED, _("Agree or refuse"), reverse("contract-runs", args=[contract.uuid]))
        if self.offered.get(contract.pk, frozenset()) - {side.value} and self.may(contract, "remedy"):
            page = reverse("contract-remedies", args=[contract.uuid])
            return Step(contract, _OFFERED, _("Agree or decline"), page)
        if self.may(contract, "confirm_delivery") and self._unconfirmed(contract):
            page = reverse("contract-handover", args=[contract.uuid])
            return Step(contract, _UNCONFIRMED, _("Confirm the day"), page)
        if contract.pk in self.unfinished and self.may(contract, "draft"):
            return _draft(contract, self.unfinished[contract.pk])
        for offer in OFFERS:
            if offer.state == contract.state and offer.side is side and self.may(contract, offer.action):
                return Step(contract, offer.text, offer.button, reverse(offer.page, args=[contract.uuid]))
        return self._acceptance(contract, side)

    def days_left(self, contract: Contract) -> int | None:
        """Days until the acceptance window ends, below 0 once it is over.

        None where none runs, and as long as the buyer has not confirmed the day that the vendor recorded.
        """
        clock = self.clocks.get(contract.pk)
        runs = clock is not None and not self._unconfirmed(contract)
        return clock.deadlines.days_left(timezone.localdate()) if clock and runs else None

    def _unconfirmed(self, contract: Contract) -> bool:
        clock = self.clocks.get(contract.pk)
        return clock is not None and clock.handover is not None and clock.handover.is_open

    def waits(self, contract: Contract) -> str:
        """Whom and what the contract waits for, whoever reads it; empty where nothing is due."""
        side = self.side_of(contract)
        own = contract.buyer_id if side is Side.BUYER else contract.vendor_id
        members = self.members.get(own) if own is not None else None
        is_known = side if members is not None else None
        return in_words(self._waits(contract), is_known, members or (), self.drafted.get(contract.pk, frozenset()))

    def _waits(self, contract: Contract) -> tuple[Wait, ...]:
        if contract.state == State.AGREED:
            return tuple(wait for wait in SIGNS if (contract.pk, wait.side.value) not in self.signed)
        first = DAY if self._unconfirmed(contract) else ()
        if contract.state != State.ACCEPTING:
            return first + STATES.get(contract.state, ())
        counts, papers = self.counts_of(contract), self.papers.get(contract.pk, Owed(0, 0))
        last = (HAND_IN if papers.to_hand_in else ()) + (CONFIRM if papers.to_confirm else ())
        if counts is None:
            return first + last
        answers = tuple(ANSWERS[side] for side in sorted(self.offered.get(contract.pk, ())))
        if counts["breached"]:
            return first + answers + CURE + last
        open_ones = _unsettled(counts) - papers.to_hand_in - papers.to_confirm
        return (first + answers + (TESTS if open_ones > 0 else ()) + last) or DECIDE

    def papers_step(self, contract: Contract) -> Step | None:
        """The files that this person can hand in, or say yes or no to."""
        papers, page = self.papers.get(contract.pk), reverse("contract-papers", args=[contract.uuid])
        if papers and papers.to_hand_in and self.may(contract, "hand_in"):
            said = ngettext("%(count)s file to hand in", "%(count)s files to hand in", papers.to_hand_in)
            return Step(contract, said % {"count": papers.to_hand_in}, _("Hand in files"), page)
        if papers and papers.to_confirm and self.may(contract, "decide_papers"):
            said = ngettext(
                "%(count)s file of the vendor waits for your yes or no",
                "%(count)s files of the vendor wait for your yes or no", papers.to_confirm,
            )  # fmt: skip
            return Step(contract, said % {"count": papers.to_confirm}, _("Look at the files"), page)
        return None

    def _answers(self, contract: Contract) -> Step:
        """The lines that wait for the vendor's answer, and the page that shows only those."""
        page, count = reverse("contract-answers", args=[contract.uuid]), self.open.get(contract.pk, 0)
        if not count:
            return Step(contract, _("Every line has an answer: submit them to the buyer"), _("Look and submit"), page)
        said = ngettext("%(count)s line waits for your answer", "%(count)s lines wait for your answer", count)
        return Step(contract, said % {"count": count}, _("Answer line by line"), f"{page}?show=open")

    def _acceptance(self, contract: Contract, side: Side) -> Step | None:
        counts = self.counts_of(contract)
        if contract.state != State.ACCEPTING or counts is None:
            return None
        if contract.pk in self.ripe:
            page = reverse("contract-accept", args=[contract.uuid])
            return Step(contract, _DECIDE, _("Decide the acceptance"), page)
        page = reverse("contract-detail", args=[contract.uuid])
        if counts["breached"] and (self.may(contract, "order_runs") or self.may(contract, "enrol_agent")):
            return Step(contract, _BREACHED[side], _("See the breaches"), f"{page}?state=breached", "bad")
        if _unsettled(counts) and self.may(contract, "order_runs"):
            return Step(contract, _OPEN, _("See the clauses"), page, "unsure")
        return None

    @property
    def steps(self) -> list[Step]:
        """Everything that waits for this person, breaches first."""
        both = (step for contract in self.contracts for step in (self._next(contract), self.papers_step(contract)))
        found = [step for step in both if step]
        return sorted(found, key=lambda step: step.tone != "bad")


def _unsettled(counts: Mapping[str, int]) -> int:
    return sum(counts[state] for state in ("breached", "marginal", "inconclusive", "pending"))


def _successors(contracts: Sequence[Contract]) -> dict[int, Contract]:
    """The newest signed amendment of each contract that has one."""
    replaced = [each for each in contracts if each.state == State.SUPERSEDED]
    if not replaced:
        return {}
    found = Contract.objects.filter(amends__in=replaced, state__in=SIGNED).order_by("pk")
    return {each.amends_id: each for each in found if each.amends_id}


def _barred(contracts: Sequence[Contract]) -> dict[int, frozenset[int]]:
    """Whom four eyes keep from sending and signing, for the contracts that demand them."""
    strict = [each for each in contracts if each.four_eyes and each.state in NEGOTIABLE]
    return drafters_of(strict) if strict else {}


def _unfinished(drafts: Sequence[Contract]) -> dict[int, int]:
    """How many empty terms stop sending, for the drafts that have any."""
    if not drafts:
        return {}
    found = {key: len(missing(terms)) for key, terms in terms_by_contract(drafts).items()}
    return {key: count for key, count in found.items() if count}


def _draft(contract: Contract, count: int) -> Step:
    said = ngettext(
        "The draft is not finished: %(count)s empty term stops sending",
        "The draft is not finished: %(count)s empty terms stop sending", count,
    )  # fmt: skip
    page = reverse("contract-draft", args=[contract.uuid])
    return Step(contract, said % {"count": count}, _("Continue drafting"), page)
