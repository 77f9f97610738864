"""Recording the delivery, and enrolling the agent of one machine: where it listens, and the secret both know."""

from django import forms
from django.utils.translation import gettext_lazy as _

from gpucontract.measurements.models import Agent
from gpucontract.measurements.services import LONGEST_RECEIVER


class AgentForm(forms.Form):
    """Shape only; whether the address may be pulled is the service's question."""

    use_required_attribute = False
    url = forms.CharField(
        label=_("Address of the agent"),
        max_length=Agent._meta.get_field("url").max_length,
        error_messages={"required": _("Enter the address at which the agent answers, such as http://10.0.0.11:9723.")},
    )
    secret = forms.CharField(
        label=_("Secret"),
        max_length=200,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("Enter the secret that the agent was started with.")},
    )


class HandoverForm(forms.Form):
    """The day that the buyer confirms: what the vendor recorded, or what the buyer holds to be right."""

    use_required_attribute = False
    on = forms.DateField(
        label=_("Handed over on"),
        error_messages={
            "required": _("Enter the day of the handover."),
            "invalid": _("Enter a day such as 2031-05-06."),
        },
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )


class DeliverForm(HandoverForm):
    """When the machines were handed over and to whom; ticked, since the acceptance window runs from it."""

    received_by = forms.CharField(
        label=_("Taken over by (name at the buyer)"),
        max_length=LONGEST_RECEIVER,
        error_messages={"required": _("Enter who took the machines over.")},
    )
    is_handed_over = forms.BooleanField(
        label=_("The machines are handed over: powered on, reachable, with access given to the buyer."),
        error_messages={"required": _("Tick the box once the machines are handed over.")},
    )
