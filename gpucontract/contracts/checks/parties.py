"""Checks of the parties: identifiers and what entitles the vendor."""

from __future__ import annotations

import re
import unicodedata

from stdnum.cn import uscc

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
LICENCE = re.compile(
    rf"(合字)?[{_PROVINCES}]?(?:A[12]\.)*(?:B[12]|D\d)(?:[.-](?:B[12]|D\d))*-20\d{{2}}\d{{4,6}}号?", re.ASCII
)
ICP_RECORD = re.compile(rf"[{_PROVINCES}]ICP备(\d{{8}}|\d{{10}})号(-\d{{1,4}})?", re.ASCII)
USCC_SYMBOLS = frozenset("0123456789ABCDEFGHJKLMNPQRTUWXY")
_ORGANISATION_WEIGHTS = (3, 7, 9, 10, 5, 8, 4, 2)

_USCC_LENGTH = Text(
    "统一社会信用代码应为 18 位，现有 {length} 位。请照营业执照重填。",
    "A unified social credit code has 18 characters, this one {length}. Copy it from the business licence.",
)
_USCC_SYMBOL = Text(
    "统一社会信用代码不含字符“{symbol}”（不用 I、O、S、V、Z）。请照营业执照重填。",
    "A unified social credit code never holds “{symbol}” (nor I, O, S, V, Z). Copy it from the business licence.",
)


_NO_LICENCE = Text(
    "许可证号填了“不适用”（{reason}）；出租主机或云资源一般要有 B1 类 IDC 许可。请法务确认。",
    "The licence number is “not applicable” ({reason}); renting out hosts normally takes a B1 (IDC) licence. "
    "Ask counsel.",
)


def expected_last(code: str) -> str:
    """The 18th character that the first 17 of a unified social credit code ask for (GB 32100-2015)."""
    return str(uscc.calc_check_digit(code[:17]))


def organisation_digit(code: str) -> str:
    """The 9th character that the first 8 of an organisation code ask for (GB 11714)."""
    total = sum(weight * int(symbol, 36) for weight, symbol in zip(_ORGANISATION_WEIGHTS, code, strict=False))
    return "0123456789X"[(11 - total % 11) % 11]


def uscc_fault(text: str) -> Text | None:
    """What is wrong with a unified social credit code apart from its check character; None when nothing is."""
    code = _half_width(text)
    if len(code) != 18:
        return _USCC_LENGTH.fill(length=len(code))
    strange = next((symbol for symbol in code if symbol not in USCC_SYMBOLS), None)
    return _USCC_SYMBOL.fill(symbol=strange) if strange else None


def is_uscc(text: str) -> bool:
    """Whether a unified social credit code can be right, its check character included."""
    return _checked_uscc(text) is None


def _checked_uscc(text: str) -> Miss | None:
    fault = uscc_fault(text)
    if fault:
        return Miss(text=fault)
    code = _half_width(text)
    expected = expected_last(code)
    return Miss({"expect": expected, "found": code[-1]}) if code[-1] != expected else None


def _vendor_uscc(local: Local, _: Policy) -> Miss | None:
    return _checked_uscc(local["vendor_uscc"])


def _buyer_uscc(local: Local, _: Policy) -> Miss | None:
    return _checked_uscc(local["buyer_uscc"])


def _organisation_code(local: Local, _: Policy) -> Miss | None:
    code = _half_width(local["vendor_uscc"])
    if _checked_uscc(code):
        return None
    expected = organisation_digit(code[8:16])
    return Miss({"expect": expected, "found": code[16]}) if code[16] != expected else None


def _licence_form(local: Local, _: Policy) -> Miss | None:
    number = _number(local["vendor_licence_no"])
    is_odd = not LICENCE.fullmatch(number) and not ICP_RECORD.fullmatch(number)
    return Miss({"number": number}) if is_odd else None


