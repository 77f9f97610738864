"""What the paste page asks: a text or a file, and what was run, if that is known."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.measurements.parsers.registry import TOOLS
from gpucontract.measurements.pasting import decoded

MEGABYTE = 10**6
MOST_MB = 5
# Names that say more than the short one a parser is listed under; the parsers know both.
WHOLE_NAMES = {
    "docker": "docker info",
    "gpus": "/proc/driver/nvidia/gpus",
    "id": "id -u",
    "loginuid": "/proc/self/loginuid",
    "meminfo": "/proc/meminfo",
    "nvcc": "nvcc --version",
    "nvme": "nvme list",
    "os-release": "/etc/os-release",
    "version": "/proc/driver/nvidia/version",
}
NAMES = sorted((WHOLE_NAMES.get(tool, tool) for tool in TOOLS), key=lambda name: name.lower().lstrip("/"))


class PasteForm(forms.Form):
    """Shape only; what the text says is the parsers' question."""

    use_required_attribute = False
    text = forms.CharField(
        label=gettext_lazy("What the tool printed"),
        required=False,
        strip=False,
        help_text=gettext_lazy("A whole terminal with several commands is read command by command."),
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "autocomplete": "off", "class": "printed"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file of it"),
        required=False,
        help_text=gettext_lazy("At most 5 MB."),
    )
    tool = forms.ChoiceField(
        label=gettext_lazy("Tool"),
        required=False,
        choices=[("", gettext_lazy("Recognised by itself")), *((name, name) for name in NAMES)],
    )
    command = forms.CharField(
        label=gettext_lazy("Command line, if known"),
        required=False,
        max_length=2000,
        widget=forms.TextInput(attrs={"placeholder": "all_reduce_perf -b 128M -e 8G -f 2 -g 8", "autocomplete": "off"}),
    )
    exit_status = forms.IntegerField(
        label=gettext_lazy("Exit status, if known"),
        required=False,
        min_value=-64,
        max_value=255,
        help_text=gettext_lazy("0 means that the tool ended well. Left empty, only the text decides."),
    )

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        _check_size(len(text.encode("utf-8", "replace")))
        return text

    def clean_file(self) -> str:
        """The file's text; "" when there is none."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return ""
        _check_size(file.size or 0)
        return decoded(file.read())

    def clean(self) -> dict[str, Any]:
        """One text, out of either place."""
        found = super().clean() or {}
        given = [found[name] for name in ("text", "file") if found.get(name, "").strip()]
        if len(given) == 2:
            self.add_error("file", _("Give either a text or a file: empty one of the two."))
        elif not given and not self.errors:
            self.add_error("text", _("Paste what the tool printed, or choose a file with it."))
        return found | {"printed": given[0] if given else ""}


def _check_size(size_bytes: int) -> None:
    if size_bytes > MOST_MB * MEGABYTE:
        said = _("This is %(size)s MB, the limit is %(limit)s MB. Keep the run in question and leave out the rest.")
        raise forms.ValidationError(said % {"size": f"{size_bytes / MEGABYTE:.1f}", "limit": MOST_MB})
