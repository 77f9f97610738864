"""What a signer gives: the name, that this very version was read, and the second factor."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.documents.services import LONGEST_NAME


class Decoder(json.JSONDecoder):
    """JSON whose nesting nobody can read is no JSON; Django looks for that error alone."""

    def decode(self, s: str, *arguments: Any) -> Any:
        try:
            return super().decode(s, *arguments)
        except RecursionError as fault:
            raise json.JSONDecodeError("nested too deeply", s[:80], 0) from fault


class SignForm(forms.Form):
    """sha256 comes back from the page the signer saw, so that a changed text cannot be signed by mistake.

    credential: what the browser's passkey dialogue answered; without it the code of the app is needed.
    """

    use_required_attribute = False
    sha256 = forms.CharField(widget=forms.HiddenInput, max_length=64)
    typed_name = forms.CharField(
        label=gettext_lazy("Type your full name"),
        max_length=LONGEST_NAME,
        error_messages={"required": gettext_lazy("Type your name to sign.")},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    is_read = forms.BooleanField(
        label=gettext_lazy("I have read the appendix with exactly this hash and sign it for my organisation."),
        error_messages={"required": gettext_lazy("Tick the box to say that you have read this version.")},
    )
    code = forms.CharField(
        label=gettext_lazy("Code of your authenticator app"),
        help_text=gettext_lazy("Six digits, new every 30 seconds. A recovery code does too."),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "text", "class": "code-input"}),
    )
    credential = forms.JSONField(decoder=Decoder, widget=forms.HiddenInput, required=False)

    def __init__(self, *arguments: Any, has_app: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["code"].widget = self.fields["code"].widget if has_app else forms.HiddenInput()

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if not given.get("code") and not isinstance(given.get("credential"), dict):
            where = None if self.fields["code"].widget.is_hidden else "code"
            self.add_error(where, _("Prove that it is you: type the code of your app, or use your passkey."))
        return given
