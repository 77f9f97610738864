"""Write what a job's tools said into a folder that can be replayed, or judged without a server."""

from __future__ import annotations

import csv
import re
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping

from gpucontract.agent import orders, protocol
from gpucontract.agent.execute import Record, Watch
from gpucontract.agent.results import Live


def collect(job: str, params: Mapping[str, Any], folder: Path) -> int:
    """Run a job once and add its outputs to the folder; outputs of an earlier run of the same repeat are replaced."""
    orders.check(job, params)
    live = Live()
    watch = Watch(threading.Event())
    records = [record for step in live.steps(job, params) for record in step.records(watch)]
    folder.mkdir(parents=True, exist_ok=True)
    rows = [_written(record, _labels(job, params, live.node), folder) for record in records]
    _add_to_manifest(folder / protocol.MANIFEST, rows)
    return len(rows)


def _labels(job: str, params: Mapping[str, Any], node: str) -> Dict[str, str]:
    nodes = params.get("hosts") or [node]
    return {"job": job, "node": node, "nodes": " ".join(nodes), "repeat": str(params.get("repeat", 1))}


def _written(record: Record, labels: Mapping[str, str], folder: Path) -> Dict[str, str]:
    """One output as a file and as its manifest row."""
    partners = [name for name in labels["nodes"].split() if name != labels["node"]]
    parts = [labels["job"], *partners, labels["repeat"], record["name"]]
    file = re.sub(r"[^A-Za-z0-9._+-]", "-", "__".join(parts)) + _ending(record["stdout"])
    (folder / file).write_bytes(record["stdout"].encode("utf-8"))
    if record["stderr"]:
        (folder / f"{file}.stderr").write_bytes(record["stderr"].encode("utf-8"))
    return {
        **labels, "file": file, "tool": record["tool"], "command_line": record["command"],
        "exit_status": str(record["exit_status"]), "started_at": record["started_at"],
        "ended_at": record["ended_at"], "env": protocol.env_line(record["env"]),
    }  # fmt: skip


def _ending(text: str) -> str:
    return {"{": ".json", "<": ".xml"}.get(text.lstrip()[:1], ".txt")


def _add_to_manifest(path: Path, rows: List[Dict[str, str]]) -> None:
    new = {row["file"] for row in rows}
    kept: List[Dict[str, str]] = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row["file"] not in new]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, protocol.MANIFEST_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *rows])
