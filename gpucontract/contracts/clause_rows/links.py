"""Clauses about links: between the GPUs of a machine and between machines."""

from decimal import Decimal

from gpucontract.contracts.clause_rows import conditions
from gpucontract.contracts.clause_rows.row import ClauseRow, Per
from gpucontract.contracts.clauses import Operator, Scope
from gpucontract.contracts.sections.interconnect import NVLINKS
from gpucontract.contracts.sections.term import above, only
from gpucontract.wording import Text

_SEVERAL_NODES = above("node_count", 1)
_SEVERAL_GPUS = above("gpus_per_node", 1)

INSIDE = (
    ClauseRow(
        "interconnect", "kind", Per.GROUP,
        Text("同一台机器内的 GPU 通过 {value} 互联", "The GPUs of a machine are linked by {value}"),
        ("intra_link_type",), unit="enum", metric="gpu_interconnect_kind", scope=Scope.NODE, jobs=("topology",),
        conditions=conditions.links,
    ),
    ClauseRow(
        "interconnect", "links_per_gpu", Per.GROUP,
        Text("每张 GPU 的 NVLink 活动链路数 ≥ {value}", "Each GPU has at least {value} active NVLink links"),
        ("nvlink_active_links_min",), Operator.AT_LEAST, "count", metric="nvlink_link_count", scope=Scope.GPU,
        jobs=("topology",), when=only("intra_link_type", *NVLINKS), conditions=conditions.links,
    ),
    ClauseRow(
        "interconnect", "inactive_links", Per.GROUP,
        Text("每张 GPU 都没有未激活的 NVLink 链路", "No GPU has an inactive NVLink link"),
        operator=Operator.AT_MOST, unit="count", fixed=Decimal(0), metric="nvlink_inactive_count", scope=Scope.GPU,
        jobs=("topology",), when=only("intra_link_type", "nvlink_nvswitch", "nvlink_mesh"),
    ),
    ClauseRow(
        "interconnect", "p2p", Per.GROUP,
        Text("同一台机器内任意两张 GPU 之间可以 P2P 直接访问",
             "Any two GPUs of a machine reach each other directly, peer to peer"),
        ("p2p_enabled",), unit="bool", metric="p2p_enabled", scope=Scope.NODE, jobs=("topology",),
    ),
    ClauseRow(
        "interconnect", "pcie_width", Per.GROUP,
        Text("每张 GPU 的 PCIe 链路宽度 ≥ x{value}", "The PCIe link of each GPU is at least x{value} wide"),
        operator=Operator.AT_LEAST, unit="lanes", fixed=Decimal(16), metric="pcie_link_width", scope=Scope.GPU,
        jobs=("inventory",),
    ),
    ClauseRow(
        "interconnect", "busbw_intra", Per.GROUP,
        Text("单机 {ranks} 张 GPU 的 {collective} 总线带宽（busbw，消息 {size}）≥ {value} GB/s",
             "The {collective} bus bandwidth (busbw, {size} messages) of the {ranks} GPUs of one machine is at least "
             "{value} GB/s"),
        ("intra_busbw_min", "intra_busbw_msg_size", "busbw_placement", "nccl_env_allowed"),
        Operator.AT_LEAST, "GB/s", metric="nccl_allreduce_busbw_intra", scope=Scope.NODE, jobs=("nccl_intra",),
        when=_SEVERAL_GPUS, conditions=conditions.intra_run, qualifier="size", is_rate=True,
    ),
)  # fmt: skip

