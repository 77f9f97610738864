"""A: what stands there."""

from __future__ import annotations

from gpucontract.metrics.metric import ANY, AS_READ, COUNTED, NO_PROBE, SUMMED, WORST, none, read, row
from gpucontract.wording import Text

_DISTINCT = Text("互不相同的 GPU UUID 集合各算一台", "Each distinct set of GPU UUIDs is one machine")
_SET = Text("全部读数组成的集合", "The set of all readings")

METRICS = (
    row("node_count_reachable", "作出应答的不同机器 | distinct machines that answered", "count same group 台",
        read(_DISTINCT, "gpu_uuid"),
        "按 GPU UUID 区分机器；主机名相同只是提示（镜像克隆），不算少机 | "
        "Machines are told apart by their GPU UUIDs; equal host names are only a remark (cloned images)"),
    row("gpu_count", "GPU | GPUs", "count same node 张", read(AS_READ, "gpu_count gpu_unreadable"),
        "容器会隐藏 GPU，驱动库也可能被替换，故须与内核或拓扑矩阵互校 | "
        "Containers hide GPUs and the driver library can be replaced, so the kernel or the matrix must agree"),
    row("gpu_model", "GPU 型号 | GPU model", "text member gpu", read(ANY, "gpu_name"),
        "型号须逐字相同：L20 与 L20X、H20 与 H20-3e 不是同一种卡 | "
        "Names must match exactly: L20 is not L20X, H20 is not H20-3e"),
    row("gpu_pci_device_id", "GPU 的 PCI 设备号 | PCI device id of a GPU", "text member gpu",
        read(ANY, "gpu_pci_device_id gpu_pci_sub_device_id"),
        "名称可以改，设备号难改：两者不符说明卡被改名 | "
        "A name can be changed, the id hardly: a mismatch points to a renamed card"),
    row("gpu_memory_total_mib", "显存容量 | GPU memory", "MiB more gpu", read(WORST, "gpu_memory_total"),
        "驱动读数以 MiB 计，厂商标称以 GB 计，80 GB 的 H100 读作 81559 MiB | "
        "The driver reports MiB, data sheets GB: an 80 GB H100 reads 81559 MiB"),
    row("gpu_uuid_set", "GPU UUID 清单 | set of GPU UUIDs", "set same node", read(_SET, "gpu_uuid"),
        "返修换卡后变化是正当的，但须有变更记录 | A change after a repair is right, but must be on record"),
    row("gpu_serial_set", "GPU 序列号清单 | GPU serial numbers", "set same node", read(_SET, "gpu_serial"),
        "消费级显卡和部分虚拟机读不到序列号 | Consumer boards and some virtual machines show none"),
    row("gpu_vbios_version", "GPU 固件版本 | GPU firmware version", "text same gpu", read(ANY, "gpu_vbios_version"),
        "版本新旧本身不是问题，同一批卡版本混杂才是 | "
        "Old or new matters little; different versions among one machine's cards do"),
    row("gpu_power_limit_w", "功耗上限 | power limit", "W more gpu", read(WORST, "power_limit"),
        "被调低的功耗上限会悄悄降低性能 | A lowered cap costs speed silently"),
    row("gpu_compute_mode", "GPU 计算模式 | GPU compute mode", "enum same gpu", read(ANY, "compute_mode"),
        "独占模式下第二个程序会失败，看上去像坏卡 | "
        "In an exclusive mode a second program fails, which looks like a broken card"),
    row("gpu_mig_mode", "MIG 状态 | MIG mode", "text same gpu", read(ANY, "mig_enabled"),
        "开启 MIG 的卡可能只是整卡的一个切片 | A card with MIG on may be a slice sold as a whole"),
    row("gpu_persistence_mode", "驱动常驻模式 | persistence mode", "bool same gpu",
        read(ANY, "persistence_mode persistence_enabled"),
        "未常驻时首次调用会慢几秒，短测试因此偏低 | Without it the first call takes seconds, so short tests read low"),
    row("gpu_max_sm_clock_mhz", "GPU 最高核心频率 | highest GPU core clock", "MHz more gpu",
        read(WORST, "clocks_max_sm"),
        "最高频率是许可上限，运行时由温度和功耗决定 | "
        "It is what the card may reach; heat and power decide what it does reach"),
    row("cpu_model", "CPU 型号 | CPU model", "text member node", read(AS_READ, "cpu_model"),
        "虚拟机里常见的通用名称不能说明真实型号 | "
        "A generic name inside a virtual machine says nothing of the real chip"),
    row("cpu_core_count", "CPU 物理核 | physical CPU cores", "count more node", read(AS_READ, "cores"),
        "按物理核计，超线程不算核 | Physical cores count, threads do not"),
    row("cpu_usable_cores", "进程真正可用的 CPU 核 | CPU cores a process really gets", "count more node",
        none(NO_PROBE),
        "列出的核可能被配额限制，须实际占满才知道 | Listed cores may lie behind a quota; only a full load tells"),
    row("ram_total_gib", "内存容量 | memory", "GiB more node", read(AS_READ, "mem_total"),
        "内核报告的内存比内存条少 2–3 %，固件会占用一部分 | "
        "The kernel sees 2-3 % less than the DIMMs hold; firmware keeps some"),
    row("numa_node_count", "NUMA 节点 | NUMA nodes", "count same node", read(AS_READ, "numa_nodes"),
        "固件里的分区设置会改变它，CPU 却没有变 | A firmware setting changes it although the CPUs are the same"),
    row("nic_count", "可用的计算网端口 | usable compute network ports", "count more node",
        read(COUNTED, "port_state port_link_layer port_rate port_is_virtual sys_image_guid"),
        "存储网卡多一块不算违约；Down 的端口不计入；网卡的虚拟功能（VF）不是另一个端口，非 NVIDIA 网卡的看不出来 | "
        "An extra storage NIC is no miss; Down ports do not count; a virtual function (VF) is no port of its own, but "
        "only NVIDIA's tell themselves apart"),
    row("nvme_count", "本地 NVMe 数据盘 | local NVMe data disks", "count more node 块",
        read(COUNTED, "disk_is_nvme disk_is_system disk_is_local nvme_is_local"),
        "系统盘和网络盘不计入 | System disks and network drives do not count"),
    row("local_disk_tb", "本地 NVMe 总容量 | local NVMe capacity", "TB more node",
        read(SUMMED, "disk_size disk_is_nvme disk_is_system disk_is_local nvme_is_local"),
        "TB 是十进制 | TB is decimal"),
    row("is_virtualised", "是否虚拟机 | virtual machine or bare metal", "bool same node",
        read(AS_READ, "virtualization hypervisor"),
        "虚拟机里看不到真实拓扑，ACS 也关不掉 | A virtual machine hides the real topology and cannot turn ACS off"),
)  # fmt: skip
