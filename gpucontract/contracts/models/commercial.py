"""Terms of step 9, once per contract; commitments, fees and the order of papers, one per row."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.sections.commercial import COMMIT_COLUMNS, FEE_COLUMNS, PAPER_COLUMNS, SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_COMMIT = {info.id: info for info in COMMIT_COLUMNS}
_FEE = {info.id: info for info in FEE_COLUMNS}
_PAPER = {info.id: info for info in PAPER_COLUMNS}


class CommercialTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    contract_kind = term("contract_kind")
    unit_price = term("unit_price")
    currency = term("currency")
    pricing_unit = term("pricing_unit")
    month_basis = term("month_basis")
    price_tax_included = term("price_tax_included")
    vat_rate_pct = term("vat_rate_pct")
    term_start = term("term_start")
    term_months = term("term_months")
    total_value_stated = term("total_value_stated")
    payment_cycle = term("payment_cycle")
    prepay_pct = term("prepay_pct")
    payee_account_name = term("payee_account_name")
    invoice_type = term("invoice_type")
    invoice_days = term("invoice_days")
    deposit_amount = term("deposit_amount")
    deposit_nature = term("deposit_nature")
    deposit_refund_days = term("deposit_refund_days")
    late_payment_ld = term("late_payment_ld")
    suspension_days = term("suspension_days")
    price_adjust_rule = term("price_adjust_rule")
    ld_cap_pct = term("ld_cap_pct")
    liability_cap = term("liability_cap")
    liability_carve_outs = term("liability_carve_outs")
    insurance = term("insurance")
    force_majeure_scope = term("force_majeure_scope")
    dispute_forum = term("dispute_forum")
    dispute_place = term("dispute_place")
    prevailing_language = term("prevailing_language")

    class Meta:
        constraints = limits("commercial", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} commercial"


class Commitment(models.Model):
    """So many machines for so many months that are rented at least."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="min_commit")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    nodes = column(_COMMIT["nodes"])
    months = column(_COMMIT["months"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="commit_code_once"),
            *limits("commit", COMMIT_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class OtherFee(models.Model):
    """One fee beside the rent."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="other_fees")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    kind = column(_FEE["kind"])
    basis = column(_FEE["basis"])
    amount = column(_FEE["amount"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="fee_code_once"),
            *limits("fee", FEE_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class PrecedingPaper(models.Model):
    """One paper in the order of precedence."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="appendix_precedence")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    paper = column(_PAPER["paper"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="paper_code_once"),
            *limits("paper", PAPER_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
