"""Workbooks for tests: as vendors write them, and as nobody should."""

import zipfile
from io import BytesIO

from openpyxl import Workbook


def book(rows, *, title="规格", more=()):
    """The bytes of an .xlsx whose first sheet holds these rows; more: further (title, rows)."""
    made = Workbook()
    made.active.title = title
    for row in rows:
        made.active.append(row)
    for name, others in more:
        sheet = made.create_sheet(name)
        for row in others:
            sheet.append(row)
    kept = BytesIO()
    made.save(kept)
    return kept.getvalue()


def with_part(data, name, content=b"x"):
    """The same archive with one part more."""
    kept = BytesIO(data)
    with zipfile.ZipFile(kept, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return kept.getvalue()


def with_changed(data, name, change):
    """The same archive with one part changed."""
    kept = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            content = old.read(part)
            new.writestr(part.filename, change(content) if part.filename == name else content)
    return kept.getvalue()


# As a vendor sends it: Chinese labels, mixed units, a formula, things nobody asked for.
SPEC = book(
    [
        ["江北算力 H100 整机规格", None, None],
        ["项目", "规格", "单位"],
        ["GPU型号", "H100 SXM5 80GB", None],
        ["单卡显存", "80GB", None],
        ["GPU数量", 8, "张"],
        ["内存", "2TB", None],
        ["CPU核数", "112核", None],
        ["网卡速率", "400Gbps", None],
        ["公网带宽", "2 Gbps", None],
        ["驱动版本", "550.90", None],
        ["root权限", "支持", None],
        ["SLA", "99.9%", None],
        ["机间网络", "RoCE", None],
        ["响应时间", "尽快", None],
        ["颜色", "黑", None],
        ["租期", None, None],
    ]
)
