"""May a contract be accepted: every mandatory clause verified, waived, marginal and ticked, or with a remedy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from gpucontract.contracts.clauses import Clause
from gpucontract.verdicts.states import State


@dataclass(frozen=True, slots=True)
class Settlement:
    """The mandatory clauses that are not settled, in paper order. blocking: by key; marginal: what a tick would do."""

    blocking: Mapping[str, State]
    marginal: tuple[str, ...]

    def holds_with(self, ticked: Collection[str]) -> bool:
        """Whether nothing is left once these marginal clauses are accepted."""
        return not self.blocking and set(self.marginal) <= set(ticked)


def settlement(
    clauses: Iterable[Clause],
    states: Mapping[str, str],
    waived: Collection[str],
    left: Mapping[str, State | None] | None = None,
) -> Settlement:
    """states: clause key -> measured state; a judged clause without one is pending, never settled.

    left: what agreed remedies leave of a clause, None where they settle it.
    """
    asked = [each.key for each in clauses if each.is_judged and each.mandatory and each.key not in waived]
    measured = {key: State(states.get(key, State.PENDING)) for key in asked}
    open_ones = {key: (left or {}).get(key, state) for key, state in measured.items() if state.is_failing}
    failing = {key: state for key, state in open_ones.items() if state is not None}
    # A tick speaks of the value that the verdict shows, so what only the rest is may not be ticked away.
    marginal = tuple(key for key in failing if measured[key] is State.MARGINAL)
    return Settlement({key: state for key, state in failing.items() if key not in marginal}, marginal)
