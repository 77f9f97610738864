"""What a signer types: the name, and that this very version was read."""

from django import forms
from django.utils.translation import gettext_lazy as _

from gpucontract.documents.services import LONGEST_NAME


class SignForm(forms.Form):
    """sha256 comes back from the page the signer saw, so that a changed text cannot be signed by mistake."""

    use_required_attribute = False
    sha256 = forms.CharField(widget=forms.HiddenInput, max_length=64)
    typed_name = forms.CharField(
        label=_("Type your full name"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Type your name to sign.")},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    is_read = forms.BooleanField(
        label=_("I have read the appendix with exactly this hash and sign it for my organisation."),
        error_messages={"required": _("Tick the box to say that you have read this version.")},
    )
