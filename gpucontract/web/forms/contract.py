"""Starting a contract: which of one's organisations buys, what the deal is called, what it starts from."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.models import Contract, OwnTemplate
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.localise import spoken
from gpucontract.web.starting import COPY, EMPTY, MOST_COPIES, Card, copyable


class NewContractForm(forms.Form):
    """The buyer is asked only where a person drafts for several organisations. No start chosen: an empty draft."""

    use_required_attribute = False
    # Ids that the page gives to inputs it draws itself.
    places = {"start": "start-empty", "copy_of": "copy-of"}
    title = forms.CharField(
        label=gettext_lazy("What is it called?"),
        help_text=gettext_lazy("For example: H100 training cluster, east site. Both sides see it."),
        max_length=Contract._meta.get_field("title").max_length,
        error_messages={"required": gettext_lazy("Enter a name by which both sides know the deal.")},
    )
    buyer = forms.ModelChoiceField(
        Organisation.objects.none(), label=gettext_lazy("Which organisation rents?"), empty_label=None
    )
    start = forms.ChoiceField(required=False)
    copy_of = forms.ModelChoiceField(
        Contract.objects.none(), required=False, to_field_name="uuid", label=gettext_lazy("Which contract?")
    )

    def __init__(self, user: User, cards: list[Card], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.cards = {card.value: card for card in cards}
        self.buyers = drafts_for(user)
        self.fields["start"].choices = [(value, value) for value in (EMPTY, COPY, *self.cards)]
        self.fields["copy_of"].queryset = copyable(user, self.buyers)
        self.fields["buyer"].queryset = self.buyers
        if len(self.buyers) == 1:
            self.initial["buyer"] = self.buyers[0]
            self.fields["buyer"].widget = forms.HiddenInput()

    @property
    def copies(self) -> QuerySet[Contract]:
        """The newest contracts that may be copied."""
        return self.fields["copy_of"].queryset[:MOST_COPIES]

    @property
    def chosen(self) -> str:
        """The radio button that is on."""
        asked = str(self["start"].value() or EMPTY)
        return asked if asked in (EMPTY, COPY, *self.cards) else EMPTY

    def clean(self) -> dict[str, Any]:
        """A copy needs its contract; what belongs to an organisation stays in it."""
        found = super().clean() or {}
        start, buyer, copied = found.get("start") or EMPTY, found.get("buyer"), found.get("copy_of")
        if start == COPY and copied is None and "copy_of" not in self.errors:
            self.add_error("copy_of", _("Choose the contract to copy."))
        owner = copied.buyer if start == COPY and copied else self._owner(start)
        if owner and buyer and owner != buyer:
            said = _(
                "This belongs to %(owner)s. Choose %(owner)s as the organisation that rents, or start from another."
            )
            self.add_error("start", said % {"owner": owner})
        return found | {"start": start}

    def _owner(self, start: str) -> Organisation | None:
        own = self.cards[start].own if start in self.cards else None
        return own.organisation if own else None


class TemplateNameForm(forms.Form):
    """What one's own template is called."""

    use_required_attribute = False
    name = forms.CharField(
        label=gettext_lazy("Template name"),
        help_text=gettext_lazy("Only people of your organisation see it."),
        max_length=OwnTemplate._meta.get_field("name").max_length,
        error_messages={"required": gettext_lazy("Give the template a name.")},
    )


class SaveTemplateForm(TemplateNameForm):
    """Which parts of a contract go into the template; the parties are of this deal only."""

    sections = forms.MultipleChoiceField(
        label=gettext_lazy("Parts to keep"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one part to keep.")},
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["sections"].choices = [(name, spoken(section.title)) for name, section in SECTIONS.items()]
        self.initial.setdefault("sections", [name for name in SECTIONS if name != "parties"])


def drafts_for(user: User) -> QuerySet[Organisation]:
    """The organisations for which the person may draft as a buyer."""
    held = user.memberships.filter(organisation__is_active=True)
    allowed = [each.organisation_id for each in held if may(Side.BUYER, each.roles, "draft")]
    return Organisation.objects.filter(pk__in=allowed)
