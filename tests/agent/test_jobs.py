"""What each job runs, word for word."""

import os
import threading

import pytest

from gpucontract.agent import execute, jobs, orders, protocol
from gpucontract.agent.execute import Watch
from tests.agent.running import ALL_REDUCE, tool

INTER = {**ALL_REDUCE, "collective": "all_gather", "hosts": ["gpu-node-01", "gpu-node-02"]}
TEST = {"path": "/data", "rw": "read", "block_size": "1MiB", "iodepth": 32, "numjobs": 8, "runtime_s": 60}
SHARED = {"tests": [TEST, {**TEST, "rw": "randread"}], "hosts": ["gpu-node-01", "gpu-node-02"]}
PARAMS = {"nccl_intra": ALL_REDUCE, "nccl_inter": INTER, "nccl_pairs": INTER, "storage": {"local_path": "/mnt/nvme1"},
          "gemm": {"dtype": "bf16", "runtime_s": 60}, "shared_load": SHARED, "burn_in": {"hours": 72}, "training": {"steps": 150},
          "rdma_pairs": {"hosts": INTER["hosts"], "size_bytes": 65536, "runtime_s": 10}}  # fmt: skip


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """nccl-tests and mpirun that print their own words."""
    for name in ("all_reduce_perf", "all_gather_perf", "mpirun"):
        tool(tmp_path, name, 'echo "$0" "$@"; env | grep ^NCCL | sort')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(execute, "MORE_PLACES", ())
    return tmp_path


def ran(job, params):
    return [step.run(Watch(threading.Event())) for step in jobs.steps(job, params)]


def argv(job, params, tool_name):
    step = next(step for step in jobs.steps(job, params) if step.tool == tool_name)
    return step.run.args[0].argv


def test_every_job_that_may_be_ordered_can_be_run():
    assert set(orders.TAKES) == set(protocol.JOBS)
    for job in protocol.JOBS:
        assert jobs.steps(job, PARAMS.get(job, {})), job


@pytest.mark.parametrize("job", protocol.JOBS)
def test_no_two_outputs_of_a_job_have_one_name(job):
    names = [protocol.output_name(step.tool) for step in jobs.steps(job, PARAMS.get(job, {}))]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("job", "tool_name", "command"),
    [
        ("inventory", "nvidia-smi --query-gpu csv", "nvidia-smi --query-gpu=index,name,uuid,serial,memory.total,"
         "driver_version,pcie.link.width.max,pcie.link.width.current,pcie.link.gen.max,ecc.mode.current,"
         "mig.mode.current,power.limit,clocks.max.sm,pstate --format=csv"),
        ("inventory", "/proc/driver/nvidia/gpus", "ls /proc/driver/nvidia/gpus"),
        ("topology", "lspci -vvv", "lspci -vvv"),
        ("topology", "nvidia-smi topo -p2p r", "nvidia-smi topo -p2p r"),
        ("software", "systemctl is-active", "systemctl is-active nvidia-fabricmanager"),
        ("health", "dmesg -T", "dmesg -T"),
        ("nccl_intra", "nvidia-smi --query-compute-apps",
         "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv"),
        ("storage", "findmnt -J", "findmnt -J -l -o TARGET,SOURCE,FSTYPE,OPTIONS"),
        ("fabric", "ibv_devinfo", "ibv_devinfo"),
    ],
)  # fmt: skip
def test_a_tool_is_called_with_these_words(job, tool_name, command):
    assert " ".join(argv(job, PARAMS.get(job, {}), tool_name)) == command


OLD_LSBLK = """case "$*" in *MOUNTPOINTS*) echo "lsblk: unknown column: MOUNTPOINTS,FSTYPE" >&2; exit 1;; esac
echo "$@" """


@pytest.mark.parametrize(("body", "column"), [('echo "$@"', "MOUNTPOINTS"), (OLD_LSBLK, "MOUNTPOINT")])
def test_an_old_lsblk_is_asked_for_one_mount_point_a_device(bench, body, column):
    tool(bench, "lsblk", body)
    step = next(step for step in jobs.steps("storage", {}) if step.tool == "lsblk -J")
    record = step.run(Watch(threading.Event()))
    assert (record["tool"], record["exit_status"]) == ("lsblk -J", 0)
    assert record["stdout"] == f"-J -b -o NAME,TYPE,SIZE,ROTA,TRAN,MODEL,SERIAL,{column},FSTYPE\n"


