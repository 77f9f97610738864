"""Why a signed contract is terminated, and its number typed, so that it is never done by a slip."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.contracts.given import LONGEST_REASON


class TerminateForm(forms.Form):
    """number: of the contract that is to be typed."""

    use_required_attribute = False
    reason = forms.CharField(
        label=gettext_lazy("Why you terminate it; the other side reads it"),
        max_length=LONGEST_REASON,
        error_messages={"required": gettext_lazy("Give the reason: the other side reads it.")},
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    typed = forms.CharField(
        max_length=40,
        error_messages={"required": gettext_lazy("Type the contract's number to confirm.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *arguments: object, number: str, **options: object) -> None:
        super().__init__(*arguments, **options)
        self.number = number
        self.fields["typed"].label = _("Type the contract's number to confirm: %(number)s") % {"number": number}

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"].strip()
        if typed != self.number:
            raise forms.ValidationError(_("That is not this contract's number."))
        return typed