BETWEEN = (
    ClauseRow(
        "interconnect", "fabric_type", Per.GROUP,
        Text("机器之间通过 {value} 通信", "The machines talk to each other over {value}"),
        ("inter_fabric_type",), unit="enum", metric="nccl_transport", scope=Scope.NODE, jobs=("nccl_inter", "fabric"),
        when=_SEVERAL_NODES, conditions=conditions.fabric,
    ),
    ClauseRow(
        "interconnect", "nic_count", Per.GROUP,
        Text("每台机器可用的计算网端口 ≥ {value} 个", "Each machine has at least {value} usable compute network ports"),
        ("nics_per_node",), Operator.AT_LEAST, "count", metric="nic_count", scope=Scope.NODE, jobs=("fabric",),
        when=_SEVERAL_NODES, conditions=conditions.ports,
    ),
    ClauseRow(
        "interconnect", "port_rate", Per.GROUP,
        Text("每个计算网端口的速率 ≥ {value} Gb/s", "Each compute network port runs at {value} Gb/s at least"),
        ("inter_port_gbps",), Operator.AT_LEAST, "Gb/s", metric="ib_port_rate_gbps", scope=Scope.PORT,
        jobs=("fabric",), when=_SEVERAL_NODES, conditions=conditions.port_rate,
    ),
    ClauseRow(
        "interconnect", "gdr", Per.GROUP,
        Text("机器之间的通信使用 GPUDirect RDMA", "Traffic between machines uses GPUDirect RDMA"),
        ("gpudirect_rdma",), unit="bool", metric="peermem_or_dmabuf", scope=Scope.NODE, jobs=("nccl_inter",),
        when=_SEVERAL_NODES,
    ),
    ClauseRow(
        "interconnect", "gpu_nic_affinity", Per.GROUP,
        Text("每张 GPU 到最近网卡的路径为 {value}", "The path from each GPU to its nearest NIC is {value}"),
        operator=Operator.IN, unit="enum", fixed=("PIX", "PXB"), metric="gpu_nic_affinity", scope=Scope.GPU,
        jobs=("topology",), when=only("fabric_topology", "rail_optimized"),
    ),
    ClauseRow(
        "interconnect", "rdma_bw", Per.GROUP,
        Text("每个计算网端口的 RDMA 写带宽 ≥ {value} Gb/s",
             "RDMA writes through each compute network port reach {value} Gb/s at least"),
        ("rdma_bw_min_gbps",), Operator.AT_LEAST, "Gb/s", metric="ib_write_bw_gbps", scope=Scope.PORT,
        jobs=("rdma_pairs",), conditions=conditions.rdma_write, is_rate=True,
    ),
    ClauseRow(
        "interconnect", "busbw_inter", Per.GROUP,
        Text("{hosts} 台机器共 {ranks} 张 GPU 的 {collective} 总线带宽（busbw，消息 {size}）≥ {value} GB/s",
             "The {collective} bus bandwidth (busbw, {size} messages) of {ranks} GPUs in {hosts} machines is at least "
             "{value} GB/s"),
        ("inter_busbw_min", "inter_test_nodes", "inter_test_collective", "intra_busbw_msg_size"),
        Operator.AT_LEAST, "GB/s", metric="nccl_busbw_inter", scope=Scope.GROUP, jobs=("nccl_inter",),
        when=_SEVERAL_NODES, conditions=conditions.inter_run, qualifier="size", is_rate=True,
    ),
)  # fmt: skip

RESULTS = (
    ClauseRow(
        "acceptance", "wrong_results_intra", Per.GROUP,
        Text("单机集合通信的结果没有错误", "Collectives inside one machine give no wrong result"),
        unit="count", fixed=Decimal(0), metric="nccl_wrong_count", scope=Scope.NODE, jobs=("nccl_intra",),
        when=_SEVERAL_GPUS, conditions=conditions.intra_check,
    ),
    ClauseRow(
        "acceptance", "wrong_results_inter", Per.GROUP,
        Text("多机集合通信的结果没有错误", "Collectives across machines give no wrong result"),
        unit="count", fixed=Decimal(0), metric="nccl_wrong_count", scope=Scope.GROUP, jobs=("nccl_inter",),
        when=_SEVERAL_NODES, conditions=conditions.inter_check,
    ),
    ClauseRow(
        "acceptance", "burn_in_hours", Per.GROUP,
        Text("每台机器连续压测且无故障 ≥ {value} 小时",
             "Each machine runs under load for {value} hours without a fault"),
        ("acceptance_burnin_hours",), Operator.AT_LEAST, "h", metric="burn_in_hours", scope=Scope.NODE,
        jobs=("burn_in",), conditions=conditions.whole_load,
    ),
    ClauseRow(
        "acceptance", "burn_in_interrupts", Per.GROUP,
        Text("压测期间因乙方原因中断 ≤ {value} 次", "Interrupts of the burn-in by the vendor: at most {value}"),
        operator=Operator.AT_MOST, unit="count", fixed=conditions.permitted_interrupts,
        metric="interrupts_per_1000_gpu_days", scope=Scope.GROUP, jobs=("burn_in",),
        when=above("acceptance_burnin_hours", 0), conditions=conditions.burn_in,
    ),
)  # fmt: skip
