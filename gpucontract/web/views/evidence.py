"""The evidence of one run, and of a whole contract: what the machine answered, what was read from it, the raw bytes."""

from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from gpucontract.localise import spoken
from gpucontract.measurements import evidence, packs, raw
from gpucontract.measurements.errors import MeasurementError
from gpucontract.measurements.evidence import EvidenceLost
from gpucontract.measurements.models import Delivery, Run
from gpucontract.web.access import contract_for, run_for
from gpucontract.web.evidence_page import general_findings, outputs_of
from gpucontract.web.views.contracts import head_of


def run_detail(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One run; without a result it says how far it is."""
    run = run_for(request.user, uuid, "view_evidence")
    delivery = Delivery.objects.filter(run=run).select_related("evidence").first()
    page = head_of(request, run.contract, "runs") | {"run": run, "delivery": delivery, "is_lost": False}
    page["nodes"] = run.nodes.order_by("places__position")
    if delivery is None:
        return render(request, "evidence/run.html", page)
    try:
        page |= {"outputs": outputs_of(run), "findings": general_findings(run)}
    except (EvidenceLost, raw.BadResult):
        page["is_lost"] = True
    return render(request, "evidence/run.html", page)


@require_safe
def contract_evidence(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """Everything that was measured as one ZIP, as the offline judge reads it."""
    contract = contract_for(request.user, uuid, "view_evidence")
    try:
        packed = packs.archive(contract)
    except MeasurementError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect("contract-runs", uuid)
    return FileResponse(packed, as_attachment=True, filename=f"{contract.number}-evidence.zip")


def run_raw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The raw result exactly as it was delivered and hashed."""
    run = run_for(request.user, uuid, "view_evidence")
    return _file(_body(run), f"{run.job}-{run.uuid}.json", "application/json")


def run_output(request: HttpRequest, uuid: UUID, place: int) -> HttpResponse:
    """One output's stdout as a text file."""
    run = run_for(request.user, uuid, "view_evidence")
    outputs = raw.read(_body(run)).outputs
    if not 1 <= place <= len(outputs):
        raise Http404
    return _file(outputs[place - 1].stdout.encode(), f"{run.job}-{place}.txt", "text/plain; charset=utf-8")


def _body(run: Run) -> bytes:
    delivery = Delivery.objects.filter(run=run).first()
    if delivery is None:
        raise Http404
    try:
        return evidence.read(delivery.evidence_id)
    except EvidenceLost as fault:
        raise Http404 from fault


def _file(data: bytes, name: str, content_type: str) -> HttpResponse:
    """A machine's words are never shown as a page of ours: always a download."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
