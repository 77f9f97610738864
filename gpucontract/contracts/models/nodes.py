"""Terms of step 2: the workload once per contract, and the groups of equal machines."""

from __future__ import annotations

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.nodes import SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text


class WorkloadTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    workload_profile = term("workload_profile")
    delivery_form = term("delivery_form")
    total_gpu_count_stated = term("total_gpu_count_stated")
    substitution_policy = term("substitution_policy")

    class Meta:
        constraints = limits("workload", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} workload"


class NodeGroup(models.Model):
    """Equal machines. The code is given once and never reused; the position is only the order of display."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="node_groups")
    code = models.CharField(lazy_text(Text("组代号", "group code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    name = term("name")
    node_count = term("node_count")
    gpus_per_node = term("gpus_per_node")
    gpus_promised_in_one_machine = term("gpus_promised_in_one_machine")
    gpu_model = term("gpu_model")
    gpu_form_factor = term("gpu_form_factor")
    gpu_memory_gb = term("gpu_memory_gb")
    gpu_modified = term("gpu_modified")
    gpu_ecc_enabled = term("gpu_ecc_enabled")
    gpu_exclusive = term("gpu_exclusive")
    gpu_power_limit_w = term("gpu_power_limit_w")
    pcie_gen = term("pcie_gen")
    server_model = term("server_model")
    cpu_model = term("cpu_model")
    cpu_cores_per_node = term("cpu_cores_per_node")
    ram_gb_per_node = term("ram_gb_per_node")
    gemm_tflops_min = term("gemm_tflops_min")
    gemm_dtype = term("gemm_dtype")
    gpu_serials_listed = term("gpu_serials_listed")
    gpu_memory_type = term("gpu_memory_type")
    gpu_condition = term("gpu_condition")
    gpu_modified_warranty = term("gpu_modified_warranty")
    gpu_clock_policy = term("gpu_clock_policy")
    gpu_clock_note = term("gpu_clock_note")
    ram_channels_full = term("ram_channels_full")
    psu_redundancy = term("psu_redundancy")
    cooling_type = term("cooling_type")
    pcie_topology_map = term("pcie_topology_map")
    hbm_bw_min_gbs = term("hbm_bw_min_gbs")
    node_variance_max_pct = term("node_variance_max_pct")
    spare_node_count = term("spare_node_count")

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="group_code_once"),
            models.CheckConstraint(condition=models.Q(code__regex=r"^g[1-9][0-9]*$"), name="group_code_shape"),
            *limits("group", SECTION.of(Row.GROUP)),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
