"""Terminating a signed contract: what the contract says of leaving, the reason, and the number typed."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import Fact, State, next_state
from gpucontract.contracts.models import Contract
from gpucontract.localise import spoken
from gpucontract.measurements.ending import terminate
from gpucontract.web.access import contract_for
from gpucontract.web.clause_list import Known, sections_of
from gpucontract.web.forms.ending import TerminateForm
from gpucontract.web.views.contracts import head_of


def contract_terminate(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page that says what follows, and the act; a second click finds it done."""
    contract = contract_for(request.user, uuid, "terminate")
    if contract.state == State.TERMINATED:
        messages.info(request, _("The contract is terminated."))
        return redirect("contract-detail", uuid)
    next_state(contract.state, "terminate", {Fact.REASON_GIVEN})
    form = TerminateForm(request.POST or None, number=contract.number)
    if request.method == "POST" and form.is_valid():
        try:
            terminate(contract, by=request.user, reason=form.cleaned_data["reason"])
        except NotAllowed:
            raise
        except ContractError as refusal:
            form.add_error(None, spoken(refusal.text))
        else:
            messages.success(request, _("Terminated. Open tests are cancelled; both sides are told."))
            return redirect("contract-detail", uuid)
    page = head_of(request, contract, "clauses") | {
        "form": form,
        "says": exit_lines(contract),
        "open_runs": contract.runs.open().count(),
    }
    return render(request, "contracts/terminate.html", page, status=422 if request.method == "POST" else 200)


def exit_lines(contract: Contract) -> list[str]:
    """What the contract itself says of leaving, with the numbers it bears on paper."""
    body = contract.revisions.sent().latest("number").body()
    rows = [row for section in sections_of(body, Known()) if section.id == "exit" for row in section.rows]
    return [f"{row.number} {row.text}" for row in rows]
