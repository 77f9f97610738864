"""Text in both languages, carried by pure code that must not depend on gettext."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Chinese characters and the punctuation between them: no blank stands where two of them meet.
_CHINESE = "[\u2014-\u201d\u3001-\u303f\u3400-\u9fff\uff01-\uff5e]"
# A value's edges while a sentence is filled: private characters that no text keeps.
_OPEN, _CLOSE = "\ue000", "\ue001"
_STRAY = re.compile(f"(?<={_CHINESE}) (?={_OPEN}{_CHINESE})|(?<={_CHINESE}{_CLOSE}) (?={_CHINESE})")


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence or label in Chinese and English; both halves are always given."""

    zh: str
    en: str

    def __post_init__(self) -> None:
        if not self.zh or not self.en:
            raise ValueError(f"a Text needs both languages, got zh={self.zh!r} en={self.en!r}")

    def fill(self, **values: object) -> Text:
        """Put values into the {placeholders} of both halves; a Text among them gives each half its own language.

        Several things are listed as each language lists them. The blank that parts a Latin value from Chinese is
        dropped where the value is Chinese itself.
        """
        return Text(
            _chinese(self.zh, {name: in_language(value, "zh") for name, value in values.items()}),
            self.en.format(**{name: in_language(value, "en") for name, value in values.items()}),
        )

    def in_language(self, code: str) -> str:
        """The half for a language code such as zh-hans, zh or en."""
        return self.zh if code.startswith("zh") else self.en


def _chinese(pattern: str, values: dict[str, object]) -> str:
    if " {" not in pattern and "} " not in pattern:
        return pattern.format(**values)
    edged = pattern.format(**{name: f"{_OPEN}{value}{_CLOSE}" for name, value in values.items()})
    return _STRAY.sub("", edged).replace(_OPEN, "").replace(_CLOSE, "")


def in_language(value: object, code: str) -> object:
    """A Text becomes its half for the language, several things their list; anything else stays as it is."""
    if isinstance(value, list | tuple):
        return ("、" if code.startswith("zh") else ", ").join(str(in_language(each, code)) for each in value)
    return value.in_language(code) if isinstance(value, Text) else value
