"""Terms of step 9, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.commercial import SECTION
from gpucontract.contracts.sections.term import Row


class CommercialTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    unit_price = term("unit_price")
    currency = term("currency")
    pricing_unit = term("pricing_unit")
    month_basis = term("month_basis")
    term_start = term("term_start")
    term_months = term("term_months")

    class Meta:
        constraints = limits("commercial", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} commercial"
