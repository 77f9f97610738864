"""The one filter that takes secrets out of captured text before it is hashed. Standard library only, Python 3.8+.

It runs on the machine before anything leaves it, and again on the server as a check: filtered text stays as it is.
Every pattern is linear in the text's length: the text may be hostile.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Mapping, Match, Pattern, Tuple

MARK = "[redacted]"
_KEPT = r"(?!\[redacted\]|<hidden>|\*{3})"
_QUOTED = r"""\\"(?:[^"\\]|\\[^"])*(?:\\"|\Z)|"[^"\n]*"|'[^'\n]*'"""
_LOUD = r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?<!_P)KEY(?:_ID)?)"
_WORDS = r"token|secret|password|passwd|passphrase|credentials?"
_KEYS = (
    r"(?:api|access|account|auth|encryption|licen[cs]e|private|secret|session|shared|ssh|storage)[_-]?key(?:[_-]?id)?"
)
_QUIET = rf"(?:{_WORDS}|{_KEYS}|(?<![A-Za-z])(?:key|pass|pwd))"
_NAMED = rf"(?:{_WORDS}|{_KEYS}|passwort)"

Rule = Tuple[str, Pattern[str], str]
# What is taken out, in this order: its name in the notes, the pattern, what stays in its place.
RULES: Tuple[Rule, ...] = (
    (
        "private key",
        re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"),
        MARK,
    ),
    (
        "authorization header",
        re.compile(rf"(?i)(\bauthorization[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}}[\"']?)(?![ \t]){_KEPT}[^\n\"']+"),
        rf"\1{MARK}",
    ),
    ("bearer token", re.compile(r"(?i)(\bbearer\s+)(?=[^\s\"']*\d)[A-Za-z0-9._~+/=-]{8,}"), rf"\1{MARK}"),
    (
        "JSON value named as a secret",
        re.compile(rf"(?i)({_NAMED}[\w-]{{0,40}}\"\s{{0,8}}:\s{{0,8}}\"){_KEPT}(?:[^\"\\]|\\.)+"),
        rf"\1{MARK}",
    ),
    ("assignment", re.compile(rf"({_LOUD}[ \t]{{0,3}}=[ \t]{{0,3}}){_KEPT}(?:{_QUOTED}|[^\s\"']+)"), rf"\1{MARK}"),
    (
        "assignment",
        re.compile(rf"(?i)({_QUIET}[ \t]{{0,3}}=[ \t]{{0,3}}){_KEPT}(?:{_QUOTED}|[^\s\"',;]+)"),
        rf"\1{MARK}",
    ),
    ("assignment", re.compile(rf"((?<=[a-z0-9])Key=){_KEPT}(?:{_QUOTED}|[^\s\"',;]+)"), rf"\1{MARK}"),
    ("named secret", re.compile(rf"(?i)(\b{_NAMED}[ \t]{{0,3}}:[ \t]{{1,3}}){_KEPT}[^\s\"',;]+"), rf"\1{MARK}"),
    (
        "known token",
        re.compile(
            r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|hf_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{20,}"
            r"|xox[abprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]*)"
        ),
        MARK,
    ),
)
_ENV_OBJECT = re.compile(r'(?i)"env(?:iron(?:ment)?)?"\s{0,8}:\s{0,8}[{\[]')
_WORD = re.compile(r"""[^\s"'<>]+""")


def redact(text: str) -> Tuple[str, List[str]]:
    """The text without its secrets, and one note for each kind that was taken out, with how often."""
    counts: Dict[str, int] = {}
    for name, taken_out in (("JSON env object", _without_env_objects), ("URL credentials", _without_url_credentials)):
        text, count = taken_out(text)
        counts[name] = count
    for name, pattern, replacement in RULES:
        text, count = pattern.subn(replacement, text)
        counts[name] = counts.get(name, 0) + count
    return text, [f"{name} x {count}" for name, count in counts.items() if count]


def redact_env(env: Mapping[str, str]) -> Tuple[Dict[str, str], List[str]]:
    """Environment overrides without secret values; a variable counts as secret by its name as well as by its value."""
    kept: Dict[str, str] = {}
    notes: List[str] = []
    for name, value in env.items():
        is_secret = bool(redact(f"{name}=x")[1])
        kept[name], found = (MARK, [name]) if is_secret and value != MARK else redact(value)
        notes += [f"environment {name}"] if found else []
    return kept, notes


def _without_env_objects(text: str) -> Tuple[str, int]:
    """A dump of the environment inside JSON is emptied; the document stays valid JSON."""
    parts: List[str] = []
    position = count = 0
    while True:
        match = _ENV_OBJECT.search(text, position)
        if match is None:
            return "".join([*parts, text[position:]]), count
        end = _closing(text, match.end())
        is_empty = not text[match.end() : end].strip(" \t\r\n]}")
        parts.append(text[position : end if is_empty else match.end()])
        parts.append("" if is_empty else "}" if text[match.end() - 1] == "{" else "]")
        count += not is_empty
        position = end


def _closing(text: str, position: int) -> int:
    """Just after the bracket that closes the one before position; the end of a text that was cut off."""
    depth = 1
    for match in _JSON_PIECE.finditer(text, position):
        piece = match.group()
        depth += 1 if piece in "{[" else -1 if piece in "}]" else 0
        if depth == 0:
            return match.end()
    return len(text)


_JSON_PIECE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]')


def _without_url_credentials(text: str) -> Tuple[str, int]:
    if "://" not in text or "@" not in text:
        return text, 0
    found: List[str] = []
    return _WORD.sub(_url_cleaner(found), text), len(found)


def _url_cleaner(found: List[str]) -> Callable[[Match[str]], str]:
    def clean(match: Match[str]) -> str:
        scheme, _, rest = match.group().partition("://")
        user, at, host = rest.rpartition("@")
        is_secret = ":" in user or scheme.lower().endswith(("http", "https"))
        if not at or not is_secret or user == MARK:
            return match.group()
        found.append(scheme)
        return f"{scheme}://{MARK}@{host}"

    return clean
