"""A file somebody hands in: its size is looked at before its bytes are read, its type by the service."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.filing import MEBIBYTE, MOST_BYTES


class UploadField(forms.FileField):
    """A file of at most the size that is kept."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", gettext_lazy("PDF, picture, Word, Excel or text, at most 20 MB."))
        said = {"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")}
        options.setdefault("error_messages", said)
        super().__init__(**options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        given = super().clean(data, initial)
        if given and given.size > MOST_BYTES:
            said = _("The file has %(size)s MB; the limit is %(limit)s MB. Make it smaller or split it.")
            raise ValidationError(said % {"size": -(-given.size // MEBIBYTE), "limit": MOST_BYTES // MEBIBYTE})
        return given


class PaperForm(forms.Form):
    """A paper for one document clause, and the last day it holds."""

    use_required_attribute = False
    key = forms.CharField(widget=forms.HiddenInput, max_length=80)
    file = UploadField(label=gettext_lazy("File"))
    valid_on = forms.DateField(
        label=gettext_lazy("Valid until"),
        help_text=gettext_lazy("The last day it holds, as a certificate says; empty: it does not expire."),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
