"""A contract's evidence as a folder: the outputs with their MANIFEST.csv, the raw results exactly as delivered, and
what was said of the papers handed in."""

import csv
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from django.db.models import Sum

from gpucontract.agent import protocol
from gpucontract.contracts.models import Contract
from gpucontract.measurements import evidence, folders, paper_lists, raw
from gpucontract.measurements.errors import MeasurementError
from gpucontract.measurements.evidence import EvidenceLost
from gpucontract.measurements.models import Delivery
from gpucontract.office import safe
from gpucontract.wording import Text

DELIVERIES = "DELIVERIES.csv"
DELIVERY_COLUMNS = (
    "run", "node", "job", "repeat", "origin", "sha256", "received_at", "agent", "signature", "envelope",
)  # fmt: skip


# Unpacked, and written twice: as delivered, and output by output.
MOST_MIB = 512
_TOO_LARGE = Text(
    "该合同的证据共 {size} MiB，超过下载上限 {most} MiB。请管理员在服务器上运行 "
    "manage.py export_evidence {contract} 目录。",
    "The evidence of this contract holds {size} MiB, more than the {most} MiB of a download. Have the administrator "
    "run manage.py export_evidence {contract} FOLDER on the server.",
)
_LOST = Text(
    "有一次测试的原始结果已丢失或损坏，无法生成证据包。请管理员从备份恢复。",
    "The raw result of one run is lost or damaged, so there is no pack. Have the administrator restore it.",
)


def archive(contract: Contract) -> IO[bytes]:
    """A contract's pack as a ZIP, open for reading and gone once closed. Raises MeasurementError."""
    held = Delivery.objects.filter(run__contract=contract).aggregate(held=Sum("evidence__size_bytes"))["held"] or 0
    if held > MOST_MIB * 2**20:
        raise MeasurementError(_TOO_LARGE.fill(size=held // 2**20, most=MOST_MIB, contract=contract.uuid))
    packed = TemporaryFile()  # noqa: SIM115 - whoever reads it closes it
    with TemporaryDirectory() as scratch, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        try:
            write_pack(contract, Path(scratch))
        except EvidenceLost as fault:
            raise MeasurementError(_LOST) from fault
        for path in sorted(Path(scratch).rglob("*")):
            files.write(path, path.relative_to(scratch))
    packed.seek(0)
    return packed


def write_pack(contract: Contract, folder: Path) -> int:
    """Write every delivery of a contract below a folder; returns how many. Raises EvidenceLost.

    MANIFEST.csv lists one output a row, as the offline judge reads it; raw/ holds the bytes that were signed;
    DOCUMENTS.csv lists the papers, not their files. A cell that a spreadsheet would run begins with an apostrophe.
    """
    deliveries = list(
        Delivery.objects.filter(run__contract=contract)
        .select_related("run__lead", "agent", "evidence")
        .order_by("run__lead__code", "run__job", "run__repeat", "run__pk")
    )
    (folder / "raw").mkdir(parents=True, exist_ok=True)
    outputs = [row for delivery in deliveries for row in _write_delivery(delivery, folder)]
    _write_table(folder / protocol.MANIFEST, folders.PACK_COLUMNS, map(_marked, outputs))
    papers = [paper.fact() for paper in contract.papers.select_related("decided_by").order_by("key", "number")]
    _write_table(folder / paper_lists.DOCUMENTS, paper_lists.COLUMNS, paper_lists.rows_of(papers))
    _write_table(folder / DELIVERIES, DELIVERY_COLUMNS, (_marked(_delivery_row(delivery)) for delivery in deliveries))
    return len(deliveries)


def _write_delivery(delivery: Delivery, folder: Path) -> list[dict[str, Any]]:
    body = evidence.read(delivery.evidence_id)
    (folder / "raw" / f"{delivery.evidence_id}.json").write_bytes(body)
    result = raw.read(body)
    return [_write_output(delivery, result, output, folder) for output in result.outputs]


def _write_output(delivery: Delivery, result: raw.RawResult, output: raw.RawOutput, folder: Path) -> dict[str, Any]:
    run = delivery.run
    place = Path(run.lead.code) / f"r{run.round}" / run.job / f"{run.repeat}-{protocol.output_name(output.name)}.txt"
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(output.stdout.encode())
    if output.stderr:
        path.with_name(f"{path.name}.stderr").write_bytes(output.stderr.encode())
    return {
        "file": place.as_posix(), "job": run.job, "node": result.hostname, "tool": output.tool,
        "command_line": output.command, "exit_status": "" if output.exit_status is None else output.exit_status,
        "started_at": output.started_at.isoformat() if output.started_at else "",
        "ended_at": output.ended_at.isoformat() if output.ended_at else "",
        "nodes": " ".join(result.params.get("hosts", ()) or (result.hostname,)), "repeat": run.repeat,
        "env": protocol.env_line(output.env), "params": json.dumps(run.params, ensure_ascii=False, sort_keys=True),
        "ordered_at": run.ordered_at.isoformat(), "received_at": delivery.received_at.isoformat(),
    }  # fmt: skip


def _delivery_row(delivery: Delivery) -> dict[str, Any]:
    run = delivery.run
    return {
        "run": run.uuid, "node": run.lead.code, "job": run.job, "repeat": run.repeat, "origin": delivery.origin,
        "sha256": delivery.evidence_id, "received_at": delivery.received_at.isoformat(),
        "agent": delivery.agent.uuid if delivery.agent else "", "signature": delivery.signature,
        "envelope": delivery.envelope,
    }  # fmt: skip


def _marked(row: Mapping[str, Any]) -> dict[str, str]:
    """The row with its cells as text: commands and names come from machines, and somebody opens the table."""
    return {column: safe(str(value)) for column, value in row.items()}


def _write_table(path: Path, columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, columns)
        table.writeheader()
        table.writerows(rows)
