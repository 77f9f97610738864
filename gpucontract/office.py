"""What an Office file (docx, xlsx) may hold that runs or reaches outside it: one list for every door it comes in by."""

from __future__ import annotations

import zipfile
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from gpucontract.wording import Text

LARGEST_INDEX = 2 * 1024 * 1024
KINDS_PART = "[content_types].xml"

_MACROS = Text("宏", "macros")
_OBJECTS = Text("嵌入的对象", "embedded objects")
_PROGRAMS = Text("嵌入的程序", "embedded programs")
_DATA = Text("外部数据连接", "connections to outside data")
_TEMPLATE = Text("指向外部模板或对象的链接", "links to an outside template or object")
_INDEX = Text("读不了的目录", "an index that cannot be read")
# What a spreadsheet takes for the beginning of a formula, and what keeps it from that.
_STARTS = ("=", "+", "-", "@", "\t", "\r")
_MARK = "'"
# A part whose name in small letters holds one of these could run, or reach outside the file.
_PARTS: tuple[tuple[str, Text], ...] = (
    ("vbaproject", _MACROS),
    ("vbadata", _MACROS),
    ("macrosheets/", _MACROS),
    ("externallinks/", Text("指向其他文件的外部链接", "links to other files")),
    ("connections.xml", _DATA),
    ("querytables/", _DATA),
    ("embeddings/", _OBJECTS),
    ("activex/", Text("ActiveX 控件", "ActiveX controls")),
)
_ENDINGS = (".bin", ".exe", ".dll", ".js", ".vbs", ".ole", ".scr", ".bat", ".cmd", ".ps1")
_HARMLESS = "printersettings/"
# Relations that fetch something when the file is opened; a plain hyperlink waits for a click.
_FETCHED = ("/attachedtemplate", "/oleobject", "/frame", "/subdocument", "/externallink")


def safe(cell: str) -> str:
    """The cell as text, whatever opens the table."""
    return f"{_MARK}{cell}" if cell.startswith((_MARK, *_STARTS)) else cell


def unmarked(cell: str) -> str:
    """What safe() was given."""
    return cell.removeprefix(_MARK)


def harm_in(archive: zipfile.ZipFile) -> Text | None:
    """The first thing in the file that could run or reach out; None where there is nothing."""
    names = {part.filename: part.filename.lower().replace("\\", "/") for part in archive.infolist()}
    for name in names.values():
        if found := _harm_of(name):
            return found
    read = [part for part, name in names.items() if name == KINDS_PART or name.endswith(".rels")]
    if sum(archive.getinfo(part).file_size for part in read) > LARGEST_INDEX:
        return _INDEX
    found_in = (_harm_within(archive.read(part)) for part in read)
    return next((found for found in found_in if found), None)


def _harm_of(name: str) -> Text | None:
    listed = next((what for sign, what in _PARTS if sign in name), None)
    if listed or not name.endswith(_ENDINGS) or _HARMLESS in name:
        return listed
    return _PROGRAMS


def _harm_within(index: bytes) -> Text | None:
    """What a list of content types or relations gives away."""
    try:
        found = (_harm_at(element) for element in fromstring(index).iter())
        return next((harm for harm in found if harm), None)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return _INDEX


def _harm_at(element: Element) -> Text | None:
    given = {name.lower(): value.strip().lower() for name, value in element.attrib.items()}
    kind = given.get("contenttype", "")
    if "macroenabled" in kind or "vbaproject" in kind:
        return _MACROS
    is_outside = given.get("targetmode") == "external"
    return _TEMPLATE if is_outside and given.get("type", "").endswith(_FETCHED) else None
