"""Step 9: the price, how it is paid, and what happens when one side falls short."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, When, above, number, only
from gpucontract.wording import Text

CONTRACT_KINDS = {
    "framework": Text("框架协议", "framework"),
    "order": Text("单项合同", "single order"),
    "framework+order": Text("框架协议加订单", "framework with orders"),
}
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
VAT_RATES = {rate: Text(f"{rate} %", f"{rate} %") for rate in (13, 9, 6, 3, 1, 0)}
INVOICES = {
    "vat_special": Text("增值税专用发票", "special VAT invoice"),
    "vat_ordinary": Text("增值税普通发票", "ordinary VAT invoice"),
}
FEE_KINDS = {
    "power": Text("电费", "power"),
    "bandwidth": Text("带宽", "bandwidth"),
    "operations": Text("运维", "operations"),
    "setup": Text("安装调试", "set-up"),
    "colocation": Text("机位", "rack space"),
    "licence": Text("软件授权", "software licences"),
    "other": Text("其他", "other"),
}
FEE_BASES = {
    "included": Text("已含在价内", "included in the price"),
    "once": Text("一次性", "once"),
    "per_month": Text("每月", "each month"),
    "per_node_month": Text("每台每月", "each machine and month"),
    "open": Text("另行结算或实报实销", "settled separately, as incurred"),
}
PAYMENT_CYCLES = {
    "prepaid_month": Text("按月预付", "prepaid by the month"),
    "prepaid_quarter": Text("按季预付", "prepaid by the quarter"),
    "prepaid_year": Text("按年预付", "prepaid by the year"),
    "postpaid": Text("后付", "postpaid"),
}
DEPOSITS = {
    "security": Text("押金或保证金", "security deposit"),
    "earnest": Text("定金", "earnest money"),
    "performance_bond": Text("履约保函", "performance bond"),
}
ADJUSTMENTS = {
    "fixed": Text("租期内不变", "fixed"),
    "index": Text("按公开指数", "by a public index"),
    "renegotiate_on_drop": Text("市价下跌时重谈", "renegotiated when market prices fall"),
    "vendor_discretion": Text("乙方有权调整", "at the vendor's discretion"),
}
CARVE_OUTS = {
    "data_breach": Text("数据泄露", "data breach"),
    "intent": Text("故意或重大过失", "intent or gross negligence"),
    "ip": Text("知识产权", "intellectual property"),
    "confidentiality": Text("保密义务", "confidentiality"),
}
INSURANCES = {
    "none": Text("无", "none"),
    "property": Text("设备财产险", "property"),
    "liability": Text("责任险", "liability"),
    "both": Text("财产险和责任险", "property and liability"),
}
FORCE_MAJEURES = {
    "natural_disaster": Text("自然灾害", "natural disasters"),
    "war": Text("战争或动乱", "war or unrest"),
    "epidemic": Text("疫情", "epidemics"),
    "government_order": Text("政府征用或停工令", "requisition or orders to stop"),
    "power": Text("供电中断", "loss of power"),
    "carrier": Text("运营商故障", "carriers' faults"),
    "policy_change": Text("政策变化", "changes of policy"),
}
FORUMS = {
    "court": Text("诉讼", "court"),
    "arbitration": Text("仲裁", "arbitration"),
    "court_or_arbitration": Text("仲裁或诉讼", "court or arbitration"),
}
PAPERS = {
    "appendix": Text("配置附件", "this appendix"),
    "supplement": Text("补充协议", "supplements"),
    "body": Text("合同正文", "the body of the contract"),
    "order": Text("订单", "orders"),
    "offer": Text("报价或投标文件", "the offer or bid"),
}
LANGUAGES = {"zh": Text("中文", "Chinese"), "en": Text("英文", "English")}
# Amounts in the currency of the contract; their clauses carry it as their unit. The last stands in child rows.
IN_CURRENCY = (
    "unit_price", "deposit_amount", "total_value", "total_value_stated", "traffic_price", "egress_fee",
    "end_purchase_price", "amount", "storage_expand_price",
)  # fmt: skip
# A contract's total has at most this many digits before the point.
MOST_MONEY = number(10**15)

COMMIT_COLUMNS = (
    TermInfo(
        "nodes", Text("台数", "Machines"), Text("至少租几台。", "How many machines at least."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("台", "machines"), minimum=number(1), maximum=number(100_000),
        printed=Text("承租", "Machines"),
    ),
    TermInfo(
        "months", Text("月数", "Months"), Text("至少租几个月。", "For how many months at least."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("个月", "months"), minimum=number(1), maximum=number(240),
        printed=Text("租满", "For"),
    ),
)  # fmt: skip
FEE_COLUMNS = (
    TermInfo(
        "kind", Text("费用", "Fee"), Text("逐项列出，没列的不付。", "One by one; what is not listed is not owed."),
        Kind.CHOICE, Row.CHILD, choices=FEE_KINDS,
    ),
    TermInfo(
        "basis", Text("怎么收", "Charged"), Text("没定价的费用没有上限。", "A fee without a price has no ceiling."),
        Kind.CHOICE, Row.CHILD, choices=FEE_BASES, vague=("实报实销",),
        printed=Text("收取方式", "Charged"),
    ),
    TermInfo(
        "amount", Text("金额", "Amount"), Text("与单价同币种、同含税口径。", "In currency and tax like the price."),
        Kind.DECIMAL, Row.CHILD, decimals=2, minimum=number(0), maximum=number(10_000_000_000),
        requirement=Requirement.OPTIONAL,
    ),
)  # fmt: skip
PAPER_COLUMNS = (
    TermInfo(
        "paper", Text("文件", "Paper"), Text("排在前面的优先。", "What comes first prevails."),
        Kind.CHOICE, Row.CHILD, choices=PAPERS,
    ),
)  # fmt: skip

PRICE = (
    TermInfo(
        "contract_kind", Text("合同类型", "Kind of contract"),
        Text("没有订单的框架协议约束不了谁。", "A framework without orders binds nobody."),
        Kind.CHOICE, choices=CONTRACT_KINDS, vague=("战略合作",),
    ),
    TermInfo(
        "min_commit", Text("最低承诺量", "Least commitment"),
        Text("几台、几个月，写了才算数。", "So many machines for so many months: only what is written counts."),
        Kind.ROWS, columns=COMMIT_COLUMNS, requirement=Requirement.CONDITIONAL,
        conditions=only("contract_kind", "framework", "framework+order"), vague=("视需求",),
    ),
    TermInfo(
        "unit_price", Text("单价", "Unit price"), Text("写数字，不写市场价。", "A number, not “market price”."),
        Kind.DECIMAL, decimals=2, minimum=number(0), maximum=number(10_000_000_000), vague=("市场价", "优惠价"),
        is_indispensable=True,
    ),
    TermInfo(
        "currency", Text("币种", "Currency"), Text("价格的单位。", "The unit of the price."),
        Kind.CHOICE, choices=CURRENCIES, default="CNY",
    ),
    TermInfo(
        "pricing_unit", Text("计价单位", "Pricing unit"),
        Text("按卡、按台还是打包。", "By GPU, by machine, or as a package."),
        Kind.CHOICE, choices=PRICING_UNITS, vague=("优惠价",),
        printed_choices={
                "CNY/GPU/hour": Text("每卡每小时", "per GPU and hour"),
                "CNY/node/month": Text("每台每月", "per machine and month"),
                "CNY/GPU/month": Text("每卡每月", "per GPU and month"),
            },
    ),
    TermInfo(
        "month_basis", Text("月与小时的折算", "How a month counts"),
        Text("720 与 744 小时差 3.3%。", "720 and 744 hours differ by 3.3 %."),
        Kind.CHOICE, choices=MONTH_BASES,
    ),
    TermInfo(
        "price_tax_included", Text("单价含税", "Price includes tax"),
        Text("含不含税，差出一个税率。", "The difference is a whole tax rate."),
        Kind.YES_NO,
    ),
    TermInfo(
        "vat_rate_pct", Text("增值税率", "VAT rate"),
        Text("租设备与信息技术服务税率不同，请财务确认。", "Leasing and IT services differ; ask finance."),
        Kind.WHOLE, unit="%", choices=VAT_RATES, minimum=number(0), maximum=number(13), vague=("按国家规定",),
    ),
    TermInfo(
        "other_fees", Text("其他费用", "Other fees"),
        Text("电费、带宽、运维、安装，先说清谁出。", "Power, bandwidth, operations, set-up: say who pays."),
        Kind.ROWS, columns=FEE_COLUMNS, vague=("实报实销", "另行结算"),
    ),
    TermInfo(
        "term_start", Text("租期起", "Term starts on"),
        Text("租期的第一天；租金从哪天起算另写。", "The first day of the term; when rent starts is said apart."),
        Kind.DATE, is_indispensable=True,
    ),
    TermInfo(
        "term_months", Text("租期（月）", "Term in months"), Text("写整月数。", "Whole months."),
        Kind.WHOLE, minimum=number(1), maximum=number(240), vague=("长期",), is_indispensable=True,
        printed=Text("租期", "Term"),
        counted=Text("个月", "months"),
    ),
    TermInfo(
        "total_value", Text("合同总价", "Total value"),
        Text("由单价、数量和租期算出，含税。", "It follows from price, quantity and term, tax included."),
        Kind.DECIMAL, decimals=2, minimum=number(0), maximum=MOST_MONEY, is_computed=True,
    ),
    TermInfo(
        "total_value_stated", Text("合同写明的总价", "Total as stated"),
        Text("含税，与计算值对照，差一分也要问。", "With tax; compared with the computed total to the cent."),
        Kind.DECIMAL, decimals=2, minimum=number(0), maximum=MOST_MONEY,
    ),
)  # fmt: skip

PAYMENT = (
    TermInfo(
        "payment_cycle", Text("付款周期", "Payment cycle"),
        Text("预付越多，风险越大。", "What is prepaid is at risk."),
        Kind.CHOICE, choices=PAYMENT_CYCLES,
    ),
    TermInfo(
        "prepay_pct", Text("预付比例", "Prepayment"), Text("占合同总价多少。", "As a share of the total."),
        Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100),
        printed=Text("预付比例（占合同总价）", "Prepayment, as a share of the total"),
    ),
    TermInfo(
        "payee_account_name", Text("收款账户名", "Payee's account name"),
        Text("须与乙方名称一致，防止付错人。", "It must equal the vendor's name, lest money go astray."),
        Kind.TEXT, length=120, vague=("个人账户",),
    ),
    TermInfo(
        "invoice_type", Text("发票类型", "Invoice type"),
        Text("专用发票才能抵扣。", "Only a special invoice is deductible."),
        Kind.CHOICE, choices=INVOICES, vague=("正规发票",),
    ),
    TermInfo(
        "invoice_days", Text("开票时限", "Invoice within"), Text("先开票，后付款。", "The invoice comes first."),
        Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
    ),
    TermInfo(
        "deposit_amount", Text("押金或保证金", "Deposit"), Text("与单价同一币种。", "In the currency of the price."),
        Kind.DECIMAL, decimals=2, minimum=number(0), maximum=MOST_MONEY, requirement=Requirement.OPTIONAL,
        vague=("若干",),
    ),
    TermInfo(
        "deposit_nature", Text("这笔钱的性质", "Nature of the deposit"),
        Text("写成“定金”，违约时可能双倍返还或不退。", "“Earnest money” may be forfeited or owed twice."),
        Kind.CHOICE, choices=DEPOSITS, requirement=Requirement.CONDITIONAL, conditions=above("deposit_amount", 0),
        printed=Text("押金的性质", "Nature of the deposit"),
    ),
    TermInfo(
        "deposit_refund_days", Text("押金退还期限", "Deposit returned within"),
        Text("没有期限就可能一直不退。", "Without a date it may never come back."),
        Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), requirement=Requirement.CONDITIONAL,
        conditions=above("deposit_amount", 0), vague=("结清后",),
    ),
    TermInfo(
        "late_payment_ld", Text("逾期付款违约金", "Damages for late payment"),
        Text(
            "每日千分之几，例如填 0.5 就是每天万分之五；应与逾期交付对等。",
            "In thousandths for each day: 0.5 is 0.05 % a day. It should mirror that for late delivery.",
        ),
        Kind.DECIMAL, unit="‰/d", decimals=3, minimum=number(0), maximum=number(100),
        printed=Text("逾期付款违约金（按逾期金额）", "Damages for late payment, of the amount overdue"),
    ),
    TermInfo(
        "suspension_days", Text("欠费停机宽限", "Grace before suspension"),
        Text(
            "欠费后多少天内不得停机。立即断电会丢数据。",
            "For so many days nothing is switched off although rent is due. An instant cut-off loses data.",
        ),
        Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), vague=("有权立即停止",),
    ),
    TermInfo(
        "price_adjust_rule", Text("调价规则", "Price adjustment"),
        Text("算力价格在跌，锁价未必划算。", "Prices of computing fall; a fixed one may turn dear."),
        Kind.CHOICE, choices=ADJUSTMENTS, vague=("乙方有权调整",),
        printed_choices={"renegotiate_on_drop": Text("市价下跌时重新协商", "renegotiated when market prices fall")},
    ),
)  # fmt: skip

LIABILITY = (
    TermInfo(
        "ld_cap_pct", Text("违约金总上限", "Damages, at most"), Text("占合同总价多少。", "As a share of the total."),
        Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100),
        requirement=Requirement.OPTIONAL, is_seldom=True,
        printed=Text("违约金总上限（占合同总价）", "Damages, at most, as a share of the total"),
    ),
    TermInfo(
        "liability_cap", Text("责任上限", "Liability cap"),
        Text("写清金额或算法，并列出例外。", "State the amount or its formula, and the exceptions."),
        Kind.TEXT, length=200, vague=("不承担间接损失",),
    ),
    TermInfo(
        "liability_carve_outs", Text("责任上限的例外", "What the cap does not cover"),
        Text("数据泄露和故意不该有上限。", "Data breach and intent should have no cap."),
        Kind.MULTI, choices=CARVE_OUTS, requirement=Requirement.CONDITIONAL, conditions=(When("liability_cap"),),
    ),
    TermInfo(
        "insurance", Text("保险", "Insurance"), Text("火灾、水浸时谁来赔。", "Who pays after fire or water."),
        Kind.CHOICE, choices=INSURANCES, requirement=Requirement.OPTIONAL, is_seldom=True,
    ),
    TermInfo(
        "force_majeure_scope", Text("不可抗力范围", "Force majeure"),
        Text("供电、运营商和政策是经营风险，不该算进来。", "Power, carriers and policy are ordinary risks."),
        Kind.MULTI, choices=FORCE_MAJEURES, vague=("等",),
    ),
    TermInfo(
        "dispute_forum", Text("争议解决", "Disputes go to"),
        Text("只能选一种，两样都写可能无效。", "Choose one: naming both may be void."),
        Kind.CHOICE, choices=FORUMS, vague=("仲裁或诉讼",),
    ),
    TermInfo(
        "dispute_place", Text("哪个法院或仲裁机构", "Which court or arbitral body"),
        Text("写出地点或机构全称。", "Name its place, or the body in full."),
        Kind.TEXT, length=120, requirement=Requirement.CONDITIONAL,
        conditions=only("dispute_forum", "court", "arbitration"),
        printed=Text("管辖法院或仲裁机构", "Court or arbitral body"),
    ),
    TermInfo(
        "appendix_precedence", Text("文件优先顺序", "Order of precedence"),
        Text(
            "排在前面的优先。技术附件应优先于正文的一般说法。",
            "The first prevails. The technical appendix should stand before general words.",
        ),
        Kind.ROWS, columns=PAPER_COLUMNS,
    ),
    TermInfo(
        "prevailing_language", Text("以哪种语言为准", "Prevailing language"),
        Text("两种文本会有出入。", "Two texts never say quite the same."),
        Kind.CHOICE, choices=LANGUAGES, default="zh",
        printed=Text("优先适用的语言文本", "Prevailing language"),
    ),
)  # fmt: skip

SECTION = Section(
    "commercial",
    Text("商务", "Commercial"),
    Text("多少钱、怎么付、违约怎么办。", "What it costs, how it is paid, and what a breach costs."),
    (*PRICE, *PAYMENT, *LIABILITY),
)
