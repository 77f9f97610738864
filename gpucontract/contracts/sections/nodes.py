"""Step 2: the machines, one group of equal machines at a time."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, above, number, only
from gpucontract.wording import Text

WORKLOADS = {
    "training_critical": Text("关键训练", "critical training"),
    "training": Text("训练", "training"),
    "finetune": Text("微调", "fine-tuning"),
    "inference": Text("推理", "inference"),
    "render": Text("渲染", "rendering"),
}
DELIVERY_FORMS = {
    "bare_metal": Text("裸金属", "bare metal"),
    "vm_passthrough": Text("直通虚拟机", "VM with passthrough"),
    "container": Text("容器", "container"),
    "vgpu_mig": Text("vGPU 或 MIG 切分", "vGPU or MIG slice"),
}
FORM_FACTORS = {
    "SXM": Text("SXM", "SXM"),
    "OAM": Text("OAM", "OAM"),
    "PCIe": Text("PCIe", "PCIe"),
    "superchip": Text("超级芯片（与 CPU 同板）", "superchip (one board with its CPU)"),
}
PCIE_GENERATIONS = {number_: Text(f"PCIe {number_}.0", f"PCIe {number_}.0") for number_ in (3, 4, 5, 6)}
DTYPES = {
    "bf16": Text("BF16", "BF16"),
    "fp16": Text("FP16", "FP16"),
    "tf32": Text("TF32", "TF32"),
    "fp8": Text("FP8", "FP8"),
}

MEMORY_TYPES = {each: Text(each, each) for each in ("HBM2e", "HBM3", "HBM3e", "GDDR6", "GDDR6X", "GDDR7")}
AGES = {
    "new": Text("全新", "new"),
    "used<12m": Text("使用不满一年", "used for under a year"),
    "used": Text("使用一年以上", "used for a year or more"),
    "refurbished": Text("翻新", "refurbished"),
}
CLOCK_POLICIES = {
    "stock": Text("原厂默认", "as the maker sets it"),
    "locked": Text("锁定频率", "locked to one frequency"),
    "capped": Text("限制最高频率", "capped"),
}
POWER_SUPPLIES = {
    "N": Text("N，无冗余", "N, no spare"),
    "N+1": Text("N+1", "N+1"),
    "N+N": Text("N+N，双路", "N+N, two feeds"),
}
COOLING = {"air": Text("风冷", "air"), "liquid": Text("液冷", "liquid")}
SUBSTITUTIONS = {
    "none": Text("不得替换", "not allowed"),
    "same_sku": Text("只换同一型号", "the same model only"),
    "equal_or_better+consent": Text("同等或更好，经甲方书面同意", "equal or better, with the buyer's written consent"),
    "equivalent_without_consent": Text("同等性能即可，无需同意", "an equivalent, without consent"),
}

SECTION = Section(
    "nodes",
    Text("计算节点", "Compute nodes"),
    Text("相同的机器写成一组，不同的机器分组写。", "Equal machines form one group; give each other kind its own."),
    (
        TermInfo(
            "workload_profile", Text("业务负载", "Workload"),
            Text("决定检查的严格程度。", "It decides how strict the checks are."),
            Kind.CHOICE, choices=WORKLOADS,
        ),
        TermInfo(
            "delivery_form", Text("交付形态", "Delivery form"),
            Text(
                "性能和权限差别很大。训练多用裸金属，即整台机器。",
                "Performance and privilege differ a lot. Training mostly takes bare metal, whole machines.",
            ),
            Kind.CHOICE, choices=DELIVERY_FORMS, vague=("云主机形式",),
        ),
        TermInfo(
            "total_gpu_count_stated", Text("合同写明的 GPU 总数", "Total GPUs as stated"),
            Text(
                "抄合同正文写的总数，与各组相乘的结果互相核对。",
                "Copy it from the paper; it is checked against what the groups add up to.",
            ),
            Kind.WHOLE, unit="count", counted=Text("张 GPU", "GPUs"), minimum=number(1), maximum=number(1_000_000),
        ),
        TermInfo(
            "total_gpu_count", Text("GPU 总数（按各组相加）", "Total GPUs, added up over the groups"),
            Text("合同写明的总数应当等于它。", "The total that the paper states should equal it."),
            Kind.WHOLE, unit="count", counted=Text("张 GPU", "GPUs"),
            minimum=number(1), maximum=number(1_000_000), is_computed=True,
        ),
        TermInfo(
            "substitution_policy", Text("替换机型", "Substitution"),
            Text("防止用“同等性能”换掉约定的型号。", "It stops a swap for something merely called equivalent."),
            Kind.CHOICE, choices=SUBSTITUTIONS, vague=("同等或类似配置",),
        ),
        TermInfo(
            "name", Text("组名", "Group name"), Text("方便双方称呼。", "What both sides call it."),
            Kind.TEXT, Row.GROUP, length=60, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "node_count", Text("节点数", "Machines"),
            Text("这一组有几台机器；逐台验收。", "How many machines the group has; each is accepted by itself."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("台", "machines"),
            minimum=number(1), maximum=number(10_000), vague=("若干", "several"),
            is_indispensable=True,
        ),
        TermInfo(
            "gpus_per_node", Text("单机 GPU 数", "GPUs per machine"),
            Text("一机 8 卡与两机各 4 卡不是一回事。", "Eight in one machine are not four in each of two."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("张 GPU", "GPUs"), minimum=number(1), maximum=number(128),
            vague=("约", "按需", "as needed"), is_indispensable=True,
        ),
        TermInfo(
            "gpus_promised_in_one_machine", Text("承诺的单机卡数", "GPUs promised in one machine"),
            Text(
                "合同写“整机 8 卡”就写 8，防止一台被拆成两台。",
                "Where the paper says eight in one machine, write 8: it keeps one from becoming two.",
            ),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("张 GPU", "GPUs"),
            minimum=number(1), maximum=number(128), vague=("整机",),
        ),
        TermInfo(
            "gpu_model", Text("GPU 型号", "GPU model"),
            Text(
                "合同的核心标的，要写到版本，例如 H100 SXM5 80GB。",
                "The subject matter of the contract, down to the variant, such as H100 SXM5 80GB.",
            ),
            Kind.TEXT, Row.GROUP, length=80, vague=("H 系列", "同等性能", "equivalent"), is_indispensable=True,
        ),
        TermInfo(
            "gpu_form_factor", Text("GPU 封装", "Form factor"),
            Text("同名的 PCIe 版互联慢数倍。", "The PCIe card of the same name is linked several times slower."),
            Kind.CHOICE, Row.GROUP, choices=FORM_FACTORS,
        ),
        TermInfo(
            "gpu_memory_gb", Text("单卡显存", "Memory per GPU"),
            Text("区分 40 GB、80 GB 和改装卡。", "Tells 40 GB, 80 GB and modified cards apart."),
            Kind.WHOLE, Row.GROUP, unit="GB", minimum=number(1), maximum=number(2_000), vague=("大显存版",),
        ),
        TermInfo(
            "gpu_memory_type", Text("显存类型", "Memory type"),
            Text("显存带宽决定推理快慢。", "Memory bandwidth decides how fast inference is."),
            Kind.CHOICE, Row.GROUP, choices=MEMORY_TYPES, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "gpu_condition", Text("设备新旧", "Age of the machines"),
            Text("旧设备故障多，质保也短。", "Older machines fail more and have less warranty left."),
            Kind.CHOICE, Row.GROUP, choices=AGES, vague=("九成新",),
            printed=Text("设备新旧程度", "Age of the machines"),
        ),
        TermInfo(
            "gpu_modified", Text("改装或刷写固件", "Modified hardware or firmware"),
            Text("改装卡没有原厂质保。", "Modified cards have no maker's warranty."),
            Kind.YES_NO, Row.GROUP, default=False,
        ),
        TermInfo(
            "gpu_modified_warranty", Text("改装卡由谁保修", "Who repairs modified cards"),
            Text("原厂不管，坏了要有人换。", "The maker will not; somebody must."),
            Kind.TEXT, Row.GROUP, requirement=Requirement.CONDITIONAL, conditions=only("gpu_modified", True),
            vague=("质保", "有质保"),
            printed=Text("改装卡的保修责任方", "Party that repairs modified cards"),
        ),
        TermInfo(
            "gpu_ecc_enabled", Text("ECC 开启", "ECC enabled"),
            Text("关闭后出错不会被发现。", "Without it errors pass unseen."),
            Kind.YES_NO, Row.GROUP, vague=("默认",),
        ),
        TermInfo(
            "gpu_exclusive", Text("独占、不超售、不切分", "Exclusive, not shared or sliced"),
            Text("切分和分时会分走性能。", "Slicing and time-sharing take performance away."),
            Kind.YES_NO, Row.GROUP, vague=("资源有保障",),
        ),
        TermInfo(
            "gpu_power_limit_w", Text("单卡功耗上限不低于", "Power limit per GPU, at least"),
            Text("压低功耗就是压低性能。", "A lowered power limit is lowered performance."),
            Kind.WHOLE, Row.GROUP, unit="W", minimum=number(1), maximum=number(5_000), vague=("正常功耗",),
        ),
        TermInfo(
            "pcie_gen", Text("PCIe 代际", "PCIe generation"),
            Text("PCIe 机型互联的上限。", "It bounds machines that are linked by PCIe."),
            Kind.WHOLE, Row.GROUP, choices=PCIE_GENERATIONS, minimum=number(3), maximum=number(6),
        ),
        TermInfo(
            "gpu_clock_policy", Text("频率策略", "Clock policy"),
            Text("锁频和限频同样会慢。", "A locked or capped clock is slower too."),
            Kind.CHOICE, Row.GROUP, choices=CLOCK_POLICIES, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "gpu_clock_note", Text("频率说明", "Frequency and reason"),
            Text("写明锁在多少 MHz、为什么。", "Say which frequency, in MHz, and why."),
            Kind.TEXT, Row.GROUP, requirement=Requirement.CONDITIONAL,
            conditions=only("gpu_clock_policy", "locked", "capped"), is_seldom=True,
        ),
        TermInfo(
            "server_model", Text("整机品牌型号", "Server model"),
            Text(
                "决定拓扑和备件。例如 Supermicro SYS-821GE-TNHR。",
                "It fixes topology and spares. Such as Supermicro SYS-821GE-TNHR.",
            ),
            Kind.TEXT, Row.GROUP, length=120, vague=("品牌服务器",),
        ),
        TermInfo(
            "cpu_model", Text("CPU 型号", "CPU model"),
            Text(
                "数据预处理常卡在 CPU。例如 Xeon Platinum 8480。",
                "Preprocessing often waits for the CPU. Such as Xeon Platinum 8480.",
            ),
            Kind.TEXT, Row.GROUP, length=120, vague=("高性能 CPU",),
        ),
        TermInfo(
            "cpu_cores_per_node", Text("单机物理核数", "Physical cores per machine"),
            Text("按核计，不按线程计：两颗 56 核写 112。", "Cores, not threads: two of 56 cores are 112."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("核", "cores"), minimum=number(1), maximum=number(4_096),
        ),
        TermInfo(
            "ram_gb_per_node", Text("单机内存", "RAM per machine"),
            Text("建议不少于显存总量。", "Rule of thumb: no less than all GPU memory together."),
            Kind.WHOLE, Row.GROUP, unit="GiB", minimum=number(1), maximum=number(65_536), vague=("可扩展",),
        ),
        TermInfo(
            "ram_channels_full", Text("内存通道插满", "All memory channels populated"),
            Text("少插一半，带宽减半而不报错。", "Half populated, half the bandwidth, and no error."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "psu_redundancy", Text("电源冗余", "Redundant power supplies"),
            Text("一路断电时机器还能不能跑。", "Whether a machine outlives the loss of one feed."),
            Kind.CHOICE, Row.GROUP, choices=POWER_SUPPLIES, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "cooling_type", Text("散热方式", "Cooling"),
            Text("散不了热就会降频。", "A hot card slows itself down."),
            Kind.CHOICE, Row.GROUP, choices=COOLING, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "pcie_topology_map", Text("PCIe/NUMA 拓扑图（文件名或编号）", "PCIe and NUMA map (name of the file)"),
            Text("哪张卡挨着哪个网口，要看图。", "It shows which card sits next to which port."),
            Kind.TEXT, Row.GROUP, requirement=Requirement.CONDITIONAL, conditions=above("gpus_per_node", 3),
            vague=("标准拓扑",),
        ),
        TermInfo(
            "gemm_tflops_min", Text("单卡矩阵乘下限", "GEMM floor per GPU"),
            Text("能看出降频卡和假卡。", "It shows throttled and false cards."),
            Kind.DECIMAL, Row.GROUP, unit="TFLOPS", decimals=1, minimum=number("0.1"), maximum=number(100_000),
            vague=("达到官方性能",),
        ),
        TermInfo(
            "gemm_dtype", Text("矩阵乘的数据类型", "GEMM data type"),
            Text("不写类型，数字没有意义。", "The number means nothing without it."),
            Kind.CHOICE, Row.GROUP, choices=DTYPES, requirement=Requirement.CONDITIONAL,
            conditions=above("gemm_tflops_min", 0),
        ),
        TermInfo(
            "hbm_bw_min_gbs", Text("单卡显存带宽下限", "Memory bandwidth per GPU, at least"),
            Text("能认出缩水的型号。", "It shows a cut-down model."),
            Kind.DECIMAL, Row.GROUP, unit="GB/s", decimals=1, minimum=number("0.1"), maximum=number(100_000),
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "node_variance_max_pct", Text("机器之间性能差不超过", "Spread between machines, at most"),
            Text("最慢的一台拖住全部。", "The slowest machine holds all the others up."),
            Kind.DECIMAL, Row.GROUP, unit="%", decimals=2, minimum=number(0), maximum=number(100),
            requirement=Requirement.CONDITIONAL, conditions=above("node_count", 1), vague=("基本一致",),
        ),
        TermInfo(
            "spare_node_count", Text("热备机器数", "Hot spare machines"),
            Text("有备机，几分钟就能接着训练。", "With one at hand training goes on within minutes."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("台", "machines"),
            minimum=number(0), maximum=number(10_000),
            requirement=Requirement.CONDITIONAL, conditions=only("workload_profile", "training_critical"),
            vague=("有备机",),
        ),
        TermInfo(
            "gpu_serials_listed", Text("提供序列号清单", "Serial numbers listed"),
            Text("防止验收后换卡。", "Keeps cards from being swapped after acceptance."),
            Kind.YES_NO, Row.GROUP, vague=("到货后提供",),
        ),
    ),
)  # fmt: skip
