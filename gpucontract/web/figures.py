"""What follows from a step's terms by arithmetic; what the paper states is compared with it, never fixed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from gpucontract.contracts.money import is_firm
from gpucontract.contracts.sections.computed import BESIDE, computed
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS
from gpucontract.contracts.sections.term import Row
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken
from gpucontract.units import convert, shown
from gpucontract.web.wizard import said


@dataclass(frozen=True, slots=True)
class Figure:
    """One computed value. is_clash: the paper states another one."""

    label: str
    value: str
    is_clash: bool = False


def figures_of(section: str, terms: Terms, titles: Mapping[str, str]) -> list[Figure]:
    """The computed values of a step; those whose terms are not given yet are left out."""
    more = _MORE[section](terms, titles) if section in _MORE else ()
    return [*_compared(section, terms, titles), *more]


def _compared(section: str, terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    """Each computed term of the step, and below it what the paper states."""
    currency = terms.get("c/currency", "CNY")
    for stated, name in BESIDE.items():
        info = TERMS[name]
        if SECTION_OF[name] != section:
            continue
        for code in terms.groups if info.row is Row.GROUP else ("c",):
            value, paper = computed(terms, f"{code}/{name}"), terms.get(f"{code}/{stated}")
            is_clash = None not in (value, paper) and value != paper and (name != "total_value" or is_firm(terms))
            if value is not None:
                yield Figure(_named(spoken(info.label), code, terms, titles), said(info, value, currency), is_clash)
            if paper is not None:
                yield Figure(_("As stated"), said(TERMS[stated], paper, currency), is_clash)


def _nodes(terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    for code in terms.groups if len(terms.groups) > 1 else ():
        count = computed(Terms({code: terms.rows[code]}), "c/total_gpu_count")
        if count is not None:
            yield Figure(titles[code], _("%(count)s GPUs") % {"count": count})


def _interconnect(terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    for code in terms.groups:
        if (total := computed(terms, f"{code}/inter_node_gbps")) is not None:
            label = _named(_("The same in GB/s"), code, terms, titles)
            yield Figure(label, shown(convert(total, "Gb/s", "GB/s"), "GB/s"))


def _storage(terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    for code in terms.groups:
        local = terms.at(code)
        capacity, drives = local.get("local_nvme_tb"), local.get("local_disk_count")
        if capacity is not None and drives:
            yield Figure(_named(_("Per drive"), code, terms, titles), shown(round(Decimal(capacity) / drives, 3), "TB"))
        if capacity is not None and local.get("node_count"):
            yield Figure(
                _named(_("Local capacity of the group"), code, terms, titles),
                shown(capacity * local["node_count"], "TB"),
            )


def _named(label: str, code: str, terms: Terms, titles: Mapping[str, str]) -> str:
    """The label, with the group before it where there are several."""
    return label if code == "c" or len(terms.groups) == 1 else f"{titles[code]} · {label}"


_MORE: dict[str, Callable[[Terms, Mapping[str, str]], Iterator[Figure]]] = {
    "nodes": _nodes,
    "interconnect": _interconnect,
    "storage": _storage,
}
