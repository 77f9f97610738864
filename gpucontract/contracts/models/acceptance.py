"""Terms of step 8, once per contract, and the documents handed over, one per row."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.sections.acceptance import DOCUMENT_COLUMNS, SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_COLUMN = {info.id: info for info in DOCUMENT_COLUMNS}


class AcceptanceTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    acceptance_window_days = term("acceptance_window_days")
    day_basis = term("day_basis")
    acceptance_fail_remedy = term("acceptance_fail_remedy")
    price_cut_pct = term("price_cut_pct")
    acceptance_burnin_hours = term("acceptance_burnin_hours")
    acceptance_coverage_pct = term("acceptance_coverage_pct")
    repeat_runs = term("repeat_runs")
    repeat_rule = term("repeat_rule")
    tolerance_pct = term("tolerance_pct")

    class Meta:
        constraints = limits("acceptance", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} acceptance"


class DeliveryDocument(models.Model):
    """One document that is part of the delivery; each is its own clause."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="delivery_documents")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    kind = column(_COLUMN["kind"])
    note = column(_COLUMN["note"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="document_code_once"),
            *limits("document", DOCUMENT_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
