"""What an organisation's admin types: whom to invite, which roles, by which mandate; and who joins."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.accounts.mandates import BASES, Basis
from gpucontract.accounts.roles import ROLES
from gpucontract.contracts.sections.commercial import CURRENCIES
from gpucontract.localise import choices
from gpucontract.web.forms.uploads import UploadField


class RolesField(forms.MultipleChoiceField):
    """Boxes for every role."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            label=gettext_lazy("Roles"),
            choices=choices(ROLES),
            help_text=gettext_lazy(
                "Renting: a drafter writes the terms, an engineer orders tests and reads evidence, an approver sends, "
                "waives and signs. Renting out: a confirmer answers line by line, a signer signs. A viewer only "
                "reads; an organisation admin looks after the members."
            ),
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": gettext_lazy("Choose at least one role.")},
            **options,
        )


class InviteForm(forms.Form):
    """Somebody to invite into one's own organisation."""

    use_required_attribute = False
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        error_messages={"required": gettext_lazy("Enter the e-mail address of the person.")},
    )
    roles = RolesField()


class VendorForm(forms.Form):
    """The first person of a vendor that has no account yet."""

    use_required_attribute = False
    email = forms.EmailField(
        label=gettext_lazy("E-mail address at the vendor"),
        help_text=gettext_lazy(
            "Whoever accepts becomes the admin of the vendor here. Use an address you have checked."
        ),
        error_messages={"required": gettext_lazy("Enter the e-mail address of the person.")},
    )


class RolesForm(forms.Form):
    """What a member may do."""

    use_required_attribute = False
    roles = RolesField()
    reason = forms.CharField(label=gettext_lazy("Reason, for the journal"), max_length=300, required=False)


class MandateForm(forms.Form):
    """By what right a member signs; a letter needs who gave it and the file."""

    use_required_attribute = False
    basis = forms.ChoiceField(
        label=gettext_lazy("Signs as"), choices=choices(BASES), widget=forms.RadioSelect, initial=Basis.LETTER.value
    )
    granted_by = forms.CharField(label=gettext_lazy("Given by (legal representative)"), max_length=80, required=False)
    valid_until = forms.DateField(
        label=gettext_lazy("Valid until"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    limit = forms.DecimalField(
        label=gettext_lazy("Up to which contract total"),
        help_text=gettext_lazy("Empty: no limit."),
        max_digits=18,
        decimal_places=2,
        required=False,
        widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
    )
    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=choices(CURRENCIES), required=False)
    file = UploadField(label=gettext_lazy("Letter of authority"), required=False)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("basis") == Basis.LETTER:
            if not given.get("granted_by"):
                self.add_error("granted_by", _("Enter who gave the letter."))
            if not given.get("file") and "file" not in self.errors:
                self.add_error("file", _("Choose the file of the letter."))
        return given


class JoinForm(forms.Form):
    """What a new person gives to open an account; the address comes from the invitation."""

    use_required_attribute = False
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=80,
        error_messages={"required": gettext_lazy("Enter your name.")},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Choose a password"),
        help_text=gettext_lazy("At least 10 characters."),
        strip=False,
        error_messages={"required": gettext_lazy("Choose a password.")},
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
