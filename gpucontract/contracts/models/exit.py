"""Terms of step 10, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.exit import SECTION
from gpucontract.contracts.sections.term import Row


class ExitTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    data_export_days = term("data_export_days")
    data_deletion_days = term("data_deletion_days")
    data_deletion_method = term("data_deletion_method")

    class Meta:
        constraints = limits("exit", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} exit"
