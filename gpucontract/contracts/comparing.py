"""What changed between two frozen bodies, line by line: old and new value, added, removed, only the wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.contracts.printing import condition_lines, source_text, stated_value
from gpucontract.wording import Text


class Kind(StrEnum):
    """How a line differs. SOURCE: nothing on the line itself, but a line that it is computed from."""

    ADDED = "added"
    REMOVED = "removed"
    VALUE = "value"
    CONDITIONS = "conditions"
    SOURCE = "source"
    WORDING = "wording"


KINDS: Mapping[str, Text] = {
    Kind.ADDED: Text("新增", "Added"),
    Kind.REMOVED: Text("删除", "Removed"),
    Kind.VALUE: Text("数值有改动", "Value changed"),
    Kind.CONDITIONS: Text("条件有改动", "Conditions changed"),
    Kind.SOURCE: Text("所依据的条款有改动", "A line it follows from changed"),
    Kind.WORDING: Text("仅文字有改动", "Only the wording changed"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One line that differs. old and new: the clause before and after; None where there was or is none."""

    key: str
    kind: Kind
    old: Clause | None
    new: Clause | None

    @property
    def section(self) -> str:
        """The section the line stands in."""
        return self._any.section

    @property
    def text(self) -> Text:
        """The line's sentence as it reads now."""
        return self._any.text

    @property
    def old_text(self) -> Text | None:
        """The sentence as it read before; None where it differs in nothing but the value beside it."""
        if self.old is None or self.new is None or self.old.text == self.new.text:
            return None
        is_value_alone = self.kind is Kind.VALUE and self.old.conditions == self.new.conditions
        return None if is_value_alone else self.old.text

    @property
    def values(self) -> tuple[Text | None, Text | None]:
        """The value before and after, as printed."""
        return (stated_value(self.old) if self.old else None, stated_value(self.new) if self.new else None)

    @property
    def conditions(self) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """The side conditions that only the old line had, and those that only the new one has."""
        old, new = _notes(self.old), _notes(self.new)
        return tuple(line for line in old if line not in new), tuple(line for line in new if line not in old)

    @property
    def shown(self) -> tuple[Text | None, Text | None]:
        """What differs, before and after, in one place: the value, the conditions, else the sentence itself."""
        before, after = self.values
        if self.old is None or self.new is None:
            return before, after
        lost, gained = self.conditions
        kept = [] if before == after else [(before, after)]
        kept += [(_line(lost), _line(gained))] if lost or gained else []
        kept = kept or ([(self.old_text, self.text)] if self.old_text else [])
        return _line([was for was, _ in kept if was]), _line([now for _, now in kept if now])

    @property
    def _any(self) -> Clause:
        found = self.new or self.old
        assert found is not None
        return found


def changes(old: Body, new: Body) -> tuple[Change, ...]:
    """Every line that differs, in the order of the new body, removed ones last."""
    before = {clause.key: clause for clause in old.clauses}
    after = {clause.key: clause for clause in new.clauses}
    found = [_change(key, before.get(key), clause) for key, clause in after.items()]
    removed = [Change(key, Kind.REMOVED, clause, None) for key, clause in before.items() if key not in after]
    return (*(change for change in found if change is not None), *removed)


def counts(found: tuple[Change, ...]) -> dict[Kind, int]:
    """How many lines differ in which way, in the order of Kind; ways that do not occur are left out."""
    number = Counter(change.kind for change in found)
    return {kind: number[kind] for kind in Kind if number[kind]}


def _change(key: str, old: Clause | None, new: Clause) -> Change | None:
    if old is None:
        return Change(key, Kind.ADDED, None, new)
    if old.sha256 == new.sha256:
        return None
    return Change(key, _kind(old, new), old, new)


def _kind(old: Clause, new: Clause) -> Kind:
    was, now = old.frozen(), new.frozen()
    differs = {name for name in now if was[name] != now[name]}
    if differs & {"value", "operator", "unit"}:
        return Kind.VALUE
    if differs <= {"text"}:
        return Kind.WORDING
    return Kind.SOURCE if differs <= {"computed_from", "text"} else Kind.CONDITIONS


def _notes(clause: Clause | None) -> tuple[Text, ...]:
    """Everything printed under the line, and whether acceptance depends on it."""
    if clause is None:
        return ()
    source = source_text(clause)
    duty = [_MANDATORY[clause.mandatory]] if clause.is_judged else []
    return (*condition_lines(clause), *([source] if source else []), *duty)


def _line(parts: Iterable[Text]) -> Text | None:
    """Several texts one behind the other; None for none."""
    found = tuple(parts)
    return Text("；".join(part.zh for part in found), "; ".join(part.en for part in found)) if found else None


_MANDATORY = {
    True: Text("不达标不能验收", "acceptance depends on it"),
    False: Text("不达标不影响验收", "acceptance does not depend on it"),
}
