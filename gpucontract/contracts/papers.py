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
