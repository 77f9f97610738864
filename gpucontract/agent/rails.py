"""Two machines that write into each other's memory over RDMA: ib_write_bw from every active port, one at a time.

For each port one side listens and the other, which has the port, writes. A result counts only if both sides end well.
"""

from __future__ import annotations

import contextlib
import re
import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from gpucontract.agent import execute, reach
from gpucontract.agent.execute import Command, Record, Stopped, Watch

TOOL = "ib_write_bw"
PORTS = ("ibv_devinfo", "-v")
# Several queue pairs fill a port that is bonded out of two, too.
QUEUE_PAIRS = 4
FIRST_TCP_PORT = 18515
# Around the seconds of writing: reaching the other machine, connecting, printing.
AROUND_S = 40
# The listening side says nothing before it is spoken to, so the writing side tries until it is there.
TRIES = 15
TRY_AGAIN_S = 1.0
ENDING_S = 10.0
ONE_SIDED = 125
# More ports than any machine has; their results still fit into one answer.
MOST_PORTS = 64
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}")
_SOFTWARE = re.compile(r"(?:rxe|siw)_?[0-9]")
_NOT_THERE_YET = re.compile(r"Couldn't connect|Connection refused|Unable to init the socket connection")


class Port(NamedTuple):
    """One RDMA port by its device's name and its number there."""

    device: str
    number: int


class Write(NamedTuple):
    """One test: the machine at this place of the run writes from its port to the other machine's."""

    place: int
    port: Port
    to: Port

    @property
    def tool(self) -> str:
        """What its output is called: of which machine, 1 being the lead, and of which port."""
        return f"{TOOL} {self.place + 1}.{self.port.device}.{self.port.number}"


def records(params: Mapping[str, Any], watch: Watch) -> List[Record]:
    """What both machines say about their ports, and one output for each port. Raises Stopped."""
    peer: str = params["hosts"][1]
    listed = [
        execute.run(Command(f"{' '.join(PORTS)} {number}", reach.at(host, PORTS)), watch)
        for number, host in ((1, ""), (2, peer))
    ]
    tests = writes(*(active(said["stdout"], params.get("link_layer", "")) for said in listed))
    if not tests:
        return [*listed, _nothing(params)]
    return [*listed, *(_written(test, place, params, watch) for place, test in enumerate(tests))]


def active(text: str, layer: str = "") -> List[Port]:
    """The active hardware ports that ibv_devinfo lists, of that link layer if one is named."""
    found: List[Port] = []
    device = number = state = ""
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "hca_id":
            device, number, state = value, "", ""
        elif key == "port":
            number, state = value, ""
        elif key == "state":
            state = value
        elif key == "link_layer" and state.startswith("PORT_ACTIVE") and layer in ("", value):
            found += _hardware(device, number)
    return found[:MOST_PORTS]


def _hardware(device: str, number: str) -> List[Port]:
    """The port, unless it is software or its name is none that may stand on a command line."""
    is_usable = number.isdigit() and _NAME.fullmatch(device) and not _SOFTWARE.match(device)
    return [Port(device, int(number))] if is_usable else []


def writes(mine: List[Port], theirs: List[Port]) -> List[Write]:
    """One test for each port of either machine, to the port of the same name, else to any; none without two sides."""
    if not mine or not theirs:
        return []
    sides = ((0, mine, theirs), (1, theirs, mine))
    return [
        Write(place, port, port if port in others else others[at % len(others)])
        for place, own, others in sides
        for at, port in enumerate(own)
    ]


def _nothing(params: Mapping[str, Any]) -> Record:
    """A machine without an active port of the kind: what lies between the two is TCP at best."""
    layer = params.get("link_layer", "RDMA")
    reason = f"no active {layer} port on one of {', '.join(params['hosts'])}: without RDMA nothing was written"
    return execute.not_run(Command(TOOL, (TOOL,)), ONE_SIDED, reason)


def _words(port: Port, tcp_port: int, params: Mapping[str, Any]) -> Tuple[str, ...]:
    both_ways = ("-b",) if params.get("bidirectional") else ()
    return (
        TOOL, "-d", port.device, "-i", str(port.number), "-p", str(tcp_port), "-s", str(params["size_bytes"]),
        "-D", str(params["runtime_s"]), "-q", str(QUEUE_PAIRS), "-F", "--report_gbits", *both_ways,
    )  # fmt: skip


def _sides(test: Write, at: int, params: Mapping[str, Any]) -> Tuple[Command, Command]:
    """What listens and what writes."""
    hosts, tcp_port, limit_s = params["hosts"], FIRST_TCP_PORT + at, params["runtime_s"] + AROUND_S
    words = (_words(test.to, tcp_port, params), (*_words(test.port, tcp_port, params), hosts[1 - test.place]))
    places = (1 - test.place, test.place)
    return (
        _command(test.tool, hosts[1] if places[0] else "", words[0], limit_s),
        _command(test.tool, hosts[1] if places[1] else "", words[1], limit_s),
    )


def _command(tool: str, host: str, words: Tuple[str, ...], limit_s: int) -> Command:
    # Ending ssh here ends nothing over there, so the other side has a limit of its own.
    own = ("timeout", str(limit_s), *words) if host else words
    return Command(tool, reach.at(host, own), limit_s + ENDING_S)


class _Until(threading.Event):
    """Set by itself, or when the agent stops."""

    def __init__(self, agent: threading.Event) -> None:
        super().__init__()
        self._agent = agent

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Whether it is set, waiting no longer than the timeout in seconds."""
        return self._agent.wait(timeout) or self.is_set()


def _written(test: Write, at: int, params: Mapping[str, Any], watch: Watch) -> Record:
    listening, writing = _sides(test, at, params)
    heard: Dict[str, Record] = {}
    until = _Until(watch.stop)

    def listen() -> None:
        with contextlib.suppress(Stopped):
            heard["said"] = execute.run(listening, Watch(until, watch.children))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        record = _spoken(writing, thread, watch)
        thread.join(ENDING_S)
    finally:
        until.set()
        thread.join()
    return _whole(record, heard.get("said"))


def _spoken(writing: Command, listener: threading.Thread, watch: Watch) -> Record:
    """The writing side's record, once the other side listens or has given up."""
    for _ in range(TRIES):
        is_there = listener.is_alive()
        record = execute.run(writing, watch)
        if not _NOT_THERE_YET.search(record["stdout"] + record["stderr"]) or not is_there:
            break
        if watch.stop.wait(TRY_AGAIN_S):
            raise Stopped(writing.tool)
    return record


def _whole(record: Record, said: Optional[Record]) -> Record:
    """The writing side's record as it is if both ended well; else with what the other side said, as a failed one."""
    if record["exit_status"] == 0 and said is not None and said["exit_status"] == 0:
        return record
    how = "did not end" if said is None else f"ended with exit status {said['exit_status']}: {said['stderr'].strip()}"
    note = f"gpucontract-agent: the listening side {how}\n"
    return {**record, "exit_status": record["exit_status"] or ONE_SIDED, "stderr": record["stderr"] + note}
