"""Reading one typed value of a term, exactly, or refusing it with a sentence that names term, value and limit."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from gpucontract.contracts.amounts import CURRENCIES
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.contracts.terms import NotApplicable
from gpucontract.units import unit_word
from gpucontract.wording import Text

LONGEST_NUMBER = 40
LONGEST_QUOTE = 60
LONGEST_REASON = 200
MOST_ROWS = 50
# Companies founded long ago, licences that hold for good: a day beyond these is a slip of the hand.
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
EMPTY: tuple[Any, ...] = (None, "", (), [])

# Thousands in groups of three; 1,00 or 0,500 may mean a decimal and stay refused.
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")

# A clause is one line: what was typed on several becomes one.
_LINE_BREAKS = re.compile(r"[ \t]*[\r\n]+[ \t]*")

# The full-width twins of the ASCII characters.
_FIRST_WIDE, _LAST_WIDE = "\uff01", "\uff5e"

_YES = {"true", "yes", "1", "on"}
_NO = {"false", "no", "0", "off"}

_NOT_A_NUMBER = Text(
    "{term}：“{value}”不是数字。请只写数字，可用千位逗号，不写单位和“万”，范围 {limits}。",
    "{term}: “{value}” is not a number. Enter digits, with commas for thousands if you like, without a unit, {limits}.",
)
_NOT_WHOLE = Text(
    "{term}：“{value}”不是整数。请填整数，范围 {limits}。",
    "{term}: “{value}” is not a whole number. Enter a whole number, {limits}.",
)
_OUT_OF_RANGE = Text(
    "{term}：{value}，超出范围。请填 {limits}。", "{term}: {value} is out of range. Enter a number {limits}."
)
_TOO_FINE = Text(
    "{term}：{value} 的小数位太多。请最多写 {decimals} 位小数。",
    "{term}: {value} has too many decimals. Write at most {decimals}.",
)
_NOT_A_CHOICE = Text(
    "{term}：“{value}”不在可选项中。可选：{choices}。",
    "{term}: “{value}” is no choice. Choose from: {choices}.",
)
_NONE_AND_MORE = Text(
    "{term}：“{none}”与其他选项不能同时勾选。请去掉“{none}”或其他各项。",
    "{term}: “{none}” cannot be ticked with others. Untick it, or the others.",
)
_NOT_YES_NO = Text("{term}：“{value}”不是“是”或“否”。", "{term}: “{value}” is neither yes nor no.")
_NOT_A_DATE = Text(
    "{term}：“{value}”不是日期。请写成 2026-11-30 这样。", "{term}: “{value}” is not a date. Write it like 2026-11-30."
)
_DAY_OUT_OF_RANGE = Text(
    "{term}：{value} 超出范围。请填 {first} 到 {last} 之间的日期。",
    "{term}: {value} is out of range. Enter a date from {first} to {last}.",
)
_TOO_LONG = Text(
    "{term}：写了 {length} 个字，最多 {limit} 个。请删减。",
    "{term}: {length} characters, at most {limit} fit. Shorten it.",
)
_UNPRINTABLE = Text(
    "{term}：含有看不见的字符，或改变阅读方向的控制字符，请删去后重填。",
    "{term}: it holds invisible characters or marks that turn the reading direction; remove them.",
)
# Unicode's bidirectional marks, embeddings, overrides and isolates: 001 can be made to read 100.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_NOT_A_PATH = Text(
    "{term}：“{value}”不是绝对路径。请以 / 开头，只用字母、数字和 _.+@-，不含 ..，例如 /data。",
    "{term}: “{value}” is not an absolute path. Start with /, use letters, digits and _.+@- without .., like /data.",
)
_NOT_A_VERSION = Text(
    "{term}：“{value}”不能当作版本号读。数字之间请用小数点，例如 12.4。",
    "{term}: “{value}” does not read as a version. Put points between its numbers, like 12.4.",
)
_NOT_AN_EMAIL = Text(
    "{term}：“{value}”不是邮箱地址。请写成 legal@company.cn 这样。",
    "{term}: “{value}” is not an e-mail address. Write it like legal@company.cn.",
)
# A comma between numbers would cut a version short: 12,4 would promise no more than 12.
SHAPES: Mapping[str, tuple[re.Pattern[str], Text]] = {
    "path": (re.compile(r"(?!.*(?:^|/)\.\.(?:/|$))/[A-Za-z0-9_.+@/-]*"), _NOT_A_PATH),
    "email": (re.compile(r"[^\s@,;]+@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,}", re.ASCII), _NOT_AN_EMAIL),
    "version": (re.compile(r"(?!.*[0-9]\s*[,，、。．]\s*[0-9]).*"), _NOT_A_VERSION),
}
_NEEDED = Text(
    "{term}：合同不能没有这一项，不能填“不适用”。请填写内容。",
    "{term}: no contract can do without it, so it cannot be “not applicable”. Enter it.",
)
_NO_REASON = Text(
    "{term}：“不适用”需要写明理由，最多 {limit} 个字。",
    "{term}: “not applicable” needs a reason of at most {limit} characters.",
)
_NOT_ROWS = Text("{term}：应为最多 {limit} 行的表。", "{term}: rows are expected here, at most {limit}.")


class TermRefused(ValueError):
    """A value does not fit its term; `text` is the sentence in both languages."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


