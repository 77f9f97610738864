"""Django's view of Text: lazy strings and choices in the reader's language."""

from collections.abc import Mapping

from django.utils.functional import lazy
from django.utils.translation import get_language

from gpucontract.wording import Text


def spoken(text: Text) -> str:
    """The half of a Text for the language that is active now."""
    return text.in_language(get_language() or "zh-hans")


lazy_text = lazy(spoken, str)


def choices(table: Mapping[str, Text]) -> list[tuple[str, str]]:
    """Model and form choices whose labels follow the reader's language."""
    return [(value, lazy_text(text)) for value, text in table.items()]
