"""Step 8: when machines come, how they are tested, what happens when they are late or miss."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, above, number, only
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
        printed_choices={"other": Text("其他文件", "other document")},
    ),
    TermInfo(
        "note", Text("说明", "Note"), Text("格式或范围。", "Format or extent."),
        Kind.TEXT, Row.CHILD, length=200, requirement=Requirement.OPTIONAL,
    ),
)  # fmt: skip

SITE_PARTIES = {
    "buyer": Text("甲方", "buyer"),
    "vendor": Text("乙方", "vendor"),
    "both": Text("双方各自负责列明的部分", "each side its listed part"),
}
TESTS = {
    "inventory": Text("清点配置", "inventory"),
    "gemm": Text("矩阵乘", "GEMM"),
    "memory": Text("显存", "GPU memory"),
    "intra_nccl": Text("机内通信", "NCCL inside a machine"),
    "inter_nccl": Text("机间通信", "NCCL between machines"),
    "rdma": Text("RDMA", "RDMA"),
    "storage": Text("存储", "storage"),
    "burn_in": Text("压测", "burn-in"),
    "network": Text("公网", "public network"),
    "security": Text("安全隔离", "isolation"),
}
TESTERS = {
    "buyer": Text("甲方", "buyer"),
    "joint": Text("双方共同", "both together"),
    "third_party": Text("第三方", "third party"),
    "vendor": Text("乙方", "vendor"),
}
EVIDENCE = {
    "raw_log": Text("原始输出", "raw output"),
    "json": Text("JSON 数据", "JSON"),
    "screenshot": Text("截图", "screenshots"),
    "signed_pdf": Text("签名 PDF", "signed PDF"),
}
DEEMED = {
    "none": Text("不约定", "none"),
    "after_notice": Text("书面催告后仍不答复", "after a written notice stays unanswered"),
    "on_silence": Text("期满不答复", "on silence"),
    "on_use": Text("一经使用", "on use"),
}
BILLING_STARTS = {
    "acceptance_signed": Text("验收签字之日", "when acceptance is signed"),
    "delivery": Text("交付之日", "at delivery"),
    "contract_date": Text("合同签订之日", "at the date of the contract"),
}
INSPECTIONS = {
    "none": Text("不巡检", "none"),
    "monthly": Text("每月", "monthly"),
    "quarterly": Text("每季度", "quarterly"),
}
BATCH_COLUMNS = (
    TermInfo(
        "due_on", Text("交付日", "Due on"), Text("这一批最迟哪天交付。", "The last day for this batch."),
        Kind.DATE, Row.CHILD,
    ),
    TermInfo(
        "nodes", Text("台数", "Machines"), Text("这一批交付几台。", "How many machines come in it."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("台", "machines"), minimum=number(1), maximum=number(100_000),
        printed=Text("交付", "Machines"),
    ),
)  # fmt: skip

SECTION = Section(
    "acceptance",
    Text("交付与验收", "Delivery and acceptance"),
    Text("哪天交付、怎么测、不合格怎么办。", "When they come, how they are tested, what follows a miss."),
    (
        TermInfo(
            "delivery_date", Text("交付日期", "Delivery date"),
            Text("逾期违约金从这天起算。", "Late-delivery damages count from this day."),
            Kind.DATE, vague=("合同生效后尽快",),
        ),
        TermInfo(
            "delivery_batches", Text("分批交付计划", "Delivery in batches"),
            Text("机器多时写明每批几台、哪天到。", "With many machines, say how many come when."),
            Kind.ROWS, requirement=Requirement.CONDITIONAL, conditions=above("node_count", 8), columns=BATCH_COLUMNS,
            vague=("分批",),
        ),
        TermInfo(
            "site_prep_party", Text("开通前置条件由谁准备", "Who prepares the site"),
            Text("专线、账号没备好，交付就会扯皮。", "Lines and accounts not ready in time start disputes."),
            Kind.CHOICE, choices=SITE_PARTIES, requirement=Requirement.OPTIONAL, is_seldom=True,
            printed=Text("开通前置条件的责任方", "Party that prepares the site"),
        ),
        TermInfo(
            "acceptance_window_days", Text("验收期限", "Acceptance window"),
            Text("从交付起算，太短测不完。", "It runs from delivery; too short, and testing does not end in time."),
            Kind.WHOLE, unit="d", minimum=number(1), maximum=number(365), vague=("当日",),
        ),
        TermInfo(
            "day_basis", Text("天的口径", "What a day is"),
            Text(
                "验收期限的“天”按哪种算；工作日与自然日差好几天。",
                "Which days the acceptance window is counted in; the two differ by days.",
            ),
            Kind.CHOICE, choices=DAY_BASES,
        ),
        TermInfo(
            "acceptance_tests", Text("验收项目", "Acceptance tests"),
            Text("列出要测什么，“点亮”不算验收。", "List what is tested: power on is no acceptance."),
            Kind.MULTI, choices=TESTS, vague=("开机验收", "点亮即验收"),
        ),
        TermInfo(
            "acceptance_threshold_ref", Text("门槛写在哪份附件", "Where the marks are written"),
            Text("写明附件名称和版本，合格线才固定。", "Name the appendix and its version: the marks then stand firm."),
            Kind.TEXT, length=160, vague=("参照行业标准",),
            printed=Text("验收门槛所在附件", "Appendix with the marks of acceptance"),
        ),
        TermInfo(
            "acceptance_tester", Text("由谁测试", "Who runs the tests"),
            Text("乙方自测等于自己给自己打分。", "A vendor that tests itself marks its own work."),
            Kind.CHOICE, choices=TESTERS,
            printed=Text("验收测试方", "Tester"),
        ),
        TermInfo(
            "acceptance_evidence", Text("以什么为证据", "What stands as evidence"),
            Text("截图容易改，原始输出难改。", "Screenshots are easily altered, raw output is not."),
            Kind.MULTI, choices=EVIDENCE,
            printed=Text("验收证据", "Evidence of acceptance"),
        ),
        TermInfo(
            "deemed_acceptance", Text("视为验收合格", "Deemed acceptance"),
            Text("沉默或使用即合格，权利就没了。", "Accepted by silence or by use, your rights are gone."),
            Kind.CHOICE, choices=DEEMED, vague=("使用即视为合格",),
        ),
        TermInfo(
            "deemed_acceptance_days", Text("多久后视为合格", "Deemed accepted after"),
            Text("不应短于验收期限。", "It should not be shorter than the window."),
            Kind.WHOLE, unit="d", minimum=number(1), maximum=number(365), requirement=Requirement.CONDITIONAL,
            conditions=only("deemed_acceptance", "after_notice", "on_silence", "on_use"),
            printed=Text("视为合格的期限", "Deemed accepted after"),
        ),
        TermInfo(
            "retest_rounds_max", Text("最多复测几轮", "Retests, at most"),
            Text("不限次数就会一直整改。", "Without a limit the mending never ends."),
            Kind.WHOLE, unit="count", counted=Text("轮", "rounds"),
            minimum=number(0), maximum=number(20), vague=("直至合格",),
            printed=Text("复测轮数上限", "Retests, at most"),
        ),
        TermInfo(
            "retest_days", Text("整改期限", "Time to cure"),
            Text("过期未改好就按不合格处理。", "What is not mended by then counts as failed."),
            Kind.WHOLE, unit="d", minimum=number(1), maximum=number(365),
        ),
        TermInfo(
            "acceptance_fail_remedy", Text("不合格怎么办", "What follows a miss"),
            Text("不写就只能协商。", "Unsaid, only talk is left."),
            Kind.MULTI, choices=REMEDIES, vague=("双方协商",),
            printed=Text("验收不合格的处理", "Remedies for a miss"),
        ),
        TermInfo(
            "price_cut_pct", Text("降价幅度", "Price cut"),
            Text(
                "不合格的部分（如几台机器）租金降多少，例如 10。",
                "By how much the rent of what misses (some machines, say) falls, such as 10.",
            ),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100),
            requirement=Requirement.CONDITIONAL, conditions=only("acceptance_fail_remedy", "price_cut"),
            printed=Text("不合格部分的降价幅度", "Price cut of what misses its mark"),
        ),
        TermInfo(
            "acceptance_burnin_hours", Text("压测时长", "Burn-in"),
            Text(
                "连续满负荷运行多久。早期故障在头几天出现，建议不少于 24 小时。",
                "How long the machines run at full load. Early failures show in the first days; 24 hours at least "
                "are advised.",
            ),
            Kind.WHOLE, unit="h", minimum=number(0), maximum=number(2_160),
            vague=("试运行",),
        ),
        TermInfo(
            "acceptance_coverage_pct", Text("覆盖比例", "Coverage"),
            Text(
                "抽检会漏掉坏卡；全部机器都测填 100。",
                "Samples miss bad cards; 100 means that every machine is tested.",
            ),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number("0.01"), maximum=number(100),
            default=number(100), vague=("抽检",),
            printed=Text("验收实测覆盖的机器比例", "Share of the machines that acceptance measures"),
        ),
        TermInfo(
            "repeat_runs", Text("每项测试次数", "Runs per test"), Text("单次会波动。", "Single runs vary."),
            Kind.WHOLE, unit="count", counted=Text("次", "runs"), minimum=number(1), maximum=number(20), default=3,
        ),
        TermInfo(
            "repeat_rule", Text("多次怎么取值", "Which run counts"),
            Text("取法决定偏向谁。", "The rule decides whom it favours."),
            Kind.CHOICE, choices=REPEAT_RULES, default="median",
            printed=Text("多次测试的取值", "Value taken of several runs"),
            printed_choices={"best": Text("取最好的一次", "best"), "worst": Text("取最差的一次", "worst")},
        ),
        TermInfo(
            "tolerance_pct", Text("允许偏差", "Tolerance"),
            Text(
                "差一点算不算，先说好；填 0 就是一点不让。",
                "Agree beforehand whether a near miss counts; 0 allows none.",
            ),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(50), default=number(0),
        ),
        TermInfo(
            "delivery_documents", Text("交付文档", "Delivery documents"),
            Text("出问题时查得到。", "Needed when something breaks."),
            Kind.ROWS, columns=DOCUMENT_COLUMNS,
        ),
        TermInfo(
            "billing_start", Text("从哪天起租", "Rent starts"),
            Text("还没验收就计费，是为不能用的机器付钱。", "Rent before acceptance pays for what may not work."),
            Kind.CHOICE, choices=BILLING_STARTS, vague=("交付即计费",),
            printed=Text("租金起算日", "Rent starts"),
        ),
        TermInfo(
            "late_delivery_ld", Text("逾期交付违约金", "Damages for late delivery"),
            Text(
                "按合同总价每日千分之几计；例如填 0.5，就是每天万分之五。",
                "In thousandths of the contract's total for each day: 0.5 is 0.05 % a day.",
            ),
            Kind.DECIMAL, unit="‰/d", decimals=3, minimum=number(0), maximum=number(100), vague=("承担相应责任",),
            printed=Text("逾期交付违约金（按合同总价）", "Damages for late delivery, of the contract's total"),
        ),
        TermInfo(
            "late_delivery_term_days", Text("逾期多久可以解约", "Late delivery lets you leave after"),
            Text("违约金抵不过一直等。", "Damages do not pay for waiting without end."),
            Kind.WHOLE, unit="d", minimum=number(1), maximum=number(365),
            printed=Text("逾期交付的解约期限", "Late delivery lets the buyer leave after"),
        ),
        TermInfo(
            "reacceptance_on_change", Text("换机或维修后复验", "Test again after a swap or repair"),
            Text("换上来的可能更差。", "What comes in may be worse."),
            Kind.YES_NO,
        ),
        TermInfo(
            "periodic_inspection", Text("租期内定期复测", "Tests during the term"),
            Text("性能会慢慢下降。", "Speed drifts over time."),
            Kind.CHOICE, choices=INSPECTIONS, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
    ),
)  # fmt: skip
