"""Model fields and check constraints made from the terms' table: words, choices, limits, defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator, ProhibitNullCharactersValidator
from django.db import models
from django.db.models import Q

from gpucontract.accounts.fields import WordsField, only_words
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind, TermInfo
from gpucontract.localise import choices, lazy_text

DIGITS = 18


def term(name: str) -> models.Field[Any, Any]:
    """The field of a term by its id; empty is allowed, since a draft is never complete."""
    return column(TERMS[name])


def column(info: TermInfo) -> models.Field[Any, Any]:
    """The field of a term or of a child row's column."""
    return _FIELDS[info.kind](info, {"verbose_name": lazy_text(info.label), "blank": True})


def limits(table: str, infos: Iterable[TermInfo]) -> list[models.BaseConstraint]:
    """The check constraints of a table: every range, and every closed list of values."""
    return [
        models.CheckConstraint(condition=condition, name=f"{table}_{info.id}")
        for info in infos
        if (condition := _allowed(info)) is not None
    ]


def named(names: Iterable[str]) -> list[TermInfo]:
    """The terms of these ids."""
    return [TERMS[name] for name in names]


def _text(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return models.CharField(
        max_length=info.length, default=info.default or "", validators=[ProhibitNullCharactersValidator()], **options
    )


def _choice(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return models.CharField(max_length=40, default=info.default or "", choices=choices(info.choices), **options)


def _multi(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return WordsField(words=tuple(info.choices), default=info.default or (), **options)


def _yes_no(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return models.BooleanField(null=True, default=info.default, **options)


def _whole(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    if info.choices:
        options["choices"] = choices(info.choices)
    return models.IntegerField(null=True, default=info.default, validators=_range(info, int), **options)


def _decimal(info: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return models.DecimalField(
        max_digits=DIGITS, decimal_places=info.decimals, null=True, default=info.default,
        validators=_range(info, lambda limit: limit), **options,
    )  # fmt: skip


def _date(_: TermInfo, options: dict[str, Any]) -> models.Field[Any, Any]:
    return models.DateField(null=True, **options)


_FIELDS: dict[Kind, Callable[[TermInfo, dict[str, Any]], models.Field[Any, Any]]] = {
    Kind.TEXT: _text,
    Kind.CHOICE: _choice,
    Kind.MULTI: _multi,
    Kind.YES_NO: _yes_no,
    Kind.WHOLE: _whole,
    Kind.DECIMAL: _decimal,
    Kind.DATE: _date,
}


def _range(info: TermInfo, exactly: Callable[[Any], Any]) -> list[Any]:
    lower = [] if info.minimum is None else [MinValueValidator(exactly(info.minimum))]
    upper = [] if info.maximum is None else [MaxValueValidator(exactly(info.maximum))]
    return lower + upper


def _allowed(info: TermInfo) -> Q | None:
    """Unset is allowed; SQL's check passes on NULL, so only texts name their empty value."""
    if info.kind is Kind.CHOICE:
        return Q(**{f"{info.id}__in": ["", *info.choices]})
    if info.kind is Kind.MULTI and info.choices:
        return only_words(info.id, info.choices)
    if info.kind is Kind.WHOLE and info.choices:
        return Q(**{f"{info.id}__in": list(info.choices)})
    if info.minimum is None or info.maximum is None:
        return None
    exactly = int if info.kind is Kind.WHOLE else (lambda limit: limit)
    return Q(**{f"{info.id}__gte": exactly(info.minimum), f"{info.id}__lte": exactly(info.maximum)})
