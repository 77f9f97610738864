"""Terms of step 5, once per contract, and the frameworks as rows."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.sections.software import FRAMEWORK_COLUMNS, SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_COLUMN = {info.id: info for info in FRAMEWORK_COLUMNS}


class SoftwareTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
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


class FrameworkVersion(models.Model):
    """A framework that the machines offer, and its lowest version."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="framework_versions")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    name = column(_COLUMN["name"])
    version = column(_COLUMN["version"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["contract", "code"], name="framework_code_once")]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"
