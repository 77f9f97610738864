"""The drafted terms of one contract as plain values, read by path; an empty one raises NotGiven."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class NotGiven(LookupError):
    """A term has no value yet; checks turn this into *not evaluated*, clauses into no line."""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Stands where a term has no value in this contract, and says why; reading it raises NotGiven."""

    reason: str


@dataclass(frozen=True, slots=True)
class Terms:
    """Values by row code and term id: {'c': {...}, 'g1': {...}, 'm1': {...}}; 'c' holds the contract-wide ones.

    Values are Decimal, int, str, bool, date, tuple[str, ...] or, for child rows, tuple[Mapping, ...]; or NotApplicable.
    Rows come in the order in which the drafter arranged them; codes are never reused.
    """

    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __getitem__(self, path: str) -> Any:
        code, _, term = path.partition("/")
        value = self.rows.get(code, {}).get(term)
        if value is None or value == "" or value == () or isinstance(value, NotApplicable):
            raise NotGiven(path)
        return value

    def get(self, path: str, default: Any = None) -> Any:
        """The value at a path, or the default where it is empty."""
        try:
            return self[path]
        except NotGiven:
            return default

    def is_given(self, path: str) -> bool:
        """Whether a path holds a value; False and 0 are values."""
        return self.get(path) is not None

    def reason(self, path: str) -> str:
        """Why the term has no value here, "" where nobody said so."""
        code, _, term = path.partition("/")
        value = self.rows.get(code, {}).get(term)
        return value.reason if isinstance(value, NotApplicable) else ""

    @property
    def groups(self) -> tuple[str, ...]:
        """The codes of the node groups, in order."""
        return tuple(self._codes("g"))

    @property
    def mounts(self) -> tuple[str, ...]:
        """The codes of the shared mounts, in order."""
        return tuple(self._codes("m"))

    def at(self, code: str) -> Local:
        """The terms as one row sees them."""
        return Local(self, code)

    def _codes(self, letter: str) -> Iterator[str]:
        return (code for code in self.rows if code[0] == letter and code[1:].isdigit())


@dataclass(frozen=True, slots=True)
class Local:
    """The terms as one row (c, g1, m1) sees them: by term id, its own value first, then the contract-wide one."""

    terms: Terms
    code: str

    def path(self, term: str) -> str:
        """The path a term's value is read from here."""
        own = f"{self.code}/{term}"
        return own if self.terms.is_given(own) or not self.terms.is_given(f"c/{term}") else f"c/{term}"

    def __getitem__(self, term: str) -> Any:
        return self.terms[self.path(term)]

    def get(self, term: str, default: Any = None) -> Any:
        """The value of a term, or the default where it is empty."""
        return self.terms.get(self.path(term), default)

    def is_given(self, term: str) -> bool:
        """Whether a term holds a value here; False and 0 are values."""
        return self.terms.is_given(self.path(term))

    def seen(self, term: str) -> tuple[Any, ...]:
        """The value of a term here; for the whole contract also what each group and mount says of it."""
        codes = [each for each in self.terms.rows if each != "c"] if self.code == "c" else []
        found = (self.get(term), *(self.terms.get(f"{code}/{term}") for code in codes))
        return tuple(value for value in found if value is not None)
