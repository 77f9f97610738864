"""How much work an .xlsx would make, counted in its raw bytes before any of it is built up in memory."""

from __future__ import annotations

import re
import zipfile
from collections import Counter

from gpucontract.wording import Text

LARGEST_PART = 3 * 1024 * 1024
LARGEST_PARTS = 5 * 1024 * 1024
LARGEST_OTHER = 100 * 1024
MOST_TAGS = 160_000
# Styles, definitions, rich text: each costs the reader some thirty times what a plain cell does.
MOST_COSTLY = 15_000
MOST_CELLS = 40_000
DEEPEST = 60

# No XML in any encoding begins like this, so that these are never read.
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"\x01\0\0\0", b"\xd7\xcd\xc6\x9a")
_PLAIN_XML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml(?:(?!encoding)[^>])*(?:encoding\s*=\s*[\"']utf-8[\"'][^>]*)?>|[^?\0])", re.I
)
_TAG = re.compile(rb"<(/?)([^\s<>/!?]++)([^<>]*+)>")
_CHEAP = ("row", "c", "v", "f", "is", "si", "t")

_BIG = Text(
    "解压后的内容超过 {limit} MB，拒绝读取。请另存为只有规格表的文件。",
    "Unpacked it holds more than {limit} MB and is not read. Save a file with the spec sheet only.",
)
_MANY = Text(
    "文件里的单元格、样式或嵌套太多，拒绝读取。请把规格表复制到新的 .xlsx 文件再上传。",
    "The file holds too many cells, styles or nested parts and is not read. "
    "Copy the spec sheet into a new .xlsx file and upload that.",
)


def overload_in(archive: zipfile.ZipFile) -> Text | None:
    """Why the file is too much to read; None where it is not."""
    total = tags = cells = costly = 0
    for part in archive.infolist():
        with archive.open(part) as beginning:
            if beginning.read(8).startswith(_PICTURES):
                continue
        total += part.file_size
        if part.file_size > LARGEST_PART or total > LARGEST_PARTS:
            return _BIG.fill(limit=LARGEST_PART // 1024 // 1024)
        content = archive.read(part)
        if not _PLAIN_XML.match(content):
            if len(content) > LARGEST_OTHER:
                return _BIG.fill(limit=LARGEST_PART // 1024 // 1024)
            continue
        tags += content.count(b"<")
        if tags > MOST_TAGS:
            return _MANY
        opened = _opened_in(content)
        cells += opened["c"] + opened["row"]
        costly += opened.total() - sum(opened[name] for name in _CHEAP)
        if costly > MOST_COSTLY or cells > MOST_CELLS or _depth_of(content) > DEEPEST:
            return _MANY
    return None


def _opened_in(content: bytes) -> Counter[str]:
    """How often an element of each name is opened."""
    names = (found[2].rpartition(b":")[2] for found in _TAG.finditer(content) if not found[1])
    return Counter(name.decode("utf-8", "replace") for name in names)


def _depth_of(content: bytes) -> int:
    """How deep elements stand in each other; comments only make it look deeper."""
    depth = deepest = 0
    for found in _TAG.finditer(content):
        depth += -1 if found[1] else 0 if found[3].endswith(b"/") else 1
        deepest = max(deepest, depth)
    return deepest
