"""The contract list, a contract's page with its clauses and verdicts, and its journal."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.roles import Side
from gpucontract.contracts.amending import UNDER_WAY
from gpucontract.contracts.journal import verify_chain
from gpucontract.contracts.lifecycle import IN_FORCE, STATES, moves_for
from gpucontract.contracts.models import Confirmation, Contract, Revision
from gpucontract.contracts.rights import EDITABLE
from gpucontract.contracts.running import tenures
from gpucontract.contracts.succession import SIGNED
from gpucontract.localise import spoken
from gpucontract.verdicts.accepting import outlook
from gpucontract.verdicts.judging import OUT_OF_WINDOW
from gpucontract.verdicts.services import VerdictError, accepted_at, waive_clause, withdraw_waiver
from gpucontract.web.access import contract_for
from gpucontract.web.clause_list import ORDER, Known, counts_of, sections_of, worst_first
from gpucontract.web.endings import ending_of
from gpucontract.web.events import WORDS, entries_for, in_words
from gpucontract.web.forms.contract import drafts_for
from gpucontract.web.forms.journal import JournalFilter, kinds_in
from gpucontract.web.remedies_page import may_offer
from gpucontract.web.retests import cure_until, retests_of
from gpucontract.web.todo import Desk, Step
from gpucontract.web.views.dashboard import rows_of
from gpucontract.wording import Text

PER_PAGE = 25
EVENTS_PER_PAGE = 100
# The tabs on which what waits is done at once.
WORKPLACES = ("answers", "rounds", "sign", "runs", "papers")
# What the contract says of the time after a breach was found.
CURE = ("c/retest_days", "c/retest_rounds_max")


def contract_list(request: HttpRequest) -> HttpResponse:
    """All contracts the person may see, filtered by what the address says."""
    state, text = request.GET.get("state", ""), request.GET.get("q", "").strip()[:100]
    visible = Contract.objects.visible_to(request.user).select_related("buyer", "vendor")
    found = matching(visible, state if state in STATES else "", text)
    shown = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "page": shown,
        "rows": rows_of(Desk.of(request.user, shown.object_list)),
        "state": state if state in STATES else "",
        "q": text,
        "states": list(STATES),
        "may_draft": drafts_for(request.user).exists(),
    }
    return render(request, "contracts/list.html", page)


def matching(contracts: QuerySet[Contract], state: str, text: str) -> QuerySet[Contract]:
    """Contracts in a state whose number, title or parties contain a text; "" asks nothing."""
    if state:
        contracts = contracts.filter(state=state)
    if text:
        names = ("number", "title", "buyer__name", "vendor__name")
        wanted = Q()
        for name in names:
            wanted |= Q(**{f"{name}__icontains": text})
        contracts = contracts.filter(wanted)
    return contracts


def contract_detail(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The newest revision that was sent, clause by clause: answers before measuring, verdicts after."""
    contract = contract_for(request.user, uuid, "view")
    page = head_of(request, contract, "clauses")
    revision = page["revision"]
    if revision is None:
        return render(request, "contracts/unsent.html", page)
    known = Known.about(revision, answers_for(revision, page["side"]), page["side"] is Side.BUYER)
    sections = sections_of(revision.body(), known)
    page |= {"sections": sections, "is_measured": bool(known.verdicts), "ending": ending_of(contract)}
    page["may_copy"] = page["side"] is Side.BUYER and contract.may(request.user, "draft")
    page["has_remedies"] = contract.remedies.exists()
    if "accept" in page["moves"]:
        page["outlook"] = outlook(contract, timezone.now())
    page |= verdict_page(request, revision, sections) if known.verdicts else answer_page(sections)
    return render(request, "contracts/detail.html", page)


def verdict_page(request: HttpRequest, revision: Revision, sections: list[Any]) -> dict[str, Any]:
    """The list of checks with its filter, and the clauses that nothing measures."""
    contract = revision.contract
    rows, wanted = worst_first(sections), request.GET.get("state", "")
    wanted = wanted if wanted in ORDER else ""
    failing = sum(row.look not in ("verified", "not_applicable", "waived", "remedied") for row in rows)
    return _cure(revision, sections, [row.key for row in rows if row.look == "breached"]) | {
        "rows": [row for row in rows if not wanted or (row.look or "pending") == wanted],
        "filter_counts": counts_of(rows),
        "wanted": wanted,
        "all": len(rows),
        "failing": failing,
        "breached": sum(row.look == "breached" for row in rows),
        "remedied": sum(row.look == "remedied" for row in rows),
        "calm": [row for section in sections for row in section.rows if not row.is_judged],
        "is_past": contract.state in OUT_OF_WINDOW,
        "is_over": contract.state in OUT_OF_WINDOW and contract.state not in IN_FORCE,
        "accepted_at": accepted_at(contract),
        "may_offer": may_offer(contract, request.user),
        "may_waive": contract.state in IN_FORCE and contract.may(request.user, "waive"),
    }


def _cure(revision: Revision, sections: list[Any], breached: list[str]) -> dict[str, Any]:
    """What the contract says of curing and testing again, and how far that is."""
    if not breached:
        return {}
    said = [row.text for section in sections for row in section.rows if row.key in CURE]
    known = retests_of(revision.contract, revision.body())
    until = cure_until(revision.contract, breached, known.days)
    return {"cure": [*said, *filter(None, (known.told(), until))], "retest_rule": known.how()}


