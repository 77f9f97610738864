"""Starting a contract: which of one's organisations buys, and what the deal is called."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side, may
from gpucontract.contracts.models import Contract


class NewContractForm(forms.Form):
    """The buyer is asked only where a person drafts for several organisations."""

    use_required_attribute = False
    title = forms.CharField(
        label=_("What is it called?"),
        help_text=_("For example: H100 training cluster, east site. Both sides see it."),
        max_length=Contract._meta.get_field("title").max_length,
        error_messages={"required": _("Enter a name by which both sides know the deal.")},
    )
    buyer = forms.ModelChoiceField(Organisation.objects.none(), label=_("Which organisation rents?"), empty_label=None)

    def __init__(self, user: User, *arguments: Any) -> None:
        super().__init__(*arguments)
        buyers = drafts_for(user)
        self.fields["buyer"].queryset = buyers
        if len(buyers) == 1:
            self.initial["buyer"] = buyers[0]
            self.fields["buyer"].widget = forms.HiddenInput()


def drafts_for(user: User) -> QuerySet[Organisation]:
    """The organisations for which the person may draft as a buyer."""
    held = user.memberships.filter(organisation__is_active=True)
    allowed = [each.organisation_id for each in held if may(Side.BUYER, each.roles, "draft")]
    return Organisation.objects.filter(pk__in=allowed)
