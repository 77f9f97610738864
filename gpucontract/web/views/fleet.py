"""The machines of a contract beside each other."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from gpucontract.verdicts.fleet import spreads
from gpucontract.verdicts.outliers import FEWEST
from gpucontract.web.access import contract_for
from gpucontract.web.views.contracts import head_of

MOST_VALUES = 16


def contract_fleet(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Each rate with its median and the machines that fall behind it: a hint where to look, no verdict."""
    contract = contract_for(request.user, uuid, "view_evidence")
    page = head_of(request, contract, "runs")
    found = spreads(contract) if page["revision"] and contract.node_verdicts.exists() else ()
    return render(request, "runs/fleet.html", page | {"spreads": found, "fewest": FEWEST, "shown": f":{MOST_VALUES}"})
