"""RDMA writes between two machines: which ports meet, who listens and who writes, and what a one-sided end is worth."""

import threading

import pytest

from gpucontract.agent import execute, jobs, rails
from gpucontract.agent.execute import Stopped, Watch
from gpucontract.agent.rails import Port, Write
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from gpucontract.measurements.raw import read as read_raw
from tests.agent.running import new_run, tool

HOSTS = ["gpu-node-01", "gpu-node-02"]
PARAMS = {"hosts": HOSTS, "size_bytes": 65536, "runtime_s": 10, "link_layer": "Ethernet"}
PORT = """hca_id:\t{device}
\ttransport:\t\t\tInfiniBand (0)
\tphys_port_cnt:\t\t\t1
\t\tport:\t1
\t\t\tstate:\t\t\t{state}
\t\t\tactive_mtu:\t\t4096 (5)
\t\t\tlink_layer:\t\t{layer}
"""
# Listens until a client came by, or writes to who listens; each has the port that -p names.
WRITER = """
device=$2; number=$6; folder={folder}
case "$*" in *" gpu-node-0"*) ;; *)
  echo "$device" >> $folder/listened; touch $folder/listening.$number
  while [ ! -e $folder/done.$number ]; do sleep 0.02; done; rm $folder/listening.$number; exit {listener};;
esac
if [ ! -e $folder/listening.$number ]; then echo "Couldn't connect to $HOST:$number" >&2; exit 1; fi
echo "$device" >> $folder/wrote
cat <<END
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : $device
 Link type       : Ethernet
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      3700000          0.00               {gbps}             0.741500
END
touch $folder/done.$number; exit {writer}
"""


def listing(*devices, state="PORT_ACTIVE (4)", layer="Ethernet"):
    return "".join(PORT.format(device=device, state=state, layer=layer) for device in devices)


def fake(folder, mine=("mlx5_0", "mlx5_1"), theirs=("mlx5_0", "mlx5_1"), **outcome):
    """Both machines in one folder of programs: what ssh starts is told that it runs on the other one."""
    told = {"folder": folder, "listener": 0, "writer": 0, "gbps": "388.77", **outcome}
    tool(folder / "bin", "ib_write_bw", WRITER.format(**told))
    tool(folder / "bin", "ssh", f'shift 4; echo "$1" >> {folder}/reached; shift; REMOTE=1; export REMOTE; sh -c "$*"')
    (folder / "mine").write_text(listing(*mine))
    (folder / "theirs").write_text(listing(*theirs))
    tool(folder / "bin", "ibv_devinfo", f'if [ "$REMOTE" ]; then cat {folder}/theirs; else cat {folder}/mine; fi')


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(execute, "MORE_PLACES", ())
    monkeypatch.setattr(rails, "TRY_AGAIN_S", 0.02)
    monkeypatch.setattr(rails, "ENDING_S", 2)
    return tmp_path


def ran(params=PARAMS):
    (step,) = jobs.steps("rdma_pairs", params)
    return step.records(Watch(threading.Event()))


def parsed(record):
    said = (record[name] for name in ("tool", "command", "stdout", "stderr", "exit_status"))
    return read(Capture(*said))


def test_every_port_of_either_machine_writes_once_to_the_port_of_its_name(bench):
    fake(bench)
    _, _, *written = ran()
    assert [record["tool"] for record in written] == [
        "ib_write_bw 1.mlx5_0.1", "ib_write_bw 1.mlx5_1.1", "ib_write_bw 2.mlx5_0.1", "ib_write_bw 2.mlx5_1.1",
    ]  # fmt: skip
    assert len({record["name"] for record in written}) == 4
    assert (bench / "wrote").read_text().split() == ["mlx5_0", "mlx5_1"] * 2
    assert (bench / "listened").read_text().split() == ["mlx5_0", "mlx5_1"] * 2
    assert set((bench / "reached").read_text().split()) == {"gpu-node-02"}
    for record in written:
        assert str(parsed(record).named("bw_average_at_65536")[0].value) == "388.77"


def test_the_words_are_fixed_and_each_test_has_a_port_of_its_own(bench):
    fake(bench)
    mine, theirs, first, _, third, _ = ran()
    assert mine["command"] == "ibv_devinfo -v" and theirs["command"].endswith("gpu-node-02 'ibv_devinfo -v'")
    words = "ib_write_bw -d mlx5_0 -i 1 -p {} -s 65536 -D 10 -q 4 -F --report_gbits"
    assert first["command"] == f"{words.format(18515)} gpu-node-02"
    ssh = "ssh -o BatchMode=yes -o ConnectTimeout=10 gpu-node-02"
    assert third["command"] == f"{ssh} 'timeout 50 {words.format(18517)} gpu-node-01'"
    assert "-b" in ran({**PARAMS, "bidirectional": True})[2]["command"].split()


