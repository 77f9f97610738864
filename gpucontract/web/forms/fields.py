"""A form field for each kind of term; what people type is read as they mean it, and refused in words they can act on."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from gpucontract.canonical import decimal_text
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, TermInfo
from gpucontract.localise import spoken

THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
FEW = 4
YES, NO = "yes", "no"


def unit_word(unit: str) -> str:
    """The unit as printed behind a number; times get words, a count gets none."""
    words = {"count": "", "d": _("days"), "h": _("hours"), "min": _("minutes"), "s": _("seconds")}
    return words.get(unit, unit)


def with_unit(value: Decimal, unit: str) -> str:
    return f"{decimal_text(value)} {unit_word(unit)}".rstrip()


class NumberField(forms.Field):
    """Whole numbers and decimals, also typed full-width or with thousands commas; limits are said with their unit."""

    def __init__(self, info: TermInfo, **options: Any) -> None:
        self.info = info
        mode = "decimal" if info.decimals else "numeric"
        super().__init__(widget=forms.TextInput({"inputmode": mode, "autocomplete": "off"}), **options)

    def to_python(self, value: Any) -> Decimal | int | None:
        typed = unicodedata.normalize("NFKC", str(value or "")).strip().replace(" ", "")
        if not typed:
            return None
        number = self._parsed(typed)
        if self.info.kind is Kind.WHOLE:
            return int(number)
        return number

    def validate(self, value: Decimal | int | None) -> None:
        super().validate(value)
        if value is not None:
            self._refuse_beyond_limits(Decimal(value))

    def _parsed(self, typed: str) -> Decimal:
        plain = typed.replace(",", "") if THOUSANDS.fullmatch(typed) else typed
        try:
            number = Decimal(plain)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or "_" in typed or "e" in typed.lower():
            raise ValidationError(_("“%(typed)s” is not a number. Enter digits only, such as %(sample)s.") % {
                "typed": typed[:40], "sample": self._sample(),
            })  # fmt: skip
        if -number.normalize().as_tuple().exponent > self.info.decimals:
            raise ValidationError(self._too_fine(typed))
        return number

    def _too_fine(self, typed: str) -> str:
        if not self.info.decimals:
            return _("%(typed)s has a fraction. Enter a whole number.") % {"typed": typed}
        message = _("%(typed)s has more than %(places)s digits after the point. Round it.")
        return message % {"typed": typed, "places": self.info.decimals}

    def _sample(self) -> str:
        return decimal_text(max(self.info.minimum or Decimal(0), min(Decimal(8), self.info.maximum or Decimal(8))))

    def _refuse_beyond_limits(self, number: Decimal) -> None:
        info = self.info
        shown = with_unit(number, info.unit)
        if info.minimum is not None and number < info.minimum:
            message = _("%(value)s is too small. Enter %(limit)s or more.")
            raise ValidationError(message % {"value": shown, "limit": with_unit(info.minimum, info.unit)})
        if info.maximum is not None and number > info.maximum:
            message = _("%(value)s is too large. Enter %(limit)s or less.")
            raise ValidationError(message % {"value": shown, "limit": with_unit(info.maximum, info.unit)})


def field_for(info: TermInfo, required: bool, options: Mapping[str, str] | None = None) -> forms.Field:
    """The form field of a term. options: the choices where they are the contract's own rows, value -> label."""
    label = spoken(info.label)
    shared = {"label": label, "required": required, "error_messages": _messages(info, label)}
    if options is not None:
        return forms.MultipleChoiceField(choices=list(options.items()), widget=forms.CheckboxSelectMultiple, **shared)
    return _MAKERS[info.kind](info, shared)


def _messages(info: TermInfo, label: str) -> dict[str, str]:
    picked = info.kind in (Kind.CHOICE, Kind.MULTI, Kind.YES_NO) or bool(info.choices)
    sentence = _("Select: %(label)s") if picked else _("Enter: %(label)s")
    return {"required": sentence % {"label": label}}


def _text(info: TermInfo, shared: dict[str, Any]) -> forms.Field:
    shared["error_messages"]["max_length"] = _("%(show_value)s characters are too many: at most %(limit_value)s.")
    return forms.CharField(max_length=info.length, widget=forms.TextInput({"autocomplete": "off"}), **shared)


def _choices(info: TermInfo, required: bool) -> tuple[list[tuple[str, str]], type[forms.Widget]]:
    table = YES_NO_TEXT if info.kind is Kind.YES_NO else info.choices
    pairs = [(_posted(value), spoken(text)) for value, text in table.items()]
    if len(pairs) <= FEW and sum(len(label) for _value, label in pairs) <= 48:
        return pairs if required else [*pairs, ("", _("open"))], forms.RadioSelect
    return [("", _("Select…")), *pairs], forms.Select


def _one_of(info: TermInfo, shared: dict[str, Any]) -> forms.Field:
    choices, widget = _choices(info, shared["required"])
    typed = {_posted(value): value for value in (YES_NO_TEXT if info.kind is Kind.YES_NO else info.choices)}
    return forms.TypedChoiceField(choices=choices, widget=widget, coerce=typed.__getitem__, empty_value=None, **shared)


def _several_of(info: TermInfo, shared: dict[str, Any]) -> forms.Field:
    choices = [(value, spoken(text)) for value, text in info.choices.items()]
    return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **shared)


def _number(info: TermInfo, shared: dict[str, Any]) -> forms.Field:
    return _one_of(info, shared) if info.choices else NumberField(info, **shared)


def _date(info: TermInfo, shared: dict[str, Any]) -> forms.Field:
    shared["error_messages"]["invalid"] = _("This is not a date. Enter it as 2026-12-31.")
    return forms.DateField(widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"), **shared)


_MAKERS = {
    Kind.TEXT: _text,
    Kind.CHOICE: _one_of,
    Kind.MULTI: _several_of,
    Kind.YES_NO: _one_of,
    Kind.WHOLE: _number,
    Kind.DECIMAL: _number,
    Kind.DATE: _date,
}


def _posted(value: Any) -> str:
    """A choice's value as a form posts it."""
    return (YES if value else NO) if isinstance(value, bool) else str(value)


def typed_as(value: Any) -> str | list[str]:
    """A stored value as the form would have posted it."""
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return [str(each) for each in value]
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return _posted(value)
