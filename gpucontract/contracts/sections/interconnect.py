"""Step 3: how the GPUs of a machine are linked, and how the machines are."""

from gpucontract.contracts.sections.term import (
    Kind,
    Requirement,
    Row,
    Section,
    TermInfo,
    above,
    number,
    only,
    parted,
)
from gpucontract.wording import Text

INTRA_LINKS = {
    "nvlink_nvswitch": Text("NVLink + NVSwitch", "NVLink with NVSwitch"),
    "nvlink_bridge": Text("NVLink 桥接", "NVLink bridge"),
    "nvlink_mesh": Text("NVLink 直连网", "NVLink mesh"),
    "pcie_switch": Text("PCIe 交换", "PCIe switch"),
    "pcie_root": Text("PCIe 根端口", "PCIe root ports"),
    "other": Text("其他", "other"),
}
NVLINKS = ("nvlink_nvswitch", "nvlink_bridge", "nvlink_mesh")
NVLINK_GENERATIONS = {each: Text(f"NVLink {each}", f"NVLink {each}") for each in (2, 3, 4, 5)}
CONVENTIONS = {
    "bidirectional_sum": Text("双向之和", "both directions together"),
    "per_direction": Text("单向", "one direction"),
}
MESSAGE_SIZES = {"128MiB": Text("128 MiB", "128 MiB"), "1GiB": Text("1 GiB", "1 GiB"), "8GiB": Text("8 GiB", "8 GiB")}
PLACEMENTS = {"out_of_place": Text("out-of-place 列", "out of place"), "in_place": Text("in-place 列", "in place")}
NCCL_SETTINGS = {
    each: Text(each, each)
    for each in (
        "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "NCCL_IB_TC", "NCCL_SOCKET_IFNAME",
        "NCCL_ALGO",
    )
}  # fmt: skip
NCCL_DEFAULTS = tuple(each for each in NCCL_SETTINGS if each != "NCCL_ALGO")
FABRICS = {
    "infiniband": Text("InfiniBand", "InfiniBand"),
    "rocev2": Text("RoCE v2", "RoCE v2"),
    "ethernet_tcp": Text("以太网 TCP", "Ethernet with TCP"),
    "none": Text("无", "none"),
}
PORT_RATES = {rate: Text(f"{rate} Gb/s", f"{rate} Gb/s") for rate in (10, 25, 40, 50, 100, 200, 400, 800)}
OVERSUBSCRIPTIONS = {
    "1:1": Text("1:1 无收敛", "1:1, none"),
    "2:1": Text("2:1", "2:1"),
    "4:1": Text("4:1", "4:1"),
    "other": Text("其他", "other"),
}
TOPOLOGIES = {
    "rail_optimized": Text("轨道优化", "rail-optimised"),
    "fat_tree": Text("胖树", "fat tree"),
    "dragonfly": Text("Dragonfly", "Dragonfly"),
    "single_switch": Text("单台交换机", "single switch"),
}
LOSSLESS = {"PFC": Text("PFC", "PFC"), "ECN": Text("ECN", "ECN"), "DCQCN": Text("DCQCN", "DCQCN")}
COLLECTIVES = {
    "all_gather": Text("all_gather", "all_gather"),
    "all_reduce_ring": Text("all_reduce（环算法）", "all_reduce with the ring algorithm"),
    "all_reduce": Text("all_reduce", "all_reduce"),
}
_NVLINK = only("intra_link_type", *NVLINKS)
_SEVERAL = above("node_count", 1)
_RDMA = only("inter_fabric_type", "infiniband", "rocev2")

