"""Checks of what entitles the vendor, where the machines stand, and how the paper is signed."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta

from gpucontract.contracts.checks.check import Check, Miss, Per, Policy, Severity, for_any_group, known
from gpucontract.contracts.checks.nodes import gpu_of
from gpucontract.contracts.money import add_months
from gpucontract.contracts.sections.provinces import (
    BEYOND_LICENCES,
    MUNICIPALITIES,
    NATIONAL,
    PROVINCES,
    province_of,
)
from gpucontract.contracts.terms import Local
from gpucontract.wording import Text

_CITY = re.compile(r"[市州盟区县旗]|,.*,")
# A city that an address begins with stands for its province: 武汉市江夏区….
_LEADING_CITY = re.compile(r"(?:中国)?[\u4e00-\u9fff]{2,9}?(?:市|自治州|地区|盟)")
_STREET = re.compile(
    r"[路街道巷弄园镇乡村]|基地|大厦|"
    r"\b(?:road|rd|street|st|avenue|ave|lane|boulevard|blvd|park|zone)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|[号栋幢座楼]")
_OPEN_WORDS = ("某", "以实际为准")
_GUARDED = ("sensitive", "important", "personal")


def _region(local: Local, _: Policy) -> Miss | None:
    regions = local["vendor_licence_region"]
    if NATIONAL in regions:
        return None
    province = known(province_of(_plain(local["datacenter_address"])), "c/datacenter_address")
    return Miss({"province": PROVINCES[province]}) if province not in regions else None


def _licence_expiry(local: Local, _: Policy) -> Miss | None:
    expiry = local["vendor_licence_expiry"]
    last = add_months(local["term_start"], int(local["term_months"])) - timedelta(days=1)
    return Miss({"expiry": expiry.isoformat(), "last": last.isoformat()}) if expiry < last else None


def _no_filing(local: Local, _: Policy) -> Miss | None:
    has_level = local["mlps_level"] != "none"
    return Miss({"level": local["mlps_level"]}) if has_level and not local.is_given("mlps_cert_ref") else None


def _low_level(local: Local, policy: Policy) -> Miss | None:
    if local["data_class"] not in _GUARDED:
        return None
    level = local["mlps_level"]
    is_low = level == "none" or int(level) < policy.least_mlps_level
    return Miss({"least": policy.least_mlps_level}) if is_low else None


def _address(local: Local, _: Policy) -> Miss | None:
    address = _plain(local["datacenter_address"])
    province = province_of(address)
    has_city = province and (province in MUNICIPALITIES or _CITY.search(address.replace("自治区", "")))
    is_whole = has_city or _LEADING_CITY.match(address) or address.startswith(BEYOND_LICENCES)
    is_found = is_whole and _STREET.search(address) and _NUMBER.search(address)
    is_open = any(word in address for word in _OPEN_WORDS)
    return Miss({"address": local["datacenter_address"]}) if is_open or not is_found else None


def _no_source(local: Local, _: Policy) -> Miss | None:
    gpu = gpu_of(local)
    if local.is_given("export_control_statement"):
        return None
    return Miss({"gpu": gpu.name}) if known(gpu.is_export_sensitive or None, "catalogue/export") else None


def _relocation(local: Local, _: Policy) -> Miss | None:
    return Miss() if local["datacenter_relocation"] in ("consent", "notice") else None


def _loose_pages(local: Local, _: Policy) -> Miss | None:
    on_paper = local["signing_method"] == "wet_seal"
    return Miss() if on_paper and "across_page" not in local.get("seal_type", ()) else None


def _no_mandate(_: Local, policy: Policy) -> Miss | None:
    names = known(policy.without_mandate, "confirmations")
    return Miss({"names": Text("、".join(names), ", ".join(names))}) if names else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()


CHECKS = (
    Check(
        "C-PTY-07", Severity.WARNING, Per.CONTRACT, ("vendor_licence_region", "datacenter_address"),
        Text("许可证覆盖的地域不含机房所在的{province}。请要求全国证或当地的证，并请法务确认。",
             "The licence does not cover {province}, where the data centre is. Ask for a national or local one, and "
             "ask counsel."),
        _region,
    ),
    Check(
        "C-PTY-08", Severity.WARNING, Per.CONTRACT, ("vendor_licence_expiry", "term_start", "term_months"),
        Text("许可证 {expiry} 到期，早于租期结束的 {last}。请约定续证义务，并请法务确认。",
             "The licence expires on {expiry}, before the term ends on {last}. Agree that it will be renewed, and ask "
             "counsel."),
        _licence_expiry,
    ),
    Check(
        "C-PTY-11", Severity.WARNING, Per.CONTRACT, ("mlps_cert_ref", "mlps_level"),
        Text("写明等保 {level} 级，却没有备案或测评编号，无从核实。请补上编号和日期。",
             "MLPS level {level} is stated without a filing number: nothing to verify. Add number and date."),
        _no_filing,
    ),
    Check(
        "C-PTY-12", Severity.WARNING, Per.CONTRACT, ("mlps_level", "data_class"),
        Text("数据属敏感、重要或个人信息，而等保低于 {least} 级。请要求更高级别，并请法务确认。",
             "Sensitive, important or personal data under an MLPS level below {least}. Ask for a higher one, and ask "
             "counsel."),
        _low_level,
    ),
    Check(
        "C-PTY-13", Severity.WARNING, Per.CONTRACT, ("datacenter_address",),
        Text("机房地址“{address}”不够具体，无法上门验收，也判断不了属地。请写到城市、路和门牌号。",
             "The address “{address}” is too vague to visit the site or to tell its province. Give city, province, "
             "street and number, with commas between."),
        _address,
    ),
    Check(
        "C-PTY-14", Severity.WARNING, Per.CONTRACT, ("export_control_statement", "gpu_model"),
        Text("{gpu} 属于出口管制关注的型号，却没有来源声明。请选择来源并附凭证，并请法务确认。",
             "{gpu} is a model that export controls look at, and no source is stated. State it with papers, and ask "
             "counsel."),
        for_any_group(_no_source),
    ),
    Check(
        "C-PTY-15", Severity.WARNING, Per.CONTRACT, ("datacenter_relocation",),
        Text("允许搬迁机房，却没有约定重新验收；搬迁后互联测试全部作废。请约定搬迁后重新验收，或不得搬迁。",
             "Moving is allowed without a new acceptance, though it voids every test of the links. Agree a new "
             "acceptance, or no move."),
        _relocation,
    ),
    Check(
        "C-SIG-01", Severity.BLOCKER, Per.CONTRACT, ("seal_type", "signing_method"),
        Text("纸质签署而没有约定骑缝章，附件可能被换页。请勾选骑缝章，或改用 PDF 数字签名。",
             "Paper without an across-page seal: pages of the appendix could be swapped. Tick that seal, or sign the "
             "PDF digitally."),
        _loose_pages,
    ),
    Check(
        "C-SIG-04", Severity.WARNING, Per.CONTRACT, ("signing_method",),
        Text("乙方的逐条确认由{names}作出，没有登记签署授权。请在签署前要求乙方补上授权，或由有授权的人确认。",
             "The vendor's lines were confirmed by {names}, with no mandate to sign on record. Before signing, ask the "
             "vendor for one, or for somebody who has it."),
        _no_mandate,
    ),
)  # fmt: skip
