"""A draft's terms as one JSON file and back: exact, versioned, every fault of a wrong file named by its JSON path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from gpucontract.canonical import decimal_text
from gpucontract.contracts.interchange_faults import Fault, half_characters, schema_faults, writable
from gpucontract.contracts.interchange_schema import FORMAT, NOT_APPLICABLE, ROW_LISTS, schema
from gpucontract.contracts.sections.steps import terms_of
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.sections.values import TermRefused
from gpucontract.contracts.sections.values import read as read_value
from gpucontract.contracts.terms import NotApplicable, Terms
from gpucontract.units import grouped
from gpucontract.wording import Text

LARGEST_BYTES = 1024 * 1024
MOST_FAULTS = 100

_TOO_LARGE = Text(
    "文件有 {size} 字节，最多 {limit} 字节。请确认选对了文件。",
    "The file holds {size} bytes; at most {limit} are read. Make sure it is the right file.",
)
_NOT_UTF8 = Text(
    "文件不是 UTF-8 文本，第 {place} 个字节读不了。请选“导出为 JSON”得到的文件。",
    "The file is not UTF-8 text: byte {place} cannot be read. Choose a file made by “Export as JSON”.",
)
_NOT_JSON = Text(
    "第 {line} 行第 {column} 列不是 JSON。请选“导出为 JSON”得到的文件；改动过的请重新导出。",
    "Line {line}, column {column} is not JSON ({said}). Choose a file made by “Export as JSON”; "
    "export it again if it was edited.",
)
_UNREADABLE = Text(
    "文件不能当作 JSON 读取。请选“导出为 JSON”得到的文件。",
    "The file cannot be read as JSON ({said}). Choose a file made by “Export as JSON”.",
)
_TWICE = Text(
    "“{name}”在同一个对象里出现了两次，不知以哪个为准。", "“{name}” stands twice in one object; which one counts?"
)
_CODE_TWICE = Text("代号 {code} 用了两次。", "The code {code} is used twice.")
_NO_GROUP = Text(
    "文件里没有代号为 {code} 的节点组，有的是：{known}。", "The file has no node group {code}; it has {known}."
)


class InterchangeRefused(ValueError):
    """A file is not a draft. faults: what is wrong and where, first the worst, at most MOST_FAULTS of them."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.path}: {fault.reason.en}" for fault in faults))
        self.faults = tuple(faults[:MOST_FAULTS])
        self.left_out = len(faults) - len(self.faults)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's content. A term the file holds as null has the value None: it is to be empty, default or not."""

    title: str
    terms: Terms


def dump(terms: Terms, title: str = "", *, is_partial: bool = False) -> dict[str, Any]:
    """The terms as a JSON document: every term of every row, null where it is empty; decimals and dates as text.

    is_partial: only the terms the rows name, so that the others keep their defaults when the file is read.
    """
    document: dict[str, Any] = {"format": FORMAT, "title": title, "contract": _row(terms, "c", is_partial)}
    document["groups"] = [{"code": code} | _row(terms, code, is_partial) for code in terms.groups]
    document["mounts"] = [{"code": code} | _row(terms, code, is_partial) for code in terms.mounts]
    return document


def to_text(document: Mapping[str, Any]) -> str:
    """The document as people read it: indented, Chinese as it is."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def load(data: bytes | str) -> Loaded:
    """A file's draft. Raises InterchangeRefused with every fault found."""
    return from_document(_parsed(data))


def from_document(document: Any) -> Loaded:
    """The draft in a decoded document. Raises InterchangeRefused with every fault found."""
    if halves := half_characters(document):
        raise InterchangeRefused(halves)
    faults = _Faults()
    rows: dict[str, dict[str, Any]] = {"c": {}}
    if isinstance(document, Mapping):
        rows = _rows(document, faults)
    found = faults.found + [
        fault for fault in schema_faults(document, schema()) if not faults.covers(fault.path)
    ]  # fmt: skip
    if found:
        raise InterchangeRefused(sorted(found, key=lambda fault: fault.path != "$.format"))
    return Loaded(str(document.get("title") or ""), Terms(rows))


def kept(text: str) -> Terms:
    """The terms of a document that was written here, maybe by an earlier version; what fits no longer is empty."""
    return Terms(_rows(json.loads(text), _Faults()))


