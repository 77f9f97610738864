"""The machines of a contract beside each other, and the retest of one that slow pairs point to."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.contracts.lifecycle import MEASURABLE
from gpucontract.contracts.models import Contract
from gpucontract.measurements.services import order_pair
from gpucontract.verdicts.fleet import pairs, spreads
from gpucontract.verdicts.outliers import FEWEST, Suspicion
from gpucontract.web.access import contract_for
from gpucontract.web.views.contracts import head_of

MOST_VALUES = 16


def contract_fleet(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Each rate with its median and the machines that fall behind it: a hint where to look, no verdict."""
    contract = contract_for(request.user, uuid, "view_evidence")
    page = head_of(request, contract, "runs")
    found = spreads(contract) if page["revision"] and contract.node_verdicts.exists() else ()
    page |= {"spreads": found, "fewest": FEWEST, "shown": f":{MOST_VALUES}", "groups": pairs(contract)}
    page["ordered"] = _open_pairs(contract)
    page["may_order"] = contract.state in MEASURABLE and contract.may(request.user, "order_runs")
    return render(request, "runs/fleet.html", page)


@require_POST
def contract_retest(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Order the one run that settles a suspicion: the machine with a partner known to be good."""
    contract = contract_for(request.user, uuid, "order_runs")
    suspected = (one for group in pairs(contract) for one in group.suspects if one.stage is Suspicion.RETEST)
    suspect = next((one for one in suspected if one.node == request.POST.get("node")), None)
    if suspect is None:
        messages.info(request, _("This machine does not wait for a retest any more."))
        return redirect("contract-fleet", uuid)
    run = order_pair(contract, one=suspect.node, other=suspect.partner, by=request.user, now=timezone.now())
    said = _("Round %(round)s: %(node)s is retested with %(partner)s.")
    messages.success(request, said % {"round": run.round, "node": suspect.node, "partner": suspect.partner})
    return redirect("contract-fleet", uuid)


def _open_pairs(contract: Contract) -> set[str]:
    """The machines that stand in a pair test which has not ended."""
    return set(contract.runs.open().filter(job="nccl_pairs").values_list("nodes__code", flat=True))
