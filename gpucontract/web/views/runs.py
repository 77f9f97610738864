"""A contract's machines, its test plan and its runs: deliver, enrol, order, retry, cancel."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.handover import clocks, confirm_handover, deny_handover
from gpucontract.contracts.lifecycle import IN_FORCE, MEASURABLE, State
from gpucontract.contracts.models import Contract, Revision
from gpucontract.localise import spoken
from gpucontract.measurements import services
from gpucontract.measurements.models import Node
from gpucontract.measurements.plan import by_hand, jobs_for
from gpucontract.web.access import contract_for, node_for, run_for
from gpucontract.web.forms.agents import AgentForm, DeliverForm, HandoverForm
from gpucontract.web.forms.orders import OrderForm
from gpucontract.web.forms.replacements import ReplacementForm
from gpucontract.web.plan_preview import open_of
from gpucontract.web.retests import retests_of
from gpucontract.web.views.contracts import head_of

NODES_SHOWN = 64
RUNS_PER_PAGE = 100


def contract_runs(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Machines, plan and runs on one page; htmx asks for the runs alone while some are open."""
    contract = contract_for(request.user, uuid, "view_evidence")
    if "HX-Request" in request.headers:
        return render(request, "runs/_runs.html", runs_page(request, contract))
    return render(request, "runs/runs.html", whole_page(request, contract))


def whole_page(request: HttpRequest, contract: Contract) -> dict[str, Any]:
    """The context of runs.html."""
    page = head_of(request, contract, "runs")
    page |= nodes_page(request, contract) | runs_page(request, contract) | plan_of(page["revision"])
    is_asked = page["may_order"] and page["revision"]
    known = retests_of(contract, page["revision"].body()) if is_asked else None
    return page | {"order_warnings": known.warnings() if known else [], "retests": known}


def nodes_page(request: HttpRequest, contract: Contract) -> dict[str, Any]:
    """The slots with the agent that serves each now."""
    nodes = Node.objects.of(contract).prefetch_related("agents", "replacements__declared_by")
    shown = Paginator(nodes, NODES_SHOWN).get_page(request.GET.get("nodes"))
    rows = [(node, next((each for each in node.agents.all() if each.revoked_at is None), None)) for node in shown]
    return {
        "nodes": rows,
        "nodes_page": shown,
        "may_deliver": contract.state == State.SIGNED and contract.may(request.user, "deliver"),
        "may_enrol": contract.state in IN_FORCE and contract.may(request.user, "enrol_agent"),
        "form": AgentForm(),
        "form_node": None,
        "may_replace": contract.may(request.user, "declare_replacement") and _is_measured_here(contract),
        "may_agree": contract.state in MEASURABLE and contract.may(request.user, "approve_node"),
        "replacement_form": ReplacementForm(),
        "replacement_node": None,
    }


def runs_page(request: HttpRequest, contract: Contract) -> dict[str, Any]:
    """The runs, newest round first, and whether any may still bring a result."""
    runs = contract.runs.select_related("lead").prefetch_related("places__node").order_by("-round", "pk")
    shown = Paginator(runs, RUNS_PER_PAGE).get_page(request.GET.get("page"))
    counts = contract.runs.aggregate(
        **{state: Count("pk", filter=Q(state=state)) for state in ("queued", "running", "done", "failed")}
    )
    return {
        "contract": contract,
        "runs": shown,
        "run_counts": counts,
        "is_working": bool(counts["queued"] + counts["running"]),
        "may_order": _is_measured_here(contract) and contract.may(request.user, "order_runs"),
        "next_round": services.next_round(contract),
    }


def _is_measured_here(contract: Contract) -> bool:
    return contract.state in MEASURABLE


def plan_of(revision: Revision | None) -> dict[str, Any]:
    """What the frozen clauses need to have run, and what nothing can settle yet, with the reason."""
    if revision is None:
        return {"jobs": (), "unsettled": ()}
    body, plan = revision.body(), jobs_for(revision.body())
    return {"jobs": plan, "unsettled": open_of(body), "order_form": OrderForm([*plan, *by_hand(body)])}


