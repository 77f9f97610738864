"""What follows from a step's terms by arithmetic; what the paper states is compared with it, never fixed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from gpucontract.contracts.terms import Local, NotGiven, Terms
from gpucontract.units import convert, shown


@dataclass(frozen=True, slots=True)
class Figure:
    """One computed value. is_clash: the paper states another one."""

    label: str
    value: str
    is_clash: bool = False


def figures_of(section: str, terms: Terms, titles: Mapping[str, str]) -> list[Figure]:
    """The computed values of a step; those whose terms are not given yet are left out."""
    return list(_FIGURES[section](terms, titles)) if section in _FIGURES else []


def gpus_in(local: Local) -> int | None:
    """The GPUs of one group, None until both factors are given."""
    try:
        return int(local["node_count"]) * int(local["gpus_per_node"])
    except NotGiven:
        return None


def total_gpus(terms: Terms) -> int | None:
    """The GPUs of all groups together, None while one of them is not complete."""
    counts = [gpus_in(terms.at(code)) for code in terms.groups]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _nodes(terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    for code in terms.groups:
        count = gpus_in(terms.at(code))
        if count is not None and len(terms.groups) > 1:
            yield Figure(titles[code], _("%(count)s GPUs") % {"count": count})
    total, stated = total_gpus(terms), terms.get("c/total_gpu_count_stated")
    if total is not None:
        yield Figure(_("GPUs in total"), str(total), stated not in (None, total))
    if stated is not None:
        yield Figure(_("As stated"), str(stated), total not in (None, stated))


def _interconnect(terms: Terms, titles: Mapping[str, str]) -> Iterator[Figure]:
    for code in terms.groups:
        local = terms.at(code)
        ports, rate, stated = (
            local.get("nics_per_node"),
            local.get("inter_port_gbps"),
            local.get("inter_node_gbps_stated"),
        )
        if ports is None or rate is None:
            continue
        total = int(ports) * int(rate)
        yield Figure(
            _named(_("Network per machine"), code, terms, titles), shown(total, "Gb/s"), stated not in (None, total)
        )
        yield Figure(_("The same in GB/s"), shown(convert(total, "Gb/s", "GB/s"), "GB/s"))
        if stated is not None:
            yield Figure(_("As stated"), shown(stated, "Gb/s"), stated != total)


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
    return label if len(terms.groups) == 1 else f"{titles[code]} · {label}"


_FIGURES: dict[str, Callable[[Terms, Mapping[str, str]], Iterator[Figure]]] = {
    "nodes": _nodes,
    "interconnect": _interconnect,
    "storage": _storage,
}
