"""Step 9: the price and the term."""

from gpucontract.contracts.sections.term import Kind, Section, TermInfo, number
from gpucontract.wording import Text

PRICING_UNITS = {
    "CNY/GPU/hour": Text("元/卡/小时", "per GPU and hour"),
    "CNY/node/month": Text("元/台/月", "per machine and month"),
    "CNY/GPU/month": Text("元/卡/月", "per GPU and month"),
    "package": Text("总价打包", "package"),
}
MONTH_BASES = {
    "calendar": Text("自然月", "calendar month"),
    "30d": Text("30 天", "30 days"),
    "720h": Text("720 小时", "720 hours"),
    "730h": Text("730 小时", "730 hours"),
    "actual": Text("按实际时长", "actual time"),
}
CURRENCIES = {"CNY": Text("人民币", "CNY"), "USD": Text("美元", "USD"), "HKD": Text("港元", "HKD")}

SECTION = Section(
    "commercial",
    Text("商务", "Commercial"),
    Text("单价、折算口径和租期。", "Price, how months are counted, and the term."),
    (
        TermInfo(
            "unit_price", Text("单价", "Unit price"), Text("写数字，不写市场价。", "A number, not “market price”."),
            Kind.DECIMAL, decimals=2, minimum=number(0), maximum=number(10_000_000_000), vague=("市场价", "优惠价"),
        ),
        TermInfo(
            "currency", Text("币种", "Currency"), Text("价格的单位。", "The unit of the price."),
            Kind.CHOICE, choices=CURRENCIES, default="CNY",
        ),
        TermInfo(
            "pricing_unit", Text("计价单位", "Pricing unit"),
            Text("按卡、按台还是打包。", "By GPU, by machine, or as a package."),
            Kind.CHOICE, choices=PRICING_UNITS,
        ),
        TermInfo(
            "month_basis", Text("月与小时的折算", "How a month counts"),
            Text("720 与 744 小时差 3.3%。", "720 and 744 hours differ by 3.3 %."),
            Kind.CHOICE, choices=MONTH_BASES,
        ),
        TermInfo(
            "term_start", Text("租期起", "Term starts on"), Text("起租日。", "The first day of rent."),
            Kind.DATE,
        ),
        TermInfo(
            "term_months", Text("租期（月）", "Term in months"), Text("写整月数。", "Whole months."),
            Kind.WHOLE, minimum=number(1), maximum=number(240), vague=("长期",),
        ),
    ),
)  # fmt: skip
