"""The rounds of a negotiation: what waits for the buyer, what was said on each line, what changed between revisions."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.roles import Side
from gpucontract.contracts import services
from gpucontract.contracts.comparing import changes
from gpucontract.contracts.earlier import amended
from gpucontract.contracts.errors import AnswersRefused
from gpucontract.contracts.journal import newest_number
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Revision
from gpucontract.contracts.price_effects import effects
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for, offer_for, revision_for
from gpucontract.web.change_list import chapters_of, drafted
from gpucontract.web.rounds_page import Thread, card_of, threads_of, word_in
from gpucontract.web.stale import NEWER_ROUND, shown_number, why_stale, words_alone
from gpucontract.web.views.contracts import head_of
from gpucontract.wording import Text

NOTHING_POSTED = QueryDict()
# Where the buttons under the lines lead once everything typed is kept.
AFTER = {"draft": "contract-draft", "check": "contract-draft-check"}


def contract_rounds(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """What waits for a decision, and the conversation on each line."""
    revision = offer_for(request.user, uuid, "view")
    return render(request, "contracts/rounds.html", rounds_page(request, revision, NOTHING_POSTED, {}))


def rounds_page(
    request: HttpRequest, revision: Revision, posted: QueryDict, refusals: Mapping[str, Text]
) -> dict[str, Any]:
    """The context of rounds.html; posted: what was typed and refused, kept on the page; refusals: by clause key."""
    # Before anything is read: what a colleague decides while the page is made counts as unseen.
    newest = newest_number(revision.contract)
    contract = revision.contract
    page = head_of(request, contract, "rounds")
    deciding = page["side"] is Side.BUYER and contract.state == State.ANSWERED
    draft = drafted(revision) if deciding else {}
    threads = [thread.as_drafted(draft.get("texts", {})) for thread in threads_of(revision, page["side"])]
    page |= {
        # What waits for the buyer's word tells its own story above.
        "threads": [thread for thread in threads if not (deciding and thread.is_asked)],
        "newest": newest,
        "deciding": deciding,
        "price_url": price_url(contract.uuid),
        "may_accept": contract.may(request.user, "agree"),
        "may_reply": contract.may(request.user, "draft"),
        "may_send": contract.may(request.user, "send"),
        "pairs": list(itertools.pairwise(contract.revisions.sent().order_by("number"))),
    }
    return page | draft | _deciding(threads, posted, refusals) if deciding else page


def _deciding(threads: Iterable[Thread], posted: QueryDict, refusals: Mapping[str, Text]) -> dict[str, Any]:
    """What waits for the buyer's word."""
    asked = [thread for thread in threads if thread.is_asked]
    cards = [card_of(thread, posted, refusals) for thread in asked]
    refused = [card for card in cards if card.refusal]
    return {"asked": cards, "refused": refused, "waiting": sum(thread.is_waiting for thread in asked)}


def price_url(uuid: UUID) -> str:
    """Where the unit price is changed."""
    return f"{reverse('contract-draft-step', args=[uuid, 'commercial'])}#c-unit_price"


@require_POST
def contract_decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep the buyer's word on every line of the page at once, then go where the button leads."""
    revision = offer_for(request.user, uuid, "draft")
    if stale := why_stale(revision, request.POST, NEWER_ROUND):
        page = rounds_page(request, revision, words_alone(request.POST), {}) | {"problem": spoken(stale)}
        return render(request, "contracts/rounds.html", page, status=409)
    threads = [thread for thread in threads_of(revision, Side.BUYER) if thread.is_asked]
    words = {thread.key: word_in(request.POST, thread) for thread in threads}
    try:
        count = services.decide_lines(revision, words, by=request.user, shown=shown_number(request.POST))
    except AnswersRefused as refusal:
        page = rounds_page(request, revision, request.POST, refusal.refusals)
        return render(request, "contracts/rounds.html", page, status=422)
    if count:
        messages.success(request, _("Kept. The vendor reads it when you send the next revision."))
    go = request.POST.get("go", "")
    return redirect(price_url(uuid) if go == "price" else reverse(AFTER.get(go, "contract-rounds"), args=[uuid]))


def contract_compare(request: HttpRequest, uuid: UUID, old: int, new: int) -> HttpResponse:
    """Every line that differs between two revisions this side may read."""
    contract = contract_for(request.user, uuid, "view")
    earlier, later = (revision_for(request.user, uuid, number, "view") for number in (old, new))
    if old >= new:
        raise Http404
    between = [each for each in contract.revisions.sent().order_by("number") if old <= each.number < new]
    page = compare_page(request, earlier, later)
    page |= {"effects": [effect for each in between for effect in effects(each, later.body())]}
    return render(request, "contracts/compare.html", page)


def contract_compare_amended(request: HttpRequest, uuid: UUID, new: int) -> HttpResponse:
    """Every line in which a revision of an amendment differs from the contract that it amends."""
    later = revision_for(request.user, uuid, new, "view")
    earlier = amended(later.contract)
    if earlier is None:
        raise Http404
    return render(request, "contracts/compare.html", compare_page(request, earlier, later))


def compare_page(request: HttpRequest, earlier: Revision, later: Revision) -> dict[str, Any]:
    """The context of compare.html."""
    found = changes(earlier.body(), later.body())
    page = head_of(request, later.contract, "rounds")
    return page | {"old": earlier, "new": later, "chapters": chapters_of(found), "all": len(found)}
