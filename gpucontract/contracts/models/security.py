"""Terms of step 6, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.security import SECTION
from gpucontract.contracts.sections.term import Row


class SecurityTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    public_bw_mbps = term("public_bw_mbps")
    tenant_isolation = term("tenant_isolation")
    public_bw_type = term("public_bw_type")
    public_ip_count = term("public_ip_count")
    traffic_fee = term("traffic_fee")
    traffic_price = term("traffic_price")
    data_region = term("data_region")
    cross_border = term("cross_border")
    data_class = term("data_class")
    encryption_at_rest = term("encryption_at_rest")
    encryption_in_transit = term("encryption_in_transit")
    buyer_backup = term("buyer_backup")
    buyer_backup_note = term("buyer_backup_note")
    vendor_access_policy = term("vendor_access_policy")
    ops_log_days = term("ops_log_days")
    incident_notice_hours = term("incident_notice_hours")
    confidentiality_years = term("confidentiality_years")
    security_matrix = term("security_matrix")

    class Meta:
        constraints = limits("security", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} security"
