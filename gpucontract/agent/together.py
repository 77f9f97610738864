"""Several machines that read one shared storage at the same time: each writes its files, all wait, then all read."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from gpucontract.agent import execute, reach
from gpucontract.agent.execute import Command, Record, Watch

TOOL = "fio JSON"
# What each machine reads, in GiB over all its fio jobs, and each job at least.
CLIENT_GIB = 32
LEAST_GIB = 1
WRITING_S = 3600
# Ending and printing after the last second of reading.
ENDING_S = 300
NOT_READ = 125
BLOCK_SIZES = {
    "4KiB": "4k", "16KiB": "16k", "64KiB": "64k", "128KiB": "128k", "256KiB": "256k", "1MiB": "1M", "4MiB": "4M",
    "16MiB": "16M",
}  # fmt: skip


class Client(NamedTuple):
    """What one machine is started with: writing its files, then reading them."""

    write: Command
    read: Command


def client(host: str, place: int, test: Mapping[str, Any]) -> Client:
    """The machine at this place of the run; the first one is this machine, the others are reached over SSH."""
    gib = size_gib(test)
    words = (
        "fio", f"--name=gpucontract-shared-{place}", f"--directory={test['path']}", f"--rw={test['rw']}",
        f"--bs={BLOCK_SIZES[test['block_size']]}", "--ioengine=libaio", "--direct=1", f"--iodepth={test['iodepth']}",
        f"--numjobs={test['numjobs']}", f"--size={gib}G", "--time_based", f"--runtime={test['runtime_s']}",
        "--group_reporting", "--output-format=json",
    )  # fmt: skip
    there = host if place else ""
    write, read = (reach.at(there, (*words, extra)) for extra in ("--create_only=1", "--unlink=1"))
    return Client(Command(TOOL, write, WRITING_S), Command(TOOL, read, test["runtime_s"] + ENDING_S))


def size_gib(test: Mapping[str, Any]) -> int:
    """GiB that each fio job of a machine reads."""
    return max(LEAST_GIB, CLIENT_GIB // int(test["numjobs"]))


class Together:
    """Starts all clients when the first is asked for; a machine that cannot write keeps all from reading."""

    def __init__(self, clients: List[Client], refusal: str = "") -> None:
        self._clients = clients
        self._refusal = refusal
        self._ready = threading.Barrier(len(clients))
        self._outcomes: Dict[int, Union[Record, BaseException]] = {}
        self._threads: List[threading.Thread] = []

    def record(self, place: int, watch: Watch) -> Record:
        """What the client at this place said. Raises Stopped when the agent stops."""
        if self._refusal:
            return execute.not_run(self._clients[place].read, NOT_READ, self._refusal)
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._run, args=(at, watch), daemon=True) for at in range(len(self._clients))
            ]
            for thread in self._threads:
                thread.start()
        self._threads[place].join()
        outcome = self._outcomes[place]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def _run(self, place: int, watch: Watch) -> None:
        try:
            failed = self._written(place, watch)
            self._outcomes[place] = failed or execute.run(self._clients[place].read, watch)
        except threading.BrokenBarrierError:
            reason = "not read: another machine of this test could not write its files"
            self._outcomes[place] = execute.not_run(self._clients[place].read, NOT_READ, reason)
        except BaseException as error:
            self._ready.abort()
            self._outcomes[place] = error

    def _written(self, place: int, watch: Watch) -> Optional[Record]:
        """Wait until all have written; the record of what went wrong here, where it did."""
        record = execute.run(self._clients[place].write, watch)
        if record["exit_status"] != 0:
            self._ready.abort()
            return record
        self._ready.wait(WRITING_S)
        return None
