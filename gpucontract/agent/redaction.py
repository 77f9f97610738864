"""The one filter that takes secrets out of captured text before it is hashed. Standard library only, Python 3.8+.

It runs on the machine before anything leaves it, and again on the server as a check: filtered text stays as it is.
Every pattern is linear in the text's length: the text may be hostile.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, FrozenSet, List, Mapping, Match, NamedTuple, Pattern, Tuple

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

_WORD_SIGNS = ("token", "secret", "passw", "passphrase", "credential")


class Rule(NamedTuple):
    """What is taken out: its name in the notes, the pattern, what stays in its place.

    signs: lower-case words, one of which stands in every text that the pattern can match. mark: so does this character.
    """

    name: str
    pattern: Pattern[str]
    kept: str
    signs: Tuple[str, ...]
    mark: str = ""


RULES: Tuple[Rule, ...] = (
    Rule(
        "private key",
        re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"),
        MARK,
        ("private key-----",),
    ),
    Rule(
        "authorization header",
        re.compile(rf"(?i)(\bauthorization[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}}[\"']?)(?![ \t]){_KEPT}[^\n\"']+"),
        rf"\1{MARK}",
        ("authorization",),
    ),
    Rule(
        "bearer token",
        re.compile(r"(?i)(\bbearer\s+)(?=[^\s\"']*\d)[A-Za-z0-9._~+/=-]{8,}"),
        rf"\1{MARK}",
        ("bearer",),
    ),
    Rule(
        "JSON value named as a secret",
        re.compile(rf"(?i)({_NAMED}[\w-]{{0,40}}\"\s{{0,8}}:\s{{0,8}}\"){_KEPT}(?:[^\"\\]|\\.)+"),
        rf"\1{MARK}",
        (*_WORD_SIGNS, "key"),
        '"',
    ),
    Rule(
        "assignment",
        re.compile(rf"({_LOUD}[ \t]{{0,3}}=[ \t]{{0,3}}){_KEPT}(?:{_QUOTED}|[^\s\"']+)"),
        rf"\1{MARK}",
        (*_WORD_SIGNS, "key"),
        "=",
    ),
    Rule(
        "assignment",
        re.compile(rf"(?i)({_QUIET}[ \t]{{0,3}}=[ \t]{{0,3}}){_KEPT}(?:{_QUOTED}|[^\s\"',;]+)"),
        rf"\1{MARK}",
        (*_WORD_SIGNS, "key", "pass", "pwd"),
        "=",
    ),
    Rule(
        "assignment",
        re.compile(rf"((?<=[a-z0-9])Key=){_KEPT}(?:{_QUOTED}|[^\s\"',;]+)"),
        rf"\1{MARK}",
        ("key=",),
    ),
    Rule(
        "named secret",
        re.compile(rf"(?i)(\b{_NAMED}[ \t]{{0,3}}:[ \t]{{1,3}}){_KEPT}[^\s\"',;]+"),
        rf"\1{MARK}",
        (*_WORD_SIGNS, "key"),
        ":",
    ),
    Rule(
        "known token",
        re.compile(
            r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|hf_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{20,}"
            r"|xox[abprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]*)"
        ),
        MARK,
        ("akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_", "sk-", "xox", "eyj"),
    ),
)
_SIGNS = frozenset(sign for rule in RULES for sign in rule.signs)
# Letters beyond ASCII that a pattern without regard to case takes for i, k or s.
_LOOK_ALIKES = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"})
_ENV_OBJECT = re.compile(r'(?i)"env(?:iron(?:ment)?)?"\s{0,8}:\s{0,8}[{\[]')
_WORD = re.compile(r"""[^\s"'<>]+""")


def redact(text: str) -> Tuple[str, List[str]]:
    """The text without its secrets, and one note for each kind that was taken out, with how often."""
    counts: Dict[str, int] = {}
    for name, taken_out in (("JSON env object", _without_env_objects), ("URL credentials", _without_url_credentials)):
        text, count = taken_out(text)
        counts[name] = count
    seen = _seen(text)
    for rule in RULES:
        if seen.isdisjoint(rule.signs) or rule.mark not in text:
            continue
        text, count = rule.pattern.subn(rule.kept, text)
        counts[rule.name] = counts.get(rule.name, 0) + count
    return text, [f"{name} x {count}" for name, count in counts.items() if count]


def _seen(text: str) -> FrozenSet[str]:
    """The signs that stand in a text: looking for words is far quicker than matching patterns in vain."""
    lower = (text if text.isascii() else text.translate(_LOOK_ALIKES)).lower()
    return frozenset(sign for sign in _SIGNS if sign in lower)


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
    if '"env' not in text.lower():
        return text, 0
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
