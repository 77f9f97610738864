"""Enrolling the agent of one machine: where it listens, and the secret both know."""

from django import forms
from django.utils.translation import gettext_lazy as _

from gpucontract.measurements.models import Agent


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