def read(info: TermInfo, raw: object) -> Any:
    """The term's exact Python value from typed text or a typed value; None when empty. Raises TermRefused."""
    if isinstance(raw, NotApplicable):
        return _read_reason(info, raw.reason)
    if isinstance(raw, str):
        raw = unicodedata.normalize("NFC", raw).strip()
    if raw in EMPTY:
        return None
    return _READERS[info.kind](info, raw)


def limits(info: TermInfo) -> Text:
    """The allowed range as read: 1 to 20,000 GB/s; the choices where only these numbers are allowed."""
    if info.choices:
        return _listed(info)
    low = f"{info.minimum:,f}" if info.minimum is not None else "-"
    high = _measured(info, info.maximum) if info.maximum is not None else Text("-", "-")
    return Text(f"{low} 到 {high.zh}", f"from {low} to {high.en}")


def _measured(info: TermInfo, number: Decimal) -> Text:
    """A number with thousands separators and what it counts or measures; one too long to write out keeps its power."""
    digits, unit = f"{number:,}", _unit_of(info)
    return Text("{digits} {unit}", "{digits} {unit}").fill(digits=digits, unit=unit) if unit else Text(digits, digits)


def _unit_of(info: TermInfo) -> Text | None:
    """What a number of this term counts or measures, as printed behind it."""
    if info.counted or info.unit in ("", "count"):
        return info.counted
    return CURRENCIES.get(info.unit) or unit_word(info.unit)


def _read_reason(info: TermInfo, raw: str) -> NotApplicable:
    reason = _LINE_BREAKS.sub(" ", unicodedata.normalize("NFC", raw).strip())
    if not info.may_be_none:
        raise TermRefused(_NEEDED.fill(term=info.label))
    if not reason or len(reason) > LONGEST_REASON:
        raise TermRefused(_NO_REASON.fill(term=info.label, limit=LONGEST_REASON))
    if not is_printable(reason):
        raise TermRefused(_UNPRINTABLE.fill(term=info.label))
    return NotApplicable(reason)


def _read_text(info: TermInfo, raw: object) -> str:
    text = uscc(str(raw)) if info.shape == "uscc" else _LINE_BREAKS.sub(" ", str(raw))
    if len(text) > info.length:
        raise TermRefused(_TOO_LONG.fill(term=info.label, length=len(text), limit=info.length))
    if not is_printable(text):
        raise TermRefused(_UNPRINTABLE.fill(term=info.label))
    if info.shape in SHAPES:
        _check_shape(info, text)
    return posixpath.normpath(re.sub("^/+", "/", text)) if info.shape == "path" else text


def uscc(text: str) -> str:
    """A credit code as registers write it, however it was typed: half-width capitals, without blanks or dashes."""
    return re.sub(r"[\s‐-―-]+", "", unicodedata.normalize("NFKC", text)).upper()


def has_odd_digits(text: str) -> bool:
    """Whether a digit is neither plain nor full-width: 10² would be read as 102."""
    odd = [letter for letter in text if not letter.isascii() and not _FIRST_WIDE <= letter <= _LAST_WIDE]
    return any(part.isdecimal() for letter in odd for part in unicodedata.normalize("NFKC", letter))


def is_printable(text: str) -> bool:
    """Whether a reader sees all of it as written: no control, no mark that turns the order of reading, not blank."""
    kinds = [unicodedata.category(character) for character in text]
    is_blank = all(kind == "Cf" or kind.startswith("Z") for kind in kinds)
    return not is_blank and not _TURNING & set(text) and not {"Cc", "Cs", "Zl", "Zp"} & set(kinds)


def _check_shape(info: TermInfo, text: str) -> None:
    pattern, refusal = SHAPES[info.shape]
    if not pattern.fullmatch(text):
        raise TermRefused(refusal.fill(term=info.label, value=_quoted(text)))


def _read_choice(info: TermInfo, raw: object) -> str:
    if not isinstance(raw, str) or raw not in info.choices:
        raise TermRefused(_NOT_A_CHOICE.fill(term=info.label, value=_quoted(raw), choices=_listed(info)))
    return str(raw)


