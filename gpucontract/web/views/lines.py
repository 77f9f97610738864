"""One clause on a page of its own: what it says, what was said about it, comments to both sides and to one's own."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts import services
from gpucontract.contracts.commenting import SPEAKERS
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Comment
from gpucontract.contracts.rounds import rounds_of
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for, offer_for
from gpucontract.web.clause_list import Known, sections_of
from gpucontract.web.views.contracts import answers_for, head_of


def contract_line(request: HttpRequest, uuid: UUID, key: str) -> HttpResponse:
    """The clause, its rounds and its comments."""
    return render(request, "contracts/line.html", line_page(request, uuid, key))


def line_page(request: HttpRequest, uuid: UUID, key: str) -> dict[str, Any]:
    """The context of line.html."""
    revision = offer_for(request.user, uuid, "view")
    contract = revision.contract
    page = head_of(request, contract, "rounds")
    known = Known(answers={answer.key: answer for answer in answers_for(revision, page["side"])})
    rows = [row for section in sections_of(revision.body(), known) for row in section.rows if row.key == key]
    if not rows:
        raise Http404
    comments = list(Comment.objects.visible_to(request.user, contract).filter(key=key).select_related("written_by"))
    return page | {
        "row": rows[0],
        "said_all": rounds_of(contract, page["side"]).get(key, ()),
        "shared": [each for each in comments if each.audience == "shared"],
        "internal": [each for each in comments if each.audience == "internal"],
        "other": contract.vendor if page["side"] == "buyer" else contract.buyer,
        "own": contract.buyer if page["side"] == "buyer" else contract.vendor,
        "may_share": contract.may(request.user, SPEAKERS[page["side"]]),
    }


@require_POST
def contract_comment_shared(request: HttpRequest, uuid: UUID, key: str) -> HttpResponse:
    """Write a comment that the other side reads too."""
    return _comment(request, uuid, key, "shared", _("Sent: both sides read it."))


@require_POST
def contract_comment_internal(request: HttpRequest, uuid: UUID, key: str) -> HttpResponse:
    """Write a comment for one's own side only."""
    return _comment(request, uuid, key, "internal", _("Kept: only your own side reads it."))


def _comment(request: HttpRequest, uuid: UUID, key: str, audience: str, said: str) -> HttpResponse:
    contract = contract_for(request.user, uuid, "view")
    # The field's own name per form: what was typed for one's own side cannot arrive at the other's address.
    text = request.POST.get(f"{audience}_text", "")
    try:
        services.comment(contract, key, text=text, audience=audience, by=request.user)
    except NotAllowed:
        raise
    except ContractError as refusal:
        page = line_page(request, uuid, key) | {"problem": spoken(refusal.text), f"typed_{audience}": text}
        return render(request, "contracts/line.html", page, status=422)
    messages.success(request, said)
    return redirect("contract-line", uuid, key)
