"""What a journal is filtered by: who, what, which clause, from when to when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy

from gpucontract.accounts.models import OrganisationEvent
from gpucontract.contracts.models import Event
from gpucontract.localise import choices
from gpucontract.wording import Text

ANY = Text("全部", "Any")
DAY = forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class JournalFilter(forms.Form):
    """Filters of a journal; what cannot be read is said and filters nothing."""

    use_required_attribute = False
    who = forms.CharField(label=gettext_lazy("Who (name or e-mail)"), max_length=100, required=False)
    what = forms.ChoiceField(label=gettext_lazy("What"), required=False)
    clause = forms.CharField(label=gettext_lazy("Clause (number or words)"), max_length=80, required=False)
    since = forms.DateField(label=gettext_lazy("From"), required=False, widget=DAY)
    until = forms.DateField(label=gettext_lazy("To"), required=False, widget=DAY)

    def __init__(self, given: Mapping[str, Any], words: Mapping[str, Text], *, has_clauses: bool = True) -> None:
        super().__init__(given)
        self.fields["what"].choices = [("", choices({"": ANY})[0][1]), *choices(words)]
        if not has_clauses:
            del self.fields["clause"]

    @property
    def is_set(self) -> bool:
        """Whether anything is filtered."""
        return self.is_valid() and any(self.cleaned_data.values())

    def fits(self, event: Event | OrganisationEvent, clause: Text | None = None) -> bool:
        """Whether an event passes every filter. clause: the line it is about, found by number, words or key."""
        if not self.is_valid():
            return True
        given, day = self.cleaned_data, timezone.localdate(event.at)
        who = f"{event.actor or ''} {event.actor_email}".casefold()
        about = " ".join(filter(None, (getattr(event, "key", ""), clause and clause.zh, clause and clause.en)))
        return (
            given["who"].casefold() in who
            and given["what"] in ("", event.kind)
            and given.get("clause", "").casefold() in about.casefold()
            and (given["since"] is None or day >= given["since"])
            and (given["until"] is None or day <= given["until"])
        )


def kinds_in(events: Iterable[Event | OrganisationEvent], words: Mapping[str, Text]) -> dict[str, Text]:
    """The kinds that occur, each with its words, so that nobody filters by what never happened."""
    return {kind: words.get(kind, Text(kind, kind)) for kind in dict.fromkeys(event.kind for event in events)}
