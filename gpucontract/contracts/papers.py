"""The paper handed in against a document clause, as a fact: what it is, how long it holds, what the buyer said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from gpucontract.wording import Text

MOST_VERSIONS = 30
LONGEST_REASON = 1000


class Decision(StrEnum):
    """What the buyer said of a paper."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUSED = "refused"


DECISIONS: Mapping[str, Text] = {
    Decision.OPEN: Text("待确认", "waits for the buyer"),
    Decision.CONFIRMED: Text("已确认", "confirmed"),
    Decision.REFUSED: Text("未认可", "refused"),
}

# What a clause is proven with, by its name in the clause table.
_PROOFS: Mapping[str, Text] = {
    "licence": Text("增值电信业务经营许可证（副本）复印件", "a copy of the telecom licence"),
    "iso": Text("各项认证证书的复印件", "copies of the certificates"),
    "title": Text(
        "购置合同、发票或资产清单；转租的，设备所有人同意转租的文件",
        "the purchase contract, invoice or asset list; where it is sub-let, the owner's consent",
    ),
    "server_model": Text("整机铭牌照片或采购、出厂清单", "a photo of the name plate, or the purchase or factory list"),
    "serials": Text("全部 GPU 的序列号清单", "the list of the serial numbers of all GPUs"),
    "public_bandwidth": Text(
        "专线或公网接入合同，或带宽测试报告", "the line contract, or a report of a bandwidth test"
    ),
    "isolation": Text(
        "隔离说明（含网络拓扑或配置），加盖公章",
        "a sealed statement of isolation with the network plan or configuration",
    ),
    "documents": Text("本条写明的文件本身", "the very paper that this clause names"),
}
_ANY_PROOF = Text("能证明本条所写内容的文件", "a paper that shows what this clause says")


def proof_of(name: str) -> Text:
    """What to hand in for the clause of that name."""
    return _PROOFS.get(name, _ANY_PROOF)


@dataclass(frozen=True, slots=True)
class Paper:
    """One version of the paper for one clause. clause_sha256: the clause it was handed in for.

    valid_on: the last day it holds, expires_at: the moment that day ends; None = it does not expire.
    is_signed: the decision comes from this server's own record, not from a file somebody made.
    """

    key: str
    clause_sha256: str
    number: int
    name: str
    sha256: str
    uploaded_at: datetime
    decision: Decision = Decision.OPEN
    decided_by: str = ""
    decided_at: datetime | None = None
    reason: str = ""
    valid_on: date | None = None
    expires_at: datetime | None = None
    is_signed: bool = True

    def has_expired(self, now: datetime) -> bool:
        """Whether its last day is over."""
        return self.expires_at is not None and now >= self.expires_at
