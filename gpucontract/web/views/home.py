"""The first page after signing in: one's contracts, the newest first."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from gpucontract.contracts.models import Contract


def dashboard(request: HttpRequest) -> HttpResponse:
    """Every contract the person may see, with its state and where to go on."""
    contracts = Contract.objects.visible_to(request.user).select_related("buyer", "vendor")
    return render(request, "home.html", {"contracts": contracts})
