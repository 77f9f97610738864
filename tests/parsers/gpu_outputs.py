"""How the tests of GPU tools get at samples and readings."""

from __future__ import annotations

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.registry import read
from tests.parsers.host_outputs import sample

QUERY = (
    "nvidia-smi --query-gpu=index,name,uuid,serial,pci.bus_id,memory.total,driver_version,pstate,pcie.link.gen.max,"
    "pcie.link.gen.current,pcie.link.gen.hostmax,pcie.link.width.max,pcie.link.width.current,ecc.mode.current,"
    "ecc.errors.uncorrected.volatile.total,ecc.errors.uncorrected.aggregate.total,mig.mode.current,power.limit,"
    "clocks.max.sm --format=csv"
)
REMAPPED = (
    "nvidia-smi --query-remapped-rows=gpu_bus_id,gpu_uuid,remapped_rows.correctable,remapped_rows.uncorrectable,"
    "remapped_rows.pending,remapped_rows.failure --format=csv"
)
APPS = "nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv"

# Sample -> the tool's name and the command that printed it.
GPU_SAMPLES = {
    "dcgmi/3.1-warn.json": ("dcgmi diag -j", "dcgmi diag -r 3 -j"),
    "dcgmi/4.2-fail.json": ("dcgmi diag -j", "dcgmi diag -r 2 -j"),
    "dcgmi/4.2-pass.json": ("dcgmi diag -j", "dcgmi diag -r 2 -j"),
    "dmesg/boot-seconds-nvswitch.txt": ("dmesg", "dmesg"),
    "dmesg/kmsg-records.txt": ("dmesg", "dmesg --raw"),
    "dmesg/quiet.txt": ("dmesg -T", "dmesg -T"),
    "nccl_tests/2.10-reduce-errors.txt": ("nccl-tests reduce_perf", "reduce_perf -b 1M -e 2M -f 2 -g 8"),
    "nccl_tests/2.13-all-reduce-8.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 128M -e 8G -f 8 -g 8"),
    "nccl_tests/2.13-all-types.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 1G -e 1G -d all -o all -g 8"),
    "nccl_tests/2.13-failure-glued-to-row.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 128M -e 8G -g 8"),
    "nccl_tests/2.13-row-cut-by-nccl-line.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 128M -e 8G -g 8"),
    "nccl_tests/2.13-split-groups.txt": ("nccl-tests all_reduce_perf", "mpirun -np 8 all_reduce_perf -b 1G -e 8G -g 1"),
    "nccl_tests/2.13-two-copies-without-mpi.txt": ("nccl-tests all_reduce_perf", "mpirun -np 2 all_reduce_perf -g 8"),
    "nccl_tests/2.16-list-cut-at-2048.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 1G -e 1G -g 24"),
    "nccl_tests/2.17-min-bw-failed.txt": ("nccl-tests all_reduce_perf", "all_reduce_perf -b 128M -e 8G -f 8 -g 8"),
    "nccl_tests/2.18-all-gather-2-nodes-roce.txt": ("nccl-tests all_gather_perf", "mpirun all_gather_perf -g 1"),
    "nccl_tests/2.18-all-gather-2-nodes-socket.txt": (
        "nccl-tests all_gather_perf",
        "mpirun all_gather_perf -g 1",
    ),
    "nccl_tests/2.18-broadcast-all-roots.txt": ("nccl-tests broadcast_perf", "broadcast_perf -b 1G -e 1G -r all -g 2"),
    "nccl_tests/2.18-two-nodes.json": ("nccl-tests all_reduce_perf -J", "mpirun -np 16 all_reduce_perf -J out.json"),
    "nccl_tests/2.19-alltoall-per-iteration.txt": ("nccl-tests alltoall_perf", "alltoall_perf -I 1 -S 1 -g 8"),
    "nccl_tests/2.9-alltoall-blank-redop.txt": ("nccl-tests alltoall_perf", "alltoall_perf -b 1M -e 4M -f 2 -g 8"),
    "nvbandwidth/0.2-2xa100.txt": ("nvbandwidth", "nvbandwidth"),
    "nvbandwidth/0.8-2xh200.json": ("nvbandwidth -j", "nvbandwidth -j"),
    "nvbandwidth/0.8-3xh200.txt": ("nvbandwidth", "nvbandwidth -v"),
    "nvidia_smi/390-table-no-cuda.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/440-q-v100.txt": ("nvidia-smi -q", "nvidia-smi -q"),
    "nvidia_smi/440-qx-v10-v100.xml": ("nvidia-smi -q -x", "nvidia-smi -q -x"),
    "nvidia_smi/460-list-mig.txt": ("nvidia-smi -L", "nvidia-smi -L"),
    "nvidia_smi/510-qx-v11-mig.xml": ("nvidia-smi -q -x", "nvidia-smi -x -q"),
    "nvidia_smi/535-list-one-lost.txt": ("nvidia-smi -L", "nvidia-smi -L"),
    "nvidia_smi/550-csv-8xh200.csv": ("nvidia-smi --query-gpu csv", QUERY),
    "nvidia_smi/550-csv-compute-apps.csv": ("nvidia-smi --query-compute-apps", APPS),
    "nvidia_smi/550-csv-dead-gpu.csv": ("nvidia-smi --query-gpu csv", QUERY),
    "nvidia_smi/550-csv-noheader-nounits.csv": ("nvidia-smi --query-gpu csv", f"{QUERY},noheader,nounits"),
    "nvidia_smi/550-csv-remapped-rows.csv": ("nvidia-smi --query-remapped-rows", REMAPPED),
    "nvidia_smi/550-list-8xh200.txt": ("nvidia-smi -L", "nvidia-smi -L"),
    "nvidia_smi/550-list-mig.txt": ("nvidia-smi -L", "nvidia-smi -L"),
    "nvidia_smi/550-q-4xh100.txt": ("nvidia-smi -q", "nvidia-smi -q"),
    "nvidia_smi/550-q-mig.txt": ("nvidia-smi -q", "nvidia-smi -q"),
    "nvidia_smi/550-table-8xh200.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/610-table-8xh200.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/550-table-dead-row.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/550-table-mig.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/570-table-mixed-cards.txt": ("nvidia-smi", "nvidia-smi"),
    "nvidia_smi/580-qx-v13-2xb200.xml": ("nvidia-smi -q -x", "nvidia-smi -q -x"),
    "nvlink/470-s-3xa6000.txt": ("nvidia-smi nvlink -s", "nvidia-smi nvlink -s"),
    "nvlink/550-e-2xh100.txt": ("nvidia-smi nvlink -e", "nvidia-smi nvlink -e"),
    "nvlink/550-s-4xh100-two-down.txt": ("nvidia-smi nvlink -s", "nvidia-smi nvlink -s"),
    "nvlink/570-s-no-nvlink.txt": ("nvidia-smi nvlink -s", "nvidia-smi nvlink -s"),
    "p2p/12.4-3xh200.txt": ("p2pBandwidthLatencyTest", "p2pBandwidthLatencyTest"),
    "topo/418-2xp100-soc.txt": ("nvidia-smi topo -m", "nvidia-smi topo -m"),
    "topo/450-4xv100-vm.txt": ("nvidia-smi topo -m", "nvidia-smi topo -m"),
    "topo/550-1xh100.txt": ("nvidia-smi topo -m", "nvidia-smi topo -m"),
    "topo/550-p2p-4x4090.txt": ("nvidia-smi topo -p2p r", "nvidia-smi topo -p2p r"),
    "topo/570-8xh200-gpu5-16-links.txt": ("nvidia-smi topo -m", "nvidia-smi topo -m"),
    "topo/570-8xh200.txt": ("nvidia-smi topo -m", "nvidia-smi topo -m"),
    "topo/570-p2p-8xh200.txt": ("nvidia-smi topo -p2p r", "nvidia-smi topo -p2p r"),
}


def read_gpu(
    name: str, *changes: tuple[str, str], exit_status: int | None = 0, stderr: str = "", command: str | None = None
) -> Parsed:
    """What is read from a sample after replacing some of its text; every replaced text must be there."""
    text = sample(name)
    for old, new in changes:
        assert old in text, f"{old!r} is not in {name}"
        text = text.replace(old, new)
    tool, usual = GPU_SAMPLES[name]
    return read(Capture(tool, usual if command is None else command, text, stderr, exit_status))


def lines_of(name: str) -> list[str]:
    """The lines of a sample, each with its end."""
    return sample(name).splitlines(keepends=True)


def measured(parsed: Parsed) -> set[str]:
    """Names of all readings that have a value."""
    return {reading.name for reading in parsed.readings if reading.value is not None}
