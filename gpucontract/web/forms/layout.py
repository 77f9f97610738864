"""How a row of terms is laid out with crispy: a grid, headings, and the seldom-used terms folded away."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML, Div, Layout, LayoutObject
from crispy_forms.utils import TEMPLATE_PACK
from django import forms
from django.forms import BoundField
from django.template import Context
from django.template.loader import get_template
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from gpucontract.contracts.sections.gaps import applies, is_required, may_stop
from gpucontract.contracts.sections.hints import hint
from gpucontract.contracts.sections.term import Kind, Requirement, TermInfo
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.values import priced
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import posted, typed_as, unit_of
from gpucontract.web.forms.steps import RowForm, seldom_in

# A heading stands before the term it is filed under.
HEADINGS: dict[str, str | Promise] = {
    "buyer_name": _("Buyer"),
    "vendor_name": _("Vendor"),
    "datacenter_name": _("Data centre"),
    "signing_method": _("Signing"),
    "node_count": _("Machines and GPUs"),
    "cpu_model": _("Processor and memory"),
    "gemm_tflops_min": _("Performance and spares"),
    "intra_link_type": _("Within a machine"),
    "inter_fabric_type": _("Between machines"),
    "os_version": _("Software"),
    "root_access": _("Access and changes"),
    "acceptance_coverage_pct": _("How results are read"),
}
LISTS = {"gpu_model": "gpu-models"}
# A text that may be longer than an input shows grows with what is typed, and has the whole width when it may be long.
MOST_IN_AN_INPUT = 40
MOST_IN_A_COLUMN = 120
# So many letters stand in one of its lines on a phone.
LETTERS_IN_A_LINE = 36
# More boxes than this stand in a fold that says which are ticked.
MOST_IN_SIGHT = 16


class TermInput(LayoutObject):
    """One input with its label, why it is asked, its unit and what is wrong with it."""

    def __init__(self, info: TermInfo, is_needed: bool, applies: bool) -> None:
        self.info, self.is_needed, self.applies = info, is_needed, applies

    def render(self, form: RowForm, *_context: Any, **_options: Any) -> str:
        return template("contracts/draft/_term.html").render(self._shown(form, form[self.info.id]))

    def _shown(self, form: RowForm, bound: BoundField) -> dict[str, Any]:
        info, widget, value = self.info, bound.field.widget, bound.value()
        # Beside a reason nothing is chosen: buttons cannot be taken back, so the reason stands.
        chosen = "" if bound.field.is_picked and form.reasons.get(info.id) else value
        options = list(_options(widget, chosen))
        # What has a shape is one word; what has a list to choose from needs an input.
        is_prose = info.kind is Kind.TEXT and info.length > MOST_IN_AN_INPUT and not (info.shape or info.id in LISTS)
        reason = form.reasons.get(info.id, "")
        return {
            "id": bound.auto_id,
            "name": bound.html_name,
            "label": bound.label.removesuffix("（天）") if info.unit == "d" else bound.label,
            "type": _type(widget),
            "value": "" if value is None else value,
            "options": options,
            "is_picked": bound.field.is_picked,
            "is_long": bound.field.is_picked and len(options) > MOST_IN_SIGHT,
            "picked": _(", ").join(label for _value, label, is_chosen in options if is_chosen) or _("Select…"),
            "errors": bound.errors,
            "why": spoken(info.why),
            "unit": "" if info.choices else unit_of(info),
            "inputmode": widget.attrs.get("inputmode", ""),
            "list": LISTS.get(info.id, ""),
            "is_needed": self.is_needed,
            "is_optional": info.requirement is Requirement.OPTIONAL,
            "may_stop": may_stop(info),
            "is_wide": info.kind is Kind.MULTI or (is_prose and info.length > MOST_IN_A_COLUMN),
            "is_prose": is_prose,
            "lines": lines_of(value),
            "when": when_json(info),
            "default": json.dumps(typed_as(info.default)),
            "vague": hint(info, value),
            "notes": form.notes.get(bound.html_name, ()),
            "may_be_none": info.may_be_none,
            "is_none": info.id in form.reasons,
            "reason": reason,
            "reason_lines": lines_of(reason),
        }


def lines_of(value: Any) -> int:
    """The lines that a text takes at most."""
    return -(-len(str(value or "")) // LETTERS_IN_A_LINE) or 1


@cache
def template(name: str) -> Any:
    """A template found once: a step renders the same one a hundred times."""
    return get_template(name)


def _type(widget: forms.Widget) -> str:
    """What the template draws: radio, checkbox, select, date or text."""
    drawn = {forms.RadioSelect: "radio", forms.CheckboxSelectMultiple: "checkbox", forms.DateInput: "date"}
    return drawn.get(type(widget), "select" if isinstance(widget, forms.Select) else "text")


def _options(widget: forms.Widget, value: Any) -> Iterator[tuple[Any, Any, bool]]:
    """(posted, label, whether chosen) of a widget with choices."""
    if isinstance(widget, forms.widgets.ChoiceWidget):
        chosen = value if isinstance(value, list) else [value or ""]
        yield from ((posted, label, posted in chosen) for posted, label in widget.choices)


class Fold(LayoutObject):
    """Seldom-used terms behind a button that brings them; in place at once when one of them is filled or wrong."""

    def __init__(self, code: str, inputs: Sequence[TermInput], is_wanted: bool) -> None:
        self.code, self.fields, self.is_wanted = code, inputs, is_wanted

    def render(self, form: RowForm, context: Any, template_pack: Any = TEMPLATE_PACK, **_options: Any) -> str:
        used = [_is_used(form, each.info) for each in self.fields]
        is_open = self.is_wanted or any(used)
        # What does not apply and is empty stays hidden behind the button, too.
        count = sum(each.applies or is_used for each, is_used in zip(self.fields, used, strict=True))
        inner = self.get_rendered_fields(form, context, template_pack) if is_open else ""
        shown = {"inner": inner, "count": count, "code": self.code, "title": form.place.title}
        return template("contracts/draft/_fold.html").render(shown | {"more_url": context.get("more_url")})


def more_of(form: RowForm, terms: Terms) -> str:
    """The seldom-used terms of a row, as a page asks for them."""
    code = form.place.code
    folded = seldom_in(form.place.infos)
    inputs = [each for each in _inputs(form, terms, code) if each.info.id in folded]
    return Fold(code, inputs, is_wanted=True).render(form, Context())


def _inputs(form: RowForm, terms: Terms, code: str) -> list[TermInput]:
    currency = terms.get("c/currency", "CNY")
    return [
        TermInput(priced(info, currency), is_required(terms, code, info), applies(terms, code, info))
        for info in form.infos.values()
    ]


def _is_used(form: RowForm, info: TermInfo) -> bool:
    typed = form[info.id].value()
    given = [each for each in (typed if isinstance(typed, list) else [typed]) if each]
    return info.id in form.errors or info.id in form.reasons or (bool(given) and given != typed_as(info.default))


def when_json(info: TermInfo) -> str:
    """The conditions of a term for the page's script: it hides what is untouched and not needed now."""
    conditions = [
        {"term": each.term, "above": each.above, "oneOf": [posted(value) for value in each.one_of]}
        for each in info.conditions
    ]
    return json.dumps(conditions) if conditions else ""


def helper_for(form: RowForm, terms: Terms, *, is_wanted: bool = False) -> FormHelper:
    """The crispy helper that lays this row out; the <form> element and its token belong to the page.

    is_wanted: the seldom-used terms were asked for, so they stand open.
    """
    helper = FormHelper()
    helper.form_tag = False
    helper.disable_csrf = True
    code = form.place.code.partition("-")[0]
    inputs = _inputs(form, terms, code)
    folded = set() if "-" in form.place.code else seldom_in(form.place.infos)
    helper.layout = Layout(*_sections(each for each in inputs if each.info.id not in folded))
    if folded:
        helper.layout.append(Fold(code, [each for each in inputs if each.info.id in folded], is_wanted))
    return helper


def _sections(inputs: Iterable[TermInput]) -> list[LayoutObject]:
    """Grids of terms, a new one under each heading."""
    parts: list[Any] = []
    for each in inputs:
        if each.info.id in HEADINGS or not parts:
            if each.info.id in HEADINGS:
                parts.append(HTML(format_html('<h3 class="term-heading">{}</h3>', HEADINGS[each.info.id])))
            parts.append(Div(css_class="term-grid"))
        parts[-1].append(each)
    return parts
