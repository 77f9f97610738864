"""Files that come in: a draft as JSON, uploaded, then once more as the text that was shown in the preview."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts.interchange import LARGEST_BYTES
from gpucontract.contracts.models import Contract
from gpucontract.units import grouped
from gpucontract.web.forms.contract import drafts_for


class ImportForm(forms.Form):
    """Either a file or the text of one; what it says is read by contracts.interchange."""

    use_required_attribute = False
    file = forms.FileField(
        label=gettext_lazy("JSON file"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
    text = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    name = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def clean_file(self) -> "UploadedFile[bytes] | None":
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > LARGEST_BYTES:
            said = _("The file holds %(size)s bytes; at most %(limit)s are read. Make sure it is the right file.")
            raise forms.ValidationError(said % {"size": grouped(file.size or 0), "limit": grouped(LARGEST_BYTES)})
        return file

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if not found.get("file") and not found.get("text") and not self.errors:
            self.add_error("file", _("Choose a JSON file."))
        return found

    def content(self) -> tuple[str, bytes | str]:
        """The file's name and what it holds."""
        file = self.cleaned_data.get("file")
        return (file.name or "", file.read()) if file else (self.cleaned_data["name"], self.cleaned_data["text"])


class SheetForm(forms.Form):
    """An .xlsx; what it holds is read by contracts.sheets."""

    use_required_attribute = False
    file = forms.FileField(
        label=gettext_lazy("Excel file (.xlsx)"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".xlsx"}),
        error_messages={"required": gettext_lazy("Choose an .xlsx file.")},
    )


class ImportInto(forms.Form):
    """Whose contract the import becomes, and what it is called."""

    use_required_attribute = False
    title = forms.CharField(
        label=gettext_lazy("What is it called?"),
        max_length=Contract._meta.get_field("title").max_length,
        error_messages={"required": gettext_lazy("Enter a name by which both sides know the deal.")},
    )
    buyer = forms.ModelChoiceField(
        Organisation.objects.none(), label=gettext_lazy("Which organisation rents?"), empty_label=None
    )

    def __init__(self, user: User, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        buyers = drafts_for(user)
        self.fields["buyer"].queryset = buyers
        if len(buyers) == 1:
            self.initial["buyer"] = buyers[0]
            self.fields["buyer"].widget = forms.HiddenInput()
