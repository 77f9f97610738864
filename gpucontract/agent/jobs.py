"""The jobs: which programs each one runs, with which fixed words. Order parameters only ever fill a place in a list."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Tuple, Union

from gpucontract.agent import execute, itself, protocol, rails, together
from gpucontract.agent.execute import NOT_FOUND, Command, Record, Watch

GPU_FIELDS = (
    "index", "name", "uuid", "serial", "memory.total", "driver_version", "pcie.link.width.max",
    "pcie.link.width.current", "pcie.link.gen.max", "ecc.mode.current", "mig.mode.current", "power.limit",
    "clocks.max.sm", "pstate",
)  # fmt: skip
TORCH_PRINT = (
    "import torch; print(torch.__version__, torch.version.cuda, "
    "torch.backends.cudnn.version(), torch.cuda.nccl.version())"
)
DISK_COLUMNS = "NAME,TYPE,SIZE,ROTA,TRAN,MODEL,SERIAL,MOUNTPOINTS,FSTYPE"
# util-linux before 2.37 knows one mount point a device only.
OLD_DISK_COLUMNS = DISK_COLUMNS.replace("MOUNTPOINTS", "MOUNTPOINT")
APP_FIELDS = "pid,process_name,used_memory"
MOUNT_COLUMNS = "TARGET,SOURCE,FSTYPE,OPTIONS"
FIO_JOBS = 4
FIO_FILE_GIB = 8
NVIDIA_S = 120
NCCL_S = 3600
PROBE_S = 600
TRAINING_S = 3600
WARM_UP = 5
# Every rank says its network at start-up. TUNING is left out: it prints into the middle of the result rows.
NCCL_TALKS = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NET"}
SIZE_UNITS = ((2**30, "G"), (2**20, "M"), (2**10, "K"))


class Step(NamedTuple):
    """One tool of a job by its name, and what produces its record, or several where only the machine tells how many."""

    tool: str
    run: Callable[[Watch], Union[Record, List[Record]]]

    def records(self, watch: Watch) -> List[Record]:
        """Its outputs. Raises Stopped."""
        told = self.run(watch)
        return told if isinstance(told, list) else [told]


def steps(job: str, params: Mapping[str, Any]) -> List[Step]:
    """What a job does with checked parameters, in order."""
    return _JOBS[job](params)


def is_exclusive(job: str) -> bool:
    """Whether a job loads the machine, so that another one beside it would spoil both results."""
    return job not in ("inventory", "topology", "software", "health", "fabric")


def _step(tool: str, *argv: str, timeout_s: float = 60) -> Step:
    return _of(Command(tool, argv or tuple(tool.split()), timeout_s))


def _of(command: Command) -> Step:
    return Step(command.tool, partial(execute.run, command))


def _inventory(_params: Mapping[str, Any]) -> List[Step]:
    query = f"--query-gpu={','.join(GPU_FIELDS)}"
    return [
        _step("nvidia-smi -L", timeout_s=NVIDIA_S),
        _step("nvidia-smi --query-gpu csv", "nvidia-smi", query, "--format=csv", timeout_s=NVIDIA_S),
        _step("lscpu"),
        _step("/proc/meminfo", "cat", "/proc/meminfo"),
        # The kernel's own list: a card that the driver's library hides still stands here.
        _step("/proc/driver/nvidia/gpus", "ls", "/proc/driver/nvidia/gpus"),
    ]


def _topology(_params: Mapping[str, Any]) -> List[Step]:
    tools = ("nvidia-smi topo -m", "nvidia-smi topo -p2p r", "nvidia-smi nvlink -s")
    return [*(_step(tool, timeout_s=NVIDIA_S) for tool in tools), _step("lspci -vvv")]


def _software(_params: Mapping[str, Any]) -> List[Step]:
    return [
        _step("/proc/driver/nvidia/version", "cat", "/proc/driver/nvidia/version"),
        _step("nvcc --version"),
        _step("/etc/os-release", "cat", "/etc/os-release"),
        _step("docker info"),
        _step("id -u"),
        _step("/proc/self/loginuid", "cat", "/proc/self/loginuid"),
        _step("systemctl is-active", "systemctl", "is-active", "nvidia-fabricmanager"),
        _step("systemd-detect-virt"),
        _step("python print", "python3", "-c", TORCH_PRINT, timeout_s=120),
        _probe("usable", timeout_s=PROBE_S),
    ]


def _health(_params: Mapping[str, Any]) -> List[Step]:
    return [_step("nvidia-smi -q -x", timeout_s=NVIDIA_S), _step("dmesg -T")]


def _probe(name: str, *words: str, timeout_s: float) -> Step:
    """One of the agent's own probes, in a process of its own: with the python3 on PATH, which may have PyTorch."""
    # CUDA counts the fastest card first unless told to count as every other tool does.
    env = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", **itself.environment()}
    tool = f"gpucontract-probe {'load' if name == 'soak' else name}"
    return _of(Command(tool, ("python3", *itself.words(), "probe", name, *words), timeout_s, env))


