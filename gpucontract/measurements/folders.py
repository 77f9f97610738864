"""A folder of outputs with its MANIFEST.csv (a recording or an evidence pack) as run records; no database."""

from __future__ import annotations

import csv
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from gpucontract.agent import protocol
from gpucontract.canonical import sha256
from gpucontract.contracts.body import Body
from gpucontract.measurements import raw
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from gpucontract.measurements.records import Origin, OutputRecord, RunRecord
from gpucontract.office import unmarked
from gpucontract.wording import Text

Row = Mapping[str, str]

# What a pack tells of a run beside its outputs, as the server knew it; a recording has none of these columns.
ORDER_COLUMNS = ("params", "ordered_at", "received_at")
PACK_COLUMNS = (*protocol.MANIFEST_COLUMNS, *ORDER_COLUMNS)

# Twice what a downloaded pack may hold, since it has each output in its signed bytes too.
MOST_UNPACKED_MIB = 2048
_NO_ZIP = Text(
    "{path} 不是能读的 ZIP：{fault}。请重新下载，或指向解压后的目录。",
    "{path} is no readable ZIP: {fault}. Download it again, or point at the folder it was unpacked into.",
)
_TOO_MUCH = Text(
    "{path} 解压后有 {size} MiB，上限 {limit} MiB：请核对来源，自行解压后指向该目录。",
    "{path} unpacks to {size} MiB, the limit is {limit} MiB; see where it comes from, then unpack it yourself and "
    "point at that folder.",
)
_NO_MANIFEST = Text(
    "{folder} 里没有 {manifest}：请指向一份录制或证据包的目录。",
    "{folder} holds no {manifest}: point at the folder of a recording or an evidence pack.",
)
_NO_COLUMNS = Text("{path} 缺少列：{columns}。", "{path} lacks the columns {columns}.")
_BAD_CELL = Text(
    "{path} 第 {line} 行的 {column} 是“{value}”，应为{wanted}。",
    "{path} line {line}: {column} is “{value}”, expected {wanted}.",
)
_NO_TABLE = Text("{path} 不是可读的 CSV 表：{fault}。", "{path} is no readable CSV table: {fault}.")
_NO_FILE = Text(
    "{path} 提到的文件 {name} 不在目录里（或不是普通文件）。",
    "{path} names the file {name}, which is not in the folder (or is no plain file).",
)
_TOO_LARGE = Text(
    "{name} 有 {size} 字节，上限 {limit} 字节：请核对是否为工具输出。",
    "{name} has {size} B, the limit is {limit} B; see whether it is a tool's output.",
)
_NO_HOST = Text("没有叫 {host} 的机器：目录里有 {known}。", "No machine is called {host}; the folders hold {known}.")
_TOO_MANY = Text(
    "目录里有 {found} 台机器（{hosts}），合同有 {slots} 个机位：请用 --machines 按机位顺序指明哪几台。",
    "The folders hold {found} machines ({hosts}), the contract has {slots} slots: say which ones stand in them, "
    "in order, with --machines.",
)
_WHOLE = Text("最多 9 位的整数", "a whole number of at most 9 digits")
_WORDS = Text("用空格分开的 NAME=值，引号成对", "NAME=value words, quotes in pairs")
_OBJECT = Text("一个 JSON 对象", "a JSON object")
_TIME = Text("1970 年以后、带时区的时间", "a time with its zone, from 1970 on")
_NAME = Text("非空的名字", "a name")
_NUMBER = re.compile(r"-?[0-9]{1,9}")


