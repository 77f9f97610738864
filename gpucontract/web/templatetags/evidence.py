"""Filters of the evidence pages: names of jobs, values of readings, how close two devices are."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gpucontract.measurements.parsers.capture import ReadingValue

register = template.Library()

JOB_NAMES: dict[str, str | Promise] = {
    "inventory": _("Inventory"),
    "software": _("Software"),
    "topology": _("Topology"),
    "health": _("Health"),
    "storage": _("Storage"),
    "fabric": _("Network ports"),
    "nccl_intra": _("Collectives inside one machine"),
    "nccl_inter": _("Collectives across machines"),
}
_CLOSE = {"PIX": "good", "PXB": "good", "PHB": "warn", "NODE": "warn", "SYS": "warn"}


@register.filter
def job_name(job: str) -> str | Promise:
    """What a job is called on pages."""
    return JOB_NAMES.get(job, job)


@register.filter
def reading_value(value: ReadingValue) -> str:
    """A reading as printed: yes and no for booleans, lists with commas, numbers as they are."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@register.filter
def link_tone(relation: str) -> str:
    """The tone of a topology cell; the code itself always stands in it."""
    return "good" if relation.startswith("NV") else _CLOSE.get(relation, "idle")
