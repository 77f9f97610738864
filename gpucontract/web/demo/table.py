"""The demonstration's table: every judged clause with its verdict, the deciding number and the machine."""

from __future__ import annotations

from collections.abc import Iterator

from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.models import Contract
from gpucontract.contracts.printing import printed_value
from gpucontract.measurements.services import in_force
from gpucontract.verdicts.models import Verdict
from gpucontract.verdicts.services import counts_of
from gpucontract.verdicts.states import STATE_TEXTS, State
from gpucontract.verdicts.summary import summary_line

SIGNS = {
    State.BREACHED: "✗", State.INCONCLUSIVE: "?", State.PENDING: "…", State.MARGINAL: "~", State.VERIFIED: "✓",
    State.NOT_APPLICABLE: "-",
}  # fmt: skip


def lines(contract: Contract) -> Iterator[str]:
    """The table, failing clauses first, and the counts as its last line."""
    clauses = {clause.key: clause for clause in in_force(contract).body().judged}
    verdicts = Verdict.objects.filter(contract=contract, key__in=clauses)
    for verdict in sorted(verdicts, key=lambda each: (-State(each.state).severity, each.key)):
        yield _row(clauses[verdict.key], verdict)
        yield f"      {verdict.zh}"
        yield f"      {verdict.en}"
    yield summary_line("demo", counts_of(contract))


def _row(clause: Clause, verdict: Verdict) -> str:
    state = State(verdict.state)
    machine = verdict.scope if verdict.scope != clause.code else ""
    word = f"{STATE_TEXTS[state].zh} {state.value}"
    agreed, measured = printed_value(clause).zh, verdict.value_zh
    return f"{SIGNS[state]} {word:<20} {clause.key:<26} {agreed:<24} {measured:<16} {machine}".rstrip()
