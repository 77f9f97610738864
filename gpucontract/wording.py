"""Text in both languages, carried by pure code that must not depend on gettext."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence or label in Chinese and English; both halves are always given."""

    zh: str
    en: str

    def __post_init__(self) -> None:
        if not self.zh or not self.en:
            raise ValueError(f"a Text needs both languages, got zh={self.zh!r} en={self.en!r}")

    def fill(self, **values: object) -> Text:
        """Put values into the {placeholders} of both halves; a Text among them gives each half its own language."""
        return Text(
            self.zh.format(**{name: in_language(value, "zh") for name, value in values.items()}),
            self.en.format(**{name: in_language(value, "en") for name, value in values.items()}),
        )

    def in_language(self, code: str) -> str:
        """The half for a language code such as zh-hans, zh or en."""
        return self.zh if code.startswith("zh") else self.en


def in_language(value: object, code: str) -> object:
    """A Text becomes its half for the language; anything else stays as it is."""
    return value.in_language(code) if isinstance(value, Text) else value
