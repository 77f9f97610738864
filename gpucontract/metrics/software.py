"""F: versions, services and access."""

from __future__ import annotations

from gpucontract.metrics.metric import AS_READ, NO_PARSER, none, read, row
from gpucontract.wording import Text

_DOCKER = Text("docker 应答，且登记了 NVIDIA 运行时", "docker answers and the NVIDIA runtime is registered")
_LOGIN = Text("测试进程的用户为 0，且由登录而来", "The test's user is 0 and came from a login")
_LOG = Text("日志中各机器是否写明使用 GPUDirect", "Whether the log says of each machine that GPUDirect is used")
_OFFSET = Text("时间偏差的绝对值", "The absolute value of the offset")

METRICS = (
    row("driver_version", "GPU 驱动版本 | GPU driver version", "version more node", read(AS_READ, "driver_version"),
        "按版本号比较，不按字母 | Compared as versions, not as letters"),
    row("cuda_driver_version", "驱动支持的最高 CUDA 版本 | newest CUDA version the driver supports",
        "version more node", read(AS_READ, "cuda_driver_version"),
        "它不是已安装的工具包版本 | It is not the toolkit that is installed"),
    row("cuda_toolkit_version", "CUDA 工具包版本 | CUDA toolkit version", "version more node",
        read(AS_READ, "cuda_toolkit_version"),
        "驱动显示的 CUDA 版本是支持上限，不是已安装的版本 | "
        "The CUDA version the driver shows is the newest it supports, not what is installed"),
    row("nccl_version", "NCCL 版本 | NCCL version", "version more node", read(AS_READ, "nccl_version"),
        "容器内外的版本可能不同 | The container's version may differ from the host's"),
    row("cudnn_version", "cuDNN 版本 | cuDNN version", "version more node", read(AS_READ, "cudnn_version"),
        "磁盘上的文件不等于 PyTorch 实际使用的版本 | Files on disk are not what PyTorch uses"),
    row("torch_version", "PyTorch 版本 | PyTorch version", "version member node", read(AS_READ, "pytorch_version"),
        "版本号后的 +cu124 是编译时的 CUDA，不是机器上的 | "
        "The +cu124 behind it is the CUDA it was built with, not the machine's"),
    row("os_release", "操作系统 | operating system", "text member node",
        read(AS_READ, "os_name os_version_id os_pretty_name"),
        "容器里看到的可能不是宿主机的系统 | Inside a container this may not be the host's system"),
    row("kernel_version", "内核版本 | kernel version", "version member node", none(NO_PARSER),
        "自动更新后重启会换内核，驱动随之失配 | "
        "An update and a restart change it, and the driver no longer fits"),
    row("ofed_version", "RDMA 驱动包版本 | RDMA driver package version", "version member node",
        read(AS_READ, "ofed_version"),
        "系统自带的驱动没有这个命令，没有不等于坏 | "
        "The distribution's own driver lacks this tool; absent is not broken"),
    row("nic_firmware_version", "网卡固件版本 | NIC firmware version", "version same port", none(NO_PARSER),
        "版本混杂比版本旧更常引起问题 | Mixed versions cause trouble more often than old ones"),
    row("peermem_or_dmabuf", "GPUDirect RDMA | GPUDirect RDMA", "bool same node", read(_LOG, "gdr network"),
        "走 TCP 的运行说明不了 GPUDirect | A run over TCP says nothing about GPUDirect"),
    row("root_access", "root 权限 | root access", "bool same node", read(_LOGIN, "uid login_uid"),
        "服务以 root 运行不能证明租户有 root | A service that runs as root proves nothing about the tenant"),
    row("container_runtime", "容器运行时 | container runtime", "enum same node",
        read(_DOCKER, "docker_available nvidia_runtime"),
        "没有权限查询不等于没有安装 | Permission denied is not the same as not installed"),
    row("scheduler_version", "调度系统版本 | scheduler version", "version member contract",
        read(AS_READ, "slurm_version kubernetes_server_version"),
        "客户端版本不是集群的版本 | The client's version is not the cluster's"),
    row("config_drift_count", "机器之间不同的设置 | settings that differ between machines", "count less group 项",
        none(NO_PARSER), "条款须写明比较哪些设置 | The clause must list which settings are compared"),
    row("time_offset_ms", "时钟偏差 | clock offset", "ms less node", read(_OFFSET, "time_offset time_synchronised"),
        "未同步的机器其日志时间不能作证据 | Log times of a machine out of step are no evidence"),
)  # fmt: skip