def contract_deliver(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Record that the machines were handed over: when, to whom, and that it is so."""
    contract = contract_for(request.user, uuid, "deliver")
    form = DeliverForm(request.POST or None, initial={"on": timezone.localdate()})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            nodes = services.deliver(
                contract, by=request.user, now=timezone.now(), on=given["on"], received_by=given["received_by"]
            )
        except ContractError as refusal:
            form.add_error("on", spoken(refusal.text))
        else:
            text = ngettext("Delivered: %(count)s machine.", "Delivered: %(count)s machines.", len(nodes))
            messages.success(request, text % {"count": len(nodes)})
            return redirect("contract-runs", uuid)
    page = head_of(request, contract, "runs") | {"form": form}
    return render(request, "runs/deliver.html", page, status=422 if request.method == "POST" else 200)


def contract_handover(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The buyer confirms the day that the vendor recorded, from which the acceptance window runs."""
    contract = contract_for(request.user, uuid, "confirm_delivery")
    clock = clocks([contract]).get(contract.pk)
    handover = clock.handover if clock else None
    if request.POST.get("received") == "no":
        return _denied(request, contract)
    form = HandoverForm(request.POST or None, initial={"on": handover.recorded_on if handover else None})
    if request.method == "POST" and form.is_valid():
        try:
            confirm_handover(contract, on=form.cleaned_data["on"], by=request.user)
        except ContractError as refusal:
            form.add_error("on", spoken(refusal.text))
        else:
            messages.success(request, _("Confirmed: the acceptance window runs from that day."))
            return redirect("contract-detail", uuid)
    page = head_of(request, contract, "runs") | {"form": form, "handover": handover}
    return render(request, "runs/handover.html", page, status=422 if request.method == "POST" else 200)


def _denied(request: HttpRequest, contract: Contract) -> HttpResponse:
    """The buyer says that nothing was received."""
    try:
        deny_handover(contract, reason=request.POST.get("reason", ""), by=request.user)
    except ContractError as refusal:
        messages.error(request, spoken(refusal.text))
        return redirect("contract-handover", contract.uuid)
    messages.success(request, _("Noted: both sides see that the machines were not received, and why."))
    return redirect("contract-detail", contract.uuid)


@require_POST
def contract_order(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Order one round of the plan."""
    contract = contract_for(request.user, uuid, "order_runs")
    number = services.next_round(contract)
    body = services.in_force(contract).body()
    form = OrderForm([*jobs_for(body), *by_hand(body)], request.POST)
    if not form.is_valid():
        return render(request, "runs/runs.html", whole_page(request, contract) | {"order_form": form}, status=422)
    made = services.order_runs(contract, round=number, by=request.user, now=timezone.now(), **form.cleaned_data)
    text = ngettext("Round %(round)s: %(count)s run ordered.", "Round %(round)s: %(count)s runs ordered.", len(made))
    messages.success(request, text % {"round": number, "count": len(made)})
    return redirect("contract-runs", uuid)


@require_POST
def node_enrol(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Put an agent on a slot; what is refused stays on the page with its reason."""
    node = node_for(request.user, uuid, "enrol_agent")
    form = AgentForm(request.POST)
    if form.is_valid():
        try:
            agent = services.enrol_agent(node, by=request.user, now=timezone.now(), **form.cleaned_data)
        except ContractError as refusal:
            form.add_error(None, spoken(refusal.text))
    if not form.is_valid():
        page = whole_page(request, node.group.contract) | {"form": form, "form_node": node}
        return render(request, "runs/runs.html", page, status=422)
    said = _("Enrolled on %(node)s. Start the agent with --agent %(id)s.")
    messages.success(request, said % {"node": node.code, "id": agent.uuid})
    return redirect("contract-runs", node.group.contract.uuid)


@require_POST
def run_retry(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Order a failed run once more."""
    run = services.retry_run(run_for(request.user, uuid, "order_runs"), by=request.user, now=timezone.now())
    return _back(run.contract)


@require_POST
def run_cancel(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Give up a run that has not ended."""
    run = services.cancel_run(run_for(request.user, uuid, "order_runs"), by=request.user, now=timezone.now())
    return _back(run.contract)


def _back(contract: Contract) -> HttpResponse:
    return redirect(f"{reverse('contract-runs', args=[contract.uuid])}#runs")
