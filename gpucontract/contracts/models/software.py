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
    install_allowed = term("install_allowed")
    reinstall_allowed = term("reinstall_allowed")
    scheduler = term("scheduler")
    bmc_access = term("bmc_access")
    access_method = term("access_method")
    change_control = term("change_control")
    change_notice_days = term("change_notice_days")
    monitoring_access = term("monitoring_access")
    package_mirror = term("package_mirror")
    clock_sync = term("clock_sync")

    class Meta:
        constraints = limits("software", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} software"
