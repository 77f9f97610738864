"""The templates that come with the software: sound values for everything but what only the two parties know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpucontract.contracts.interchange import from_document
from gpucontract.contracts.interchange_schema import FORMAT
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS, terms_of
from gpucontract.contracts.sections.term import TermInfo
from gpucontract.contracts.suggestions import Suggestion, suggestion
from gpucontract.contracts.terms import Terms
from gpucontract.wording import Text

DATA = "template_data"
# In the order in which they are offered, from the smallest deal to the largest.
ORDER = (
    "a100-one-node",
    "rtx4090-workstations",
    "h20-roce",
    "h200-infiniband",
    "h100-infiniband",
    "gb200-rack",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """Where a value comes from that the catalogue does not propose. source: an address, or ""."""

    text: Text
    source: str


@dataclass(frozen=True, slots=True)
class Template:
    """A draft to start from. limits: what it cannot promise or measure; notes: provenance by path."""

    id: str
    title: Text
    when: Text
    limits: tuple[Text, ...]
    notes: Mapping[str, Note]
    by_language: Mapping[str, Terms]

    @property
    def terms(self) -> Terms:
        """Its values; only free text differs by language."""
        return self.by_language["zh"]

    def terms_in(self, language: str) -> Terms:
        """Its values with free text in the language of a code such as zh-hans or en."""
        return self.by_language["zh" if language.startswith("zh") else "en"]

    def provenance(self, path: str) -> Note | None:
        """Why a value is what it is: the template's own note, else what the catalogue says; None where neither does."""
        return self.notes.get(path) or _proposed(suggestion(self.terms, path), self.terms.get(path))


@dataclass(frozen=True, slots=True)
class Difference:
    """A term that is not what the template gave. before, now: values or NotApplicable, None where empty."""

    path: str
    info: TermInfo
    before: Any
    now: Any


@cache
def templates() -> Mapping[str, Template]:
    """All of them by id, in the order in which they are offered."""
    return {name: _template(name) for name in ORDER}


def differences(terms: Terms, given: Terms) -> tuple[Difference, ...]:
    """Every term of the draft that is not what the template gave, rows added or removed since included."""
    codes = dict.fromkeys((*given.rows, *terms.rows))
    paths = ((code, name) for code in codes for name in _named(terms, given, code))
    found = (
        Difference(f"{code}/{name}", TERMS[name], _held(given, code, name), _held(terms, code, name))
        for code, name in paths
        if name in TERMS
    )
    return tuple(each for each in found if _plain(each.before) != _plain(each.now))


def _held(terms: Terms, code: str, name: str) -> Any:
    """The value as the row holds it, "not applicable" included; None where it is empty."""
    value = terms.rows.get(code, {}).get(name)
    return None if value in ("", ()) else value


def _named(terms: Terms, given: Terms, code: str) -> list[str]:
    names = {**given.rows.get(code, {}), **terms.rows.get(code, {})}
    return sorted(names, key=lambda name: list(SECTION_OF).index(name) if name in SECTION_OF else -1)


def _plain(value: Any) -> Any:
    """A value without the codes and the empty columns of its child rows, which templates do not give."""
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, Mapping):
        return {name: item for name, item in value.items() if name != "code" and item not in (None, "")}
    return value


def _proposed(found: Suggestion | None, value: Any) -> Note | None:
    return Note(found.reason, found.reference) if found is not None and found.value == value else None


def _template(name: str) -> Template:
    data, common = _data(name), _data("common")
    notes = {path: Note(Text(note["zh"], note["en"]), note["source"]) for path, note in data["notes"].items()}
    by_language = {language: _terms(data, common, language) for language in ("zh", "en")}
    limits = tuple(Text(**limit) for limit in data["limits"])
    return Template(data["id"], Text(**data["title"]), Text(**data["when"]), limits, notes, by_language)


def _terms(data: Mapping[str, Any], common: Mapping[str, Any], language: str) -> Terms:
    document = {
        "format": FORMAT,
        "contract": common["contract"] | data["contract"],
        "groups": [common["group"] | row for row in data["groups"]],
        "mounts": [common["mount"] | row for row in data["mounts"]],
    }
    given = from_document(_spoken(document, language)).terms
    return Terms({code: _defaults(code) | dict(row) for code, row in given.rows.items()})


def _defaults(code: str) -> dict[str, Any]:
    """What a new row starts with, so that a template holds all that a draft from it will."""
    return {info.id: info.default for info in terms_of(code) if info.default is not None}


def _spoken(value: Any, language: str) -> Any:
    """The value with each {zh, en} in it replaced by one of the two."""
    if isinstance(value, Mapping):
        is_text = set(value) == {"zh", "en"}
        return value[language] if is_text else {name: _spoken(item, language) for name, item in value.items()}
    return [_spoken(item, language) for item in value] if isinstance(value, list) else value


def _data(name: str) -> dict[str, Any]:
    text = (resources.files(__package__) / DATA / f"{name}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