def answer_page(sections: list[Any]) -> dict[str, Any]:
    """How far the vendor's answers are, as far as this side may know."""
    answers = [row.answer for section in sections for row in section.rows if row.answer]
    return {
        "lines": sum(len(section.rows) for section in sections),
        "confirmed": sum(answer.answer == "confirm" for answer in answers),
        "countered": sum(answer.answer == "counter" for answer in answers),
        "asked": sum(answer.answer == "ask" for answer in answers),
    }


def answers_for(revision: Revision, side: Side | None) -> list[Confirmation]:
    """The vendor's answers; the buyer reads those that were submitted."""
    answers = revision.confirmations.select_related("answered_by")
    return list(answers if side is Side.VENDOR else answers.filter(submitted_at__isnull=False))


def head_of(request: HttpRequest, contract: Contract, tab: str) -> dict[str, Any]:
    """What stands above every page of a contract: parties, revision, the next step, the tabs."""
    side, roles = contract.standing_of(request.user)
    revision = contract.revisions.sent().order_by("-number").first()
    if revision:
        revision.contract = contract
    desk = Desk.of(request.user, [contract])
    step = desk.step(contract)
    clock = desk.clocks.get(contract.pk)
    amendments = list(Contract.objects.visible_to(request.user).filter(amends=contract).order_by("-pk"))
    successor = next((each for each in amendments if each.state in SIGNED), None)
    amended = Contract.objects.visible_to(request.user).filter(amendments=contract).first()
    return {
        "contract": contract,
        "vendor_name": desk.vendor_of(contract),
        "side": side,
        "tab": tab,
        "revision": revision,
        "step": step if step and not _is_there(step, tab) else None,
        "papers_step": desk.papers_step(contract),
        "clock": clock,
        "clock_lines": [spoken(line) for line in clock.deadlines.lines] if clock else [],
        "days_left": desk.days_left(contract),
        "waits": desk.waits(contract),
        "moves": {move.name for move in moves_for(contract.state, side, roles)},
        "sees_evidence": contract.may(request.user, "view_evidence"),
        "sees_documents": contract.may(request.user, "download_appendix"),
        "may_amend": contract.state in IN_FORCE and contract.may(request.user, "draft"),
        "tenure_lines": [spoken(line) for each in tenures([contract]).values() for line in each.lines],
        "amendments": amendments,
        "successor": successor,
        "successor_changes": _changes_of(successor) if successor else "",
        "amended": amended,
        "amended_is_over": _is_over(contract, amended),
        "may_draft": contract.state in EDITABLE and contract.may(request.user, "draft"),
    }


def _is_there(step: Step, tab: str) -> bool:
    """Whether the page of a tab is where the next step leads; the clauses alone have more than one view to go to."""
    return tab in WORKPLACES and step.url.startswith(reverse(f"contract-{tab}", args=[step.contract.uuid]))


def _changes_of(amendment: Contract) -> str:
    """Where every line stands in which a signed amendment differs from what it amends."""
    signed = amendment.revisions.sent().latest("number")
    return reverse("contract-compare-amended", args=[amendment.uuid, signed.number])


def _is_over(contract: Contract, amended: Contract | None) -> Text | None:
    """The state of what a contract amends, where that has ended before the amendment was signed."""
    is_bound = amended is None or amended.state in IN_FORCE or contract.state not in UNDER_WAY
    return None if is_bound or amended is None else STATES[amended.state]


def contract_journal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Who did what, newest first, as far as this side may read it."""
    contract = contract_for(request.user, uuid, "view")
    page = head_of(request, contract, "journal")
    entries = in_words(entries_for(contract, page["side"]), contract)
    form = JournalFilter(request.GET, kinds_in((entry.event for entry in entries if entry.event), WORDS))
    if form.is_set:
        entries = [entry for entry in entries if entry.event and form.fits(entry.event, entry.clause)]
    shown = Paginator(entries, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    page |= {"form": form, "query": query_of(request), "page": shown, "chain": verify_chain(contract)}
    return render(request, "contracts/journal.html", page)


def query_of(request: HttpRequest) -> str:
    """What the address filters by, for the links to other pages of it."""
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()


@require_POST
def contract_waive(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Let a clause be that is not verified, with the approver's reason."""
    contract = contract_for(request.user, uuid, "waive")
    key, reason = request.POST.get("key", "")[:80], request.POST.get("reason", "")
    try:
        waive_clause(contract, key=key, reason=reason, by=request.user)
    except VerdictError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(request, _("Waived. The measured state stays beside it; the vendor does not see the waiver."))
    return redirect("contract-detail", uuid)


@require_POST
def contract_waiver_withdraw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take a clause's waiver back, so that its measured state counts again."""
    contract = contract_for(request.user, uuid, "waive")
    try:
        withdraw_waiver(contract, key=request.POST.get("key", "")[:80], by=request.user)
    except VerdictError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(request, _("Waiver taken back. The measured state counts again."))
    return redirect("contract-detail", uuid)
