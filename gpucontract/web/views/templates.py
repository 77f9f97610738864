"""Starting a contract from a template, a copy or nothing, and the templates an organisation keeps for itself."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gpucontract.accounts.roles import Side
from gpucontract.contracts import interchange, services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.models import Contract
from gpucontract.contracts.templates import templates
from gpucontract.localise import spoken
from gpucontract.web.access import contract_for, own_template_for
from gpucontract.web.forms.contract import NewContractForm, SaveTemplateForm, TemplateNameForm, drafts_for
from gpucontract.web.starting import (
    COPY,
    EMPTY,
    OWN,
    TEMPLATE,
    contents_of,
    own_cards,
    sections_of,
    source_of,
    template_cards,
)
from gpucontract.web.wizard import STEPS


def contract_new(request: HttpRequest) -> HttpResponse:
    """Start a draft from what was chosen; the first step follows."""
    buyers = drafts_for(request.user)
    if not buyers:
        raise PermissionDenied
    built_in, own = template_cards(), own_cards(request.user, buyers)
    asked = {"start": request.GET.get("start", "")[:80]}
    if "copy" in request.GET:
        asked = {"copy_of": request.GET.get("copy", "")[:40], "start": COPY}
    posted = request.POST if request.method == "POST" else None
    form = NewContractForm(request.user, [*built_in, *own], posted, initial=asked)
    if posted is None or not form.is_valid():
        page = {"form": form, "built_in": built_in, "own": own}
        return render(request, "contracts/draft/new.html", page, status=200 if posted is None else 422)
    return redirect("contract-draft-step", _started(request, form.cleaned_data).uuid, STEPS[0])


def _started(request: HttpRequest, given: dict[str, object]) -> Contract:
    title, start = str(given["title"]), str(given["start"])
    if start == EMPTY:
        return services.create_contract(given["buyer"], by=request.user, title=title)
    if start == COPY:
        return services.copy_contract(given["copy_of"], by=request.user, title=title)
    return services.start_from(source_of(start, request.user), given["buyer"], by=request.user, title=title)


def contract_template(request: HttpRequest, template: str) -> HttpResponse:
    """Every value of a template that comes with the software, and where it comes from."""
    if template not in templates():
        raise Http404
    shown = templates()[template]
    terms = shown.terms_in(get_language() or "zh-hans")
    page = {
        "title": spoken(shown.title),
        "when": spoken(shown.when),
        "limits": [spoken(limit) for limit in shown.limits],
        "contents": contents_of(terms),
        "sections": sections_of(terms, shown),
        "start": f"{TEMPLATE}:{template}",
        "may_draft": drafts_for(request.user).exists(),
    }
    return render(request, "library/template.html", page)


def own_template(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One's own template: its values, its name to change."""
    template = own_template_for(request.user, uuid)
    form = TemplateNameForm(request.POST or None, initial={"name": template.name})
    if request.method == "POST" and form.is_valid():
        try:
            services.rename_template(template, name=form.cleaned_data["name"], by=request.user)
        except ContractError as refusal:
            form.add_error("name", spoken(refusal.text))
        else:
            messages.success(request, _("The template has its new name."))
            return redirect("own-template", uuid)
    terms = interchange.kept(template.values)
    page = {
        "template": template,
        "form": form,
        "contents": contents_of(terms),
        "sections": sections_of(terms),
        "start": f"{OWN}:{template.uuid}",
        "may_draft": drafts_for(request.user).exists(),
    }
    return render(request, "library/own.html", page, status=422 if form.errors else 200)


@require_POST
def own_template_delete(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Remove one's own template; drafts started from it stay as they are."""
    template = own_template_for(request.user, uuid)
    if "confirm" not in request.POST:
        return redirect("own-template", uuid)
    services.delete_template(template, by=request.user)
    messages.success(request, _("“%(name)s” is removed.") % {"name": template.name})
    return redirect("contract-new")


def contract_save_template(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep a contract's terms as a template of one's organisation."""
    contract = contract_for(request.user, uuid, "draft")
    if contract.side_of(request.user) is not Side.BUYER:
        raise PermissionDenied
    form = SaveTemplateForm(request.POST or None, initial={"name": contract.title[:80]})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            kept = services.save_template(contract, name=given["name"], sections=given["sections"], by=request.user)
        except ContractError as refusal:
            form.add_error("name", spoken(refusal.text))
        else:
            messages.success(request, _("Saved. It is offered when somebody of your organisation starts a contract."))
            return redirect("own-template", kept.uuid)
    page = {"contract": contract, "form": form}
    return render(request, "library/save.html", page, status=422 if form.errors else 200)
