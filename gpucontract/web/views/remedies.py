"""Remedies: offered for a clause by one side, agreed to or declined by the other, and what they make of the rent."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Contract, Revision
from gpucontract.localise import spoken
from gpucontract.measurements.models import Node
from gpucontract.verdicts.models import Verdict
from gpucontract.verdicts.remedying import Held, decide_remedy, failing_slots, held, propose_remedy, withdraw_remedy
from gpucontract.verdicts.rent import needs_amount, rent_after
from gpucontract.verdicts.scopes import machine
from gpucontract.verdicts.states import State
from gpucontract.web.access import contract_for, offer_for, remedy_for
from gpucontract.web.clause_list import Known, Row, sections_of
from gpucontract.web.forms.remedies import PriceCutForm, RejectForm
from gpucontract.web.remedies_page import may_offer, shown
from gpucontract.web.views.contracts import head_of
from gpucontract.wording import Text

_NO_CHOICE = Text("请选择同意或不同意。", "Choose whether you agree or decline.")


def contract_remedies(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every remedy of the contract, and the rent as those in force make it."""
    revision = offer_for(request.user, uuid, "view")
    contract, body = revision.contract, revision.body()
    now = held([contract]).get(contract.pk, Held())
    rent = rent_after(body, now.offers) if now.remedies else None
    page = head_of(request, contract, "clauses") | {
        "remedies": shown(contract, body, request.user, now),
        "rent_lines": [spoken(line) for line in rent.lines] if rent else [],
        "may_offer": may_offer(contract, request.user),
    }
    return render(request, "contracts/remedies.html", page)


def contract_remedy(request: HttpRequest, uuid: UUID, key: str) -> HttpResponse:
    """The page on which a remedy is offered for a clause, and the offer."""
    contract = contract_for(request.user, uuid, "remedy")
    revision = offer_for(request.user, uuid, "remedy")
    row = _row(revision, key)
    forms = _forms(request, contract, revision)
    form = forms["reject" if request.POST.get("kind") == "reject" else "cut"]
    if request.method == "POST" and form.is_valid():
        said = {"reason": form.cleaned_data["reason"], "by": request.user, "now": timezone.now()}
        try:
            propose_remedy(contract, form.offer(key), seen=request.POST.get("seen", ""), **said)
        except NotAllowed:
            raise
        except ContractError as refusal:
            form.add_error(None, spoken(refusal.text))
        else:
            messages.success(request, _("Offered. It binds once the other side agrees; they are told by mail."))
            return redirect("contract-remedies", uuid)
    verdict = Verdict.objects.filter(contract=contract, key=key).first()
    earlier = [each for each in shown(contract, revision.body(), request.user) if each.remedy.key == key]
    page = {
        "row": row,
        "may_offer": may_offer(contract, request.user),
        "earlier": earlier,
        "is_waiting": any(each.is_open for each in earlier),
        "may_cut": row.verdict and row.verdict.state in ("breached", "marginal"),
        "unmeasured": _unmeasured(verdict),
        "seen": verdict.found.mark if verdict else "",
    }
    page |= head_of(request, contract, "clauses") | forms
    return render(request, "contracts/remedy.html", page, status=422 if request.method == "POST" else 200)


@require_POST
def remedy_decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Agree to the other side's remedy, or decline it."""
    remedy, is_agreed = remedy_for(request.user, uuid, "remedy"), "agree" in request.POST
    if is_agreed == ("decline" in request.POST):
        raise ContractError(_NO_CHOICE)
    decide_remedy(remedy, is_agreed=is_agreed, by=request.user, now=timezone.now())
    messages.success(request, _("Agreed: the remedy binds both sides.") if is_agreed else _("Declined."))
    return redirect("contract-remedies", remedy.contract.uuid)


@require_POST
def remedy_withdraw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take back one's own side's offer that has no answer yet."""
    remedy = withdraw_remedy(remedy_for(request.user, uuid, "remedy"), by=request.user, now=timezone.now())
    messages.success(request, _("Taken back."))
    return redirect("contract-remedies", remedy.contract.uuid)


def _unmeasured(verdict: Verdict | None) -> int:
    """How many places of the clause nobody could measure: a price cut leaves them open."""
    counts = verdict.counts if verdict else {}
    return int(counts.get(State.PENDING, 0) + counts.get(State.INCONCLUSIVE, 0))


def _row(revision: Revision, key: str) -> Row:
    known = Known.about(revision, (), shows_waivers=False)
    row = next((row for part in sections_of(revision.body(), known) for row in part.rows if row.key == key), None)
    if row is None or not row.is_judged:
        raise Http404
    return row


def _forms(request: HttpRequest, contract: Contract, revision: Revision) -> dict[str, Any]:
    """Both forms; only the one that was sent bears what was typed."""
    body, sent = revision.body(), request.POST.get("kind")
    hosts = dict(Node.objects.of(contract).values_list("code", "hostname"))
    named = [(slot, spoken(machine(slot, hosts))) for slot in failing_slots(contract, body)]
    usual = next((each.value for each in body.clauses if each.key == "c/price_cut_pct"), None)
    today = timezone.localdate()
    return {
        "cut": PriceCutForm(request.POST if sent == "cut" else None, initial={"amount": usual, "from_on": today}),
        "reject": RejectForm(
            request.POST if sent == "reject" else None, initial={"from_on": today}, slots=named,
            is_package=needs_amount(body),
        ),
    }  # fmt: skip
