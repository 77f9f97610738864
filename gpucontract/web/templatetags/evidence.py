"""Filters of the pages after drafting: margins, readings, faults of runs, what was answered."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.canonical import decimal_text
from gpucontract.contracts.sections.term import YES_NO_TEXT
from gpucontract.contracts.values import joined, same
from gpucontract.localise import spoken
from gpucontract.measurements.faults import sentence
from gpucontract.measurements.parsers.absences import absence_sentence
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.parsers.failures import failure_sentence
from gpucontract.web.reading_words import FLAGS, in_full, in_short, label_of

register = template.Library()

JOB_NAMES: dict[str, Promise] = {
    "inventory": gettext_lazy("Inventory"),
    "software": gettext_lazy("Software"),
    "topology": gettext_lazy("Topology"),
    "health": gettext_lazy("Health"),
    "storage": gettext_lazy("Storage"),
    "shared_load": gettext_lazy("Shared storage under load from all machines"),
    "fabric": gettext_lazy("Network ports"),
    "rdma_pairs": gettext_lazy("RDMA writes between pairs of machines"),
    "nccl_intra": gettext_lazy("Collectives inside one machine"),
    "nccl_pairs": gettext_lazy("Collectives between pairs of machines"),
    "nccl_inter": gettext_lazy("Collectives across machines"),
    "gemm": gettext_lazy("Matrix products on all GPUs"),
    "training": gettext_lazy("Reference training (health check)"),
    "burn_in": gettext_lazy("Burn-in"),
}


@register.filter
def job_name(job: str) -> str | Promise:
    """What a job is called on pages."""
    return JOB_NAMES.get(job, job)


@register.filter
def signed(value: Decimal | None) -> str:
    """A percentage with its sign and one decimal, as the sentences say it: +14.8, −3.6."""
    if value is None:
        return ""
    text = decimal_text(abs(value).quantize(Decimal("0.1")))
    return f"−{text}" if value < 0 else f"+{text}"


@register.filter
def anchor(number: str) -> str:
    """The anchor part of a clause number: 4.2 becomes 4-2."""
    return number.replace(".", "-")


@register.filter
def at(mapping: Mapping[str, Any], key: str) -> Any:
    """A mapping's value under a key that is itself a variable."""
    return mapping.get(key)


@register.filter
def read_value(reading: Reading) -> str:
    """A reading's value with its unit, or why there is none; never 0 for not measured."""
    value = reading.value
    if value is None:
        return _("not measured: %(why)s") % {"why": spoken(absence_sentence(reading.why))}
    if isinstance(value, bool) or (reading.name in FLAGS and value in (0, 1)):
        return spoken(YES_NO_TEXT[bool(value)])
    if isinstance(value, tuple):
        return spoken(joined([same(each) for each in value]))
    return value if isinstance(value, str) else in_short(value, reading.unit)


@register.filter
def exact_value(reading: Reading) -> str:
    """A number exactly as it was read, where the value shown is shorter; else ""."""
    value = reading.value
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        return ""
    exact = in_full(value, reading.unit)
    return "" if exact == in_short(value, reading.unit) else exact


@register.filter
def reading_name(name: str) -> str:
    """What a reading is called in the person's language."""
    return label_of(name)


@register.filter
def fault(error: str) -> str:
    """A run's error as a sentence with what to do."""
    text = sentence(error)
    return spoken(text) if text else ""


@register.filter
def failure(error: str) -> str:
    """A parser's error as a sentence with what to do, the tool's own words behind it."""
    text = failure_sentence(error)
    return spoken(text) if text else ""
