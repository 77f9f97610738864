"""May a contract be accepted: every mandatory clause verified, not applicable, waived, or marginal and ticked."""

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


def settlement(clauses: Iterable[Clause], states: Mapping[str, str], waived: Collection[str]) -> Settlement:
    """states: clause key -> measured state; a judged clause without one is pending, never settled."""
    asked = [each.key for each in clauses if each.is_judged and each.mandatory and each.key not in waived]
    failing = {key: state for key in asked if (state := State(states.get(key, State.PENDING))).is_failing}
    marginal = tuple(key for key, state in failing.items() if state is State.MARGINAL)
    return Settlement({key: state for key, state in failing.items() if state is not State.MARGINAL}, marginal)
