"""Where an organisation draws the lines of its checks; who moved them stands in its journal."""

from __future__ import annotations

from typing import Any

from django.db import models

from gpucontract.accounts.models import Organisation
from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.models.fields import column, limits


def line(name: str) -> models.Field[Any, Any]:
    """The column of a policy's number; empty means the default."""
    return column(LINES[name].info)


class OrganisationPolicy(models.Model):
    organisation = models.OneToOneField(Organisation, models.CASCADE, related_name="+")
    power_pct = line("power_pct")
    gemm_low_pct = line("gemm_low_pct")
    used_burn_in_hours = line("used_burn_in_hours")
    least_message_mib = line("least_message_mib")
    slow_ethernet_gbps = line("slow_ethernet_gbps")
    nics_per_gpu_pct = line("nics_per_gpu_pct")
    inter_low_pct = line("inter_low_pct")
    nfs_node_limit = line("nfs_node_limit")
    checkpoint_seconds = line("checkpoint_seconds")
    least_mlps_level = line("least_mlps_level")
    incident_hours = line("incident_hours")
    shared_bw_mbps = line("shared_bw_mbps")
    fleet_average_nodes = line("fleet_average_nodes")
    countable_minutes = line("countable_minutes")
    maintenance_hours = line("maintenance_hours")
    critical_response_min = line("critical_response_min")
    gpu_replace_hours = line("gpu_replace_hours")
    credit_cap_pct = line("credit_cap_pct")
    claim_days = line("claim_days")
    spareless_availability_pct = line("spareless_availability_pct")
    least_burn_in_hours = line("least_burn_in_hours")
    test_hours = line("test_hours")
    spare_days = line("spare_days")
    prepay_pct = line("prepay_pct")
    earnest_pct = line("earnest_pct")
    late_fee_pct = line("late_fee_pct")
    fixed_price_months = line("fixed_price_months")
    suspension_days = line("suspension_days")
    past_start_days = line("past_start_days")
    renewal_notice_days = line("renewal_notice_days")
    vendor_exit_days = line("vendor_exit_days")
    export_pct = line("export_pct")

    class Meta:
        constraints = limits("policy", [each.info for each in LINES.values()])

    def __str__(self) -> str:
        return f"{self.organisation} policy"
