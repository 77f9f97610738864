"""What stands beside a step: risk checks, computed values, what the catalogue knows, values it proposes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from gpucontract.canonical import decimal_text
from gpucontract.catalogue.cuda import version
from gpucontract.catalogue.gpus import GPUS, Gpu, find
from gpucontract.contracts.catalogue_facts import known_value, limits_of
from gpucontract.contracts.models import Contract
from gpucontract.contracts.money import is_firm
from gpucontract.contracts.reviewing import review
from gpucontract.contracts.sections.computed import BESIDE, computed
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS, TERMS
from gpucontract.contracts.sections.term import Row, TermInfo
from gpucontract.contracts.suggestions import Suggestion, suggestion
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.web.figures import figures_of
from gpucontract.web.findings import Findings, findings_of
from gpucontract.web.forms.fields import typed_as
from gpucontract.web.price import price_of
from gpucontract.web.wizard import said
from gpucontract.wording import Text

_FOLLOWS = Text("由其他约定项算出。", "It follows from the other terms.")


@dataclass(frozen=True, slots=True)
class Fact:
    """What the catalogue says of the GPU of a group."""

    title: str
    facts: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Proposed:
    """A value the catalogue proposes for a term that is empty or differs. input, posted: where it goes, as posted."""

    label: str
    value: str
    reason: str
    input: str
    posted: str
    is_empty: bool


def panel_of(
    contract: Contract, step: str, terms: Terms, titles: Mapping[str, str], unread: Collection[str] = ()
) -> dict[str, Any]:
    """The context of _side.html, over the terms as they are typed; unread: the inputs whose text says nothing."""
    proposed = list(proposals(step, terms, titles))
    return {
        "findings": findings_of(review(contract, terms), terms, titles, step),
        "figures": figures_of(step, terms, titles),
        "price": price_of(terms, unread) if step == "commercial" else None,
        "catalogue": list(_catalogue(step, terms)),
        "limits": limits_of(terms) if step in ("nodes", "interconnect") else (),
        "proposals": proposed,
        "may_fill": any(each.is_empty for each in proposed),
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


def proposals(step: str, terms: Terms, titles: Mapping[str, str]) -> Iterator[Proposed]:
    """The catalogue's values, and totals that others give, for terms of the step that differ or are empty."""
    for path, info, found in (*_known(step, terms), *_totals(step, terms)):
        code = path.partition("/")[0]
        if terms.get(path) == found.value or terms.reason(path) or _is_above(info, terms.get(path), found.value):
            continue
        label = spoken(info.label)
        yield Proposed(
            label=label if code == "c" or len(terms.groups) == 1 else f"{titles[code]} · {label}",
            value=said(info, found.value, terms.get("c/currency", "CNY")),
            reason=spoken(found.reason),
            input=f"{code}-{info.id}",
            posted=typed_as(found.value)[0],
            is_empty=not terms.is_given(path),
        )


def _is_above(info: TermInfo, given: Any, proposed: Any) -> bool:
    """Whether a version given is higher than the least one that is proposed, which then has nothing to mend."""
    if info.shape != "version" or given is None:
        return False
    given_version, least = version(given), version(proposed)
    return given_version is not None and least is not None and given_version >= least


def _totals(step: str, terms: Terms) -> Iterator[tuple[str, TermInfo, Suggestion]]:
    """What the paper should state where the other terms give it; not what use alone will tell."""
    for stated, name in BESIDE.items():
        if SECTION_OF[stated] != step or (name == "total_value" and not is_firm(terms)):
            continue
        for code in terms.groups if TERMS[stated].row is Row.GROUP else ("c",):
            if (value := computed(terms, f"{code}/{name}")) is not None:
                yield f"{code}/{stated}", TERMS[stated], Suggestion(value, "", _FOLLOWS)


def notes_of(step: str, terms: Terms, findings: Findings) -> dict[str, list[tuple[str, str]]]:
    """What stands right at a filled input, by its name, as tone and sentence: a blocker, the word of the catalogue."""
    notes: dict[str, list[tuple[str, str]]] = {}
    for finding in findings.failed:
        name = finding.target.rpartition("div_id_")[2]
        if finding.tone == "bad" and finding.step == step and terms.is_given(name.replace("-", "/", 1)):
            notes.setdefault(name, []).append(("bad", finding.text))
    for path, info, found in _known(step, terms):
        if terms.get(path) == found.value:
            text = _("From the catalogue: %(reason)s") % {"reason": spoken(found.reason)}
            notes.setdefault(f"{path.partition('/')[0]}-{info.id}", []).append(("quiet", text))
    return notes


def _known(step: str, terms: Terms) -> Iterator[tuple[str, TermInfo, Suggestion]]:
    places = [("c", SECTIONS[step].of(Row.CONTRACT)), *((code, SECTIONS[step].of(Row.GROUP)) for code in terms.groups)]
    for code, infos in places:
        for info in infos:
            path = f"{code}/{info.id}"
            if found := suggestion(terms, path) or known_value(terms, path):
                yield path, info, found