SECTION = Section(
    "interconnect",
    Text("机内与机间互联", "Links within and between machines"),
    Text(
        "训练快不快，多半由这一步决定。问哪些，取决于“计算节点”里的台数和卡数。",
        "Whether training is fast is mostly decided here. What is asked depends on the machines in “Compute nodes”.",
    ),
    (
        TermInfo(
            "intra_link_type", Text("机内互联类型", "Links within a machine"),
            Text("决定张量并行能否使用。", "It decides whether tensor parallelism works."),
            Kind.CHOICE, Row.GROUP, choices=INTRA_LINKS, vague=("高速互联",),
        ),
        TermInfo(
            "nvlink_generation", Text("NVLink 代际", "NVLink generation"),
            Text("代际不同，带宽差数倍。", "Bandwidth differs several times between generations."),
            Kind.WHOLE, Row.GROUP, choices=NVLINK_GENERATIONS, requirement=Requirement.CONDITIONAL,
            conditions=_NVLINK, minimum=number(2), maximum=number(5),
        ),
        TermInfo(
            "nvlink_bw_gbs", Text("单卡 NVLink 总带宽", "NVLink bandwidth per GPU"),
            Text("区分 900 与 400 的版本。", "Tells 900 from 400 variants."),
            Kind.WHOLE, Row.GROUP, unit="GB/s", minimum=number(1), maximum=number(20_000),
            requirement=Requirement.CONDITIONAL, conditions=_NVLINK,
        ),
        TermInfo(
            "nvlink_bw_convention", Text("带宽口径", "Bandwidth convention"),
            Text("厂商写的是双向之和，不写口径会差一倍。", "Datasheets add both directions: a factor of two."),
            Kind.CHOICE, Row.GROUP, choices=CONVENTIONS, requirement=Requirement.CONDITIONAL, conditions=_NVLINK,
        ),
        TermInfo(
            "nvlink_active_links_min", Text("单卡活动链路数下限", "Active links per GPU, at least"),
            Text("链路掉了不会报错。", "A lost link raises no error."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("条", "links"), minimum=number(1), maximum=number(72),
            requirement=Requirement.OPTIONAL, conditions=_NVLINK,
        ),
        TermInfo(
            "nvlink_all_pairs", Text("任意两卡 NVLink 直达", "NVLink between all pairs"),
            Text("桥接只连成对的卡。", "A bridge joins pairs only."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.CONDITIONAL, conditions=_NVLINK,
        ),
        TermInfo(
            "p2p_enabled", Text("GPU 之间 P2P 可用", "P2P between GPUs enabled"),
            Text("部分驱动和消费卡关闭了它。", "Some drivers and consumer cards switch it off."),
            Kind.YES_NO, Row.GROUP,
        ),
        TermInfo(
            "intra_busbw_min", Text("机内 all_reduce busbw 下限", "all_reduce busbw within a machine, at least"),
            Text(
                "一台机器里各卡互相通信的实测速度；一般采用建议值。",
                "The measured speed at which the GPUs of a machine talk; mostly the proposed value is taken.",
            ),
            Kind.DECIMAL, Row.GROUP, unit="GB/s", decimals=2, minimum=number("0.01"), maximum=number(20_000),
            requirement=Requirement.CONDITIONAL, conditions=above("gpus_per_node", 1), vague=("满足 NCCL 要求",),
        ),
        TermInfo(
            "intra_busbw_msg_size", Text("测试消息大小", "Message size of the tests"),
            Text("消息太小，测不出带宽。一般选 8 GiB。", "Small messages do not show bandwidth. Mostly 8 GiB."),
            Kind.CHOICE, Row.GROUP, choices=MESSAGE_SIZES, requirement=Requirement.CONDITIONAL,
            conditions=above("intra_busbw_min", 0), default="8GiB",
            printed_choices=parted(MESSAGE_SIZES),
        ),
        TermInfo(
            "busbw_placement", Text("取哪一列", "Which column counts"),
            Text(
                "测试结果有两列，数值不同，要说定看哪一列。一般不改。",
                "Results come in two columns that differ: say which counts. Mostly left as it is.",
            ),
            Kind.CHOICE, Row.GROUP, choices=PLACEMENTS, requirement=Requirement.OPTIONAL, default="out_of_place",
            printed=Text("busbw 的取值列", "Column of busbw that counts"),
        ),
        TermInfo(
            "nccl_env_allowed", Text("测试允许的环境变量", "Environment allowed in the tests"),
            Text(
                "环境变量能改变结果，只许用勾选的。一般不改。",
                "They change results, so only those ticked may be used. Mostly left as they are.",
            ),
            Kind.MULTI, Row.GROUP, choices=NCCL_SETTINGS, requirement=Requirement.OPTIONAL, default=NCCL_DEFAULTS,
        ),
        TermInfo(
            "inter_fabric_type", Text("机间网络类型", "Network between machines"),
            Text("决定多机效率。", "It decides how well several machines work together."),
            Kind.CHOICE, Row.GROUP, choices=FABRICS, requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
            vague=("RDMA 网络", "高速网"),
        ),
        TermInfo(
            "nics_per_node", Text("单机计算网口数", "Compute ports per machine"),
            Text("一个 400G 口不等于八个。", "One 400G port is not eight."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("口", "ports"), minimum=number(1), maximum=number(64),
            requirement=Requirement.CONDITIONAL, conditions=_SEVERAL, vague=("400G 网络",),
        ),
        TermInfo(
            "inter_port_gbps", Text("单口速率", "Port rate"), Text("每个口都要达到。", "Each port must reach it."),
            Kind.WHOLE, Row.GROUP, unit="Gb/s", choices=PORT_RATES, minimum=number(10), maximum=number(800),
            requirement=Requirement.CONDITIONAL, conditions=_SEVERAL, vague=("万兆以上",),
        ),
        TermInfo(
            "inter_node_gbps_stated", Text("合同写明的单机网络带宽", "Bandwidth per machine as stated"),
            Text("与口数乘速率互相核对。", "Checked against ports times rate."),
            Kind.WHOLE, Row.GROUP, unit="Gb/s", minimum=number(1), maximum=number(51_200),
            requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
        ),
        TermInfo(
            "inter_node_gbps", Text("单机网络带宽（口数乘速率）", "Bandwidth per machine, ports times rate"),
            Text("合同写明的带宽应当等于它。", "The bandwidth that the paper states should equal it."),
            Kind.WHOLE, Row.GROUP, unit="Gb/s", minimum=number(1), maximum=number(51_200), is_computed=True,
        ),
        TermInfo(
            "nic_model", Text("网卡型号", "Network card model"),
            Text(
                "同速率的卡，功能差别很大。例如 ConnectX-7。",
                "Cards of one rate differ in what they can do. Such as ConnectX-7.",
            ),
            Kind.TEXT, Row.GROUP, length=120, requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
        ),
        TermInfo(
            "oversubscription", Text("收敛比", "Oversubscription"),
            Text("有收敛，一起通信时速率减半。", "With it, rates halve when all talk at once."),
            Kind.CHOICE, Row.GROUP, choices=OVERSUBSCRIPTIONS, requirement=Requirement.CONDITIONAL,
            conditions=_SEVERAL, vague=("无阻塞架构",),
        ),
        TermInfo(
            "fabric_topology", Text("网络拓扑", "Topology"),
            Text("网卡与 GPU 的对应关系由它决定。", "It says which port serves which GPU."),
            Kind.CHOICE, Row.GROUP, choices=TOPOLOGIES, requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
        ),
        TermInfo(
            "fabric_dedicated", Text("计算网不与存储和业务混用", "Compute network kept apart from storage and others"),
            Text("混在一起会互相堵。", "Mixed traffic gets in its own way."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
        ),
        TermInfo(
            "gpudirect_rdma", Text("GPUDirect RDMA", "GPUDirect RDMA"),
            Text("没有它，带宽可能腰斩。", "Without it bandwidth may halve."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.CONDITIONAL, conditions=_RDMA,
        ),
        TermInfo(
            "roce_lossless", Text("RoCE 无损配置", "Lossless RoCE settings"),
            Text("丢一个包要重传一整窗。", "One lost packet replays a window."),
            Kind.MULTI, Row.GROUP, choices=LOSSLESS, requirement=Requirement.CONDITIONAL,
            conditions=only("inter_fabric_type", "rocev2"), vague=("已优化",),
        ),
        TermInfo(
            "roce_loss_max_ppm", Text("RDMA 丢包上限", "RDMA packet loss, at most"),
            Text(
                "ppm 是百万分之一；丢百万分之几就会拖垮带宽。",
                "Parts per million: a few are enough to break bandwidth.",
            ),
            Kind.DECIMAL, Row.GROUP, unit="ppm", decimals=3, minimum=number(0), maximum=number(1_000_000),
            requirement=Requirement.CONDITIONAL, conditions=only("inter_fabric_type", "rocev2"),
            vague=("基本无丢包",),
        ),
        TermInfo(
            "ib_sharp", Text("在网计算 SHARP", "In-network reduction"),
            Text("它会改变 busbw 的上限。", "It moves the ceiling of busbw."),
            Kind.YES_NO, Row.GROUP,
            requirement=Requirement.OPTIONAL, conditions=only("inter_fabric_type", "infiniband"),
        ),
        TermInfo(
            "rdma_bw_min_gbps", Text("点对点 RDMA 带宽下限", "Point-to-point RDMA bandwidth, at least"),
            Text("能找出坏口。", "It finds bad ports."),
            Kind.DECIMAL, Row.GROUP, unit="Gb/s", decimals=2, minimum=number("0.01"), maximum=number(1_600),
            requirement=Requirement.OPTIONAL, conditions=_RDMA,
        ),
        TermInfo(
            "rdma_latency_max_us", Text("RDMA 时延上限", "RDMA latency, at most"),
            Text("时延高，说明机器不在一处。", "A long one shows machines on different sites."),
            Kind.DECIMAL, Row.GROUP, unit="µs", decimals=2, minimum=number("0.01"), maximum=number(1_000_000),
            requirement=Requirement.OPTIONAL, conditions=_RDMA, is_seldom=True, vague=("低时延",),
        ),
        TermInfo(
            "link_error_policy", Text("误码与闪断怎么办", "What follows link errors and flaps"),
            Text("链路慢了却不算宕机，要另外约定。", "A slow link is not down, so it needs its own term."),
            Kind.TEXT, Row.GROUP, length=300, requirement=Requirement.OPTIONAL, vague=("及时处理",),
            printed=Text("误码与闪断的处理", "Handling of link errors and flaps"),
        ),
        TermInfo(
            "inter_busbw_min", Text("机间 busbw 下限", "busbw between machines, at least"),
            Text(
                "多台机器互相通信的实测速度；一般采用建议值。",
                "The measured speed at which machines talk; mostly the proposed value is taken.",
            ),
            Kind.DECIMAL, Row.GROUP, unit="GB/s", decimals=2, minimum=number("0.01"), maximum=number(6_400),
            requirement=Requirement.CONDITIONAL, conditions=_SEVERAL, vague=("不低于 90%",),
        ),
        TermInfo(
            "inter_test_nodes", Text("机间测试的机器数", "Machines in the test"),
            Text("两台达标不等于全部达标。", "Two machines do not stand for all."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("台", "machines"),
            minimum=number(2), maximum=number(10_000),
            requirement=Requirement.CONDITIONAL, conditions=_SEVERAL, vague=("抽测两台",),
        ),
        TermInfo(
            "inter_test_collective", Text("机间测试的集合通信", "Collective of the test"),
            Text("两台机器的 all_reduce 会虚高。", "On two machines all_reduce overstates."),
            Kind.CHOICE, Row.GROUP, choices=COLLECTIVES, requirement=Requirement.CONDITIONAL, conditions=_SEVERAL,
        ),
    ),
)  # fmt: skip
