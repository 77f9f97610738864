"""A form field for any term: the widget that suits its kind; reading and refusing is left to the term itself."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from unicodedata import east_asian_width

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from gpucontract import units
from gpucontract.canonical import decimal_text
from gpucontract.contracts.amounts import CURRENCIES
from gpucontract.contracts.sections.term import YES_NO_TEXT, Kind, Requirement, TermInfo
from gpucontract.contracts.sections.values import TermRefused, read
from gpucontract.localise import spoken

YES, NO = "yes", "no"
# More choices, or longer ones together, are a select instead of radio buttons, in which a wide one would be cut off.
MOST_RADIOS = 4
MOST_RADIO_LETTERS = 48
MOST_WIDE_RADIOS = 8
WIDE = 28


class TermField(forms.Field):
    """One term as typed; empty is always allowed, since a draft is never complete."""

    def __init__(self, info: TermInfo, groups: Mapping[str, str]) -> None:
        self.info = info
        super().__init__(required=False, label=spoken(info.label), widget=widget_for(info, groups))

    def to_python(self, value: Any) -> Any:
        """The term's exact value, None when empty; refused in the sentence that names value and limit."""
        try:
            return read(self.info, value)
        except TermRefused as refusal:
            raise ValidationError(spoken(refusal.text)) from refusal

    @property
    def is_picked(self) -> bool:
        """Whether it shows as a group of radio buttons or boxes, whose first one has the id ending in _0."""
        return isinstance(self.widget, forms.RadioSelect | forms.CheckboxSelectMultiple)

    @property
    def missing(self) -> str:
        """What to do when it is empty and must not be."""
        is_chosen = self.is_picked or isinstance(self.widget, forms.Select)
        return (_("Select: %(label)s") if is_chosen else _("Enter: %(label)s")) % {"label": self.label}


def unit_word(unit: str) -> str:
    """The unit as printed behind an input; times get words, a count gets none."""
    words = {"": "", "count": "", "d": _("days"), "h": _("hours"), "min": _("minutes"), "s": _("seconds")}
    return words[unit] if unit in words else spoken(CURRENCIES.get(unit) or units.unit_word(unit))


def unit_of(info: TermInfo) -> str:
    """What a number of this term counts or measures, as printed behind it."""
    return spoken(info.counted) if info.counted else unit_word(info.unit)


def widget_for(info: TermInfo, groups: Mapping[str, str]) -> forms.Widget:
    """Radio buttons for a few choices, a select for many, boxes for several at once, else one line of text.

    Numbers are typed as text: a number input throws away what it cannot read, and typed text is never lost here.
    """
    if info.kind is Kind.MULTI:
        named = {value: spoken(text) for value, text in info.choices.items()} or groups
        return forms.CheckboxSelectMultiple(choices=list(named.items()))
    if info.choices or info.kind is Kind.YES_NO:
        return _choice_widget(info)
    if info.kind is Kind.DATE:
        return forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    mode = {Kind.WHOLE: "numeric", Kind.DECIMAL: "decimal"}.get(info.kind) or ("email" if info.shape == "email" else "")
    return forms.TextInput({"autocomplete": "off"} | ({"inputmode": mode} if mode else {}))


def _choice_widget(info: TermInfo) -> forms.Widget:
    pairs = [(posted(value), spoken(text)) for value, text in (info.choices or YES_NO_TEXT).items()]
    labels = [label for _value, label in pairs]
    is_wide = max(map(_width, labels)) > WIDE and len(labels) <= MOST_WIDE_RADIOS
    if not is_wide and (len(labels) > MOST_RADIOS or sum(map(len, labels)) > MOST_RADIO_LETTERS):
        return forms.Select(choices=[("", _("Select…")), *pairs])
    is_open = info.requirement is Requirement.OPTIONAL
    return forms.RadioSelect(choices=[*pairs, ("", _("undecided"))] if is_open else pairs)


def _width(label: str) -> int:
    """How many Latin letters a label is as wide as."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in label)


def posted(value: Any) -> str:
    """A choice as a form posts it."""
    return (YES if value else NO) if isinstance(value, bool) else str(value)


def typed_as(value: Any) -> list[str]:
    """A stored value as a form would have posted it."""
    if value is None:
        return [""]
    if isinstance(value, tuple | list):
        return [str(each) for each in value]
    if isinstance(value, Decimal):
        return [decimal_text(value)]
    return [value.isoformat() if isinstance(value, date) else posted(value)]
