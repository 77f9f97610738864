"""Step 5: the software stack on the machines and what the buyer may do there."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo
from gpucontract.wording import Text

RUNTIMES = {
    "docker": Text("Docker + NVIDIA 运行时", "Docker with the NVIDIA runtime"),
    "containerd": Text("containerd", "containerd"),
    "enroot": Text("Enroot", "Enroot"),
    "apptainer": Text("Apptainer", "Apptainer"),
    "none": Text("无", "none"),
}
_LATEST = ("最新", "latest", "主流版本", "最新驱动")

SECTION = Section(
    "software",
    Text("软件栈与访问", "Software and access"),
    Text("写最低版本，不写“最新”。", "Give the lowest version, not “latest”."),
    (
        TermInfo(
            "os_version", Text("操作系统版本", "Operating system"), Text("驱动要与它匹配。", "Drivers must match it."),
            Kind.TEXT, length=80, vague=("Linux",),
        ),
        TermInfo(
            "driver_version", Text("GPU 驱动版本不低于", "GPU driver, at least"),
            Text("它决定能用哪个 CUDA。", "It bounds the CUDA version."),
            Kind.TEXT, length=40, vague=_LATEST,
        ),
        TermInfo(
            "cuda_version", Text("CUDA 版本不低于", "CUDA, at least"),
            Text("太旧不支持这一代 GPU。", "Too old does not know this GPU generation."),
            Kind.TEXT, length=40, vague=_LATEST,
        ),
        TermInfo(
            "cudnn_version", Text("cuDNN 版本不低于", "cuDNN, at least"),
            Text("与框架匹配。", "It must match the framework."),
            Kind.TEXT, length=40, requirement=Requirement.OPTIONAL, vague=_LATEST,
        ),
        TermInfo(
            "nccl_version", Text("NCCL 版本不低于", "NCCL, at least"),
            Text("测试要能复现。", "Tests must be repeatable."),
            Kind.TEXT, length=40, requirement=Requirement.OPTIONAL, vague=_LATEST,
        ),
        TermInfo(
            "fabric_manager", Text("Fabric Manager 运行", "Fabric Manager running"),
            Text("NVSwitch 机器没有它不能用。", "NVSwitch machines do not work without it."),
            Kind.YES_NO, requirement=Requirement.OPTIONAL,
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
    ),
)  # fmt: skip