def _gemm(params: Mapping[str, Any]) -> List[Step]:
    seconds = params["runtime_s"]
    return [_apps(), _probe("load", "--dtype", params["dtype"], "--seconds", str(seconds), timeout_s=seconds + PROBE_S)]


def _burn_in(params: Mapping[str, Any]) -> List[Step]:
    seconds = params["hours"] * 3600
    words = ("--dtype", params.get("dtype", "bf16"), "--seconds", str(seconds))
    return [_probe("soak", *words, timeout_s=seconds + PROBE_S)]


def _training(params: Mapping[str, Any]) -> List[Step]:
    return [_apps(), _probe("train", "--steps", str(params["steps"]), timeout_s=TRAINING_S)]


def _fabric(_params: Mapping[str, Any]) -> List[Step]:
    return [_step("ibstat"), _step("ibv_devinfo"), _step("show_gids")]


def _rdma_pairs(params: Mapping[str, Any]) -> List[Step]:
    return [Step(rails.TOOL, partial(rails.records, params))]


def _storage(params: Mapping[str, Any]) -> List[Step]:
    # df goes first: looking at a path makes an automounted one appear in findmnt.
    listed = [
        _step("df -PT", "df", "-PT", *params.get("paths", [])),
        Step("lsblk -J", _disks),
        _step("nvme list -o json"),
        _step("findmnt -J", "findmnt", "-J", "-l", "-o", MOUNT_COLUMNS),
    ]
    return [*listed, *_fio(params.get("local_path", ""), params.get("runtime_s", 60))]


def _shared_load(params: Mapping[str, Any]) -> List[Step]:
    """Each machine reads its own files on the shared storage, all at once; one output for each machine and test."""
    tests, hosts = params["tests"], params.get("hosts") or [""]
    listed = [
        _step("df -PT", "df", "-PT", *sorted({test["path"] for test in tests})),
        _step("findmnt -J", "findmnt", "-J", "-l", "-o", MOUNT_COLUMNS),
    ]
    return listed + [step for number, test in enumerate(tests, 1) for step in _clients(number, test, hosts)]


def _clients(number: int, test: Mapping[str, Any], hosts: List[str]) -> List[Step]:
    clients = [together.client(host, place, test) for place, host in enumerate(hosts)]
    needed = together.size_gib(test) * test["numjobs"] * len(hosts) * 2**30
    group = together.Together(clients, _no_room(test["path"], needed)[1])

    def played(place: int, name: str, watch: Watch) -> Record:
        return {**group.record(place, watch), "tool": name, "name": protocol.output_name(name)}

    names = [f"{together.TOOL} {number}.{place}" for place in range(1, len(hosts) + 1)]
    return [Step(name, partial(played, place, name)) for place, name in enumerate(names)]


def _disks(watch: Watch) -> Record:
    """The disks with all their mount points, or with one each where the tool is too old for the column."""
    new, old = (
        Command("lsblk -J", ("lsblk", "-J", "-b", "-o", columns)) for columns in (DISK_COLUMNS, OLD_DISK_COLUMNS)
    )
    record = execute.run(new, watch)
    is_unknown = record["exit_status"] not in (0, NOT_FOUND) and "unknown column" in record["stderr"]
    return execute.run(old, watch) if is_unknown else record


def _apps() -> Step:
    """Who uses the GPUs before a test that wants them alone."""
    fields = f"--query-compute-apps={APP_FIELDS}"
    return _step("nvidia-smi --query-compute-apps", "nvidia-smi", fields, "--format=csv", timeout_s=NVIDIA_S)


