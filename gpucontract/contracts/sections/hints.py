"""Hints at answers that promise nothing, or can hardly be meant; they warn and never refuse."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from gpucontract.catalogue import cuda
from gpucontract.contracts.checks.parties import ICP_RECORD
from gpucontract.contracts.sections.term import TermInfo
from gpucontract.wording import Text

# Whole phrases that promise nothing, in whatever field they stand.
VAGUE_EVERYWHERE = frozenset(
    {
        "按需", "另议", "尽快", "行业标准", "同等", "以实际为准", "待定", "无", "若干", "协商", "面议",
        "tbd", "tba", "n/a", "best effort", "as needed", "industry standard", "to be agreed", "asap",
    }
)  # fmt: skip

_VAGUE = Text(
    "{term}：“{value}”没有约定任何东西。{why}请写出可以核对的内容。",
    "{term}: “{value}” promises nothing. {why} Write what can be checked.",
)
_NO_VERSION = Text(
    "{term}：“{value}”里没有版本号，无法核对。请写最低版本，例如 12.4。",
    "{term}: “{value}” holds no version number: nothing to check. State the lowest version, such as 12.4.",
)
_OPEN_VERSION = Text(
    "{term}：“{value}”没有写到底，最低的版本也算达标。请写完整的最低版本，例如 12.4。",
    "{term}: “{value}” is left open, so the lowest of them would do. State the lowest version in full, such as 12.4.",
)
_PERSONAL = Text(
    "{term}：“{value}”像个人邮箱，人一离职通知就没人收。请用公司邮箱。",
    "{term}: “{value}” looks like a personal mailbox: when its owner leaves, notices go unread. Use the company's.",
)
_NO_RECORD = Text(
    "{term}：“{value}”不像 ICP 备案号（例：京ICP备2023000001号-1）。请照网站页脚填写。",
    "{term}: “{value}” does not look like an ICP record (such as 京ICP备2023000001号-1). Copy it from the site's foot.",
)
_PERSONAL_DOMAINS = (
    "qq.com", "foxmail.com", "163.com", "126.com", "yeah.net", "sina.com", "sina.cn", "sohu.com", "139.com", "189.cn",
    "aliyun.com", "gmail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "icloud.com", "proton.me",
)  # fmt: skip


def hint(info: TermInfo, value: object) -> Text | None:
    """What is doubtful about a typed or stored value, if anything. Texts are compared after NFKC, without case."""
    if not isinstance(value, str) or not value.strip():
        return None
    phrase = unicodedata.normalize("NFKC", value).strip().rstrip("。.").casefold()
    own = {unicodedata.normalize("NFKC", each).casefold() for each in info.vague}
    if phrase in own | VAGUE_EVERYWHERE:
        return _VAGUE.fill(term=info.label, value=value, why=info.why)
    rule = _RULES.get(info.id) or _RULES_OF_SHAPE.get(info.shape)
    found = rule(phrase) if rule else None
    return found.fill(term=info.label, value=value) if found else None


def _version(phrase: str) -> Text | None:
    if cuda.version(phrase) is None:
        return _NO_VERSION
    return _OPEN_VERSION if cuda.is_open(phrase) else None


def _mailbox(phrase: str) -> Text | None:
    return _PERSONAL if phrase.rpartition("@")[2] in _PERSONAL_DOMAINS else None


def _record(phrase: str) -> Text | None:
    return None if ICP_RECORD.fullmatch(phrase.upper()) else _NO_RECORD


_RULES: Mapping[str, Callable[[str], Text | None]] = {"vendor_icp_no": _record}
_RULES_OF_SHAPE: Mapping[str, Callable[[str], Text | None]] = {"version": _version, "email": _mailbox}
