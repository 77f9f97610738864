"""How the tests of host tools get at samples and readings."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.registry import read
from gpucontract.units import exact

SAMPLES = Path(__file__).parent.parent / "samples"

# Sample -> the tool's name and the command that printed it.
GOOD = {
    "chronyc/4.2-tracking.txt": ("chronyc tracking", "chronyc tracking"),
    "collect_env/2.6-8gpus.txt": ("torch collect_env", "python -m torch.utils.collect_env"),
    "detect_virt/none.txt": ("systemd-detect-virt", "systemd-detect-virt"),
    "df/9.4-shared.txt": ("df -PT", "df -PT"),
    "dmidecode/3.5-memory.txt": ("dmidecode", "dmidecode -t memory"),
    "docker_info/24-plain.txt": ("docker info", "docker info"),
    "docker_info/26-info.json": ("docker info", "docker info -f json"),
    "docker_info/29-cdi.txt": ("docker info", "docker info"),
    "driver_version/570-open-aarch64.txt": ("/proc/driver/nvidia/version", "cat /proc/driver/nvidia/version"),
    "ethtool/5.16-400g.txt": ("ethtool", "ethtool ens2np0"),
    "findmnt/2.37-nested.json": ("findmnt -J", "findmnt -J"),
    "fio/2.2-usec.json": ("fio JSON", "fio --output-format=json job.fio"),
    "fio/3.28-text-two-jobs.txt": ("fio text", "fio --name=seq --rw=read --direct=1 --numjobs=2"),
    "fio/3.28-two-jobs-apart.json": ("fio JSON", "fio --output-format=json job.fio"),
    "fio/3.35-text-mixed.txt": ("fio text", "fio --name=mix --rw=randrw --direct=1"),
    "fio/3.36-client-mode.json": ("fio JSON", "fio --client=hosts --output-format=json job.fio"),
    "fio/3.36-grouped-write.json": ("fio JSON", "fio --output-format=json job.fio"),
    "fio/3.36-status-interval.json": ("fio JSON", "fio --status-interval=20 --output-format=json job.fio"),
    "fio/3.38-jsonplus-lat-percentiles.json": ("fio JSON+", "fio --output-format=json+ job.fio"),
    "free/4.0-kib.txt": ("free", "free"),
    "ibstat/mixed.txt": ("ibstat", "ibstat"),
    "ibstatus/ndr-hdr-roce.txt": ("ibstatus", "ibstatus"),
    "ibv_devinfo/verbose.txt": ("ibv_devinfo", "ibv_devinfo -v"),
    "identity/id.txt": ("id", "id"),
    "iperf3/3.16-udp.json": ("iperf3 -J", "iperf3 -c 10.0.0.2 -u -b 25G -J"),
    "iperf3/3.9-tcp-reverse.json": ("iperf3 -J", "iperf3 -c 10.0.0.2 -P 4 -R -J"),
    "kernel_gpus/8xh200.txt": ("/proc/driver/nvidia/gpus", "ls /proc/driver/nvidia/gpus"),
    "kubectl/1.29-short.txt": ("kubectl version", "kubectl version"),
    "lfs_df/kib-inactive.txt": ("lfs df", "lfs df /scratch"),
    "lsblk/2.37-flat.json": ("lsblk -J", "lsblk -J -l"),
    "lsblk/2.39-bytes.json": ("lsblk -J", "lsblk -J -b"),
    "lscpu/2.34-epyc-vm.txt": ("lscpu", "lscpu"),
    "lscpu/2.38-flat.json": ("lscpu -J", "lscpu -J"),
    "lspci/acs.txt": ("lspci -vvv", "lspci -vvv"),
    "mdtest/4.0.txt": ("mdtest", "mpirun -np 64 mdtest -F -C -T -r -n 2000 -d /scratch/md"),
    "meminfo/1tib.txt": ("/proc/meminfo", "cat /proc/meminfo"),
    "mount/plain.txt": ("mount", "mount"),
    "nvcc/12.6.txt": ("nvcc --version", "nvcc --version"),
    "nvme/1.16-flat.json": ("nvme list -o json", "nvme list -o json"),
    "nvme/2.11-nested.json": ("nvme list -o json", "nvme list -v -o json"),
    "ofed_info/24.04.txt": ("ofed_info", "ofed_info -s"),
    "os_release/rocky-9.txt": ("/etc/os-release", "cat /etc/os-release"),
    "perftest/24.10-out.json": ("ib_write_bw", "ib_write_bw --report_gbits --out_json 10.0.0.2"),
    "perftest/24.10-send-lat.txt": ("ib_send_lat", "ib_send_lat 10.0.0.2"),
    "perftest/24.10-write-bw-mib.txt": ("ib_write_bw", "ib_write_bw 10.0.0.2"),
    "perftest/4.5-read-bw-mb-sizes.txt": ("ib_read_bw", "ib_read_bw -a 10.0.0.2"),
    "perftest/6.11-loopback.txt": ("ib_write_bw", "ib_write_bw --report_gbits localhost"),
    "probe/load.txt": ("gpucontract-probe load", "python3 agent.pyz probe load"),
    "probe/load_gpu_lost.txt": ("gpucontract-probe load", "python3 agent.pyz probe load"),
    "probe/soak_interrupted.txt": ("gpucontract-probe load", "python3 agent.pyz probe soak"),
    "probe/train.txt": ("gpucontract-probe train", "python3 agent.pyz probe train"),
    "agent_notes/two_left.txt": ("gpucontract-agent unfinished", "gpucontract-agent unfinished"),
    "probe/usable.txt": ("gpucontract-probe usable", "python3 agent.pyz probe usable"),
    "python_print/2.6.txt": ("python print", "python3 -c 'import torch'"),
    "show_gids/bond-and-port.txt": ("show_gids", "show_gids"),
    "sinfo/23.11-table.txt": ("sinfo", "sinfo"),
    "systemctl/active.txt": ("systemctl is-active", "systemctl is-active nvidia-fabricmanager"),
}


def sample(name: str) -> str:
    """The text of a sample, named folder/file."""
    return (SAMPLES / name).read_text(encoding="utf-8")


def read_sample(name: str, *changes: tuple[str, str], exit_status: int | None = 0) -> Parsed:
    """What is read from a sample after replacing some of its text; every replaced text must be there."""
    text = sample(name)
    for old, new in changes:
        assert old in text, f"{old!r} is not in {name}"
        text = text.replace(old, new)
    return read(Capture(*GOOD[name], text, exit_status=exit_status))


def read_text(tool: str, stdout: str, *, command: str = "", stderr: str = "", exit_status: int | None = 0) -> Parsed:
    """What is read from a text written in a test."""
    return read(Capture(tool, command or tool, stdout, stderr, exit_status))


def value(parsed: Parsed, name: str, scope: str = "") -> Any:
    """The value of the one reading of that name and scope, Decimals as they are; None when it is not measured."""
    found = [reading for reading in parsed.readings if (reading.name, reading.scope) == (name, scope)]
    assert len(found) == 1, f"{name} {scope}: {len(found)} readings"
    assert found[0].value is None or not found[0].why
    assert found[0].value is not None or found[0].why, f"{name} is not measured for no reason"
    return found[0].value


def why(parsed: Parsed, name: str, scope: str = "") -> str:
    """Why a reading has no value."""
    assert value(parsed, name, scope) is None
    return next(reading.why for reading in parsed.readings if (reading.name, reading.scope) == (name, scope))


def amount(parsed: Parsed, name: str, unit: str, scope: str = "") -> Decimal:
    """A reading's value in another unit, exact."""
    found = value(parsed, name, scope)
    printed = next(r.unit for r in parsed.readings if (r.name, r.scope) == (name, scope))
    in_unit = exact(found, printed, unit)
    return Decimal(in_unit.numerator) / Decimal(in_unit.denominator)


def codes(parsed: Parsed) -> list[str]:
    """The codes of all findings."""
    return [finding.code for finding in parsed.findings]


def code(parsed: Parsed) -> str:
    """The code of the error, '' without one; an error never comes with a value read from the run."""
    return parsed.error.split(":")[0]