@dataclass(slots=True)
class _Faults:
    """What the terms themselves refuse; it says more than the schema does at the same place."""

    found: list[Fault]

    def __init__(self) -> None:
        self.found = []

    def add(self, path: str, reason: Text) -> None:
        self.found.append(Fault(path, reason))

    def covers(self, path: str) -> bool:
        return any(fault.path == path or path.startswith((f"{fault.path}.", f"{fault.path}[")) for fault in self.found)


def _row(terms: Terms, code: str, is_partial: bool) -> dict[str, Any]:
    held = terms.rows.get(code, {})
    infos = (info for info in terms_of(code) if info.id in held or not is_partial)
    return {info.id: _plain(info, held.get(info.id)) for info in infos}


def _plain(info: TermInfo, value: Any) -> Any:
    if isinstance(value, NotApplicable):
        return {NOT_APPLICABLE: value.reason}
    if info.kind is Kind.ROWS:
        return [{column.id: _plain(column, row.get(column.id)) for column in info.columns} for row in value or ()]
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return list(value)
    return None if value == "" else value


def _parsed(data: bytes | str) -> Any:
    if len(data) > LARGEST_BYTES:
        raise _refused(_TOO_LARGE.fill(size=grouped(len(data)), limit=grouped(LARGEST_BYTES)))
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        return json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_once)
    except UnicodeDecodeError as fault:
        raise _refused(_NOT_UTF8.fill(place=fault.start + 1)) from None
    except json.JSONDecodeError as fault:
        raise _refused(_NOT_JSON.fill(line=fault.lineno, column=fault.colno, said=fault.msg)) from None
    except _Twice as fault:
        raise _refused(_TWICE.fill(name=writable(str(fault)[:80]))) from None
    except (ValueError, RecursionError) as fault:
        raise _refused(_UNREADABLE.fill(said=str(fault)[:200])) from None


class _Twice(Exception):
    """One name stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Twice(name)
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _refused(reason: Text) -> InterchangeRefused:
    return InterchangeRefused([Fault("$", reason)])


def _rows(document: Mapping[str, Any], faults: _Faults) -> dict[str, dict[str, Any]]:
    rows = {"c": _values("c", "$.contract", document.get("contract"), faults)}
    for name, letter in ROW_LISTS.items():
        listed = document.get(name)
        for place, row in enumerate(listed if isinstance(listed, list) else ()):
            path = f"$.{name}[{place}]"
            code = _code(row, letter, place)
            if code in rows:
                faults.add(f"{path}.code", _CODE_TWICE.fill(code=code))
            rows[code] = _values(code, path, row, faults)
    _check_groups(document, rows, faults)
    return rows


def _code(row: Any, letter: str, place: int) -> str:
    """The row's code; one that is not given, or no code at all, is that of its place."""
    code = row.get("code") if isinstance(row, Mapping) else None
    fits = isinstance(code, str) and code[:1] == letter and code[1:].isascii() and code[1:].isdigit()
    return str(code) if fits else f"{letter}{place + 1}"


def _values(code: str, path: str, row: Any, faults: _Faults) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        return {}
    return {
        info.id: _value(info, f"{path}.{info.id}", row[info.id], faults) for info in terms_of(code) if info.id in row
    }


def _value(info: TermInfo, path: str, raw: Any, faults: _Faults) -> Any:
    if isinstance(raw, Mapping) and isinstance(raw.get(NOT_APPLICABLE), str):
        raw = NotApplicable(raw[NOT_APPLICABLE])
    if info.kind is Kind.ROWS and isinstance(raw, list) and (inner := list(_child_faults(info, path, raw))):
        faults.found += inner
        return None
    try:
        return read_value(info, raw)
    except TermRefused as refusal:
        faults.add(path, refusal.text)
        return None


def _child_faults(info: TermInfo, path: str, rows: list[Any]) -> Iterator[Fault]:
    for place, row in enumerate(rows):
        for column in info.columns if isinstance(row, Mapping) else ():
            try:
                read_value(column, row.get(column.id))
            except TermRefused as refusal:
                yield Fault(f"{path}[{place}].{column.id}", refusal.text)


def _check_groups(document: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]], faults: _Faults) -> None:
    """Every group that a mount names must be in the file."""
    known = [code for code in rows if code[0] == "g"]
    mounts = document.get("mounts")
    for place, row in enumerate(mounts if isinstance(mounts, list) else ()):
        named = row.get("groups") if isinstance(row, Mapping) else None
        for index, code in enumerate(named if isinstance(named, list) else ()):
            if code not in known:
                reason = _NO_GROUP.fill(code=str(code)[:20], known=", ".join(known) or "-")
                faults.add(f"$.mounts[{place}].groups[{index}]", reason)
