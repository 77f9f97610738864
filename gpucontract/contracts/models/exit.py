"""Terms of step 10, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.exit import SECTION
from gpucontract.contracts.sections.term import Row


class ExitTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    data_export_days = term("data_export_days")
    data_deletion_days = term("data_deletion_days")
    data_deletion_method = term("data_deletion_method")
    renewal_type = term("renewal_type")
    renewal_notice_days = term("renewal_notice_days")
    renewal_price_rule = term("renewal_price_rule")
    buyer_exit_right = term("buyer_exit_right")
    early_exit_fee_basis = term("early_exit_fee_basis")
    early_exit_fee = term("early_exit_fee")
    vendor_exit_notice = term("vendor_exit_notice")
    cure_days = term("cure_days")
    data_export_bw = term("data_export_bw")
    egress_fee = term("egress_fee")
    deletion_certificate = term("deletion_certificate")
    failed_disk_custody = term("failed_disk_custody")
    account_closure_days = term("account_closure_days")
    transition_support = term("transition_support")
    end_ownership = term("end_ownership")
    end_purchase_price = term("end_purchase_price")
    survival_clauses = term("survival_clauses")

    class Meta:
        constraints = limits("exit", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} exit"
