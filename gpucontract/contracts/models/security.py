"""Terms of step 6, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.security import SECTION
from gpucontract.contracts.sections.term import Row


class SecurityTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    public_bw_mbps = term("public_bw_mbps")
    tenant_isolation = term("tenant_isolation")

    class Meta:
        constraints = limits("security", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} security"
