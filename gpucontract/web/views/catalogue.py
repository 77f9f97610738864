"""The catalogue: what is known of GPUs, CPUs, CUDA, limits, bandwidth and Xid codes, each with its source."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from gpucontract.web import catalogue_page

LONGEST_SEARCH = 100


def catalogue(request: HttpRequest) -> HttpResponse:
    """All GPUs, or those that a search finds; then the tables that are of no single GPU."""
    wanted = request.GET.get("q", "")[:LONGEST_SEARCH].strip()
    page = {
        "q": wanted,
        "entries": catalogue_page.entries(wanted),
        "toolkits": catalogue_page.releases("first_toolkit"),
        "drivers": catalogue_page.releases("lowest_driver"),
        "ceilings": catalogue_page.ceilings(),
        "cpus": catalogue_page.cpus(),
        "codes": catalogue_page.codes(),
    }
    return render(request, "catalogue/catalogue.html", page)


def catalogue_gpu(request: HttpRequest, gpu: str) -> HttpResponse:
    """One GPU with every value, its sources and the public bandwidth figures."""
    entry = catalogue_page.entry(gpu)
    if entry is None:
        raise Http404
    page = {"entry": entry, "figures": catalogue_page.figures(entry.gpu)}
    return render(request, "catalogue/gpu.html", page)
