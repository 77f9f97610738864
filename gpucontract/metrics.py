"""Every metric a clause can speak about: words, unit, direction, the readings behind it, how long they hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from gpucontract.wording import Text


class Better(StrEnum):
    """Which direction is better: more, less, exactly the same, or one of a set."""

    MORE = "more"
    LESS = "less"
    SAME = "same"
    MEMBER = "member"


# How long a reading holds during the term; inside the acceptance window every run is fresh.
DAY = timedelta(hours=24)
WEEK = timedelta(hours=168)

PIECES = "个"
CARDS = "张"
MACHINES = "台"
LINKS = "条"
LANES = "条"
CORES = "个"
PORTS = "个"
DISKS = "块"
TIMES = "次"


@dataclass(frozen=True, slots=True)
class Metric:
    """One measurable thing. unit as in units.py, or text, enum, bool, version, set for words.

    counter: the Chinese measure word of a bare count (18 条). kind: a rate has repeats and tolerance, a fact has not.
    validity: how long a reading holds in the term. pitfall: the misreading the user is warned of.
    """

    key: str
    label: Text
    unit: str
    better: Better
    scope: str
    readings: tuple[str, ...]
    pitfall: Text
    kind: str = "fact"
    validity: timedelta = DAY
    counter: str = PIECES


def _metric(key: str, zh: str, en: str, shape: str, readings: str, *pitfall: str, counter: str = PIECES) -> Metric:
    """shape: 'unit better scope', rate metrics marked by a leading 'rate'; pitfall: zh and en."""
    words = shape.split()
    is_rate = words[0] == "rate"
    unit, better, scope = words[1:] if is_rate else words
    return Metric(
        key=key, label=Text(zh, en), unit=unit, better=Better(better), scope=scope, readings=tuple(readings.split()),
        pitfall=Text(*pitfall), kind="rate" if is_rate else "fact", validity=WEEK if is_rate else DAY, counter=counter,
    )  # fmt: skip


_INVENTORY = (
    _metric("node_count_reachable", "作出应答的不同机器", "distinct machines that answered", "count same group",
            "gpu_uuid", "按 GPU UUID 区分机器；主机名相同只是提示（镜像克隆），不算少机",
            "Machines are told apart by their GPU UUIDs; equal host names are only a remark (cloned images)",
            counter=MACHINES),
    _metric("gpu_count", "GPU", "GPUs", "count same node", "gpu_count gpu_unreadable",
            "容器会隐藏 GPU，驱动库也可能被替换，故须与内核或拓扑矩阵互校",
            "Containers hide GPUs and the driver library can be replaced, so the kernel or the matrix must agree",
            counter=CARDS),
    _metric("gpu_model", "GPU 型号", "GPU model", "text member gpu", "gpu_name",
            "型号须逐字相同：L20 与 L20X、H20 与 H20-3e 不是同一种卡",
            "Names must match exactly: L20 is not L20X, H20 is not H20-3e"),
    _metric("gpu_memory_total_mib", "显存容量", "GPU memory", "MiB more gpu", "gpu_memory_total",
            "驱动读数以 MiB 计，厂商标称以 GB 计，80 GB 的 H100 读作 81559 MiB",
            "The driver reports MiB, data sheets GB: an 80 GB H100 reads 81559 MiB"),
    _metric("ecc_enabled", "ECC 状态", "ECC state", "bool same gpu", "ecc_enabled",
            "消费级显卡没有 ECC，读数为不适用", "Consumer boards have no ECC and report not applicable"),
    _metric("gpu_mig_mode", "MIG 状态", "MIG mode", "text same gpu", "mig_enabled",
            "开启 MIG 的卡可能只是整卡的一个切片", "A card with MIG on may be a slice sold as a whole"),
    _metric("gpu_power_limit_w", "功耗上限", "power limit", "W more gpu", "power_limit",
            "被调低的功耗上限会悄悄降低性能", "A lowered cap costs speed silently"),
    _metric("gpu_cuda_usable_count", "可运行 CUDA 程序的 GPU", "GPUs that run CUDA programs", "count same node",
            "gpu_usable", "驱动能列出的卡不一定能用", "A listed card is not yet a usable one", counter=CARDS),
    _metric("cpu_model", "CPU 型号", "CPU model", "text member node", "cpu_model",
            "虚拟机里常见的通用名称不能说明真实型号",
            "A generic name inside a virtual machine says nothing of the real chip"),
    _metric("cpu_core_count", "CPU 物理核", "physical CPU cores", "count more node", "cores",
            "按物理核计，超线程不算核", "Physical cores count, threads do not", counter=CORES),
    _metric("ram_total_gib", "内存容量", "memory", "GiB more node", "mem_total",
            "内核报告的内存比内存条少 2–3 %，固件会占用一部分",
            "The kernel sees 2-3 % less than the DIMMs hold; firmware keeps some"),
    _metric("gpu_serial_set", "GPU 序列号清单", "GPU serial numbers", "set same node", "gpu_serial",
            "消费级显卡和部分虚拟机读不到序列号", "Consumer boards and some virtual machines show none"),
    _metric("pcie_link_width", "PCIe 链路宽度", "PCIe link width", "lanes more gpu", "pcie_width_current",
            "宽度不随负载变化，x8 就是 x8；代际会在空闲时下降",
            "Width does not change with load, so x8 is real; the generation drops when idle", counter=LANES),
)  # fmt: skip

_LINKS = (
    _metric("gpu_interconnect_kind", "GPU 互联方式", "GPU interconnect", "enum same node",
            "topo_link nvlink_links", "矩阵里出现 NV# 不等于有 NVSwitch：桥接卡对也显示 NV#",
            "NV# in the matrix does not prove an NVSwitch: a bridged pair shows it too"),
    _metric("nvlink_link_count", "NVLink 活动链路", "active NVLink links", "count more gpu",
            "nvlink_active nvlink_links", "拓扑矩阵里的 NV# 是两卡之间的条数，在没有交换芯片的机型上不是每卡总数",
            "NV# is the number between two GPUs; without a switch it is not the card's total", counter=LINKS),
    _metric("nvlink_inactive_count", "NVLink 未激活链路", "inactive NVLink links", "count less gpu",
            "nvlink_inactive", "桥接卡本来就只用一部分链路", "Bridge cards use a part of their links by design",
            counter=LINKS),
    _metric("p2p_enabled", "GPU 间 P2P 直接访问", "GPU peer-to-peer access", "bool same node",
            "p2p_supported p2p_pairs", "查询只说明驱动允许，真正的证明是拷贝测试",
            "The query only says the driver allows it; a copy is the proof"),
    _metric("gpu_nic_affinity", "GPU 到最近网卡的路径", "path from a GPU to its nearest NIC", "enum member gpu",
            "nic_link", "虚拟机里看到的拓扑可能不真实", "The topology shown to a virtual machine may not be real"),
    _metric("nccl_transport", "机间网络类型", "network between the machines", "enum same node",
            "network port_link_layer port_state",
            "RoCE 在端口信息里写作 Ethernet、在 NCCL 日志里写作 IB，这是正常的",
            "RoCE reads Ethernet at the port and IB in the NCCL log: that is right"),
    _metric("nic_count", "可用的计算网端口", "usable compute network ports", "count more node",
            "port_state port_link_layer port_rate", "存储网卡多一块不算违约；Down 的端口不计入",
            "An extra storage NIC is no miss; Down ports do not count", counter=PORTS),
    _metric("ib_port_rate_gbps", "端口速率", "port rate", "Gb/s more port", "port_rate port_state port_link_layer",
            "Down 的端口仍会显示一个默认速率，不能当真", "A Down port still shows a default rate that means nothing"),
    _metric("peermem_or_dmabuf", "GPUDirect RDMA", "GPUDirect RDMA", "bool same node", "gdr network",
            "走 TCP 的运行说明不了 GPUDirect", "A run over TCP says nothing about GPUDirect"),
    _metric("fabric_manager_active", "Fabric Manager 服务", "Fabric Manager service", "bool same node",
            "service_active", "未运行时 NVSwitch 机型的 CUDA 程序起不来",
            "Without it CUDA programs on NVSwitch machines do not start"),
)  # fmt: skip

_SPEED = (
    _metric("nccl_allreduce_busbw_intra", "单机 all_reduce 总线带宽", "all_reduce bus bandwidth inside one machine",
            "rate GB/s more node", "busbw_at algbw_at time_at ranks hosts collective",
            "平均值包含小消息，只看约定大小那一行；不能与双向标称值相比",
            "The average includes small messages: only the agreed size counts, never two-way data-sheet figures"),
    _metric("nccl_busbw_inter", "多机集合通信总线带宽", "collective bus bandwidth across machines",
            "rate GB/s more group", "busbw_at algbw_at time_at ranks hosts collective network",
            "恰好两台机器时默认 all_reduce 会虚高", "On exactly two machines the default all_reduce overstates"),
    _metric("nccl_wrong_count", "集合通信错误结果", "wrong results in collectives", "count same node",
            "wrong_results validation", "关闭校验时显示 N/A，不等于 0",
            "With validation off the tool prints N/A, which is not 0"),
    _metric("ib_write_bw_gbps", "单口 RDMA 写带宽", "RDMA write bandwidth of one port", "rate Gb/s more port",
            "bw_average", "工具的 MB/sec 实为 MiB/s", "The tool's MB/sec is MiB/s"),
    _metric("gemm_bf16_tflops", "BF16 矩阵乘性能", "BF16 matrix multiply", "rate TFLOPS more gpu", "gemm_tflops",
            "须全部 GPU 同时满载测，不能用稀疏峰值", "All GPUs at once, and never against the sparse peak"),
    _metric("burn_in_hours", "连续无故障烤机时长", "hours of burn-in without a fault", "h more node",
            "burn_in_hours", "维修后该机器重新计时", "The machine's clock restarts after a repair"),
    _metric("interrupts_per_1000_gpu_days", "烤机中断次数", "interrupts during burn-in", "count less group",
            "interrupts", "大集群要求零中断会拒绝几乎所有好集群",
            "Demanding zero on a large cluster rejects nearly every good one", counter=TIMES),
)  # fmt: skip

_STORAGE = (
    _metric("nvme_count", "本地 NVMe 数据盘", "local NVMe data disks", "count more node",
            "disk_is_nvme disk_is_system nvme_is_local", "系统盘和网络盘不计入",
            "System disks and network drives do not count", counter=DISKS),
    _metric("local_disk_tb", "本地 NVMe 总容量", "local NVMe capacity", "TB more node",
            "disk_size disk_is_nvme disk_is_system", "TB 是十进制", "TB is decimal"),
    _metric("fio_seq_read_gbs", "本地盘顺序读", "sequential read of the local disks", "rate GB/s more node",
            "read_bw direct runtime fio_filename", "不绕过缓存或时间太短的结果不算",
            "Results from the cache or from a very short run do not count"),
    _metric("fs_mount_present", "共享挂载", "shared mount", "bool same node", "mount_type mount_writable",
            "只读挂载不算可用", "A read-only mount is not usable"),
    _metric("fs_type", "文件系统类型", "file system type", "enum same node", "mount_type", "nfs4 就是 NFS",
            "nfs4 is NFS"),
    _metric("fs_capacity_tb", "共享存储容量", "shared storage capacity", "TB more contract", "fs_capacity",
            "按可用容量计；虚拟容量不算测得", "Usable capacity counts; a virtual one is not measured"),
    _metric("fs_free_tb", "共享存储剩余空间", "free shared storage", "TB more contract", "fs_free", "总量不等于可用",
            "Total is not free"),
    _metric("fs_aggregate_read_gbs", "共享存储聚合读", "aggregate read of shared storage", "rate GB/s more contract",
            "read_bw direct runtime fio_filename", "多客户端须同时开始才能相加",
            "Clients must start together for a sum"),
    _metric("fio_rand_read_iops", "随机读 IOPS", "random read IOPS", "rate IOPS more contract",
            "read_iops direct runtime fio_filename", "须说明块大小和队列深度", "Block size and depth must be stated",
            counter=TIMES),
)  # fmt: skip

_SOFTWARE = (
    _metric("driver_version", "GPU 驱动版本", "GPU driver version", "version more node", "driver_version",
            "按版本号比较，不按字母", "Compared as versions, not as letters"),
    _metric("cuda_toolkit_version", "CUDA 工具包版本", "CUDA toolkit version", "version more node",
            "cuda_toolkit_version", "驱动显示的 CUDA 版本是支持上限，不是已安装的版本",
            "The CUDA version the driver shows is the newest it supports, not what is installed"),
    _metric("cudnn_version", "cuDNN 版本", "cuDNN version", "version more node", "cudnn_version",
            "磁盘上的文件不等于 PyTorch 实际使用的版本", "Files on disk are not what PyTorch uses"),
    _metric("nccl_version", "NCCL 版本", "NCCL version", "version more node", "nccl_version",
            "容器内外的版本可能不同", "The container's version may differ from the host's"),
    _metric("container_runtime", "容器运行时", "container runtime", "enum same node",
            "docker_available nvidia_runtime", "没有权限查询不等于没有安装",
            "Permission denied is not the same as not installed"),
    _metric("root_access", "root 权限", "root access", "bool same node", "uid login_uid",
            "服务以 root 运行不能证明租户有 root", "A service that runs as root proves nothing about the tenant"),
    _metric("os_release", "操作系统", "operating system", "text member node", "os_name os_version_id os_pretty_name",
            "容器里看到的可能不是宿主机的系统", "Inside a container this may not be the host's system"),
)  # fmt: skip

_HEALTH = (
    _metric("ecc_uncorrected_volatile", "不可纠正的 ECC 错误", "uncorrectable ECC errors", "count less gpu",
            "ecc_uncorrected_volatile", "复位会清零，累计值另看",
            "A reset clears it; the lifetime counter stands apart", counter=TIMES),
    _metric("row_remap_pending", "待处理或失败的行重映射", "pending or failed row remaps", "count less gpu",
            "row_remap_pending row_remap_failure", "待处理的重映射在复位后消失",
            "A pending remap clears after a reset", counter=TIMES),
    _metric("xid_critical_count", "致命 Xid 错误", "fatal Xid events", "count less node", "fatal_xids",
            "13、31、43、45 等常由租户程序引起，只作提示",
            "13, 31, 43, 45 often come from the tenant's program: a remark only", counter=TIMES),
)  # fmt: skip

METRICS: dict[str, Metric] = {
    metric.key: metric for metric in _INVENTORY + _LINKS + _SPEED + _STORAGE + _SOFTWARE + _HEALTH
}


def metric(key: str) -> Metric:
    """The metric of that key. Raises KeyError naming it."""
    return METRICS[key]
