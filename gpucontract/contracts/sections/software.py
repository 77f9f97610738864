"""Step 5: the software stack on the machines and what the buyer may do there."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, above, number, only
from gpucontract.wording import Text

RUNTIMES = {
    "docker": Text("Docker + NVIDIA 运行时", "Docker with the NVIDIA runtime"),
    "containerd": Text("containerd", "containerd"),
    "enroot": Text("Enroot", "Enroot"),
    "apptainer": Text("Apptainer", "Apptainer"),
    "none": Text("无", "none"),
}
_LATEST = ("最新", "latest", "主流版本", "最新驱动")
SCHEDULERS = {
    "none": Text("无", "none"),
    "slurm": Text("Slurm", "Slurm"),
    "k8s": Text("Kubernetes", "Kubernetes"),
    "vendor": Text("乙方自研", "the vendor's own"),
}
BMC_ACCESS = {"none": Text("无", "none"), "readonly": Text("只读", "read only"), "full": Text("完全", "full")}
ACCESS_METHODS = {
    "ssh_public": Text("公网 SSH", "SSH over the internet"),
    "vpn": Text("VPN", "VPN"),
    "bastion": Text("堡垒机", "bastion host"),
    "private_line": Text("专线", "private line"),
}
CHANGE_CONTROLS = {
    "forbidden": Text("禁止", "forbidden"),
    "consent": Text("甲方同意后", "with the buyer's consent"),
    "notice_days": Text("提前通知后", "after notice"),
    "vendor_discretion": Text("乙方自行决定", "at the vendor's discretion"),
}
TELEMETRY = {
    "dcgm": Text("DCGM", "DCGM"),
    "node_exporter": Text("node_exporter", "node_exporter"),
    "switch": Text("交换机", "switches"),
    "none": Text("不开放", "none"),
}
MIRRORS = {
    "none": Text("无", "none"),
    "pip": Text("pip", "pip"),
    "apt": Text("apt", "apt"),
    "docker": Text("Docker", "Docker"),
    "full": Text("全部", "all of them"),
}

FRAMEWORK_COLUMNS = (
    TermInfo(
        "name", Text("框架", "Framework"), Text("写全名，例如 PyTorch。", "Its name, such as PyTorch."),
        Kind.TEXT, Row.CHILD, length=60, vague=("主流框架",),
    ),
    TermInfo(
        "version", Text("版本不低于", "Version, at least"), Text("代码要在这个版本上跑得通。", "Code must run on it."),
        Kind.TEXT, Row.CHILD, length=40, vague=_LATEST, shape="version",
    ),
)  # fmt: skip

SECTION = Section(
    "software",
    Text("软件栈与访问", "Software and access"),
    Text("写最低版本，不写“最新”。", "Give the lowest version, not “latest”."),
    (
        TermInfo(
            "os_version", Text("操作系统版本", "Operating system"),
            Text("驱动要与它匹配。例如 Ubuntu 22.04。", "Drivers must match it. Such as Ubuntu 22.04."),
            Kind.TEXT, length=80, vague=("Linux",),
        ),
        TermInfo(
            "driver_version", Text("GPU 驱动版本不低于", "GPU driver, at least"),
            Text("它决定能用哪个 CUDA。例如 550.54。", "It bounds the CUDA version. Such as 550.54."),
            Kind.TEXT, length=40, vague=_LATEST, shape="version",
        ),
        TermInfo(
            "cuda_version", Text("CUDA 版本不低于", "CUDA, at least"),
            Text("太旧不支持这一代 GPU。例如 12.4。", "Too old does not know this GPU generation. Such as 12.4."),
            Kind.TEXT, length=40, vague=_LATEST, shape="version",
        ),
        TermInfo(
            "cudnn_version", Text("cuDNN 版本不低于", "cuDNN, at least"),
            Text("与框架匹配。例如 9.1。", "It must match the framework. Such as 9.1."),
            Kind.TEXT, length=40, requirement=Requirement.OPTIONAL, is_seldom=True, vague=_LATEST, shape="version",
        ),
        TermInfo(
            "nccl_version", Text("NCCL 版本不低于", "NCCL, at least"),
            Text("测试要能复现。例如 2.20。", "Tests must be repeatable. Such as 2.20."),
            Kind.TEXT, length=40, requirement=Requirement.CONDITIONAL, conditions=above("gpus_per_node", 1),
            vague=_LATEST, shape="version",
        ),
        TermInfo(
            "fabric_manager", Text("Fabric Manager 运行", "Fabric Manager running"),
            Text("有 NVSwitch 的机器没有它不能用。", "Machines with NVSwitch do not work without it."),
            Kind.YES_NO, requirement=Requirement.CONDITIONAL, conditions=only("intra_link_type", "nvlink_nvswitch"),
        ),
        TermInfo(
            "framework_versions", Text("框架版本", "Framework versions"),
            Text("自己的代码要在上面跑得通。", "Your own code must run on them."),
            Kind.ROWS, columns=FRAMEWORK_COLUMNS, requirement=Requirement.OPTIONAL, vague=("主流框架",),
        ),
        TermInfo(
            "container_runtime", Text("容器运行时", "Container runtime"), Text("镜像要跑得起来。", "Images must run."),
            Kind.CHOICE, choices=RUNTIMES, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "root_access", Text("root 权限", "Root access"),
            Text("有它才能自己验收。", "It lets you test by yourself."),
            Kind.YES_NO, vague=("按需开放",),
        ),
        TermInfo(
            "install_allowed", Text("允许自行安装软件", "Own software may be installed"),
            Text("环境由自己决定。", "The environment is yours to shape."),
            Kind.YES_NO,
        ),
        TermInfo(
            "reinstall_allowed", Text("允许重装或换镜像", "Reinstalling is allowed"),
            Text("系统坏了可以自己恢复。", "A broken system can be rebuilt without waiting."),
            Kind.YES_NO, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "scheduler", Text("调度平台", "Scheduler"),
            Text("它停了算不算宕机，要说清。", "Say whether its outage counts as downtime."),
            Kind.CHOICE, choices=SCHEDULERS, vague=("自研平台",), requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "bmc_access", Text("BMC 带外权限", "BMC access"),
            Text("可以自己重启和看日志。", "Resets and logs without a ticket."),
            Kind.CHOICE, choices=BMC_ACCESS, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "access_method", Text("登录方式", "Way of access"),
            Text("可用性就在这个入口测。", "Availability is probed at this entrance."),
            Kind.MULTI, choices=ACCESS_METHODS,
        ),
        TermInfo(
            "change_control", Text("驱动与固件变更", "Driver and firmware changes"),
            Text("擅自升级会打断训练。", "Unannounced upgrades end running jobs."),
            Kind.CHOICE, choices=CHANGE_CONTROLS, vague=("优化升级",),
            printed_choices={
                "consent": Text("须经甲方同意", "with the buyer's consent"),
                "notice_days": Text("须提前通知", "after notice"),
            },
        ),
        TermInfo(
            "change_notice_days", Text("变更提前通知（天）", "Days of notice before a change"),
            Text("留出保存检查点的时间。", "Leaves time to save checkpoints."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), requirement=Requirement.CONDITIONAL,
            conditions=only("change_control", "notice_days"),
            printed=Text("变更提前通知", "Notice before a change"),
        ),
        TermInfo(
            "monitoring_access", Text("监控数据开放", "Telemetry opened to the buyer"),
            Text(
                "没有数据就无法索赔。DCGM 是 GPU 的监控数据。",
                "Claims need data. DCGM is the telemetry of the GPUs.",
            ),
            Kind.MULTI, choices=TELEMETRY, vague=("有监控平台",),
        ),
        TermInfo(
            "package_mirror", Text("内网镜像源", "Package mirror"),
            Text("没有外网也要能装依赖。", "Dependencies must install without internet."),
            Kind.CHOICE, choices=MIRRORS, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "clock_sync", Text("时钟同步（NTP 源）", "Time source (NTP)"),
            Text("日志时间一致才能举证。", "Logs prove something when clocks agree."),
            Kind.TEXT, length=120, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
    ),
)  # fmt: skip