class FolderError(ValueError):
    """The folder cannot be read as evidence; the text says why and what to do."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


@contextmanager
def unpacked(places: Sequence[Path]) -> Iterator[list[Path]]:
    """The places as folders: a ZIP is unpacked into one that is gone at the end. Raises FolderError."""
    with TemporaryDirectory() as scratch:
        yield [_folder(place, Path(scratch) / str(number)) for number, place in enumerate(places)]


def _folder(place: Path, target: Path) -> Path:
    if not place.is_file():
        return place
    try:
        with zipfile.ZipFile(place) as files:
            size = sum(file.file_size for file in files.infolist()) // 2**20
            if size > MOST_UNPACKED_MIB:
                raise FolderError(_TOO_MUCH.fill(path=place, size=size, limit=MOST_UNPACKED_MIB))
            files.extractall(target)
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as fault:
        raise FolderError(_NO_ZIP.fill(path=place, fault=fault)) from fault
    return target


def read_folders(folders: Sequence[Path], body: Body, machines: Sequence[str] = ()) -> list[RunRecord]:
    """Every run of these folders that ran on the contract's slots only, as unsigned file evidence. Raises FolderError.

    machines: host names in slot order; without it a pack's own slots, else the hosts by name, fill the slots.
    """
    rows = [(folder, row) for folder in folders for row in _manifest(folder)]
    slots = _slots(rows, body, machines)
    records = []
    for (folder, *_), group in groupby(sorted(rows, key=_run_key), key=_run_key):
        members = [row for _, row in group]
        if all(host in slots for host in _hosts(members[0])):
            records.append(_record(Path(folder), members, slots))
    return records


def _manifest(folder: Path) -> Iterator[Row]:
    path = folder / protocol.MANIFEST
    if not path.is_file():
        raise FolderError(_NO_MANIFEST.fill(folder=folder, manifest=protocol.MANIFEST))
    try:
        yield from _rows(path)
    except (csv.Error, UnicodeDecodeError) as fault:
        raise FolderError(_NO_TABLE.fill(path=path, fault=fault)) from fault


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream)
        missing = set(protocol.MANIFEST_COLUMNS) - set(table.fieldnames or ())
        if missing:
            raise FolderError(_NO_COLUMNS.fill(path=path, columns=sorted(missing)))
        is_pack = set(ORDER_COLUMNS) <= set(table.fieldnames or ())
        for cells in table:
            told = {name: cells.get(name) or "" for name in PACK_COLUMNS}
            read = {name: unmarked(cell) for name, cell in told.items()} if is_pack else told
            row = {**read, "line": str(table.line_num)}
            nameless = next((column for column in ("file", "job", "node") if not row[column].strip()), "")
            if nameless:
                raise FolderError(_bad(path.parent, row, nameless, _NAME))
            yield row


def _run_key(item: tuple[Path, Row]) -> tuple[str, str, str, str, int, str]:
    """Rows of one run: same folder, job, machine, partners, round and repeat."""
    folder, row = item
    return str(folder), row["job"], row["node"], row["nodes"], _round(row), row["repeat"]


def _record(folder: Path, rows: Sequence[Row], slots: Mapping[str, str]) -> RunRecord:
    first = rows[0]
    hosts = _hosts(first)
    nodes = tuple(slots[host] for host in hosts)
    ends = [moment for row in rows for name in ("started_at", "ended_at") if (moment := _moment(folder, row, name))]
    return RunRecord(
        id=f"{folder.name}/{first['job']}/{'+'.join(hosts)}/r{_round(first)}/{first['repeat']}", job=first["job"],
        group=nodes[0].partition("-")[0], nodes=nodes, repeat=_whole(folder, first, "repeat"), round=_round(first),
        origin=Origin.FILE, params=_params(folder, first), ordered_at=_moment(folder, first, "ordered_at"),
        received_at=_moment(folder, first, "received_at") or max(ends, default=datetime.fromtimestamp(0, UTC)),
        hostnames=dict(zip(nodes, hosts, strict=True)), outputs=tuple(_output(folder, row) for row in rows),
    )  # fmt: skip


def _output(folder: Path, row: Row) -> OutputRecord:
    data, error = _bytes(folder, row["file"]), row["file"] + ".stderr"
    stderr = _bytes(folder, error) if (folder / error).is_file() else b""
    status = _whole(folder, row, "exit_status") if row["exit_status"] else None
    text, env = data.decode("utf-8", "replace"), _environment(folder, row)
    parsed = read(Capture(row["tool"], row["command_line"], text, stderr.decode("utf-8", "replace"), status, env))
    return OutputRecord(
        name=PurePosixPath(row["file"]).name, tool=row["tool"], command=row["command_line"], sha256=sha256(data),
        exit_status=status, env=env, readings=parsed.readings, findings=parsed.findings, error=parsed.error,
        started_at=_moment(folder, row, "started_at"), ended_at=_moment(folder, row, "ended_at"),
    )  # fmt: skip


def _params(folder: Path, row: Row) -> Mapping[str, Any]:
    """What was ordered, where a pack tells it."""
    try:
        params = json.loads(row["params"] or "{}")
    except (ValueError, RecursionError):
        params = None
    if not isinstance(params, dict):
        raise FolderError(_bad(folder, row, "params", _OBJECT))
    return params


def _environment(folder: Path, row: Row) -> Mapping[str, str]:
    try:
        return protocol.env_of(row["env"])
    except ValueError:
        raise FolderError(_bad(folder, row, "env", _WORDS)) from None


def _bytes(folder: Path, name: str) -> bytes:
    """The bytes of a named file below the folder; a name that leads out of it, or a link, is refused."""
    path, root = folder / name, folder.resolve()
    if not path.is_file() or path.is_symlink() or root not in path.resolve().parents:
        raise FolderError(_NO_FILE.fill(path=folder / protocol.MANIFEST, name=name))
    size = path.stat().st_size
    if size > protocol.MAX_BODY_BYTES:
        raise FolderError(_TOO_LARGE.fill(name=path, size=size, limit=protocol.MAX_BODY_BYTES))
    return path.read_bytes()


def _hosts(row: Row) -> tuple[str, ...]:
    """The machines of a run, the one that kept the output first."""
    others = tuple(host for host in row["nodes"].split() if host != row["node"])
    return (row["node"], *others)


def _slots(rows: Iterable[tuple[Path, Row]], body: Body, machines: Sequence[str]) -> dict[str, str]:
    """Host name -> slot."""
    codes = [code for group in body.groups for code in group.node_codes]
    known = {row["node"]: PurePosixPath(row["file"]).parts[0] for _, row in rows}
    if not machines and known and set(known.values()) <= set(codes):
        return known
    unknown = [host for host in machines if host not in known]
    if unknown:
        raise FolderError(_NO_HOST.fill(host=unknown[0], known=sorted(known)))
    hosts = list(machines) or sorted(known)
    if len(hosts) > len(codes):
        raise FolderError(_TOO_MANY.fill(found=len(hosts), hosts=tuple(hosts), slots=len(codes)))
    return dict(zip(hosts, codes, strict=False))


def _round(row: Row) -> int:
    """The round that a pack's path names (g1-001/r2/...); a recording has one only."""
    parts = PurePosixPath(row["file"]).parts
    named = parts[1][1:] if len(parts) > 2 and parts[1].startswith("r") else ""
    return int(named) if named.isdecimal() else 1


def _whole(folder: Path, row: Row, column: str) -> int:
    value = row[column].strip()
    if not _NUMBER.fullmatch(value):
        raise FolderError(_bad(folder, row, column, _WHOLE))
    return int(value)


def _moment(folder: Path, row: Row, column: str) -> datetime | None:
    if not row[column]:
        return None
    try:
        moment = datetime.fromisoformat(row[column])
    except ValueError:
        raise FolderError(_bad(folder, row, column, _TIME)) from None
    if moment.tzinfo is None or not raw.FIRST_YEAR <= moment.year <= raw.LAST_YEAR:
        raise FolderError(_bad(folder, row, column, _TIME))
    return moment


def _bad(folder: Path, row: Row, column: str, wanted: Text) -> Text:
    path = folder / protocol.MANIFEST
    return _BAD_CELL.fill(path=path, line=row["line"], column=column, value=row[column], wanted=wanted)