def _read_multi(info: TermInfo, raw: object) -> tuple[str, ...]:
    words = raw.split(",") if isinstance(raw, str) else list(raw) if isinstance(raw, Sequence) else [raw]
    given = {str(word).strip() for word in words} - {""}
    strangers = sorted(given - set(info.choices)) if info.choices else []
    if strangers:
        raise TermRefused(_NOT_A_CHOICE.fill(term=info.label, value=_quoted(strangers[0]), choices=_listed(info)))
    if "none" in given and len(given) > 1:
        raise TermRefused(_NONE_AND_MORE.fill(term=info.label, none=info.choices["none"]))
    return tuple(word for word in info.choices if word in given) if info.choices else tuple(sorted(given))


def _read_yes_no(info: TermInfo, raw: object) -> bool:
    word = str(raw).lower()
    if word not in _YES | _NO:
        raise TermRefused(_NOT_YES_NO.fill(term=info.label, value=_quoted(raw)))
    return word in _YES


def _read_whole(info: TermInfo, raw: object) -> int:
    value = _number(info, raw)
    if value != value.to_integral_value():
        raise TermRefused(_NOT_WHOLE.fill(term=info.label, value=_quoted(raw), limits=limits(info)))
    if info.choices and value not in info.choices:
        raise TermRefused(_NOT_A_CHOICE.fill(term=info.label, value=_quoted(raw), choices=_listed(info)))
    _check_range(info, value)
    return int(value)


def _read_decimal(info: TermInfo, raw: object) -> Decimal:
    value = _number(info, raw)
    _check_range(info, value)
    kept = round(value, info.decimals)
    if kept != value:
        raise TermRefused(_TOO_FINE.fill(term=info.label, value=_quoted(raw), decimals=info.decimals))
    return kept


def _read_date(info: TermInfo, raw: object) -> date:
    try:
        day = raw if isinstance(raw, date) else date.fromisoformat(str(raw))
    except ValueError:
        raise TermRefused(_NOT_A_DATE.fill(term=info.label, value=_quoted(raw))) from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise TermRefused(_DAY_OUT_OF_RANGE.fill(term=info.label, value=day, first=FIRST_DAY, last=LAST_DAY))
    return day


def _read_rows(info: TermInfo, raw: object) -> tuple[dict[str, Any], ...]:
    if not isinstance(raw, Sequence) or isinstance(raw, str) or len(raw) > MOST_ROWS:
        raise TermRefused(_NOT_ROWS.fill(term=info.label, limit=MOST_ROWS))
    return tuple(_read_row(info, row) for row in raw)


def _read_row(info: TermInfo, raw: object) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise TermRefused(_NOT_ROWS.fill(term=info.label, limit=MOST_ROWS))
    code = {"code": str(raw["code"])} if raw.get("code") else {}
    return code | {column.id: read(column, raw.get(column.id)) for column in info.columns}


_READERS: dict[Kind, Callable[[TermInfo, object], Any]] = {
    Kind.TEXT: _read_text,
    Kind.CHOICE: _read_choice,
    Kind.MULTI: _read_multi,
    Kind.YES_NO: _read_yes_no,
    Kind.WHOLE: _read_whole,
    Kind.DECIMAL: _read_decimal,
    Kind.DATE: _read_date,
    Kind.ROWS: _read_rows,
}


def _number(info: TermInfo, raw: object) -> Decimal:
    text = _without_unit(info, unicodedata.normalize("NFKC", str(raw)))
    text = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    is_plain = not isinstance(raw, bool) and "_" not in text and not has_odd_digits(str(raw))
    try:
        value = Decimal(text) if len(text) <= LONGEST_NUMBER and is_plain else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite():
        raise TermRefused(_NOT_A_NUMBER.fill(term=info.label, value=_quoted(raw), limits=limits(info)))
    return value


def _without_unit(info: TermInfo, text: str) -> str:
    """The number alone where the term's own unit was typed behind it: 112 核, 5%; any other unit is refused."""
    unit = _unit_of(info)
    own = {info.unit, unit.zh, unit.en} if unit else {info.unit}
    for word in sorted(own - {"", "count"}, key=len, reverse=True):
        bare = text.removesuffix(unicodedata.normalize("NFKC", word))
        if bare != text:
            return bare.rstrip()
    return text


def _check_range(info: TermInfo, value: Decimal) -> None:
    low = info.minimum is not None and value < info.minimum
    high = info.maximum is not None and value > info.maximum
    if low or high:
        raise TermRefused(_OUT_OF_RANGE.fill(term=info.label, value=_measured(info, value), limits=limits(info)))


def _listed(info: TermInfo) -> Text:
    return Text(
        "、".join(text.zh for text in info.choices.values()) or "-",
        ", ".join(text.en for text in info.choices.values()) or "-",
    )


def _quoted(raw: object) -> str:
    text = str(raw)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
