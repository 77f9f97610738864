"""B: how GPUs are linked to each other and to the network cards."""

from __future__ import annotations

from gpucontract.metrics.metric import ANY, AS_READ, NO_PARSER, WORST, none, read, row
from gpucontract.wording import Text

_MATRIX = Text(
    "矩阵中每一对的标记一起看；每卡条数与该型号的条数相同才算交换芯片",
    "All pairs of the matrix together; a switch only where the links per GPU equal the model's",
)
_PER_GPU = Text("每卡已激活的链路；没有逐条清单时取矩阵该行最大值",
                "Active links of each GPU; without a list of links, the largest number of its matrix row")  # fmt: skip
_NEAREST = Text("每卡到各网卡的最近一种路径", "The nearest kind of path from each GPU to any NIC")

METRICS = (
    row("gpu_interconnect_kind", "GPU 互联方式 | GPU interconnect", "enum same node",
        read(_MATRIX, "topo_link nvlink_links"),
        "矩阵里出现 NV# 不等于有 NVSwitch：桥接卡对也显示 NV# | "
        "NV# in the matrix does not prove an NVSwitch: a bridged pair shows it too"),
    row("nvlink_link_count", "NVLink 活动链路 | active NVLink links", "count more gpu 条",
        read(_PER_GPU, "nvlink_active nvlink_links"),
        "拓扑矩阵里的 NV# 是两卡之间的条数，在没有交换芯片的机型上不是每卡总数 | "
        "NV# is the number between two GPUs; without a switch it is not the card's total"),
    row("nvlink_inactive_count", "NVLink 未激活链路 | inactive NVLink links", "count less gpu 条",
        read(WORST, "nvlink_inactive"),
        "桥接卡本来就只用一部分链路 | Bridge cards use a part of their links by design"),
    row("nvlink_link_speed_mbs", "NVLink 单条速率 | rate of one NVLink link", "MB/s more gpu",
        read(WORST, "nvlink_rate"),
        "显示的是线路速率，比有效载荷高约 6 % | It is the raw rate, about 6 % above what carries data"),
    row("pcie_link_gen", "PCIe 链路代际 | PCIe generation in use", "count more gpu 代",
        read(WORST, "pcie_gen_current pcie_gen_max pcie_gen_host_max"),
        "空闲时会降代，须在拷贝进行时读取 | It drops when idle: read it while data is being copied"),
    row("pcie_link_width", "PCIe 链路宽度 | PCIe link width", "lanes more gpu 条", read(WORST, "pcie_width_current"),
        "宽度不随负载变化，x8 就是 x8；代际会在空闲时下降 | "
        "Width does not change with load, so x8 is real; the generation drops when idle"),
    row("gpu_nic_affinity", "GPU 到最近网卡的路径 | path from a GPU to its nearest NIC", "enum member gpu",
        read(_NEAREST, "nic_link"),
        "虚拟机里看到的拓扑可能不真实 | The topology shown to a virtual machine may not be real"),
    row("p2p_enabled", "GPU 间 P2P 直接访问 | GPU peer-to-peer access", "bool same node",
        read(ANY, "p2p_supported p2p_pairs"),
        "查询只说明驱动允许，真正的证明是拷贝测试 | The query only says the driver allows it; a copy is the proof"),
    row("acs_disabled", "PCIe ACS 已关闭 | PCIe ACS turned off", "bool same node", read(ANY, "acs_enabled_bridges"),
        "裸机上开着会使 RDMA 减半；虚拟机里关不掉 | "
        "Left on, it halves RDMA on bare metal; virtual machines cannot turn it off"),
    row("fabric_manager_active", "Fabric Manager 服务 | Fabric Manager service", "bool same node",
        read(AS_READ, "service_active"),
        "未运行时 NVSwitch 机型的 CUDA 程序起不来 | Without it CUDA programs on NVSwitch machines do not start"),
    row("same_leaf_or_spine", "机器间的交换机跳数 | switch hops between machines", "count less group 跳",
        none(NO_PARSER), "租户很少能看到交换机，只能请供方出示 | "
        "Tenants rarely see switches; the seller has to show it"),
)  # fmt: skip
