"""Where results come from: this machine's own programs, or a recording played back; both give the same shape."""

from __future__ import annotations

import csv
import os
from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Mapping

from gpucontract.agent import jobs, orders, protocol
from gpucontract.agent.execute import Record, Stopped, Watch
from gpucontract.agent.jobs import Step

MUST_FIT = protocol.MAX_BODY_BYTES


class Live:
    """Runs the tools on this machine."""

    origin = protocol.ORIGIN_LIVE

    def __init__(self) -> None:
        self.node = os.uname().nodename

    def steps(self, job: str, params: Mapping[str, Any]) -> List[Step]:
        """The programs of a job."""
        return jobs.steps(job, params)


class Replay:
    """Plays a recording folder: MANIFEST.csv beside the outputs. delay_s is spread over a run's outputs."""

    origin = protocol.ORIGIN_REPLAY

    def __init__(self, folder: Path, delay_s: float = 0.0) -> None:
        self._folder = folder
        self._delay_s = delay_s
        self._rows = _manifest(folder)
        self.node = self._rows[0]["node"]

    def steps(self, job: str, params: Mapping[str, Any]) -> List[Step]:
        """The recorded outputs of a job for its hosts, collective and repeat. Raises Refused when there are none."""
        rows = [row for row in self._rows if _is_meant(row, job, params)]
        if not rows:
            asked = ", ".join([job, *_asked(params)])
            raise orders.Refused("not_recorded", f"the recording of {self.node} holds no {asked}")
        wait_s = self._delay_s / len(rows)
        return [Step(row["tool"], partial(self._played, row, wait_s)) for row in rows]

    def _played(self, row: Mapping[str, str], wait_s: float, watch: Watch) -> Record:
        if watch.stop.wait(wait_s):
            raise Stopped(row["tool"])
        stderr = self._folder / f"{row['file']}.stderr"
        return {
            "name": protocol.output_name(row["tool"]), "tool": row["tool"], "command": row["command_line"],
            "stdout": _recorded(self._folder / row["file"]), "stderr": _recorded(stderr) if stderr.exists() else "",
            "exit_status": int(row["exit_status"]) if row["exit_status"] else None,
            "started_at": row["started_at"], "ended_at": row["ended_at"],
            "env": protocol.env_of(row["env"]), "redacted": [], "truncated": False,
        }  # fmt: skip


def document(run: str, job: str, params: Mapping[str, Any], node: str, outputs: List[Record]) -> bytes:
    """The raw result's bytes, cut at whole lines to fit the protocol's limit."""
    result = {
        "protocol": protocol.VERSION, "run": run, "job": job, "params": params, "hostname": node,
        "agent_version": protocol.AGENT_VERSION, "outputs": outputs,
    }  # fmt: skip
    body = protocol.compact(result)
    while len(body) > MUST_FIT:
        _halve_longest(outputs)
        body = protocol.compact(result)
    return body


def _halve_longest(outputs: List[Record]) -> None:
    output, stream = max(
        ((o, s) for o in outputs for s in ("stdout", "stderr")), key=lambda pair: len(pair[0][pair[1]])
    )
    half = output[stream][: len(output[stream]) // 2]
    output[stream] = half[: half.rfind("\n") + 1]
    output["truncated"] = True


def _manifest(folder: Path) -> List[Dict[str, str]]:
    with open(folder / protocol.MANIFEST, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    missing = set(protocol.MANIFEST_COLUMNS) - set(rows[0] if rows else ())
    if missing:
        raise ValueError(f"{folder / protocol.MANIFEST} has no column or no row of {', '.join(sorted(missing))}")
    for row in rows:
        if Path(row["file"]).name != row["file"]:
            raise ValueError(f"{folder / protocol.MANIFEST} names {row['file']!r}, which is not a file beside it")
    return rows


def _recorded(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _is_meant(row: Mapping[str, str], job: str, params: Mapping[str, Any]) -> bool:
    hosts = set(params.get("hosts", ()))
    is_repeat = row["repeat"] in ("", str(params.get("repeat", 1)))
    return row["job"] == job and is_repeat and (not hosts or hosts == set(row["nodes"].split())) and _fits(row, params)


def _fits(row: Mapping[str, str], params: Mapping[str, Any]) -> bool:
    """A recorded all_reduce does not answer an order for all_gather."""
    collective = params.get("collective", "")
    is_ring = collective.endswith("_ring")
    base = collective[: -len("_ring")] if is_ring else collective
    return not base or (f"{base}_perf" in row["tool"] and ("NCCL_ALGO" in protocol.env_of(row["env"])) == is_ring)


def _asked(params: Mapping[str, Any]) -> List[str]:
    told = {"collective": "", "hosts": "on ", "repeat": "repeat "}
    shown = {name: " ".join(value) if isinstance(value, list) else value for name, value in params.items()}
    return [f"{word}{shown[name]}" for name, word in told.items() if shown.get(name)]
