"""The table of all clauses that are worded, measured or proven in their own way; every other term prints as it is."""

from __future__ import annotations

from collections.abc import Mapping

from gpucontract.contracts.clause_rows import links, machines, papers, stack
from gpucontract.contracts.clause_rows.row import ClauseRow

# Sources stand before what is computed from them.
CLAUSE_TABLE: tuple[ClauseRow, ...] = (
    *papers.PARTIES, *machines.NODES, *links.INSIDE, *links.BETWEEN, *stack.STORAGE, *stack.SOFTWARE,
    *papers.SECURITY, *papers.SERVICE, *papers.HANDOVER, *machines.HEALTH, *links.RESULTS, *papers.MONEY, *papers.EXIT,
)  # fmt: skip

CLAUSE_ROWS: Mapping[str, ClauseRow] = {row.name: row for row in CLAUSE_TABLE}