@pytest.mark.parametrize("job", ["nccl_intra", "nccl_inter", "gemm"])
def test_before_a_test_of_speed_it_looks_who_uses_the_gpus(bench, job):
    assert jobs.steps(job, PARAMS[job])[0].tool == "nvidia-smi --query-compute-apps"


def test_df_looks_at_the_contracted_paths_before_findmnt_lists_them():
    steps = [step.tool for step in jobs.steps("storage", {"paths": ["/data"]})]
    assert argv("storage", {"paths": ["/data", "/mnt/a b"]}, "df -PT") == ("df", "-PT", "/data", "/mnt/a b")
    assert steps.index("df -PT") < steps.index("findmnt -J")
    assert "fio JSON" not in steps


def test_one_machine_runs_one_process_over_all_gpus(bench):
    record = ran("nccl_intra", {**ALL_REDUCE, "iterations": 50})[-1]
    words = "-b 128M -e 8G -f 2 -g 8 -n 50 -w 5 -c 1"
    assert record["command"] == f"{bench}/all_reduce_perf {words}"
    assert record["tool"] == "nccl-tests all_reduce_perf"
    assert record["stdout"].splitlines()[1:] == ["NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,ENV,NET"]


def test_several_machines_are_started_by_mpirun_with_a_process_per_gpu(bench):
    record = ran("nccl_inter", INTER)[-1]
    root = "--allow-run-as-root " if os.geteuid() == 0 else ""
    assert record["command"] == (
        f"mpirun {root}--bind-to none -np 16 -H gpu-node-01:8,gpu-node-02:8 -x NCCL_DEBUG=INFO "
        f"-x NCCL_DEBUG_SUBSYS=INIT,ENV,NET {bench}/all_gather_perf -b 128M -e 8G -f 2 -g 1 -n 20 -w 5 -c 1"
    )
    assert record["exit_status"] == 0


def test_the_build_with_mpi_is_preferred_across_machines(bench):
    tool(bench, "all_gather_perf_mpi", "true")
    assert f"{bench}/all_gather_perf_mpi" in ran("nccl_inter", INTER)[-1]["command"]


def test_the_operators_own_settings_reach_every_rank_and_are_written_down(bench, monkeypatch):
    monkeypatch.setenv("NCCL_SOCKET_IFNAME", "eno1")
    record = ran("nccl_inter", INTER)[-1]
    assert "-x NCCL_SOCKET_IFNAME=eno1" in record["command"]
    assert record["env"]["NCCL_SOCKET_IFNAME"] == "eno1"


def test_the_ring_is_forced_where_the_contract_names_it(bench):
    record = ran("nccl_inter", {**INTER, "collective": "all_reduce_ring"})[-1]
    assert record["tool"] == "nccl-tests all_reduce_perf"
    assert "-x NCCL_ALGO=Ring" in record["command"] and record["env"]["NCCL_ALGO"] == "Ring"


def test_a_missing_benchmark_is_said_without_starting_mpirun(bench):
    (bench / "all_gather_perf").unlink()
    record = ran("nccl_inter", INTER)[-1]
    assert (record["exit_status"], record["stdout"]) == (127, "")
    assert record["stderr"] == "gpucontract-agent: all_gather_perf: command not found\n"


@pytest.mark.parametrize(
    ("size", "words"), [(2**27, "128M"), (2**33, "8G"), (2**30 + 2**20, "1025M"), (1000, "1000"), (2**10, "1K")]
)
def test_sizes_are_written_as_nccl_tests_reads_them(size, words):
    assert jobs._size(size) == words


def test_fio_reads_past_the_cache_and_removes_its_files(tmp_path, monkeypatch):
    tool(tmp_path / "bin", "fio", 'echo "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(jobs, "FIO_FILE_GIB", 0)
    record = ran("storage", {"local_path": str(tmp_path), "runtime_s": 45})[-1]
    words = record["stdout"].split()
    assert {"--direct=1", "--unlink=1", "--runtime=45", f"--directory={tmp_path}", "--output-format=json"} <= set(words)


@pytest.mark.parametrize(
    ("path", "gib", "reason"),
    [("/nonexistent/disk", 8, "is not a directory on this machine"), ("/", 2**20, "B free, the test needs")],
)
def test_fio_is_not_started_where_it_would_test_the_wrong_disk_or_fill_it(monkeypatch, path, gib, reason):
    monkeypatch.setattr(jobs, "FIO_FILE_GIB", gib)
    record = ran("storage", {"local_path": path})[-1]
    assert record["exit_status"] != 0 and record["stdout"] == ""
    assert reason in record["stderr"] and "nothing was written" in record["stderr"]
