"""The parsers of host, network and storage tools: by name, and by a sign in their output."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpucontract.measurements.parsers import (
    chronyc,
    collect_env,
    detect_virt,
    df,
    dmidecode,
    docker_info,
    driver_version,
    ethtool,
    findmnt,
    fio,
    free,
    ibstat,
    ibstatus,
    ibv_devinfo,
    identity,
    iperf3,
    kernel_gpus,
    kubectl,
    lfs_df,
    lsblk,
    lscpu,
    lspci,
    mdtest,
    meminfo,
    mount,
    nvcc,
    nvme,
    ofed_info,
    os_release,
    perftest,
    python_print,
    show_gids,
    sinfo,
    systemctl,
)  # fmt: skip
from gpucontract.measurements.parsers.capture import Capture, Parsed

PERFTEST = tuple(f"{verb}_{kind}" for verb in ("ib_write", "ib_read", "ib_send", "ib_atomic") for kind in ("bw", "lat"))

# A file's name is its last part: /proc/meminfo is meminfo, /proc/driver/nvidia/gpus is gpus.
HOST_TOOLS: dict[str, Callable[[Capture], Parsed]] = {
    "chronyc": chronyc.parse,
    "df": df.parse,
    "dmidecode": dmidecode.parse,
    "docker": docker_info.parse,
    "ethtool": ethtool.parse,
    "findmnt": findmnt.parse,
    "fio": fio.parse,
    "free": free.parse,
    "gpus": kernel_gpus.parse,
    "ibstat": ibstat.parse,
    "ibstatus": ibstatus.parse,
    "ibv_devinfo": ibv_devinfo.parse,
    "id": identity.parse,
    "iperf3": iperf3.parse,
    "kubectl": kubectl.parse,
    "lfs df": lfs_df.parse,
    "loginuid": identity.parse,
    "lsblk": lsblk.parse,
    "lscpu": lscpu.parse,
    "lspci": lspci.parse,
    "mdtest": mdtest.parse,
    "meminfo": meminfo.parse,
    "mount": mount.parse,
    "nvcc": nvcc.parse,
    "nvme": nvme.parse,
    "ofed_info": ofed_info.parse,
    "os-release": os_release.parse,
    "python print": python_print.parse,
    "show_gids": show_gids.parse,
    "sinfo": sinfo.parse,
    "systemctl is-active": systemctl.parse,
    "systemd-detect-virt": detect_virt.parse,
    "torch collect_env": collect_env.parse,
    "version": driver_version.parse,
    **dict.fromkeys(PERFTEST, perftest.parse),
}


def _sign(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


# First match wins; tools whose whole output is one bare word (id -u, systemctl is-active) have no sign.
HOST_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("fio", _sign(r'"fio version"\s{0,4}:|\(groupid=[0-9]+, jobs=[0-9]+\): err=|^fio: ')),
    ("iperf3", _sign(r'"version":\s{0,4}"iperf 3|^iperf3: error')),
    ("ib_write_lat", _sign(r"^[ \t]*#bytes[ \t]+#iterations[ \t]+t_")),
    ("ib_write_bw", _sign(r"^[ \t]*#bytes[ \t]+#.*BW average\[|^.BW_average.: |^ ?Did not detect devices")),
    ("ib_write_bw", _sign(r"^Couldn't connect to \S+:18515")),
    ("ibstatus", _sign(r"^Infiniband device '[^'\n]+' port [0-9]+ status:")),
    ("ibstat", _sign(r"^CA '[^'\n]+'[ \t]*$|^ibpanic: ")),
    ("ibv_devinfo", _sign(r"^hca_id:\s|^No IB devices found|^Failed to get IB devices list")),
    ("show_gids", _sign(r"^DEV\s+PORT\s+INDEX\s+GID\b|^n_gids_found=")),
    ("ethtool", _sign(r"^Settings for \S+:[ \t]*$|^netlink error: no device matches name")),
    ("torch collect_env", _sign(r"^Collecting environment information|^PyTorch version: ")),
    ("lscpu", _sign(r'"lscpu"\s{0,4}:|^[ \t]*CPU\(s\):\s+[0-9]')),
    ("/proc/meminfo", _sign(r"^MemTotal:\s+[0-9]+ kB")),
    ("free", _sign(r"^[ \t]{1,40}total[ \t]+used[ \t]+free\b")),
    ("dmidecode", _sign(r"^# dmidecode [0-9]|^Handle 0x[0-9A-Fa-f]+, DMI type")),
    ("lsblk", _sign(r'"blockdevices"\s{0,4}:')),
    ("nvme list", _sign(r'"Devices"\s{0,4}:|^Failed to scan topology')),
    ("findmnt", _sign(r'"filesystems"\s{0,4}:')),
    ("lfs df", _sign(r"^UUID\s+(?:1K-blocks|bytes|Inodes)\s|^filesystem_summary:")),
    ("df", _sign(r"^Filesystem\s.*\sMounted on[ \t]*$")),
    ("docker info", _sign(r'^Client:.*\n Version: |^ Server Version: |"ServerVersion"\s{0,4}:|Docker daemon')),
    ("kubectl version", _sign(r'^Client Version: v[0-9]|^Client Version: version\.Info|"clientVersion"\s{0,4}:')),
    ("nvcc --version", _sign(r"^nvcc: NVIDIA|nvcc: command not found")),
    ("/proc/driver/nvidia/version", _sign(r"^NVRM version:")),
    ("/etc/os-release", _sign(r"^PRETTY_NAME=|^VERSION_ID=")),
    ("mdtest", _sign(r"^mdtest-\S+ was launched with|^SUMMARY rate")),
    ("lspci -vvv", _sign(r"\bACSCtl:|^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] PCI bridge:")),
    ("ofed_info", _sign(r"^(?:MLNX_OFED_LINUX|MLNX_EN|OFED-internal)-[0-9]")),
    ("chronyc tracking", _sign(r"^Leap status\s{1,8}:|^506 Cannot talk to daemon")),
    ("sinfo", _sign(r"^PARTITION\s+AVAIL\s+TIMELIMIT|^slurm(?:-wlm)? [0-9]{2}\.")),
    ("python print", _sign(r"^[0-9]+\.[0-9]+\.\S+ [0-9]+\.[0-9]+ [0-9]{4,6} \([0-9]")),
    ("/proc/driver/nvidia/gpus", _sign(r"\A(?:[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\s{1,9}){1,64}\Z")),
    ("mount", _sign(r"^\S+ on /\S* type \S+ \(")),
    ("id", _sign(r"^uid=[0-9]+\(")),
)
