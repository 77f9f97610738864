"""Step 2: the machines, one group of equal machines at a time."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, above, number
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
FORM_FACTORS = {"SXM": Text("SXM", "SXM"), "OAM": Text("OAM", "OAM"), "PCIe": Text("PCIe", "PCIe")}
PCIE_GENERATIONS = {number_: Text(f"PCIe {number_}.0", f"PCIe {number_}.0") for number_ in (3, 4, 5, 6)}
DTYPES = {
    "bf16": Text("BF16", "BF16"),
    "fp16": Text("FP16", "FP16"),
    "tf32": Text("TF32", "TF32"),
    "fp8": Text("FP8", "FP8"),
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
            Text("性能和权限差别很大。", "Performance and privilege differ a lot."),
            Kind.CHOICE, choices=DELIVERY_FORMS, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "total_gpu_count_stated", Text("合同写明的 GPU 总数", "Total GPUs as stated"),
            Text("与各组相乘的结果互相核对。", "Checked against what the groups add up to."),
            Kind.WHOLE, unit="count", minimum=number(1), maximum=number(1_000_000),
        ),
        TermInfo(
            "name", Text("组名", "Group name"), Text("方便双方称呼。", "What both sides call it."),
            Kind.TEXT, Row.GROUP, length=60, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "node_count", Text("节点数", "Machines"), Text("逐台验收。", "Each machine is accepted by itself."),
            Kind.WHOLE, Row.GROUP, unit="count", minimum=number(1), maximum=number(10_000), vague=("若干", "several"),
            is_indispensable=True,
        ),
        TermInfo(
            "gpus_per_node", Text("单机 GPU 数", "GPUs per machine"),
            Text("一机 8 卡与两机各 4 卡不是一回事。", "Eight in one machine are not four in each of two."),
            Kind.WHOLE, Row.GROUP, unit="count", minimum=number(1), maximum=number(128),
            vague=("约", "按需", "as needed"), is_indispensable=True,
        ),
        TermInfo(
            "gpus_promised_in_one_machine", Text("承诺的单机卡数", "GPUs promised in one machine"),
            Text("防止整机被拆成两台。", "Keeps one machine from becoming two."),
            Kind.WHOLE, Row.GROUP, unit="count", minimum=number(1), maximum=number(128), vague=("整机",),
        ),
        TermInfo(
            "gpu_model", Text("GPU 型号", "GPU model"), Text("合同的核心标的。", "The subject matter of the contract."),
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
            "gpu_modified", Text("改装或刷写固件", "Modified hardware or firmware"),
            Text("改装卡没有原厂质保。", "Modified cards have no maker's warranty."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.OPTIONAL, default=False,
        ),
        TermInfo(
            "gpu_ecc_enabled", Text("ECC 开启", "ECC enabled"),
            Text("关闭后出错不会被发现。", "Without it errors pass unseen."),
            Kind.YES_NO, Row.GROUP,
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
            Kind.WHOLE, Row.GROUP, choices=PCIE_GENERATIONS, requirement=Requirement.OPTIONAL,
            minimum=number(3), maximum=number(6),
        ),
        TermInfo(
            "server_model", Text("整机品牌型号", "Server model"),
            Text("决定拓扑和备件。", "It fixes topology and spares."),
            Kind.TEXT, Row.GROUP, length=120, requirement=Requirement.OPTIONAL, vague=("品牌服务器",),
        ),
        TermInfo(
            "cpu_model", Text("CPU 型号", "CPU model"),
            Text("数据预处理常卡在 CPU。", "Preprocessing often waits for the CPU."),
            Kind.TEXT, Row.GROUP, length=120, requirement=Requirement.OPTIONAL, vague=("高性能 CPU",),
        ),
        TermInfo(
            "cpu_cores_per_node", Text("单机物理核数", "Physical cores per machine"),
            Text("按核计，不按线程计。", "Cores, not threads."),
            Kind.WHOLE, Row.GROUP, unit="count", minimum=number(1), maximum=number(4_096),
        ),
        TermInfo(
            "ram_gb_per_node", Text("单机内存", "RAM per machine"),
            Text("建议不少于显存总量。", "Rule of thumb: no less than all GPU memory together."),
            Kind.WHOLE, Row.GROUP, unit="GiB", minimum=number(1), maximum=number(65_536), vague=("可扩展",),
        ),
        TermInfo(
            "gemm_tflops_min", Text("单卡矩阵乘下限", "GEMM floor per GPU"),
            Text("能看出降频卡和假卡。", "It shows throttled and false cards."),
            Kind.DECIMAL, Row.GROUP, unit="TFLOPS", decimals=1, minimum=number("0.1"), maximum=number(100_000),
            requirement=Requirement.OPTIONAL, vague=("达到官方性能",),
        ),
        TermInfo(
            "gemm_dtype", Text("矩阵乘的数据类型", "GEMM data type"),
            Text("不写类型，数字没有意义。", "The number means nothing without it."),
            Kind.CHOICE, Row.GROUP, choices=DTYPES, requirement=Requirement.CONDITIONAL,
            conditions=above("gemm_tflops_min", 0),
        ),
        TermInfo(
            "gpu_serials_listed", Text("提供序列号清单", "Serial numbers listed"),
            Text("防止验收后换卡。", "Keeps cards from being swapped after acceptance."),
            Kind.YES_NO, Row.GROUP, requirement=Requirement.OPTIONAL,
        ),
    ),
)  # fmt: skip
