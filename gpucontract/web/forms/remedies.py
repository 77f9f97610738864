"""Offering a remedy for a clause: a price cut, or machines that are not taken."""

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext_lazy as _

from gpucontract.localise import choices
from gpucontract.verdicts.remedies import BASES, Basis, Kind, Offer
from gpucontract.verdicts.remedying import LONGEST_REASON

MOST_DIGITS = 15


class _RemedyForm(forms.Form):
    """What every remedy says; whether it can stand is the service's question."""

    use_required_attribute = False
    kind: Kind
    from_on = forms.DateField(
        label=_("Applies from"),
        error_messages={"required": _("Enter the day."), "invalid": _("Enter a day such as 2031-05-06.")},
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    reason = forms.CharField(
        label=_("Reason; the other side reads it"),
        max_length=LONGEST_REASON,
        error_messages={"required": _("Give the reason: the other side reads it.")},
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *arguments: object, **options: object) -> None:
        # Both forms stand on one page.
        super().__init__(*arguments, **{**options, "auto_id": f"{self.kind}-%s"})

    def offer(self, key: str) -> Offer:
        """What was typed, for the clause of that key."""
        given = self.cleaned_data
        basis = Basis(given["basis"]) if given.get("basis") else None
        slots = tuple(given.get("slots", ()))
        return Offer(key, self.kind, given["from_on"], given.get("amount"), basis, slots)


class PriceCutForm(_RemedyForm):
    kind = Kind.PRICE_CUT
    basis = forms.ChoiceField(label=_("How the price falls"), choices=choices(BASES), initial=Basis.PERCENT)
    amount = forms.DecimalField(
        label=_("Percent or amount"),
        help_text=_("An amount is in the currency of the contract's price, with or without tax like it."),
        max_digits=MOST_DIGITS,
        decimal_places=2,
        error_messages={"required": _("Enter how much."), "invalid": _("Enter a number such as 5 or 1200.50.")},
    )
    field_order = ("basis", "amount", "from_on", "reason")


class RejectForm(_RemedyForm):
    """slots: the machines that may be ticked. is_package: no machine has a price of its own."""

    kind = Kind.PARTIAL_REJECT
    slots = forms.MultipleChoiceField(
        label=_("Machines that are not taken"),
        error_messages={"required": _("Tick the machines that are not taken.")},
        widget=forms.CheckboxSelectMultiple,
    )
    amount = forms.DecimalField(
        label=_("What comes off the total"),
        max_digits=MOST_DIGITS,
        decimal_places=2,
        error_messages={"required": _("Enter how much."), "invalid": _("Enter a number such as 5 or 1200.50.")},
    )
    field_order = ("slots", "amount", "from_on", "reason")

    def __init__(
        self, *arguments: object, slots: Iterable[tuple[str, str]], is_package: bool, **options: object
    ) -> None:
        super().__init__(*arguments, **options)
        self.fields["slots"].choices = list(slots)
        if not is_package:
            del self.fields["amount"]
