"""Declaring that parts of a machine were replaced: the names of the new ones, and why."""

from django import forms
from django.utils.translation import gettext_lazy as _

from gpucontract.measurements.replacing import LONGEST_REASON


class ReplacementForm(forms.Form):
    """Shape only; what is a serial number is the service's question."""

    use_required_attribute = False
    names = forms.CharField(
        label=_("Serial numbers or UUIDs of the new parts, one a line"),
        max_length=6000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Enter the serial number or UUID of each new card or drive.")},
    )
    reason = forms.CharField(
        label=_("Why it was replaced"),
        max_length=LONGEST_REASON,
        error_messages={"required": _("Enter why it was replaced.")},
    )

    def clean_names(self) -> list[str]:
        """One name a line."""
        return str(self.cleaned_data["names"]).splitlines()
