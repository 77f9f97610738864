"""Step 7: what is promised for the months of the term."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, number
from gpucontract.wording import Text

SUPPORT_HOURS = {
    "24x7": Text("7×24 小时", "24x7"),
    "5x8": Text("工作日 8 小时", "8 hours on working days"),
    "other": Text("其他", "other"),
}

SECTION = Section(
    "sla",
    Text("服务等级", "Service level"),
    Text("坏了多久算数，多久有人管。", "What counts as down, and how soon somebody comes."),
    (
        TermInfo(
            "sla_availability_pct", Text("月可用性", "Monthly availability"), Text("核心承诺。", "The core promise."),
            Kind.DECIMAL, unit="%", decimals=3, minimum=number(0), maximum=number(100), vague=("7×24 稳定运行",),
        ),
        TermInfo(
            "p1_response_min", Text("P1 故障响应", "P1 response"),
            Text("训练停一分钟都在花钱。", "A stopped training burns money by the minute."),
            Kind.WHOLE, unit="min", minimum=number(1), maximum=number(10_080), vague=("小时级", "尽快", "asap"),
        ),
        TermInfo(
            "node_replace_hours", Text("整机替换时限", "Machine replacement"),
            Text("修不好就换。", "What cannot be mended is replaced."),
            Kind.WHOLE, unit="h", minimum=number(1), maximum=number(8_760),
        ),
        TermInfo(
            "support_hours", Text("支持时段", "Support hours"),
            Text("周五夜里坏了找谁。", "Whom to call on a Friday night."),
            Kind.CHOICE, choices=SUPPORT_HOURS, vague=("全天候",),
        ),
        TermInfo(
            "onsite_response_hours", Text("到场时限", "On-site response"),
            Text("硬件坏了要有人到场。", "Broken hardware needs hands."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number("0.1"), maximum=number(8_760),
            requirement=Requirement.OPTIONAL,
        ),
    ),
)  # fmt: skip
