"""Which clause explains which: a slow collective on a machine whose links are broken is the links' doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.numbering import citations
from gpucontract.verdicts import sentences
from gpucontract.verdicts.scopes import node_of
from gpucontract.verdicts.states import ClauseVerdict, Shortfall, State
from gpucontract.wording import Text

# Metric -> names of the clauses that may explain a miss there, the most direct first.
CAUSES: Mapping[str, Sequence[str]] = {
    "nccl_allreduce_busbw_intra": (
        "links_per_gpu", "inactive_links", "kind", "fabric_manager", "gpu_count", "p2p", "pcie_width", "power_limit",
        "mig_off", "gpu_model",
    ),
    "nccl_busbw_inter": (
        "nic_count", "fabric_type", "port_rate", "gdr", "gpu_nic_affinity", "links_per_gpu", "busbw_intra",
        "gpu_model",
    ),
    "nccl_transport": ("nic_count",),
    "ib_port_rate_gbps": ("nic_count",),
    "ib_write_bw_gbps": ("nic_count", "port_rate", "fabric_type"),
    "peermem_or_dmabuf": ("nic_count", "fabric_type"),
    "nvlink_inactive_count": ("links_per_gpu",),
    "local_disk_tb": ("local_disks",),
    "fio_seq_read_gbs": ("local_disks",),
    "gpu_interconnect_kind": ("links_per_gpu", "fabric_manager"),
    "fs_capacity_tb": ("present", "type"),
    "fs_free_tb": ("present", "capacity"),
    "fs_type": ("present",),
    "ecc_uncorrected_volatile": ("ecc",),
    "nccl_wrong_count": ("health_ecc", "health_row_remap"),
}  # fmt: skip
# What explains any verdict whose run left the contracted network.
_OVER_TCP = ("nic_count", "fabric_type")
# Reasons of a value that is worse than promised: any of the metric's causes may have brought it about.
FALLS_SHORT = frozenset((
    "missed", "marginal", "once_below", "split_runs", "short_confirmed", "lost_confirmed", "one_partner",
    "mounted_instead",
))  # fmt: skip
# Reasons why nothing was decided -> the clauses whose breach brings just that about. Every other reason is the test's
# or the evidence's own: no broken link makes a printed number contradict its own size and time.
BROUGHT_ABOUT: Mapping[str, Sequence[str]] = {
    "over_tcp": _OVER_TCP, "fell_back": _OVER_TCP, "no_fabric": _OVER_TCP, "mixed_runs": _OVER_TCP,
    "ports_missing": ("nic_count",), "other_model": ("gpu_model",), "wrong_ranks": ("gpu_count",),
    "tool_failed": ("gpu_count", "fabric_manager", "present"), "failed": ("gpu_count", "fabric_manager", "present"),
    "not_read": ("present",), "no_reading": ("present",), "half_read": ("present",), "no_type_known": ("present",),
    "unread": ("present", "ecc"),
}  # fmt: skip


def causes(metric: str, reason: str) -> Sequence[str]:
    """Names of the clauses whose breach may explain a verdict of this metric that has this reason."""
    known = CAUSES.get(metric, ())
    if reason == "over_tcp":
        return _OVER_TCP
    if reason in FALLS_SHORT:
        return known
    return [name for name in known if name in BROUGHT_ABOUT.get(reason, ())]


def explain(body: Body, verdicts: Mapping[str, ClauseVerdict]) -> dict[str, ClauseVerdict]:
    """The same verdicts with because, its attribution and the explaining sentence filled in."""
    known, cited = {clause.key: clause for clause in body.judged}, citations(body)
    return {key: _explained(known[key], verdict, cited, body, verdicts) for key, verdict in verdicts.items()}


def _explained(
    clause: Clause, verdict: ClauseVerdict, cited: Mapping[str, Text], body: Body, verdicts: Mapping[str, ClauseVerdict]
) -> ClauseVerdict:
    if verdict.state not in (State.BREACHED, State.MARGINAL, State.INCONCLUSIVE):
        return verdict
    for name in causes(clause.metric, verdict.reason):
        for other in body.judged:
            is_near = other.name == name and other.code in (clause.code, "c") and other.key in verdicts
            cause = _cause(verdict, verdicts[other.key]) if is_near else None
            if cause is not None:
                return replace(
                    verdict, because=other.key, attribution=verdicts[other.key].attribution,
                    sentence=sentences.explained(verdict.sentence, cited[other.key], cause.sentence),
                )  # fmt: skip
    return verdict


def _cause(verdict: ClauseVerdict, other: ClauseVerdict) -> Shortfall | None:
    """The other clause's breach on a machine of this verdict's deciding scope or of its runs, if there is one."""
    here = {*node_of(verdict.scope).split("+"), *verdict.nodes}
    breaches = [each for each in other.exceptions if each.state is State.BREACHED]
    return next((each for each in breaches if here & set(node_of(each.scope).split("+"))), None)
