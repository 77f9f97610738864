"""Files people hand in: known by their content, named by the sha256 of their bytes, on the platter before any row."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from uuid import uuid4

from django.conf import settings

from gpucontract.canonical import sha256
from gpucontract.office import harm_in
from gpucontract.wording import Text

MEBIBYTE = 2**20
MOST_BYTES = 20 * MEBIBYTE
LONGEST_NAME = 120

KINDS: Mapping[str, Text] = {
    "pdf": Text("PDF 文件", "PDF"),
    "png": Text("PNG 图片", "PNG picture"),
    "jpeg": Text("JPEG 图片", "JPEG picture"),
    "docx": Text("Word 文档", "Word document"),
    "xlsx": Text("Excel 表格", "Excel sheet"),
    "text": Text("文本", "text"),
}
MEDIA_TYPES: Mapping[str, str] = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text": "text/plain; charset=utf-8",
}
_EMPTY = Text("“{name}”是空文件。请选择有内容的文件。", "“{name}” is empty. Choose a file that holds something.")
_TOO_LARGE = Text(
    "“{name}”有 {size} MB，最大 {limit} MB。请压缩或拆分后再上传。",
    "“{name}” has {size} MB; the limit is {limit} MB. Make it smaller or split it.",
)
_NOT_KNOWN = Text(
    "“{name}”的内容不是可接受的类型。请上传 PDF、PNG、JPEG、Word（docx）、Excel（xlsx）或 UTF-8 文本。",
    "What “{name}” holds is no accepted type. Upload PDF, PNG, JPEG, Word (docx), Excel (xlsx) or UTF-8 text.",
)
_ACTIVE = Text(
    "“{name}”含有{what}，不能接收。请另存为不含它的文件，或另存为 PDF 再上传。",
    "“{name}” holds {what} and is not taken. Save it without them, or as PDF, and upload that.",
)
_DAMAGED = Text("损坏的部件", "damaged parts")


class FilingError(Exception):
    """A file was not taken or is not what it was; the sentence says why."""

    def __init__(self, text: Text) -> None:
        super().__init__(f"{text.zh} / {text.en}")
        self.text = text


@dataclass(frozen=True, slots=True)
class Filed:
    """A file that was taken: its own name, what its content is (a key of KINDS), hash and size."""

    name: str
    kind: str
    sha256: str
    size_bytes: int


def file_away(name: str, data: bytes) -> Filed:
    """Check by content and keep the bytes. Raises FilingError."""
    shown = _plain_name(name)
    if not data:
        raise FilingError(_EMPTY.fill(name=shown))
    if refusal := too_large(name, len(data)):
        raise FilingError(refusal)
    kind = kind_of(data)
    if not kind:
        raise FilingError(_NOT_KNOWN.fill(name=shown))
    if kind in ("docx", "xlsx") and (harm := _harm_in(data)):
        raise FilingError(_ACTIVE.fill(name=shown, what=harm))
    digest = sha256(data)
    if not path_of(digest).exists():
        write_durably(path_of(digest), data)
    return Filed(shown, kind, digest, len(data))


def too_large(name: str, size_bytes: int) -> Text | None:
    """Why a file of this size is not taken; None where it is not too large."""
    if size_bytes <= MOST_BYTES:
        return None
    size, limit = -(-size_bytes // MEBIBYTE), MOST_BYTES // MEBIBYTE
    return _TOO_LARGE.fill(name=_plain_name(name), size=size, limit=limit)


def stored(digest: str) -> bytes:
    """The bytes of a sha256, checked against it. Raises FilingError."""
    lost = Text("文件 {digits}… 丢失或已被改动。", "The file {digits}… is missing or was changed.")
    try:
        data = path_of(digest).read_bytes()
    except FileNotFoundError as fault:
        raise FilingError(lost.fill(digits=digest[:12])) from fault
    if sha256(data) != digest:
        raise FilingError(lost.fill(digits=digest[:12]))
    return data


def path_of(digest: str) -> Path:
    """Where the bytes of a sha256 lie."""
    return Path(settings.DOCUMENT_ROOT) / "handed-in" / digest[:2] / digest


def kind_of(data: bytes) -> str:
    """What the bytes are, by what they say themselves; "" for anything that is not taken."""
    return next((kind for kind, is_it in _TESTS.items() if is_it(data)), "")


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that after a power cut it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{uuid4().hex}")
    with draft.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _plain_name(name: str) -> str:
    """The last part of a name without what a terminal or a header would trip over."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(letter for letter in last if letter.isprintable() and letter not in '"<>|:*?')
    stem, dot, ending = kept.strip(" .").rpartition(".")
    short = f"{stem[: LONGEST_NAME - len(ending) - 1]}{dot}{ending}" if stem else kept[:LONGEST_NAME]
    return short[:LONGEST_NAME] or "file"


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return "\x00" not in text and not text.lstrip("\ufeff \t\r\n").startswith("<")


def _parts(data: bytes) -> list[str]:
    if not data.startswith(b"PK\x03\x04"):
        return []
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return []


def _harm_in(data: bytes) -> Text | None:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return harm_in(archive)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error):
        return _DAMAGED


_TESTS: Mapping[str, Callable[[bytes], bool]] = {
    "pdf": lambda data: data.startswith(b"%PDF-"),
    "png": lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"),
    "jpeg": lambda data: data.startswith(b"\xff\xd8\xff"),
    "docx": lambda data: "word/document.xml" in _parts(data),
    "xlsx": lambda data: "xl/workbook.xml" in _parts(data),
    "text": _is_text,
}
