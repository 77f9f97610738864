"""The papers a contract asks for: the vendor hands them in, the buyer confirms or refuses, both read every version."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts.clauses import Clause, VerifiedBy
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.lifecycle import IN_FORCE
from gpucontract.contracts.models import ClausePaper, Contract
from gpucontract.contracts.papers import Decision, Paper, proof_of
from gpucontract.contracts.succession import amended_by, in_charge
from gpucontract.filing import FilingError
from gpucontract.localise import spoken
from gpucontract.verdicts.documents_rule import judge_document
from gpucontract.verdicts.judging import OUT_OF_WINDOW
from gpucontract.web.access import contract_for, paper_for
from gpucontract.web.forms.uploads import PaperForm
from gpucontract.web.handing_out import handed_out
from gpucontract.web.views.contracts import head_of


@dataclass(frozen=True, slots=True)
class Shelf:
    """One document clause with every version of its paper, newest first. state: what the judge says of it now."""

    clause: Clause
    state: str
    papers: tuple[ClausePaper, ...]
    form: PaperForm
    proof: str


def contract_papers(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every document clause of the newest sent revision with its papers."""
    contract = contract_for(request.user, uuid, "view_evidence")
    return render(request, "contracts/papers.html", papers_page(request, contract))


def papers_page(request: HttpRequest, contract: Contract, refused: PaperForm | None = None) -> dict[str, Any]:
    """The context of papers.html; refused: a form that stays open with what is wrong."""
    page = head_of(request, contract, "papers")
    revision, is_open = page["revision"], contract.state in IN_FORCE
    clauses = [each for each in revision.body().judged if each.verified_by is VerifiedBy.DOCUMENT] if revision else []
    kept: dict[str, list[ClausePaper]] = {}
    line = [contract, *amended_by(contract)]
    of_line = ClausePaper.objects.filter(contract__in=line).select_related("contract", "uploaded_by", "decided_by")
    for paper in of_line.order_by("-uploaded_at", "-number"):
        kept.setdefault(paper.key, []).append(paper)
    shelves = [_shelf(clause, kept.get(clause.key, []), refused) for clause in clauses]
    may_hand_in = is_open and contract.may(request.user, "hand_in")
    is_shown = may_hand_in and any(shelf.form is refused for shelf in shelves)
    return page | {
        "shelves": shelves,
        "may_hand_in": may_hand_in,
        "problems": [said for errors in refused.errors.values() for said in errors] if refused and not is_shown else [],
        "may_decide": is_open and contract.may(request.user, "decide_papers"),
        "is_open": is_open,
        "is_over": contract.state in OUT_OF_WINDOW and not is_open,
        "open_form": refused.data.get("key") if refused else "",
    }


def _shelf(clause: Clause, papers: list[ClausePaper], refused: PaperForm | None) -> Shelf:
    facts: list[Paper] = [paper.fact() for paper in papers]
    state = judge_document(clause, facts, timezone.now()).state
    is_its = refused is not None and refused.data.get("key") == clause.key
    form = refused if is_its and refused else PaperForm(initial={"key": clause.key}, auto_id=f"{clause.key}_%s")
    return Shelf(clause, state.value, tuple(papers), form, spoken(proof_of(clause.name)))


@require_POST
def paper_hand_in(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep a file as the next version; what is refused stays on the page with its reason."""
    contract = contract_for(request.user, uuid, "hand_in")
    form = PaperForm(request.POST, request.FILES)
    if form.is_valid():
        given = form.cleaned_data
        try:
            paper = hand_in(
                contract, given["key"], name=given["file"].name, data=given["file"].read(),
                valid_on=given["valid_on"], by=request.user,
            )  # fmt: skip
        except (ContractError, FilingError) as refusal:
            form.add_error("file", spoken(refusal.text))
    if not form.is_valid():
        return render(request, "contracts/papers.html", papers_page(request, contract, form), status=422)
    messages.success(
        request, _("Handed in as version %(number)s; the buyer is to confirm it.") % {"number": paper.number}
    )
    return redirect("contract-papers", uuid)


@require_POST
def paper_decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Confirm or refuse one version."""
    paper = paper_for(request.user, uuid, "decide_papers")
    confirmed, reason = request.POST.get("decision") == Decision.CONFIRMED, request.POST.get("reason", "")
    try:
        decide_paper(paper, confirmed=confirmed, reason=reason, by=request.user)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
    else:
        messages.success(request, _("Confirmed.") if confirmed else _("Refused; the vendor reads your reason."))
    return redirect("contract-papers", in_charge(paper.contract).uuid)


def paper_file(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The file of one version, as a download."""
    paper = paper_for(request.user, uuid, "view_evidence")
    return handed_out(paper.name, paper.sha256)
