"""Checks of data: how it is erased, who may touch it, how soon a leak is told."""

from __future__ import annotations

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, first_empty
from gpucontract.contracts.sections.security import DATA_CLASSES
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_GUARDED = ("sensitive", "important", "personal")
_ASSESSED = ("important", "personal")

_NO_NOTICE = Text(
    "没有约定安全事件多久内通报。请填写，建议 {limit} 小时以内。",
    "Nothing says how soon a security incident is told. Enter it; {limit} hours or less is advised.",
)
_ABROAD = Text(
    "数据分级为“{data}”，出境须先评估。请选“不出境”，或请法务确认评估结论。",
    "Data of class “{data}” is assessed before it leaves the country. Choose “none”, or ask counsel for the "
    "assessment.",
)


def _no_deletion(local: Local, _: Policy) -> Miss | None:
    lacking = first_empty(local, "data_deletion_days", "data_deletion_method")
    return Miss(term=lacking) if lacking else None


def _weak_deletion(local: Local, _: Policy) -> Miss | None:
    return Miss(_class(local)) if local["data_deletion_method"] == "logical" and _is_inner(local) else None


def _no_certificate(local: Local, _: Policy) -> Miss | None:
    return Miss(_class(local)) if not local["deletion_certificate"] and _is_inner(local) else None


def _disks_leave(local: Local, _: Policy) -> Miss | None:
    leaves = local["failed_disk_custody"] == "vendor_keeps" and local["data_class"] in _GUARDED
    return Miss(_class(local)) if leaves else None


def _no_isolation(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["tenant_isolation"] == "none" else None


def _abroad(local: Local, _: Policy) -> Miss | None:
    if not local.is_given("cross_border"):
        return Miss()
    is_assessed = local["cross_border"] != "none" and local["data_class"] in _ASSESSED
    return Miss(text=_ABROAD.fill(**_class(local))) if is_assessed else None


def _late_notice(local: Local, policy: Policy) -> Miss | None:
    limit = policy.incident_hours
    if not local.is_given("incident_notice_hours"):
        return Miss(text=_NO_NOTICE.fill(limit=limit))
    hours = int(local["incident_notice_hours"])
    return Miss({"hours": hours, "limit": limit}) if hours > limit else None


def _shared_bandwidth(local: Local, policy: Policy) -> Miss | None:
    size = int(local["public_bw_mbps"])
    return Miss({"size": size}) if local["public_bw_type"] == "shared" and size >= policy.shared_bw_mbps else None


def _is_inner(local: Local) -> bool:
    return bool(local["data_class"] != "public")


def _class(local: Local) -> dict[str, object]:
    return {"data": DATA_CLASSES[local["data_class"]]}


CHECKS = (
    Check(
        "C-SEC-01", Severity.BLOCKER, Per.CONTRACT, ("data_deletion_days", "data_deletion_method"),
        Text("没有约定数据删除的期限或方式，模型和数据可能一直留在对方磁盘上。请两项都填。",
             "No deadline or method for erasing data: weights and data may stay on the vendor's disks. State both."),
        _no_deletion,
    ),
    Check(
        "C-SEC-02", Severity.WARNING, Per.CONTRACT, ("data_deletion_method", "data_class"),
        Text("数据分级为“{data}”，只做逻辑删除，别人可以恢复。请改为净化、加密擦除或销毁。",
             "Data of class “{data}” is deleted logically only and can be recovered. Choose purge, cryptographic erase "
             "or "
             "destruction."),
        _weak_deletion,
    ),
    Check(
        "C-SEC-03", Severity.WARNING, Per.CONTRACT, ("deletion_certificate", "data_class"),
        Text("数据分级为“{data}”，却没有删除证明，事后无法证实已删除。请选“是”。",
             "Data of class “{data}” is erased without a certificate, so nothing proves it later. Answer yes."),
        _no_certificate,
    ),
    Check(
        "C-SEC-04", Severity.WARNING, Per.CONTRACT, ("failed_disk_custody", "data_class"),
        Text("坏盘由乙方带走，“{data}”级别的数据会随盘流出。请改为甲方保留或见证销毁。",
             "The vendor takes failed disks, and data of class “{data}” leaves with them. Keep them, or witness their "
             "destruction."),
        _disks_leave,
    ),
    Check(
        "C-SEC-05", Severity.BLOCKER, Per.CONTRACT, ("tenant_isolation",),
        Text("没有租户隔离，别的租户可能看到你的数据。请选一种隔离方式。",
             "No separation from other tenants, who might see your data. Choose a kind of isolation."),
        _no_isolation,
    ),
    Check(
        "C-SEC-06", Severity.WARNING, Per.CONTRACT, ("cross_border", "data_class"),
        Text("没有写数据能不能出境。请选择。", "Nothing says whether data may leave the country. Choose."),
        _abroad,
    ),
    Check(
        "C-SEC-07", Severity.WARNING, Per.CONTRACT, ("incident_notice_hours",),
        Text("安全事件 {hours} 小时内通报，超过 {limit} 小时，来不及止损。请缩短。",
             "A security incident is told within {hours} hours, later than {limit}: too late to limit damage. Shorten "
             "it."),
        _late_notice,
    ),
    Check(
        "C-SEC-08", Severity.HINT, Per.CONTRACT, ("public_bw_type", "public_bw_mbps"),
        Text("公网带宽 {size} Mb/s 是共享的，没有保底。请约定下限，或改为独享。",
             "The public bandwidth of {size} Mb/s is shared and has no floor. Agree a floor, or make it dedicated."),
        _shared_bandwidth,
    ),
)  # fmt: skip
