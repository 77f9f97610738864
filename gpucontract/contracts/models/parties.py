"""Terms of step 1, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.parties import SECTION
from gpucontract.contracts.sections.term import Row


class PartiesTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    buyer_name = term("buyer_name")
    buyer_uscc = term("buyer_uscc")
    buyer_notice_email = term("buyer_notice_email")
    buyer_signatory = term("buyer_signatory")
    vendor_name = term("vendor_name")
    vendor_uscc = term("vendor_uscc")
    vendor_founded_on = term("vendor_founded_on")
    vendor_registered_capital = term("vendor_registered_capital")
    vendor_role = term("vendor_role")
    asset_title_proof = term("asset_title_proof")
    vendor_licence_no = term("vendor_licence_no")
    vendor_licence_scope = term("vendor_licence_scope")
    vendor_licence_region = term("vendor_licence_region")
    vendor_licence_expiry = term("vendor_licence_expiry")
    vendor_icp_no = term("vendor_icp_no")
    vendor_iso_certs = term("vendor_iso_certs")
    vendor_iso_expiry = term("vendor_iso_expiry")
    credit_check_date = term("credit_check_date")
    subcontracting = term("subcontracting")
    export_control_statement = term("export_control_statement")
    datacenter_name = term("datacenter_name")
    datacenter_address = term("datacenter_address")
    datacenter_owned = term("datacenter_owned")
    datacenter_relocation = term("datacenter_relocation")
    mlps_level = term("mlps_level")
    mlps_cert_ref = term("mlps_cert_ref")
    signing_method = term("signing_method")
    seal_type = term("seal_type")

    class Meta:
        constraints = limits("parties", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} parties"