def _icp_record(local: Local, _: Policy) -> Miss | None:
    number = _number(local["vendor_licence_no"])
    return Miss({"number": number}) if ICP_RECORD.fullmatch(number) else None


def _idc_licence(local: Local, _: Policy) -> Miss | None:
    if (reason := local.terms.reason("c/vendor_licence_no")) and local["delivery_form"]:
        return Miss(text=_NO_LICENCE.fill(reason=reason))
    number = _number(local["vendor_licence_no"])
    is_only_b2 = LICENCE.fullmatch(number) and "B1" not in number and "B2" in number
    return Miss({"number": number}) if is_only_b2 and local["delivery_form"] else None


def _title(local: Local, _: Policy) -> Miss | None:
    not_owner = local["vendor_role"] in ("sublessor", "reseller", "broker")
    return Miss() if not_owner and not local.is_given("asset_title_proof") else None


def _half_width(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().upper()


def _number(text: str) -> str:
    """A licence or record number however it was typed: half-width, without blanks."""
    return "".join(_half_width(text).split())


CHECKS = (
    Check(
        "C-PTY-01", Severity.BLOCKER, Per.CONTRACT, ("vendor_uscc",),
        Text("乙方统一社会信用代码校验不通过：第 18 位应为 {expect}，现为 {found}。请照营业执照核对全部 18 位。",
             "The vendor's unified social credit code fails its check: character 18 should be {expect}, not {found}. "
             "Compare all 18 with the business licence."),
        _vendor_uscc, is_waivable=False,
    ),
    Check(
        "C-PTY-02", Severity.BLOCKER, Per.CONTRACT, ("buyer_uscc",),
        Text("甲方统一社会信用代码校验不通过：第 18 位应为 {expect}，现为 {found}。请照营业执照核对全部 18 位。",
             "The buyer's unified social credit code fails its check: character 18 should be {expect}, not {found}. "
             "Compare all 18 with the business licence."),
        _buyer_uscc, is_waivable=False,
    ),
    Check(
        "C-PTY-03", Severity.WARNING, Per.CONTRACT, ("vendor_uscc",),
        Text("乙方代码第 9–17 位（主体标识码）自校验不符：第 17 位应为 {expect}，现为 {found}。请与营业执照核对。",
             "Characters 9 to 17 of the vendor's code fail their own check: character 17 should be {expect}, not "
             "{found}. Compare it with the business licence."),
        _organisation_code,
    ),
    Check(
        "C-PTY-04", Severity.WARNING, Per.CONTRACT, ("vendor_licence_no",),
        Text("“{number}”不像增值电信业务许可证号（例：B1-20230001、豫B2-20260123）。请照许可证重填。",
             "“{number}” does not look like a telecom licence number (such as B1-20230001). Copy it from the licence."),
        _licence_form,
    ),
    Check(
        "C-PTY-05", Severity.BLOCKER, Per.CONTRACT, ("vendor_licence_no",),
        Text("“{number}”是网站 ICP 备案号，不是增值电信业务经营许可证号。请填许可证号。",
             "“{number}” is a website's ICP record, not a telecom licence. Enter the licence number."),
        _icp_record,
    ),
    Check(
        "C-PTY-06", Severity.WARNING, Per.CONTRACT, ("vendor_licence_no", "delivery_form"),
        Text("{number} 只有 B2 类业务；出租主机或云资源一般要有 B1 类 IDC 许可。请法务确认。",
             "{number} covers B2 services only; renting out hosts normally takes a B1 (IDC) licence. Ask counsel."),
        _idc_licence,
    ),
    Check(
        "C-PTY-09", Severity.WARNING, Per.CONTRACT, ("asset_title_proof", "vendor_role"),
        Text("乙方不是设备所有人，却没有附权属证明或转租授权。请补上，否则设备可能被第三方取回。",
             "The vendor does not own the machines and shows no authorisation to sub-let them. Ask for it: a third "
             "party could take them back."),
        _title,
    ),
)  # fmt: skip
