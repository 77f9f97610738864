"""Paste what a tool printed: what was read from it, at once, and nothing is stored."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from gpucontract.measurements.pasting import read_pasted
from gpucontract.web.forms.paste import PasteForm
from gpucontract.web.paste_page import views_of

KEPT_CHARACTERS = 200_000


def paste(request: HttpRequest) -> HttpResponse:
    """The form, and above it what was read from the text that came with it."""
    if request.method != "POST":
        return render(request, "paste/paste.html", {"form": PasteForm()})
    form = PasteForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(request, "paste/paste.html", {"form": form}, status=422)
    given = form.cleaned_data
    pasted = read_pasted(given["printed"], given["tool"], given["command"], given["exit_status"])
    kept = pasted.text if len(pasted.text) <= KEPT_CHARACTERS else ""
    again = PasteForm(initial={**given, "text": kept, "file": None, "command": pasted.command})
    page = {"form": again, "pasted": pasted, "views": views_of(pasted.outputs), "is_kept": bool(kept)}
    return render(request, "paste/paste.html", page)
