"""Parts exchanged by agreement: the vendor declares, the buyer agrees or refuses."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts.errors import ContractError
from gpucontract.localise import spoken
from gpucontract.measurements.replacing import decide_replacement, declare_replacement
from gpucontract.web.access import node_for, replacement_for
from gpucontract.web.forms.replacements import ReplacementForm
from gpucontract.web.views.runs import whole_page


@require_POST
def node_replacement(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Declare a replacement on a slot; what is refused stays on the page with its reason."""
    node = node_for(request.user, uuid, "declare_replacement")
    form = ReplacementForm(request.POST)
    if form.is_valid():
        try:
            declare_replacement(node, by=request.user, now=timezone.now(), **form.cleaned_data)
        except ContractError as refusal:
            form.add_error("names", spoken(refusal.text))
    if not form.is_valid():
        page = whole_page(request, node.group.contract) | {"replacement_form": form, "replacement_node": node}
        return render(request, "runs/runs.html", page, status=422)
    messages.success(request, _("Declared. The buyer agrees or refuses on this page."))
    return redirect("contract-runs", node.group.contract.uuid)


@require_POST
def replacement_decide(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Agree to a declared replacement, or refuse it."""
    replacement = replacement_for(request.user, uuid, "approve_node")
    decide_replacement(replacement, is_agreed="agree" in request.POST, by=request.user, now=timezone.now())
    return redirect("contract-runs", replacement.node.group.contract.uuid)
