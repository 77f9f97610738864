"""A passkey's name, under a label that is translated."""

from typing import Any

from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from django.utils.translation import gettext_lazy as _


class AddKeyForm(AddWebAuthnForm):
    """As allauth's, which leaves the label to the field's name."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["name"].label = _("Name of the key")


class EditKeyForm(EditWebAuthnForm):
    """As allauth's, which leaves the label to the field's name."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["name"].label = _("Name of the key")
