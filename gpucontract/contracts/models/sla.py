"""Terms of step 7, once per contract; credit tiers, spares and fault criteria, one per row."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.sections.sla import FAULT_COLUMNS, SECTION, SPARE_COLUMNS, TIER_COLUMNS
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_TIER = {info.id: info for info in TIER_COLUMNS}
_SPARE = {info.id: info for info in SPARE_COLUMNS}
_FAULT = {info.id: info for info in FAULT_COLUMNS}


class SlaTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
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


class CreditTier(models.Model):
    """One step of the credits: what is owed while availability lies between two bounds."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="credit_tiers")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    lower_pct = column(_TIER["lower_pct"])
    upper_pct = column(_TIER["upper_pct"])
    credit_pct = column(_TIER["credit_pct"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="tier_code_once"),
            *limits("tier", TIER_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class OnsiteSpare(models.Model):
    """Spare parts of one kind that lie at the site."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="onsite_spares")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    part = column(_SPARE["part"])
    quantity = column(_SPARE["quantity"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="spare_code_once"),
            *limits("spare", SPARE_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class FaultCriterion(models.Model):
    """One sign by which a hardware fault is known."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="hw_fault_definition")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    kind = column(_FAULT["kind"])
    criterion = column(_FAULT["criterion"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="fault_code_once"),
            *limits("fault", FAULT_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
