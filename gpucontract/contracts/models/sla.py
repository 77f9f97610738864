"""Terms of step 7, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.sla import SECTION
from gpucontract.contracts.sections.term import Row


class SlaTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    sla_availability_pct = term("sla_availability_pct")
    p1_response_min = term("p1_response_min")
    node_replace_hours = term("node_replace_hours")
    support_hours = term("support_hours")
    onsite_response_hours = term("onsite_response_hours")

    class Meta:
        constraints = limits("sla", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} sla"
