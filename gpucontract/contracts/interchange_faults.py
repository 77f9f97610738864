"""What is wrong with a file by its schema, in sentences of both languages, each with its JSON path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from gpucontract.wording import Text

LONGEST_QUOTE = 60
MOST_CHOICES = 12
LONGEST_PATH = 200

_KINDS: Mapping[str, Text] = {
    "object": Text("对象", "an object"),
    "array": Text("列表", "a list"),
    "string": Text("文字", "text"),
    "number": Text("数字", "a number"),
    "integer": Text("整数", "a whole number"),
    "boolean": Text("true 或 false", "true or false"),
    "null": Text("null", "null"),
}
_UNKNOWN = Text("没有叫“{name}”的项。{near}", "Nothing here is called “{name}”. {near}")
_NEAR = Text("您是不是指 {names}？", "Did you mean {names}?")
_NO_NEAR = Text("请删去，或对照 JSON Schema 改名。", "Remove it, or see the JSON Schema for its name.")
_MISSING = Text("缺少“{name}”。", "“{name}” is missing.")
_KIND = Text("“{value}”应为{expected}。", "“{value}” should be {expected}.")
_FORMAT = Text("格式是“{value}”，这里只读“{expected}”。", "The format is “{value}”; only “{expected}” is read here.")
_CHOICE = Text("“{value}”不在可选项中。可选：{choices}。", "“{value}” is no choice. Choose from: {choices}.")
_LIMIT = Text("“{value}”超出范围，界限是 {limit}。", "“{value}” is out of range; the limit is {limit}.")
_LONG = Text("共 {length} 个，最多 {limit} 个。", "There are {length}; at most {limit} fit.")
_TWICE = Text("有重复的值。", "A value stands there twice.")
_SHAPE = Text("“{value}”的写法不对，应符合 {pattern}。", "“{value}” is not written as it should be: {pattern}.")
_HALF = Text(
    "“{value}”含有不成对的代理字符，不是文字。请删去它再导入。",
    "“{value}” holds half of a surrogate pair, which is no text. Remove it and import again.",
)
_OTHER = Text("不符合 JSON Schema（{keyword}）。", "It does not fit the JSON Schema ({keyword}).")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a file. path: where, as a JSON path such as $.groups[0].node_count."""

    path: str
    reason: Text


def schema_faults(document: Any, schema: Mapping[str, Any]) -> list[Fault]:
    """Every place where the document does not fit the schema, in the order of the document."""
    errors = Draft202012Validator(schema).iter_errors(document)
    return [fault for error in errors for fault in _faults(error)]


def half_characters(document: Any) -> list[Fault]:
    """Every name and text that holds half of a surrogate pair: JSON can spell one, no page and no database can."""
    found: list[Fault] = []
    waiting: list[tuple[str, Any]] = [("$", document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if (spelled := writable(value)) != value:
                found.append(Fault(path, _HALF.fill(value=_quoted(spelled))))
        elif isinstance(value, Mapping):
            named = [(f"{path}.{writable(name)}"[:LONGEST_PATH], name, inner) for name, inner in value.items()]
            waiting += [(at, part) for at, name, inner in reversed(named) for part in (inner, name)]
        elif isinstance(value, list):
            waiting += [(f"{path}[{place}]"[:LONGEST_PATH], inner) for place, inner in reversed([*enumerate(value)])]
    return found


def writable(text: str) -> str:
    """The text with halves of surrogate pairs spelled out as JSON spells them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _faults(error: ValidationError) -> Iterator[Fault]:
    path = json_path(error.absolute_path)
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        for name in error.instance:
            if name not in known:
                yield Fault(f"{path}.{name[:80]}", _unknown(name, known))
        return
    yield Fault(path, _SENTENCES.get(str(error.validator), _other)(error))


def json_path(parts: Iterable[str | int]) -> str:
    """$.groups[0].node_count from its parts."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


def _unknown(name: str, known: list[str]) -> Text:
    near = get_close_matches(name, known, n=3)
    return _UNKNOWN.fill(name=_quoted(name), near=_NEAR.fill(names=", ".join(near)) if near else _NO_NEAR)


def _kind(error: ValidationError) -> Text:
    kinds = error.validator_value
    names = [_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    expected = Text("、".join(name.zh for name in names), " or ".join(name.en for name in names))
    return _KIND.fill(value=_quoted(error.instance), expected=expected)


def _choice(error: ValidationError) -> Text:
    allowed = [str(value) for value in error.validator_value if value is not None]
    more = [] if len(allowed) <= MOST_CHOICES else ["…"]
    return _CHOICE.fill(value=_quoted(error.instance), choices=", ".join(allowed[:MOST_CHOICES] + more))


def _long(error: ValidationError) -> Text:
    return _LONG.fill(length=len(error.instance), limit=error.validator_value)


def _limit(error: ValidationError) -> Text:
    return _LIMIT.fill(value=_quoted(error.instance), limit=error.validator_value)


def _missing(error: ValidationError) -> Text:
    names = [name for name in error.validator_value if name not in error.instance]
    return _MISSING.fill(name=", ".join(names))


def _shape(error: ValidationError) -> Text:
    return _SHAPE.fill(value=_quoted(error.instance), pattern=error.validator_value)


def _const(error: ValidationError) -> Text:
    return _FORMAT.fill(value=_quoted(error.instance), expected=error.validator_value)


def _twice(_: ValidationError) -> Text:
    return _TWICE


def _other(error: ValidationError) -> Text:
    return _OTHER.fill(keyword=error.validator)


_SENTENCES: Mapping[str, Callable[[ValidationError], Text]] = {
    "type": _kind,
    "enum": _choice,
    "const": _const,
    "maxLength": _long,
    "maxItems": _long,
    "minimum": _limit,
    "maximum": _limit,
    "required": _missing,
    "pattern": _shape,
    "uniqueItems": _twice,
}


def _quoted(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
