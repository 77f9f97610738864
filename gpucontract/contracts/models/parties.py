"""Terms of step 1, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.parties import SECTION
from gpucontract.contracts.sections.term import Row


class PartiesTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    buyer_name = term("buyer_name")
    buyer_uscc = term("buyer_uscc")
    vendor_name = term("vendor_name")
    vendor_uscc = term("vendor_uscc")
    vendor_role = term("vendor_role")
    vendor_licence_no = term("vendor_licence_no")
    vendor_iso_certs = term("vendor_iso_certs")
    asset_title_proof = term("asset_title_proof")

    class Meta:
        constraints = limits("parties", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} parties"
