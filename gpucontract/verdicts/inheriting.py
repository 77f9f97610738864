"""What was measured under the contract that an amendment took the place of, as far as it speaks of the same machines.

It counts as rounds before the first: whatever is measured under the amendment replaces it, and it goes stale as every
reading does, even while the amendment's own acceptance is open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from gpucontract.contracts.models import Contract
from gpucontract.measurements.history import records_of
from gpucontract.measurements.records import RunRecord


def inherited(
    parents: Iterable[Contract],
    hosts: Mapping[str, str],
    *,
    nodes: Collection[str] | None = None,
    jobs: Collection[str] | None = None,
) -> list[RunRecord]:
    """The parents' runs on slots in which a machine is known to stand now. parents: the youngest first."""
    found: list[RunRecord] = []
    newest = 0
    for parent in parents:
        known = [run for run in records_of(parent, nodes=nodes, jobs=jobs) if all(slot in hosts for slot in run.nodes)]
        last = max((run.round for run in known), default=0)
        found += [replace(run, round=run.round - last + newest) for run in known]
        newest = min((run.round for run in found), default=1) - 1
    return found
