"""Xid codes of the kernel log: which are faults of the machine, which mostly come from the tenant's program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucontract.catalogue import tables
from gpucontract.wording import Text


@dataclass(frozen=True, slots=True)
class Xid:
    """One code. severity: fatal (a breach by itself), look (reset or look), tenant (his program), consequence."""

    code: int
    severity: str
    text: Text
    source: str


XIDS: Mapping[int, Xid] = {
    int(row["code"]): Xid(int(row["code"]), row["severity"], Text(row["zh"], row["en"]), row["source"])
    for row in tables.rows("xid")
}
FATAL = tuple(code for code, xid in XIDS.items() if xid.severity == "fatal")
HARDWARE = tuple(code for code, xid in XIDS.items() if xid.severity in ("fatal", "look"))
TENANT = tuple(code for code, xid in XIDS.items() if xid.severity == "tenant")
