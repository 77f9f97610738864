"""Terms of step 7, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.sla import SECTION
from gpucontract.contracts.sections.term import Row


class SlaTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    sla_availability_pct = term("sla_availability_pct")
    p1_response_min = term("p1_response_min")
    node_replace_hours = term("node_replace_hours")
    support_hours = term("support_hours")
    onsite_response_hours = term("onsite_response_hours")
    sla_scope_unit = term("sla_scope_unit")
    sla_period = term("sla_period")
    downtime_definition = term("downtime_definition")
    min_countable_minutes = term("min_countable_minutes")
    degraded_threshold_pct = term("degraded_threshold_pct")
    degraded_weighting = term("degraded_weighting")
    maintenance_hours_cap = term("maintenance_hours_cap")
    maintenance_notice_hours = term("maintenance_notice_hours")
    sla_exclusions = term("sla_exclusions")
    credit_base = term("credit_base")
    credit_cap_pct = term("credit_cap_pct")
    credit_form = term("credit_form")
    credit_auto = term("credit_auto")
    credit_claim_days = term("credit_claim_days")
    measurement_source = term("measurement_source")
    p1_definition = term("p1_definition")
    p1_restore_hours = term("p1_restore_hours")
    gpu_replace_hours = term("gpu_replace_hours")
    rca_days = term("rca_days")
    chronic_failure_rule = term("chronic_failure_rule")
    local_ops_staff = term("local_ops_staff")
    local_ops_city = term("local_ops_city")
    hotline = term("hotline")
    engineer_group = term("engineer_group")

    class Meta:
        constraints = limits("sla", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} sla"
