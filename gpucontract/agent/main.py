"""gpucontract's agent: runs fixed measurements on a GPU machine and hands the raw output to the ordering server.

  serve    wait for signed orders over HTTP; with --replay DIR play a recording back instead of measuring
  collect  run jobs once, here and now, and write a recording folder
  probe    load the GPUs of this machine; jobs call it in a process of its own
  version  print the version

The agent's secret comes from --secret-file or GPUCONTRACT_AGENT_SECRET, never from the command line.
Tools are looked for on PATH: to use another python3 or another nccl-tests, put its folder first.
Jobs that load the machine run one at a time, those that only look one at a time beside them; the rest wait.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import List, Optional

from gpucontract.agent import probe_load, probe_soak, probe_train, probe_usable, protocol, recording, results
from gpucontract.agent.orders import Refused
from gpucontract.agent.runner import Runner
from gpucontract.agent.server import Server
from gpucontract.agent.store import InUse, Store

PORT = 9480
SHORTEST_SECRET = 16
# What each is given is its own options.
PROBES = {"load": probe_load.main, "soak": probe_soak.main, "train": probe_train.main}
STATE = "~/.local/state/gpucontract-agent"


class Unusable(Exception):
    """The agent cannot start like this; the message says why and what to do."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Do what the command line says; the exit status is 0, 1 after a stated failure, 2 for a wrong command line."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.act(options)
        return status
    except (Unusable, Refused, OSError, ValueError) as error:
        print(f"gpucontract-agent: {error}", file=sys.stderr)
        return 1


def serve(options: argparse.Namespace) -> int:
    """Answer orders until SIGTERM or SIGINT."""
    secret = _secret(options.secret_file)
    source = results.Replay(options.replay, options.delay) if options.replay else results.Live()
    runner = Runner(source, _store(options.state))
    server = Server((options.bind, options.port), _agent(options.agent), secret, runner)
    _stop_on_signals(server)
    host = f"[{options.bind}]" if ":" in options.bind else options.bind
    what = f"replay of {source.node}" if options.replay else source.node
    print(f"gpucontract-agent {protocol.AGENT_VERSION}: {what} on http://{host}:{server.server_address[1]}", flush=True)
    with server:
        server.serve_forever(poll_interval=0.1)
    runner.stop()
    return 0


def collect(options: argparse.Namespace) -> int:
    """Run each named job once and write what the tools said into a folder."""
    try:
        params = json.loads(options.params)
    except ValueError as error:
        raise Unusable(f"--params is not JSON: {error}") from None
    for job in options.job:
        count = recording.collect(job, params, options.out)
        print(f"{job}: {count} outputs in {options.out}")
    return 0


def probe(options: argparse.Namespace) -> int:
    """Run one probe with its own words."""
    if options.name == "usable":
        return probe_usable.main()
    return PROBES[options.name](options.words)


def version(_options: argparse.Namespace) -> int:
    """Print it."""
    print(f"gpucontract-agent {protocol.AGENT_VERSION} (protocol {protocol.VERSION})")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpucontract-agent", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    modes = parser.add_subparsers(dest="mode", required=True)
    _add_serve(modes.add_parser("serve", help="answer signed orders over HTTP"))
    collecting = modes.add_parser("collect", help="run jobs once and write a recording")
    collecting.add_argument("--job", action="append", required=True, choices=protocol.JOBS, help="repeatable")
    collecting.add_argument("--params", default="{}", help="the jobs' parameters as JSON")
    collecting.add_argument("--out", type=Path, required=True, help="the recording folder; its manifest is added to")
    collecting.set_defaults(act=collect)
    probing = modes.add_parser("probe", help="load the GPUs of this machine, or see whether each is usable")
    probing.add_argument("name", choices=("usable", *PROBES))
    probing.add_argument("words", nargs=argparse.REMAINDER, help="the probe's own options")
    probing.set_defaults(act=probe)
    modes.add_parser("version", help="print the version").set_defaults(act=version)
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    environ = os.environ.get
    parser.add_argument("--agent", default=environ("GPUCONTRACT_AGENT", ""), help="this agent's id, as enrolled")
    parser.add_argument("--bind", default="127.0.0.1", help="address to listen on; name one the server can reach")
    parser.add_argument("--port", type=_port, default=PORT, help=f"default {PORT}; 0 takes a free one and prints it")
    parser.add_argument("--secret-file", type=Path, default=environ("GPUCONTRACT_AGENT_SECRET_FILE") or None)
    parser.add_argument(
        "--state", type=Path, default=Path(environ("STATE_DIRECTORY", STATE)), help="folder for results"
    )
    parser.add_argument("--replay", type=Path, help="a recording folder to play back; its results say origin replay")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that a replayed run takes")
    parser.set_defaults(act=serve)


def _port(text: str) -> int:
    if not (text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: give 0 to 65535")
    return int(text)


def _secret(path: Optional[Path]) -> bytes:
    if path:
        if path.stat().st_mode & stat.S_IROTH:
            print(f"gpucontract-agent: everybody on this machine can read {path}: chmod 600 it", file=sys.stderr)
        text = path.read_text(encoding="utf-8").strip()
    else:
        text = os.environ.get("GPUCONTRACT_AGENT_SECRET", "").strip()
    if len(text) < SHORTEST_SECRET:
        raise Unusable(
            f"the agent's secret has {len(text)} characters, it needs at least {SHORTEST_SECRET}: "
            "give --secret-file or GPUCONTRACT_AGENT_SECRET"
        )
    return text.encode("utf-8")


def _agent(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Fa-f-]{8,64}", text):
        raise Unusable(f"{text!r} is no agent id: give --agent or GPUCONTRACT_AGENT as shown when it was enrolled")
    return text


def _store(folder: Path) -> Store:
    try:
        return Store(folder.expanduser())
    except InUse as error:
        raise Unusable(f"another agent works in {error}: give each its own --state folder") from None


def _stop_on_signals(server: Server) -> None:
    """shutdown() waits for the loop that the handler interrupts, so it is called from a thread of its own."""

    def stop(_number: int, _frame: object) -> None:
        threading.Thread(target=server.shutdown, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
