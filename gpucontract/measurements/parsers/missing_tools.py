"""A shell's words for a command that is not there: which tool is meant, and what brings it."""

from __future__ import annotations

import re

from gpucontract.wording import Text

_NAME = r"(?P<{}>[\w./+-]{{1,120}})"
_NOT_FOUND = r"(?:command not found|not found|未找到命令|No such file or directory|没有那个文件或目录)"
_SHELL = r"-?(?:/bin/|/usr/bin/)?(?:ba|z|da|k|fi)?sh"
# What bash, dash, zsh, fish, env and Ubuntu's helper print, alone or with a hint under it.
_COMPLAINTS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^(?:{_SHELL}[:：] ?)(?:(?:line |第 ?)?[0-9]+(?: ?行)?[:：] ?)?{_NAME.format('said')}[:：] ?{_NOT_FOUND}$",
        rf"^{_NAME.format('alone')}[:：] ?(?:command not found|未找到命令)$",
        rf"^{_SHELL}: command not found: {_NAME.format('zsh')}$",
        rf"^fish: Unknown command:? {_NAME.format('fish')}$",
        rf"^env: ['‘“]?{_NAME.format('env')}['’”]?: No such file or directory$",
        rf"^Command '{_NAME.format('ubuntu')}' not found",
    )
)
_COLLECTIVES = re.compile(r"[a-z_]{1,40}_perf")
_PERFTEST = re.compile(r"ib_[a-z]{1,10}_(?:bw|lat)")
# What to install, by the name of the command; names of packages are the same in every language.
_COMES_WITH = {
    "nvidia-smi": Text("NVIDIA 驱动", "the NVIDIA driver"),
    "nvcc": Text("CUDA 工具包（cuda-toolkit）", "the CUDA toolkit (cuda-toolkit)"),
    "nvbandwidth": Text("NVIDIA 的 nvbandwidth（从源码编译）", "NVIDIA's nvbandwidth, built from source"),
    "p2pBandwidthLatencyTest": Text("CUDA 示例（cuda-samples）", "the CUDA samples (cuda-samples)"),
    "dcgmi": Text("DCGM（datacenter-gpu-manager）", "DCGM (datacenter-gpu-manager)"),
    "ibstat": Text("infiniband-diags", "infiniband-diags"),
    "ibstatus": Text("infiniband-diags", "infiniband-diags"),
    "ibv_devinfo": Text("ibverbs-utils 或 libibverbs-utils", "ibverbs-utils or libibverbs-utils"),
    "show_gids": Text("网卡厂商的驱动包（MLNX_OFED）", "the card maker's drivers (MLNX_OFED)"),
    "ofed_info": Text("网卡厂商的驱动包（MLNX_OFED）", "the card maker's drivers (MLNX_OFED)"),
    "fio": Text("fio", "fio"),
    "iperf3": Text("iperf3", "iperf3"),
    "nvme": Text("nvme-cli", "nvme-cli"),
    "ethtool": Text("ethtool", "ethtool"),
    "lspci": Text("pciutils", "pciutils"),
    "dmidecode": Text("dmidecode", "dmidecode"),
    "chronyc": Text("chrony", "chrony"),
    "docker": Text("Docker", "Docker"),
    "lfs": Text("Lustre 客户端", "the Lustre client"),
    "sinfo": Text("Slurm", "Slurm"),
    "kubectl": Text("kubectl", "kubectl"),
}
_NCCL_TESTS = Text(
    "NVIDIA 的 nccl-tests（从源码编译，多在 build 目录里）", "NVIDIA's nccl-tests, built from source (look in build/)"
)
_MISSING = Text(
    "没有找到命令 {tool}：没有安装，或不在 PATH 里，因此什么也没有测。请安装：{package}；或用完整路径重新运行。",
    "The command {tool} was not found: it is not installed, or not on the PATH, so nothing was measured. Install "
    "{package}, or run it by its full path.",
)
_MISSING_OTHER = Text(
    "没有找到命令 {tool}：没有安装，或不在 PATH 里，因此什么也没有测。请装上，或用完整路径重新运行。",
    "The command {tool} was not found: it is not installed, or not on the PATH, so nothing was measured. Install it, "
    "or run it by its full path.",
)


def complaint(text: str) -> re.Match[str] | None:
    """Where a shell says that it did not find a command, None where it says no such thing."""
    return next((found for pattern in _COMPLAINTS if (found := pattern.search(text))), None)


def missing_tool(text: str) -> str:
    """The command that a shell did not find, without its folder; "" where the text says no such thing."""
    found = complaint(text)
    name = next(said for said in found.groups() if said) if found else ""
    return name.rpartition("/")[2]


def missing_sentence(tool: str) -> Text:
    """What it means that a command is not there, and what to install."""
    package = _package(tool)
    return _MISSING.fill(tool=tool, package=package) if package else _MISSING_OTHER.fill(tool=tool)


def _package(tool: str) -> Text | None:
    if _COLLECTIVES.fullmatch(tool):
        return _NCCL_TESTS
    return Text("perftest", "perftest") if _PERFTEST.fullmatch(tool) else _COMES_WITH.get(tool)
