"""Since when each slot holds the parts that it holds now, as the kept findings tell."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Min

from gpucontract.contracts.body import Body
from gpucontract.contracts.models import Contract
from gpucontract.measurements.comparisons import EXCHANGED
from gpucontract.measurements.models import Finding, Run
from gpucontract.measurements.records import Origin


def renewed(line: Sequence[Contract], body: Body) -> dict[str, datetime]:
    """Slot -> when the newest round was ordered in which a source that may be trusted showed exchanged parts.

    line: the contract with those it amends.
    """
    trusted = [Origin.AGENT, Origin.BUNDLE, *([Origin.REPLAY] if body.demo else [])]
    noted = Finding.objects.current().filter(run__contract__in=line, run__delivery__origin__in=trusted)
    rows = set(noted.filter(code__in=EXCHANGED).values_list("run__lead__code", "run__contract", "run__round"))
    orders = Run.objects.filter(contract__in=line).values_list("contract", "round").annotate(first=Min("ordered_at"))
    began = {(contract, number): first for contract, number, first in orders} if rows else {}
    return {slot: moment for moment, slot in sorted((began[of, number], slot) for slot, of, number in rows)}
