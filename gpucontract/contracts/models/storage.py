"""Terms of step 4: backups once per contract, local disks per group, shared mounts as rows with their test profiles."""

from django.db import models

from gpucontract.contracts.models.contract import Contract
from gpucontract.contracts.models.fields import column, limits, term
from gpucontract.contracts.models.nodes import NodeGroup
from gpucontract.contracts.sections.storage import PROFILE_COLUMNS, SECTION
from gpucontract.contracts.sections.term import Row
from gpucontract.localise import lazy_text
from gpucontract.wording import Text

_COLUMN = {info.id: info for info in PROFILE_COLUMNS}


class StorageTerms(models.Model):
    contract = models.OneToOneField(Contract, models.CASCADE)
    storage_backup = term("storage_backup")
    storage_backup_rpo_h = term("storage_backup_rpo_h")
    storage_backup_rto_h = term("storage_backup_rto_h")
    storage_data_loss_liability = term("storage_data_loss_liability")
    storage_data_loss_cap_pct = term("storage_data_loss_cap_pct")

    class Meta:
        constraints = limits("storage", SECTION.of(Row.CONTRACT))

    def __str__(self) -> str:
        return f"{self.contract} storage"


class LocalStorageTerms(models.Model):
    group = models.OneToOneField(NodeGroup, models.CASCADE)
    local_disk_count = term("local_disk_count")
    local_nvme_tb = term("local_nvme_tb")
    local_nvme_persist = term("local_nvme_persist")
    local_read_gbs = term("local_read_gbs")

    class Meta:
        constraints = limits("local_storage", SECTION.of(Row.GROUP))

    def __str__(self) -> str:
        return f"{self.group} local storage"


class SharedMount(models.Model):
    """A mount the machines share. The code is given once and never reused."""

    contract = models.ForeignKey(Contract, models.CASCADE, related_name="shared_mounts")
    code = models.CharField(lazy_text(Text("挂载代号", "mount code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    path = term("path")
    groups = models.ManyToManyField(
        NodeGroup,
        related_name="shared_mounts",
        blank=True,
        verbose_name=lazy_text(Text("哪些组能看到", "groups that see it")),
    )
    shared_mounts = term("shared_mounts")
    shared_type = term("shared_type")
    protocol = term("protocol")
    shared_capacity_tb = term("shared_capacity_tb")
    capacity_basis = term("capacity_basis")
    shared_free_tb = term("shared_free_tb")
    shared_read_gbs = term("shared_read_gbs")
    shared_write_gbs = term("shared_write_gbs")
    shared_read_iops = term("shared_read_iops")
    shared_write_iops = term("shared_write_iops")
    purpose = term("purpose")
    shared_product = term("shared_product")
    metadata_ops_min = term("metadata_ops_min")
    inode_quota = term("inode_quota")
    storage_redundancy = term("storage_redundancy")
    storage_expand_price = term("storage_expand_price")

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["contract", "code"], name="mount_code_once"),
            models.CheckConstraint(condition=models.Q(code__regex=r"^m[1-9][0-9]*$"), name="mount_code_shape"),
            *limits("mount", SECTION.of(Row.MOUNT)),
        ]

    def __str__(self) -> str:
        return f"{self.contract} {self.code}"


class StorageTestProfile(models.Model):
    """How one storage number is measured: one fio job, said completely."""

    mount = models.ForeignKey(SharedMount, models.CASCADE, related_name="test_profiles")
    code = models.CharField(lazy_text(Text("行代号", "row code")), max_length=8)
    position = models.PositiveIntegerField(default=0)
    rw = column(_COLUMN["rw"])
    block_size = column(_COLUMN["block_size"])
    iodepth = column(_COLUMN["iodepth"])
    numjobs = column(_COLUMN["numjobs"])
    clients = column(_COLUMN["clients"])
    runtime_s = column(_COLUMN["runtime_s"])
    direct = column(_COLUMN["direct"])

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["mount", "code"], name="profile_code_once"),
            *limits("profile", PROFILE_COLUMNS),
        ]

    def __str__(self) -> str:
        return f"{self.mount} {self.code}"
