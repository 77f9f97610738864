"""The time to answer, as the buyer types it: the last day, in the reader's time zone."""

from datetime import datetime, time

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LAST_MINUTE = time(23, 59)


class DeadlineForm(forms.Form):
    """The last day to answer; empty leaves the offer open."""

    until_day = forms.DateField(
        label=_("Last day to answer"),
        required=False,
        error_messages={"invalid": _("Last day to answer: write a date like 2026-11-30.")},
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )

    @property
    def until(self) -> datetime | None:
        """The end of that day where this site is; None when it was left empty."""
        day = self.cleaned_data.get("until_day")
        return timezone.make_aware(datetime.combine(day, LAST_MINUTE)) if day else None
