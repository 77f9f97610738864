"""Clauses about storage and software: disks, mounts, versions, access."""

from gpucontract.contracts.clause_rows import conditions
from gpucontract.contracts.clause_rows.row import ClauseRow, Per
from gpucontract.contracts.clauses import Operator, Scope
from gpucontract.contracts.sections.term import only
from gpucontract.wording import Text

STORAGE = (
    ClauseRow(
        "storage", "local_disks", Per.GROUP,
        Text("每台机器的本地 NVMe 数据盘 ≥ {value} 块", "Each machine has at least {value} local NVMe data disks"),
        ("local_disk_count",), Operator.AT_LEAST, "count", metric="nvme_count", scope=Scope.NODE, jobs=("storage",),
        conditions=conditions.data_disks,
    ),
    ClauseRow(
        "storage", "local_capacity", Per.GROUP,
        Text("每台机器的本地 NVMe 数据盘总容量 ≥ {value} TB",
             "The local NVMe data disks of each machine hold at least {value} TB together"),
        ("local_nvme_tb",), Operator.AT_LEAST, "TB", metric="local_disk_tb", scope=Scope.NODE, jobs=("storage",),
        conditions=conditions.data_disks,
    ),
    ClauseRow(
        "storage", "local_read", Per.GROUP,
        Text("每台机器的本地盘顺序读 ≥ {value} GB/s", "The local disks of each machine read {value} GB/s at least"),
        ("local_read_gbs",), Operator.AT_LEAST, "GB/s", metric="fio_seq_read_gbs", scope=Scope.NODE,
        jobs=("storage",), conditions=conditions.local_read, is_rate=True,
    ),
    ClauseRow(
        "storage", "present", Per.MOUNT,
        Text("交付时每台机器已挂载 {mount}，可读可写",
             "At delivery {mount} is mounted on each machine, to read and write"),
        ("shared_mounts",), unit="bool", metric="fs_mount_present", scope=Scope.MOUNT, jobs=("storage",),
        conditions=conditions.mounted,
    ),
    ClauseRow(
        "storage", "type", Per.MOUNT,
        Text("{mount} 的存储类型为 {value}", "The storage at {mount} is of this type: {value}"),
        ("shared_type", "protocol"), unit="enum", metric="fs_type", scope=Scope.MOUNT, jobs=("storage",),
        conditions=conditions.mount_type,
    ),
    ClauseRow(
        "storage", "capacity", Per.MOUNT,
        Text("{mount} 的总容量 ≥ {value} TB", "{mount} holds at least {value} TB"),
        ("shared_capacity_tb", "capacity_basis"), Operator.AT_LEAST, "TB", metric="fs_capacity_tb",
        jobs=("storage",), conditions=conditions.capacity,
    ),
    ClauseRow(
        "storage", "free", Per.MOUNT,
        Text("交付时 {mount} 的剩余容量 ≥ {value} TB", "At delivery {mount} has at least {value} TB free"),
        ("shared_free_tb",), Operator.AT_LEAST, "TB", metric="fs_free_tb", jobs=("storage",),
        conditions=conditions.free,
    ),
    ClauseRow(
        "storage", "read", Per.MOUNT,
        Text("{mount} 的聚合顺序读 ≥ {value} GB/s", "{mount} reads {value} GB/s at least, all clients together"),
        ("shared_read_gbs", "io_test_profile"), Operator.AT_LEAST, "GB/s", metric="fs_aggregate_read_gbs",
        jobs=("storage", "shared_load"), conditions=conditions.shared_read, is_rate=True,
    ),
    ClauseRow(
        "storage", "read_iops", Per.MOUNT,
        Text("{mount} 的随机读 ≥ {value} IOPS", "{mount} serves at least {value} random reads per second"),
        ("shared_read_iops", "io_test_profile"), Operator.AT_LEAST, "IOPS", metric="fio_rand_read_iops",
        jobs=("storage", "shared_load"), conditions=conditions.shared_read_iops, is_rate=True,
    ),
)  # fmt: skip

SOFTWARE = (
    ClauseRow(
        "software", "os", Per.CONTRACT, Text("操作系统为 {value}", "The operating system is {value}"),
        ("os_version",), Operator.IN, "text", metric="os_release", scope=Scope.NODE, jobs=("software",),
    ),
    ClauseRow(
        "software", "driver", Per.CONTRACT,
        Text("GPU 驱动版本 ≥ {value}", "The GPU driver is version {value} or newer"),
        ("driver_version",), Operator.AT_LEAST, "version", metric="driver_version", scope=Scope.NODE,
        jobs=("software",),
    ),
    ClauseRow(
        "software", "cuda", Per.CONTRACT,
        Text("CUDA 工具包版本 ≥ {value}", "The CUDA toolkit is version {value} or newer"),
        ("cuda_version",), Operator.AT_LEAST, "version", metric="cuda_toolkit_version", scope=Scope.NODE,
        jobs=("software",),
    ),
    ClauseRow(
        "software", "cudnn", Per.CONTRACT, Text("cuDNN 版本 ≥ {value}", "cuDNN is version {value} or newer"),
        ("cudnn_version",), Operator.AT_LEAST, "version", metric="cudnn_version", scope=Scope.NODE,
        jobs=("software",),
    ),
    ClauseRow(
        "software", "nccl", Per.CONTRACT, Text("NCCL 版本 ≥ {value}", "NCCL is version {value} or newer"),
        ("nccl_version",), Operator.AT_LEAST, "version", metric="nccl_version", scope=Scope.NODE,
        jobs=("software",),
    ),
    ClauseRow(
        "software", "fabric_manager", Per.CONTRACT,
        Text("每台机器的 Fabric Manager 正在运行", "Fabric Manager is running on each machine"),
        ("fabric_manager",), unit="bool", metric="fabric_manager_active", scope=Scope.NODE, jobs=("software",),
        when=only("intra_link_type", "nvlink_nvswitch"),
    ),
    ClauseRow(
        "software", "container", Per.CONTRACT,
        Text("每台机器可以使用 {value}", "Each machine offers {value}"),
        ("container_runtime",), unit="enum", metric="container_runtime", scope=Scope.NODE, jobs=("software",),
    ),
    ClauseRow(
        "software", "root", Per.CONTRACT,
        Text("甲方在每台机器上有 root 权限", "The buyer has root access on each machine"),
        ("root_access",), unit="bool", metric="root_access", scope=Scope.NODE, jobs=("software",),
        conditions=conditions.own_login,
    ),
)  # fmt: skip