@pytest.mark.parametrize(
    ("mine", "theirs", "met"),
    [
        ("a b", "a b", "a-a b-b a-a b-b"),
        ("a b", "a", "a-a b-a a-a"),
        ("a", "a b c", "a-a a-a b-a c-a"),
        ("x", "y", "x-y y-x"),
        ("", "a", ""),
    ],
)
def test_a_port_without_a_namesake_writes_to_another_one(mine, theirs, met):
    left, right = ([Port(name, 1) for name in names.split()] for names in (mine, theirs))
    assert " ".join(f"{each.port.device}-{each.to.device}" for each in rails.writes(left, right)) == met


def test_only_active_hardware_ports_of_the_agreed_kind_take_part():
    text = (
        listing("mlx5_0")
        + listing("mlx5_1", state="PORT_DOWN (1)")
        + listing("mlx5_2", layer="InfiniBand")
        + listing("rxe0", "-d;id", "a b")
        + "hca_id: mlx5_9\n\t\tport: 2\n\t\t\tstate: PORT_ACTIVE (4)\n\t\t\tlink_layer: Ethernet\n"
    )
    assert rails.active(text, "Ethernet") == [Port("mlx5_0", 1), Port("mlx5_9", 2)]
    assert rails.active(text) == [Port("mlx5_0", 1), Port("mlx5_2", 1), Port("mlx5_9", 2)]
    assert Write(1, Port("mlx5_9", 2), Port("mlx5_0", 1)).tool == "ib_write_bw 2.mlx5_9.2"


def test_where_one_machine_has_no_port_up_nothing_is_written_and_it_says_so(bench):
    fake(bench, theirs=())
    _, _, only = ran()
    assert parsed(only).error.startswith(
        "no_rdma_port: gpucontract-agent: no active Ethernet port on one of gpu-node-01"
    )
    assert not (bench / "wrote").exists()


ONE_SIDED = {
    "the listening side fails": ({"listener": 3}, 125, "the listening side ended with exit status 3"),
    "the writing side fails": ({"writer": 4}, 4, "the listening side ended with exit status 0"),
}


@pytest.mark.parametrize(("outcome", "status", "said"), ONE_SIDED.values(), ids=ONE_SIDED)
def test_a_result_of_one_side_alone_is_a_failed_one(bench, outcome, status, said):
    fake(bench, **outcome)
    _, _, first, *_ = ran()
    assert first["exit_status"] == status
    assert parsed(first).error.startswith("exit_status") or said in first["stderr"]
    assert all(reading.value is None for reading in parsed(first).readings)


def test_a_side_that_cannot_start_is_told_by_name(bench):
    fake(bench, mine=("mlx5_0",), theirs=("mlx5_0",))
    tool(
        bench / "bin",
        "ssh",
        f'case "$*" in *ibv*) cat {bench}/theirs;; *) echo "no route" >&2; exit 255;; esac',
    )
    _, _, mine, theirs = ran()
    assert "the listening side ended with exit status 255: no route" in mine["stderr"]
    assert parsed(mine).error.startswith("perftest_connect_failed") and theirs["exit_status"] == 255


def test_who_never_listens_is_given_up_and_ended(bench, monkeypatch):
    fake(bench, mine=("mlx5_0",), theirs=("mlx5_0",))
    monkeypatch.setattr(rails, "TRIES", 3)
    monkeypatch.setattr(rails, "ENDING_S", 0.2)
    program = bench / "bin" / "ib_write_bw"
    program.write_text(program.read_text().replace("touch $folder/listening.$number", "true"))
    _, _, first, _ = ran()
    assert first["exit_status"] == 1 and "the listening side did not end" in first["stderr"]


def test_stopping_the_agent_ends_both_sides(bench):
    fake(bench)
    tool(bench / "bin", "ib_write_bw", "exec sleep 60")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    (step,) = jobs.steps("rdma_pairs", PARAMS)
    with pytest.raises(Stopped):
        step.records(Watch(stop))


def test_a_real_agent_hands_over_one_output_for_each_port(start, tmp_path):
    fake(tmp_path)
    agent = start(env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    answer, _ = agent.result(new_run(), "rdma_pairs", PARAMS, patience_s=60)
    result = read_raw(answer.body)
    assert [output.tool for output in result.outputs[:2]] == ["ibv_devinfo -v 1", "ibv_devinfo -v 2"]
    values = [read(output.capture).named("bw_average_at_65536")[0].value for output in result.outputs[2:]]
    assert [str(value) for value in values] == ["388.77"] * 4