def _fio(path: str, runtime_s: int) -> List[Step]:
    """A direct sequential read of files that fio writes first and removes after; only where a directory has room."""
    if not path:
        return []
    words = (
        "fio", "--name=gpucontract-read", f"--directory={path}", "--rw=read", "--bs=1M", "--ioengine=libaio",
        "--direct=1", "--iodepth=32", f"--numjobs={FIO_JOBS}", f"--size={FIO_FILE_GIB}G", "--time_based",
        f"--runtime={runtime_s}", "--group_reporting", "--unlink=1", "--output-format=json",
    )  # fmt: skip
    return [Step("fio JSON", partial(_fio_run, Command("fio JSON", words, runtime_s + 600), path))]


def _fio_run(command: Command, path: str, watch: Watch) -> Record:
    exit_status, reason = _no_room(path, FIO_JOBS * FIO_FILE_GIB * 2**30)
    return execute.not_run(command, exit_status, reason) if reason else execute.run(command, watch)


def _no_room(path: str, needed: int) -> Tuple[int, str]:
    """An exit status and why nothing may be written there: no directory, or not so many bytes free; (0, "") else."""
    if not os.path.isdir(path):
        return 2, f"{path} is not a directory on this machine; nothing was written"
    space = os.statvfs(path)
    free = space.f_bavail * space.f_frsize
    return (
        (28, f"{path} has {free} B free, the test needs {needed} B; nothing was written") if free < needed else (0, "")
    )


def _nccl_intra(params: Mapping[str, Any]) -> List[Step]:
    base, env = _collective(params)
    argv = (_program(f"{base}_perf"), *_sizes(params), "-g", str(params["gpus_per_node"]), *_counts(params))
    return [_apps(), _of(Command(f"nccl-tests {base}_perf", argv, NCCL_S, env))]


def _nccl_inter(params: Mapping[str, Any]) -> List[Step]:
    base, env = _collective(params)
    program = _program(f"{base}_perf_mpi", f"{base}_perf")
    gpus, hosts = params["gpus_per_node"], params["hosts"]
    told = {**{name: value for name, value in execute.inherited().items() if name.startswith("NCCL_")}, **env}
    argv = (
        "mpirun", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--bind-to", "none",
        "-np", str(gpus * len(hosts)), "-H", ",".join(f"{host}:{gpus}" for host in hosts),
        *(word for name, value in sorted(told.items()) for word in ("-x", f"{name}={value}")),
        program, *_sizes(params), "-g", "1", *_counts(params),
    )  # fmt: skip
    command = Command(f"nccl-tests {base}_perf", argv, NCCL_S, env)
    if execute.found(program) is None:
        return [_missing(command, program)]
    return [_apps(), _of(command)]


def _missing(command: Command, program: str) -> Step:
    return Step(command.tool, lambda _watch: execute.not_run(command, NOT_FOUND, f"{program}: command not found"))


def _collective(params: Mapping[str, Any]) -> Tuple[str, Dict[str, str]]:
    """The collective as nccl-tests names it, and the environment it is run with."""
    collective: str = params["collective"]
    if collective.endswith("_ring"):
        return collective[: -len("_ring")], {**NCCL_TALKS, "NCCL_ALGO": "Ring"}
    return collective, NCCL_TALKS


def _program(*names: str) -> str:
    """The first of these programs that is installed, with its place, for the other hosts' short PATH; else the last."""
    return next((place for place in map(execute.found, names) if place), names[-1])


def _sizes(params: Mapping[str, Any]) -> Tuple[str, ...]:
    return ("-b", _size(params["min_bytes"]), "-e", _size(params["max_bytes"]), "-f", "2")


def _counts(params: Mapping[str, Any]) -> Tuple[str, ...]:
    return ("-n", str(params.get("iterations", 20)), "-w", str(WARM_UP), "-c", "1")


def _size(count: int) -> str:
    """Bytes as nccl-tests writes them: 128M, 8G."""
    return next((f"{count // unit}{letter}" for unit, letter in SIZE_UNITS if count % unit == 0), str(count))


_JOBS: Dict[str, Callable[[Mapping[str, Any]], List[Step]]] = {
    "inventory": _inventory,
    "topology": _topology,
    "software": _software,
    "health": _health,
    "storage": _storage,
    "shared_load": _shared_load,
    "fabric": _fabric,
    "rdma_pairs": _rdma_pairs,
    "gemm": _gemm,
    "training": _training,
    "burn_in": _burn_in,
    "nccl_intra": _nccl_intra,
    "nccl_pairs": _nccl_inter,
    "nccl_inter": _nccl_inter,
}
