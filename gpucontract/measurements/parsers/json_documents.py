"""JSON documents cut out of a text that may hold notes, errors or other documents around them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.capture import Finding
from gpucontract.wording import Text

# A bare nan is not JSON, yet tools print it for a number they do not have.
_NAN = re.compile(r"(:\s{0,20})-?(?:nan|inf)\b")
_LONGEST_NUMBER = 40
_MOST_STARTS = 8
_MOST_DOCUMENTS = 10_000


@dataclass(frozen=True, slots=True)
class Cut:
    """The documents found, the lines around them that are not blank, and whether a document broke off.

    repeated: keys given twice with different values inside one object; JSON keeps only the last.
    """

    documents: tuple[Any, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    is_broken: bool = False
    repeated: frozenset[str] = frozenset()


def cut_documents(text: str) -> Cut:
    """Every JSON object that starts with { at the start of a line; numbers become int or Decimal, nan None."""
    reader = _Reader()
    text = _NAN.sub(r"\1null", text)
    documents: list[Any] = []
    outside: list[list[str]] = [[], []]
    position, failures = 0, 0
    while (start := _next_start(text, position)) >= 0 and failures < _MOST_STARTS and len(documents) < _MOST_DOCUMENTS:
        outside[bool(documents)] += _lines(text[position:start])
        try:
            document, position = reader.decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            failures += 1
            position = _line_end(text, start)
            outside[bool(documents)] += _lines(text[start:position])
        else:
            documents.append(document)
    outside[bool(documents)] += _lines(text[position:])
    before, after = tuple(outside[0]), tuple(outside[1])
    return Cut(tuple(documents), before, after, failures > 0, frozenset(reader.repeated))


def only_document(cut: Cut, key: str, tool: str) -> tuple[dict[str, Any], str]:
    """The one document that has the key, or {} with the error: <tool>_no_json, json_broken or two_outputs."""
    found = [document for document in cut.documents if key in document]
    if cut.is_broken:
        return {}, f"json_broken: the JSON of {tool} breaks off or holds foreign text; capture it again, unedited"
    if not found:
        return {}, f"{tool}_no_json: {(cut.before or cut.after or ('no object with the key ' + key,))[0][:200]}"
    if len(found) > 1:
        return {}, f"two_outputs: {len(found)} JSON documents of {tool} in one capture; keep one run per capture"
    return found[0], ""


def cut_text(cut: Cut) -> tuple[Finding, ...]:
    """The finding that keeps the text cut away before or after the document, if there was any."""
    lines = cut.before + cut.after
    if not lines:
        return ()
    return (Finding("text_around_json", _TEXT_AROUND.fill(count=len(lines), line=lines[0][:200])),)


_TEXT_AROUND = Text(
    "JSON 前后有 {count} 行其他文字，首行：“{line}”。确认它不是报错；是报错就排除后复测。",
    'There are {count} lines of other text around the JSON, the first: "{line}". See whether it is an error; '
    "if so, remove the cause and run again.",
)


def items(value: Any) -> list[Any]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def fields(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def number(value: Any) -> int | Decimal | None:
    """A JSON number, or None for anything else (true and false are no numbers)."""
    return value if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


class _Reader:
    """A JSON decoder with exact, bounded numbers that remembers repeated keys."""

    def __init__(self) -> None:
        self.repeated: set[str] = set()
        self.decoder = json.JSONDecoder(
            parse_int=_whole, parse_float=_decimal, parse_constant=lambda _: None, object_pairs_hook=self._object
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key in result and result[key] != value:
                self.repeated.add(key)
            result[key] = value
        return result


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _decimal(digits: str) -> Decimal | None:
    if len(digits) > _LONGEST_NUMBER:
        return None
    value = Decimal(digits)
    return value if abs(value.adjusted()) <= _LONGEST_NUMBER else None


def _next_start(text: str, position: int) -> int:
    if position == 0 and text.startswith("{"):
        return 0
    found = text.find("\n{", max(position - 1, 0))
    return found + 1 if found >= 0 else -1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
