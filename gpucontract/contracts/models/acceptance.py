"""Terms of step 8, once per contract; the documents handed over and the batches, one per row."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.sections.acceptance import BATCH_COLUMNS, DOCUMENT_COLUMNS, SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_DOCUMENT = {info.id: info for info in DOCUMENT_COLUMNS}
_BATCH = {info.id: info for info in BATCH_COLUMNS}


class AcceptanceTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    delivery_date = term("delivery_date")
    site_prep_party = term("site_prep_party")
    acceptance_window_days = term("acceptance_window_days")
    day_basis = term("day_basis")
    acceptance_tests = term("acceptance_tests")
    acceptance_threshold_ref = term("acceptance_threshold_ref")
    acceptance_tester = term("acceptance_tester")
    acceptance_evidence = term("acceptance_evidence")
    deemed_acceptance = term("deemed_acceptance")
    deemed_acceptance_days = term("deemed_acceptance_days")
    retest_rounds_max = term("retest_rounds_max")
    retest_days = term("retest_days")
    acceptance_fail_remedy = term("acceptance_fail_remedy")
    price_cut_pct = term("price_cut_pct")
    acceptance_burnin_hours = term("acceptance_burnin_hours")
    acceptance_coverage_pct = term("acceptance_coverage_pct")
    repeat_runs = term("repeat_runs")
    repeat_rule = term("repeat_rule")
    tolerance_pct = term("tolerance_pct")
    billing_start = term("billing_start")
    late_delivery_ld = term("late_delivery_ld")
    late_delivery_term_days = term("late_delivery_term_days")
    reacceptance_on_change = term("reacceptance_on_change")
    periodic_inspection = term("periodic_inspection")

    class Meta:
        constraints = limits("acceptance", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} acceptance"


class DeliveryDocument(models.Model):
    """One document that is part of the delivery; each is its own clause."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="delivery_documents")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    kind = column(_DOCUMENT["kind"])
    note = column(_DOCUMENT["note"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="document_code_once"),
            *limits("document", DOCUMENT_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class DeliveryBatch(models.Model):
    """One batch of machines and the day it is due."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="delivery_batches")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    due_on = column(_BATCH["due_on"])
    nodes = column(_BATCH["nodes"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="batch_code_once"),
            *limits("batch", BATCH_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
