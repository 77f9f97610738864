"""Clauses that paper proves, or that are judged month by month: parties, security, documents, service, money, exit."""

from gpucontract.contracts.clause_rows import conditions
from gpucontract.contracts.clause_rows.row import ClauseRow, Per
from gpucontract.contracts.clauses import Operator, VerifiedBy
from gpucontract.wording import Text

_DOCUMENT = VerifiedBy.DOCUMENT
_NONE = VerifiedBy.NONE

PARTIES = (
    ClauseRow(
        "parties", "licence", Per.CONTRACT,
        Text("乙方持有增值电信业务经营许可证 {value}", "The vendor holds the telecom licence {value}"),
        ("vendor_licence_no",), unit="text", verified_by=_DOCUMENT,
    ),
    ClauseRow(
        "parties", "iso", Per.CONTRACT,
        Text("乙方持有有效认证：{value}", "The vendor holds valid certificates: {value}"),
        ("vendor_iso_certs",), unit="set", verified_by=_DOCUMENT,
    ),
    ClauseRow(
        "parties", "title", Per.CONTRACT,
        Text("乙方出示设备权属或转租授权证明：{value}",
             "The vendor shows its title or authorisation to sub-let: {value}"),
        ("asset_title_proof",), unit="text", verified_by=_DOCUMENT,
    ),
)  # fmt: skip

SECURITY = (
    ClauseRow(
        "security", "public_bandwidth", Per.CONTRACT,
        Text("公网带宽 ≥ {value} Mb/s", "The public bandwidth is at least {value} Mb/s"),
        ("public_bw_mbps",), Operator.AT_LEAST, "Mb/s", verified_by=_DOCUMENT,
    ),
    ClauseRow(
        "security", "isolation", Per.CONTRACT,
        Text("与其他租户隔离，方式：{value}", "Other tenants are kept apart, by means of: {value}"),
        ("tenant_isolation",), unit="enum", verified_by=_DOCUMENT,
    ),
)  # fmt: skip

SERVICE = (
    ClauseRow(
        "sla", "availability", Per.CONTRACT,
        Text("每个统计周期的可用性 ≥ {value} %", "Availability in each counting period is at least {value} %"),
        ("sla_availability_pct",), Operator.AT_LEAST, "%", verified_by=_NONE,
    ),
    ClauseRow(
        "sla", "p1_response", Per.CONTRACT,
        Text("P1 故障 {value} 分钟内响应", "A P1 fault is answered within {value} minutes"),
        ("p1_response_min",), Operator.AT_MOST, "min", verified_by=_NONE,
    ),
    ClauseRow(
        "sla", "node_replacement", Per.CONTRACT,
        Text("修不好的机器在 {value} 小时内替换", "A machine that cannot be repaired is replaced within {value} hours"),
        ("node_replace_hours",), Operator.AT_MOST, "h", verified_by=_NONE,
    ),
    ClauseRow(
        "sla", "support", Per.CONTRACT, Text("支持时段：{value}", "Support hours: {value}"),
        ("support_hours",), unit="enum", verified_by=_NONE,
    ),
    ClauseRow(
        "sla", "onsite", Per.CONTRACT,
        Text("需要到场时，{value} 小时内到达现场", "Where hands are needed, they are on site within {value} hours"),
        ("onsite_response_hours",), Operator.AT_MOST, "h", verified_by=_NONE,
    ),
)  # fmt: skip

HANDOVER = (
    ClauseRow(
        "acceptance", "window", Per.CONTRACT,
        Text("验收期为 {value} 个{day_basis}，自交付之日起算",
             "The acceptance window is {value} {day_basis} from the day of delivery"),
        ("acceptance_window_days", "day_basis"), unit="d", conditions=conditions.window, verified_by=_NONE,
    ),
    ClauseRow(
        "acceptance", "remedy", Per.CONTRACT,
        Text("验收不合格时可以：{value}", "What misses its mark at acceptance leads to: {value}"),
        ("acceptance_fail_remedy",), unit="set", verified_by=_NONE,
    ),
    ClauseRow(
        "acceptance", "documents", Per.CHILD,
        Text("交付时提供{kind}", "Handed over at delivery: {kind}"),
        ("delivery_documents",), unit="bool", fixed=True, verified_by=_DOCUMENT,
    ),
)  # fmt: skip

MONEY = (
    ClauseRow(
        "commercial", "price", Per.CONTRACT,
        Text("单价 {value}（{pricing_unit}）", "The price is {value} ({pricing_unit})"),
        ("unit_price", "pricing_unit", "month_basis", "currency"), conditions=conditions.price,
        unit_from="currency", verified_by=_NONE,
    ),
    ClauseRow(
        "commercial", "term", Per.CONTRACT,
        Text("租期自 {value} 起，共 {months} 个月", "The term starts on {value} and lasts {months} months"),
        ("term_start", "term_months"), unit="date", conditions=conditions.term, verified_by=_NONE,
    ),
)  # fmt: skip

EXIT = (
    ClauseRow(
        "exit", "data_export", Per.CONTRACT,
        Text("租期结束后，甲方有 {value} 天导出数据", "After the term the buyer has {value} days to take the data out"),
        ("data_export_days",), unit="d", verified_by=_NONE,
    ),
    ClauseRow(
        "exit", "data_deletion", Per.CONTRACT,
        Text("租期结束后 {value} 天内删除全部数据，方式：{data_deletion_method}",
             "All data are erased within {value} days after the term; method: {data_deletion_method}"),
        ("data_deletion_days", "data_deletion_method"), unit="d", conditions=conditions.deletion, verified_by=_NONE,
    ),
)  # fmt: skip
