"""How a row of terms is laid out with crispy: a grid, headings, and the seldom-used terms folded away."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import HTML, Div, Field, Layout, LayoutObject
from crispy_forms.utils import TEMPLATE_PACK
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from gpucontract.contracts.sections.gaps import is_required, may_stop, vague_hint
from gpucontract.contracts.sections.term import Kind, Requirement, TermInfo
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.forms.fields import posted, typed_as, unit_word
from gpucontract.web.forms.steps import RowForm

# A heading stands before the term it is filed under.
HEADINGS: dict[str, str | Promise] = {
    "buyer_name": _("Buyer"),
    "vendor_name": _("Vendor"),
    "node_count": _("Machines and GPUs"),
    "cpu_cores_per_node": _("Processor and memory"),
    "intra_link_type": _("Within a machine"),
    "inter_fabric_type": _("Between machines"),
    "acceptance_coverage_pct": _("How results are read"),
}
# Optional terms that decide too much to be folded away.
UP_FRONT = {
    "name", "vendor_role", "vendor_licence_no", "nvlink_active_links_min", "protocol", "shared_read_gbs",
    "shared_write_gbs", "nccl_version", "container_runtime", "fabric_manager", "delivery_form", "pcie_gen",
}  # fmt: skip
LISTS = {"gpu_model": "gpu-models"}


class TermInput(Field):
    """One input with its label, why it is asked, its unit and what is wrong with it."""

    template = "contracts/draft/_term.html"

    def __init__(self, info: TermInfo, is_needed: bool) -> None:
        self.info, self.is_needed = info, is_needed
        attributes = {"list": LISTS[info.id]} if info.id in LISTS else {}
        super().__init__(info.id, **attributes)

    def render(self, form: RowForm, context: Any, template_pack: Any = TEMPLATE_PACK, **_options: Any) -> str:
        info = self.info
        extra = {
            "label_id": f"label_{form[info.id].auto_id}",
            "why": spoken(info.why),
            "unit": "" if info.choices else unit_word(info.unit),
            "is_needed": self.is_needed,
            "requirement": info.requirement.value if may_stop(info) or info.requirement is Requirement.OPTIONAL else "",
            "is_picked": form.fields[info.id].is_picked,
            "is_wide": info.kind is Kind.MULTI or (info.kind is Kind.TEXT and info.length > 120),
            "when": when_json(info),
            "default": json.dumps(typed_as(info.default)),
            "vague": vague_hint(info, form[info.id].value()),
        }
        return super().render(form, context, template_pack, extra_context=extra)


class Fold(LayoutObject):
    """Seldom-used terms behind a summary that says how many there are; open when one of them is filled or wrong."""

    def __init__(self, inputs: Sequence[TermInput]) -> None:
        self.fields = inputs

    def render(self, form: RowForm, context: Any, template_pack: Any = TEMPLATE_PACK, **_options: Any) -> str:
        is_open = any(_is_used(form, each.info) for each in self.fields)
        inner = self.get_rendered_fields(form, context, template_pack)
        return render_to_string(
            "contracts/draft/_fold.html", {"inner": inner, "count": len(self.fields), "is_open": is_open}
        )


def _is_used(form: RowForm, info: TermInfo) -> bool:
    typed = form[info.id].value()
    given = [each for each in (typed if isinstance(typed, list) else [typed]) if each]
    return info.id in form.errors or (bool(given) and given != typed_as(info.default))


def when_json(info: TermInfo) -> str:
    """The conditions of a term for the page's script: it hides what is untouched and not needed now."""
    conditions = [
        {"term": each.term, "above": each.above, "oneOf": [posted(value) for value in each.one_of]}
        for each in info.conditions
    ]
    return json.dumps(conditions) if conditions else ""


def helper_for(form: RowForm, terms: Terms, *, folds: bool = True) -> FormHelper:
    """The crispy helper that lays this row out; the <form> element and its token belong to the page."""
    helper = FormHelper()
    helper.form_tag = False
    helper.disable_csrf = True
    code = form.place.code.partition("-")[0]
    inputs = [TermInput(info, is_required(terms, code, info)) for info in form.infos.values()]
    folded = _seldom(form.infos) if folds else set()
    helper.layout = Layout(*_sections(each for each in inputs if each.info.id not in folded))
    if folded:
        helper.layout.append(Fold([each for each in inputs if each.info.id in folded]))
    return helper


def _seldom(infos: Mapping[str, TermInfo]) -> set[str]:
    """Optional terms, and those that only count when one of them is given."""
    folded = {name for name, info in infos.items() if info.requirement is Requirement.OPTIONAL and name not in UP_FRONT}
    return folded | {name for name, info in infos.items() if {each.term for each in info.conditions} & folded}


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
