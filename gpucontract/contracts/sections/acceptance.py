"""Step 8: how long acceptance takes, how results are read, what happens when they miss."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, number
from gpucontract.wording import Text

DAY_BASES = {"working": Text("工作日", "working days"), "calendar": Text("自然日", "calendar days")}
REPEAT_RULES = {"median": Text("取中位数", "median"), "best": Text("取最好", "best"), "worst": Text("取最差", "worst")}
REMEDIES = {
    "cure_and_retest": Text("整改后复测", "cure and retest"),
    "replace": Text("更换", "replace"),
    "price_cut": Text("降价", "price cut"),
    "partial_reject": Text("部分拒收", "partial rejection"),
    "terminate_refund": Text("解约退款", "terminate and refund"),
}
DOCUMENTS = {
    "hardware_list": Text("硬件清单", "hardware list"),
    "topology_diagram": Text("拓扑图", "topology diagram"),
    "access_guide": Text("接入说明", "access guide"),
    "ops_manual": Text("运维手册", "operations manual"),
    "other": Text("其他", "other"),
}
DOCUMENT_COLUMNS = (
    TermInfo(
        "kind", Text("文档", "Document"), Text("出问题时查得到。", "Needed when something breaks."),
        Kind.CHOICE, Row.CHILD, choices=DOCUMENTS,
    ),
    TermInfo(
        "note", Text("说明", "Note"), Text("格式或范围。", "Format or extent."),
        Kind.TEXT, Row.CHILD, length=200, requirement=Requirement.OPTIONAL,
    ),
)  # fmt: skip

SECTION = Section(
    "acceptance",
    Text("交付与验收", "Delivery and acceptance"),
    Text("测几天、测几次、不合格怎么办。", "How many days, how many runs, and what follows a miss."),
    (
        TermInfo(
            "acceptance_window_days", Text("验收期限（天）", "Acceptance window in days"),
            Text("太短测不完。", "Too short to test."),
            Kind.WHOLE, minimum=number(1), maximum=number(365), vague=("当日",),
        ),
        TermInfo(
            "day_basis", Text("天的口径", "What a day is"), Text("工作日与自然日差好几天。", "The two differ by days."),
            Kind.CHOICE, choices=DAY_BASES,
        ),
        TermInfo(
            "acceptance_fail_remedy", Text("不合格怎么办", "What follows a miss"),
            Text("不写就只能协商。", "Unsaid, only talk is left."),
            Kind.MULTI, choices=REMEDIES, vague=("双方协商",),
        ),
        TermInfo(
            "price_cut_pct", Text("降价幅度", "Price cut"), Text("不合格值多少钱。", "What a miss costs."),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100),
            requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "acceptance_burnin_hours", Text("压测时长", "Burn-in"),
            Text("早期故障在头几天出现。", "Early failures show in the first days."),
            Kind.WHOLE, unit="h", minimum=number(0), maximum=number(2_160), requirement=Requirement.OPTIONAL,
            vague=("试运行",),
        ),
        TermInfo(
            "acceptance_coverage_pct", Text("覆盖比例", "Coverage"),
            Text("抽检会漏掉坏卡。", "Samples miss bad cards."),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number("0.01"), maximum=number(100),
            default=number(100), vague=("抽检",),
        ),
        TermInfo(
            "repeat_runs", Text("每项测试次数", "Runs per test"), Text("单次会波动。", "Single runs vary."),
            Kind.WHOLE, unit="count", minimum=number(1), maximum=number(20), default=3,
        ),
        TermInfo(
            "repeat_rule", Text("多次怎么取值", "Which run counts"),
            Text("取法决定偏向谁。", "The rule decides whom it favours."),
            Kind.CHOICE, choices=REPEAT_RULES, default="median",
        ),
        TermInfo(
            "tolerance_pct", Text("允许偏差", "Tolerance"),
            Text("差一点算不算，先说好。", "Agree beforehand whether a near miss counts."),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(50), default=number(0),
        ),
        TermInfo(
            "delivery_documents", Text("交付文档", "Delivery documents"),
            Text("出问题时查得到。", "Needed when something breaks."),
            Kind.ROWS, columns=DOCUMENT_COLUMNS, requirement=Requirement.OPTIONAL,
        ),
    ),
)  # fmt: skip
