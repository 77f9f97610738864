"""Terms of step 5, once per contract."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import limits, term
from gpucontract.contracts.sections.software import SECTION
from gpucontract.contracts.sections.term import Row


class SoftwareTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE, related_name="+")
    os_version = term("os_version")
    driver_version = term("driver_version")
    cuda_version = term("cuda_version")
    cudnn_version = term("cudnn_version")
    nccl_version = term("nccl_version")
    fabric_manager = term("fabric_manager")
    container_runtime = term("container_runtime")
    root_access = term("root_access")

    class Meta:
        constraints = limits("software", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} software"
