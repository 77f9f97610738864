"""A database field that holds a set of words out of a closed list, in the list's order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

SEPARATOR = ","


class WordsField(models.CharField):  # type: ignore[type-arg]  # Django's own class takes no parameters
    """Stored as words with commas between, read as a tuple of str; words outside `words` are refused."""

    def __init__(self, *, words: Iterable[str] = (), **options: Any) -> None:
        self.words = tuple(words)
        options.setdefault("max_length", 400)
        options.setdefault("blank", True)
        options.setdefault("default", ())
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, options | {"words": self.words}

    def from_db_value(self, value: str | None, *_: object) -> tuple[str, ...]:
        return tuple(value.split(SEPARATOR)) if value else ()

    def to_python(self, value: Any) -> tuple[str, ...]:
        """Words from text with commas or from any iterable, without repeats, in the order of the closed list."""
        given = value.split(SEPARATOR) if isinstance(value, str) else list(value or ())
        words = {str(word).strip() for word in given} - {""}
        known = [word for word in self.words if word in words]
        return (*known, *sorted(words - set(known)))

    def get_prep_value(self, value: Any) -> str:
        return SEPARATOR.join(self.to_python(value))

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj))

    def validate(self, value: tuple[str, ...], model_instance: models.Model | None) -> None:
        strangers = [word for word in value if word not in self.words]
        if strangers:
            raise ValidationError(
                "%(words)s is not one of: %(known)s",
                code="invalid_choice",
                params={"words": SEPARATOR.join(strangers), "known": SEPARATOR.join(self.words)},
            )
        super().validate(SEPARATOR.join(value), model_instance)

    def run_validators(self, value: tuple[str, ...]) -> None:
        super().run_validators(SEPARATOR.join(value))


def only_words(name: str, words: Iterable[str]) -> models.Q:
    """The condition of a check constraint: the field holds nothing but these words."""
    word = "|".join(re.escape(each) for each in words)
    return models.Q(**{f"{name}__regex": f"^(({word})({SEPARATOR}({word}))*)?$"})
