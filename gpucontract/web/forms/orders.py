"""Ordering a round: which tests, and where on the local disks the disk test may write."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from gpucontract.localise import spoken
from gpucontract.measurements.plan import BY_HAND, PlannedJob
from gpucontract.web.templatetags.evidence import job_name

# What an agent takes; fio reads a colon as a separator and a blank as the end of the path.
LOCAL_PATH = RegexValidator(
    r"^/(?!.*\.\.)[A-Za-z0-9_.+@/-]{1,254}$",
    _("Enter an absolute path of letters, digits and _.+@/- without .., such as /mnt/nvme1."),
)


class OrderForm(forms.Form):
    """All tests of the plan unless some are unticked; those that no clause needs only where they are ticked."""

    use_required_attribute = False
    jobs = forms.MultipleChoiceField(
        label=_("Tests"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Tick at least one test.")},
    )
    local_path = forms.CharField(
        label=_("Folder on the local disks"),
        required=False,
        max_length=255,
        validators=[LOCAL_PATH],
        help_text=_(
            "Where fio may write 32 GiB and read them again on each machine. Without it local disks are not loaded."
        ),
    )

    def __init__(self, plan: Sequence[PlannedJob], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = list(dict.fromkeys(job.job for job in plan))
        self.fields["jobs"].choices = [(name, job_name(name)) for name in names]
        self.fields["jobs"].help_text = " ".join(dict.fromkeys(spoken(job.note) for job in plan if job.job in BY_HAND))
        self.fields["jobs"].initial = [name for name in names if name not in BY_HAND]
