"""What stands beside a step: risk checks, computed values, what the catalogue knows, values it proposes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from gpucontract.canonical import decimal_text
from gpucontract.catalogue.gpus import GPUS, Gpu, find
from gpucontract.contracts.models import Contract
from gpucontract.contracts.reviewing import review
from gpucontract.contracts.sections.steps import SECTIONS, TERMS
from gpucontract.contracts.sections.term import Row
from gpucontract.contracts.suggestions import suggestion
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.figures import figures_of
from gpucontract.web.findings import findings_of
from gpucontract.web.forms.fields import typed_as
from gpucontract.web.price import price_of
from gpucontract.web.wizard import said


@dataclass(frozen=True, slots=True)
class Fact:
    """What the catalogue says of the GPU of a group."""

    title: str
    facts: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Proposed:
    """A value the catalogue proposes for a term that differs or is empty. input, posted: where it goes, as posted."""

    label: str
    value: str
    reason: str
    input: str
    posted: str


def panel_of(contract: Contract, step: str, terms: Terms, titles: Mapping[str, str]) -> dict[str, Any]:
    """The context of _side.html, over the terms as they are typed."""
    return {
        "findings": findings_of(review(contract, terms), step),
        "figures": figures_of(step, terms, titles),
        "price": price_of(terms) if step == "commercial" else None,
        "catalogue": list(_catalogue(step, terms)),
        "proposals": list(_proposals(step, terms, titles)),
        "gpu_models": GPUS if step == "nodes" else (),
    }


def _catalogue(step: str, terms: Terms) -> Iterator[Fact]:
    if step not in ("nodes", "interconnect"):
        return
    found = {gpu.name: gpu for code in terms.groups if (gpu := find(terms.get(f"{code}/gpu_model", "")))}
    yield from (Fact(gpu.name, list(_facts(gpu))) for gpu in found.values())


def _facts(gpu: Gpu) -> Iterator[tuple[str, str]]:
    if gpu.memory_gb:
        yield _("Memory"), " / ".join(f"{size} GB" for size in gpu.memory_gb)
    if gpu.form_factor:
        yield _("Form factor"), gpu.form_factor
    if gpu.nvlink_generation and gpu.links:
        yield (
            "NVLink",
            _("generation %(generation)s, %(links)s links")
            % {
                "generation": gpu.nvlink_generation,
                "links": gpu.links,
            },
        )
    if gpu.two_way_gbs:
        yield _("NVLink, both directions"), f"{decimal_text(gpu.two_way_gbs)} GB/s"
    if gpu.bf16_tflops:
        yield _("BF16, dense"), f"{decimal_text(gpu.bf16_tflops)} TFLOPS"
    if gpu.tdp_w:
        yield _("Board power"), f"{gpu.tdp_w} W"


def _proposals(step: str, terms: Terms, titles: Mapping[str, str]) -> Iterator[Proposed]:
    for code in terms.groups:
        for info in SECTIONS[step].of(Row.GROUP):
            path = f"{code}/{info.id}"
            found = suggestion(terms, path)
            if found is None or terms.get(path) == found.value:
                continue
            label = spoken(TERMS[info.id].label)
            yield Proposed(
                label=label if len(terms.groups) == 1 else f"{titles[code]} · {label}",
                value=said(info, found.value),
                reason=spoken(found.reason),
                input=f"{code}-{info.id}",
                posted=typed_as(found.value)[0],
            )
