"""Step 7: what is promised for the months of the term."""

from gpucontract.contracts.sections.term import Kind, Requirement, Row, Section, TermInfo, above, number, only
from gpucontract.wording import Text

SUPPORT_HOURS = {
    "24x7": Text("7×24 小时", "24x7"),
    "5x8": Text("工作日 8 小时", "8 hours on working days"),
    "other": Text("其他", "other"),
}
SCOPE_UNITS = {
    "per_gpu": Text("逐卡", "per GPU"),
    "per_node": Text("逐台", "per machine"),
    "cluster": Text("整个集群", "the cluster"),
    "fleet_average": Text("全部平均", "average of all"),
}
PERIODS = {
    "calendar_month": Text("自然月", "calendar month"),
    "contract_month": Text("合同月", "contract month"),
    "quarter": Text("季度", "quarter"),
    "year": Text("年", "year"),
}
DOWNTIMES = {
    "unreachable": Text("连不上", "unreachable"),
    "gpu_missing": Text("掉卡", "GPU missing"),
    "gpu_error": Text("GPU 报错", "GPU error"),
    "fabric_down": Text("机间网络中断", "network between machines down"),
    "storage_down": Text("存储中断", "storage down"),
    "perf_below": Text("性能低于门槛", "performance below the mark"),
}
WEIGHTINGS = {
    "binary_node": Text("整台计停", "whole machine counts as down"),
    "per_gpu_weighted": Text("按卡折算", "weighted by GPU"),
    "none": Text("不计", "not counted"),
}
EXCLUSIONS = {
    "planned_maintenance": Text("已通知的计划维护", "announced maintenance"),
    "buyer_fault": Text("甲方自身原因", "caused by the buyer"),
    "force_majeure": Text("不可抗力", "force majeure"),
    "buyer_software": Text("甲方软件故障", "the buyer's software"),
    "public_internet": Text("公网运营商中断", "public carriers"),
    "catch_all": Text("等其他情形", "and other cases"),
}
CREDIT_BASES = {
    "affected_unit_month_fee": Text("受影响单元的月费", "monthly fee of what was down"),
    "contract_month_fee": Text("合同月费", "monthly fee of the contract"),
}
CREDIT_FORMS = {
    "offset_next_bill": Text("抵扣下期账单", "off the next bill"),
    "cash": Text("现金退还", "cash"),
    "term_extension": Text("延长租期", "longer term"),
    "voucher": Text("代金券", "voucher"),
}
SOURCES = {
    "buyer_probe": Text("甲方探测", "the buyer's probe"),
    "vendor_probe": Text("乙方监控", "the vendor's probe"),
    "both": Text("双方，以甲方为先", "both, the buyer's first"),
    "third_party": Text("第三方", "third party"),
}

PARTS = {
    "gpu": Text("GPU", "GPU"),
    "nic": Text("网卡", "NIC"),
    "optics": Text("光模块和线缆", "optics and cables"),
    "disk": Text("硬盘", "disk"),
    "memory": Text("内存", "memory"),
    "power_supply": Text("电源", "power supply"),
    "node": Text("整机", "whole machine"),
    "other": Text("其他", "other"),
}
FAULTS = {
    "xid": Text("Xid 报错", "Xid error"),
    "ecc": Text("ECC 错误", "ECC errors"),
    "temperature": Text("温度", "temperature"),
    "link": Text("链路", "link"),
    "gpu_missing": Text("掉卡", "GPU missing"),
    "other": Text("其他", "other"),
}
TIER_COLUMNS = (
    TermInfo(
        "lower_pct", Text("可用性不低于", "Availability from"), Text("下限，含本数。", "The lower end, included."),
        Kind.DECIMAL, Row.CHILD, unit="%", decimals=3, minimum=number(0), maximum=number(100),
    ),
    TermInfo(
        "upper_pct", Text("且低于", "up to"), Text("上限，不含本数。", "The upper end, not included."),
        Kind.DECIMAL, Row.CHILD, unit="%", decimals=3, minimum=number(0), maximum=number(100),
    ),
    TermInfo(
        "credit_pct", Text("赔付", "Credit"), Text("按赔付基数的百分比。", "A share of the credits' base."),
        Kind.DECIMAL, Row.CHILD, unit="%", decimals=2, minimum=number(0), maximum=number(1_000),
        printed=Text("按赔付基数赔付", "Credit, as a share of its base"),
    ),
)  # fmt: skip
SPARE_COLUMNS = (
    TermInfo(
        "part", Text("备件", "Part"), Text("放在机房里的才算。", "Only what lies at the site counts."),
        Kind.CHOICE, Row.CHILD, choices=PARTS,
    ),
    TermInfo(
        "quantity", Text("数量", "Quantity"), Text("写数字，不写充足。", "A number, not “ample”."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("件", "pieces"), minimum=number(0), maximum=number(100_000),
    ),
)  # fmt: skip
FAULT_COLUMNS = (
    TermInfo(
        "kind", Text("故障", "Fault"), Text("看得到、记得下的现象。", "What can be seen and recorded."),
        Kind.CHOICE, Row.CHILD, choices=FAULTS,
    ),
    TermInfo(
        "criterion", Text("判据", "Criterion"),
        Text("写代码、数值或时长，例如 Xid 48、79。", "Codes, values or times, such as Xid 48 or 79."),
        Kind.TEXT, Row.CHILD, length=200, vague=("确认故障后",),
    ),
)  # fmt: skip

SECTION = Section(
    "sla",
    Text("服务等级", "Service level"),
    Text("坏了多久算数，多久有人管。", "What counts as down, and how soon somebody comes."),
    (
        TermInfo(
            "sla_availability_pct", Text("月可用性", "Monthly availability"),
            Text(
                "核心承诺。一个月里，99.9 % 允许停约 43 分钟，99.5 % 约 3.6 小时，99 % 约 7.2 小时。",
                "The core promise. In a month 99.9 % allows about 43 minutes of downtime, 99.5 % about 3.6 hours, 99 "
                "% about 7.2.",
            ),
            Kind.DECIMAL, unit="%", decimals=3, minimum=number(0), maximum=number(100), vague=("7×24 稳定运行",),
        ),
        TermInfo(
            "p1_response_min", Text("P1 故障响应", "P1 response"),
            Text(
                "P1 是最严重的一级故障，定义在下面填。多久之内有人回应？训练停一分钟都在花钱。",
                "P1 is the gravest kind of fault, defined below. How soon does somebody answer? A stopped training "
                "burns money by the minute.",
            ),
            Kind.WHOLE, unit="min", minimum=number(1), maximum=number(10_080), vague=("小时级", "尽快", "asap"),
        ),
        TermInfo(
            "node_replace_hours", Text("整机替换时限", "Machine replacement"),
            Text(
                "修不好就换：多久之内换上一台好的。",
                "What cannot be mended is replaced: how soon a sound machine stands there.",
            ),
            Kind.WHOLE, unit="h", minimum=number(1), maximum=number(8_760),
        ),
        TermInfo(
            "support_hours", Text("支持时段", "Support hours"),
            Text("周五夜里坏了找谁。", "Whom to call on a Friday night."),
            Kind.CHOICE, choices=SUPPORT_HOURS, vague=("全天候",),
        ),
        TermInfo(
            "onsite_response_hours", Text("到场时限", "On-site response"),
            Text("硬件坏了，多久之内要有人到机房。", "Broken hardware needs hands: how soon they are at the site."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number("0.1"), maximum=number(8_760),
        ),
        TermInfo(
            "sla_scope_unit", Text("可用性按什么单元算", "What availability is counted over"),
            Text("平均会盖住一台停机。", "An average hides one dead machine."),
            Kind.CHOICE, choices=SCOPE_UNITS,
            printed=Text("可用性的计算单元", "Unit that availability is counted over"),
        ),
        TermInfo(
            "sla_period", Text("统计周期", "Counting period"),
            Text("按年算，一次可停近九小时。", "Over a year nearly nine hours may go at once."),
            Kind.CHOICE, choices=PERIODS, vague=("全年",),
        ),
        TermInfo(
            "downtime_definition", Text("哪些情况算宕机", "What counts as downtime"),
            Text("只算连不上，就漏掉掉卡。", "Counting only the unreachable misses lost GPUs."),
            Kind.MULTI, choices=DOWNTIMES, vague=("服务不可用",),
            printed=Text("计为宕机的情形", "Events that count as downtime"),
            printed_choices={"unreachable": Text("无法连接", "unreachable")},
        ),
        TermInfo(
            "min_countable_minutes", Text("满多少分钟起算", "Shortest outage that counts"),
            Text(
                "比这更短的停机不计。填得太长，反复闪断就全不算，建议不超过 5 分钟。",
                "Shorter outages do not count. A long minimum erases flapping; 5 minutes or less is advised.",
            ),
            Kind.WHOLE, unit="min", minimum=number(0), maximum=number(1_440), vague=("短时中断不计",),
            printed=Text("宕机起算时长", "Shortest outage that counts"),
        ),
        TermInfo(
            "degraded_threshold_pct", Text("低于验收值多少算降级", "Degraded below this share of the accepted value"),
            Text(
                "慢两成等于少两成卡。例如填 90：低于验收时的 90 % 就算降级。",
                "A fifth slower is a fifth of the cards gone. With 90, what is slower than 90 % of its acceptance "
                "counts as degraded.",
            ),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100), vague=("不影响使用",),
            printed=Text("性能降级的门槛（占验收值）", "Threshold of degradation, as a share of the accepted value"),
        ),
        TermInfo(
            "degraded_weighting", Text("降级怎么折算", "How degraded time counts"),
            Text("折算方式决定赔多少。", "It decides what is owed."),
            Kind.CHOICE, choices=WEIGHTINGS,
            printed=Text("降级时长的折算", "Weighting of degraded time"),
        ),
        TermInfo(
            "maintenance_hours_cap", Text("每月计划维护上限", "Planned maintenance per month, at most"),
            Text("不封顶等于没有承诺。", "Without a cap there is no promise."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number(0), maximum=number(744), vague=("例行维护除外",),
        ),
        TermInfo(
            "maintenance_notice_hours", Text("维护提前通知", "Notice before maintenance"),
            Text("留出保存检查点的时间。", "Leaves time to save checkpoints."),
            Kind.WHOLE, unit="h", minimum=number(0), maximum=number(720), vague=("提前通知",),
        ),
        TermInfo(
            "sla_exclusions", Text("不计入的情形", "What is excluded"),
            Text("兜底的话会吞掉全部承诺。", "A catch-all swallows the whole promise."),
            Kind.MULTI, choices=EXCLUSIONS, vague=("等其他情形",),
            printed_choices={"catch_all": Text("其他情形", "other cases")},
        ),
        TermInfo(
            "credit_tiers", Text("赔付阶梯", "Credit tiers"),
            Text(
                "没有赔付的承诺只是一句话。每行写一档：可用性从多少到多少，赔百分之几。",
                "A promise without a remedy is only a sentence. Each line is a tier: from which availability to "
                "which, and what is paid.",
            ),
            Kind.ROWS, columns=TIER_COLUMNS, vague=("协商补偿",),
        ),
        TermInfo(
            "credit_base", Text("按什么费用赔", "Fee that credits are taken of"),
            Text("基数不同，金额差数倍。", "Amounts differ several times with it."),
            Kind.CHOICE, choices=CREDIT_BASES,
            printed=Text("赔付基数", "Base of the credits"),
        ),
        TermInfo(
            "credit_cap_pct", Text("每月赔付上限", "Credits per month, at most"),
            Text("常见为月费的五成到全部。", "Half to all of the monthly fee is common."),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(100),
            printed=Text("每月赔付上限（占赔付基数）", "Credits per month, at most, as a share of their base"),
        ),
        TermInfo(
            "credit_form", Text("用什么赔", "Form of the credit"),
            Text("代金券到期就作废。", "A voucher dies with the term."),
            Kind.CHOICE, choices=CREDIT_FORMS,
            printed=Text("赔付方式", "Form of the credits"),
        ),
        TermInfo(
            "credit_auto", Text("自动赔付", "Credits are paid without a claim"),
            Text("要申请的常被错过。", "What must be claimed is often missed."),
            Kind.YES_NO,
        ),
        TermInfo(
            "credit_claim_days", Text("申请时限", "Time to claim"),
            Text("过期就没有了。", "After them nothing is owed."),
            Kind.WHOLE, unit="d", minimum=number(1), maximum=number(365), vague=("及时申请",),
            requirement=Requirement.CONDITIONAL, conditions=only("credit_auto", False),
            printed=Text("赔付申请时限", "Time to claim a credit"),
        ),
        TermInfo(
            "measurement_source", Text("以谁的数据为准", "Whose data decide"),
            Text("只认乙方监控就无法举证。", "Vendor data alone defeat every claim."),
            Kind.CHOICE, choices=SOURCES, vague=("以乙方系统为准",),
            printed=Text("可用性数据的来源", "Source of the availability data"),
        ),
        TermInfo(
            "p1_definition", Text("什么算 P1 故障", "What a P1 fault is"),
            Text(
                "没有定义就会被降级处理。例如：任何一台机器不可用，或训练因硬件中断。",
                "Undefined, it is treated as less. Such as: any machine is unusable, or a training stops because of "
                "hardware.",
            ),
            Kind.TEXT, length=200,
            printed=Text("P1 故障的定义", "Definition of a P1 fault"),
        ),
        TermInfo(
            "p1_restore_hours", Text("P1 故障恢复", "P1 restored within"),
            Text("有人回应不等于修好。", "An answer is not a repair."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number("0.1"), maximum=number(8_760), vague=("积极处理",),
            printed=Text("P1 故障恢复时限", "P1 faults are repaired within"),
        ),
        TermInfo(
            "gpu_replace_hours", Text("坏卡更换时限", "GPU replacement"),
            Text("返厂常以周计。", "A return to the maker takes weeks."),
            Kind.WHOLE, unit="h", minimum=number(1), maximum=number(8_760), vague=("按厂商 RMA",),
            printed=Text("故障 GPU 更换时限", "Replacement of a failed GPU within"),
        ),
        TermInfo(
            "onsite_spares", Text("现场备件", "Spares on site"),
            Text("返厂常要几周，备件当天就能换上。", "A return to the maker takes weeks, a spare one day."),
            Kind.ROWS, requirement=Requirement.CONDITIONAL,
            conditions=only("workload_profile", "training_critical"), columns=SPARE_COLUMNS, vague=("充足",),
        ),
        TermInfo(
            "hw_fault_definition", Text("什么算硬件故障", "What a hardware fault is"),
            Text("写明判据，就没有“未能复现”。", "With criteria nobody can say “could not reproduce”."),
            Kind.ROWS, columns=FAULT_COLUMNS, vague=("确认故障后",),
            printed=Text("硬件故障判据", "Criteria of hardware faults"),
        ),
        TermInfo(
            "rca_days", Text("故障报告时限（工作日）", "Working days until a fault report"),
            Text("不知原因就会再坏。", "What is not understood breaks again."),
            Kind.WHOLE, minimum=number(1), maximum=number(90),
            requirement=Requirement.OPTIONAL, is_seldom=True,
            printed=Text("故障报告时限", "Fault report within"),
            counted=Text("个工作日", "working days"),
        ),
        TermInfo(
            "chronic_failure_rule", Text("频发故障的解约权", "Right to leave after repeated failures"),
            Text(
                "赔付抵不过停工。例如：连续 3 个月不达标，甲方可以无责解约。",
                "Credits do not pay for an idle team. Such as: after 3 months in a row below the promise the buyer "
                "may leave free of charge.",
            ),
            Kind.TEXT, length=200,
        ),
        TermInfo(
            "local_ops_staff", Text("本地运维人数", "Local operations staff"),
            Text("现场排障要有人。", "Repairs on site need people."),
            Kind.WHOLE, unit="count", counted=Text("人", "people"),
            minimum=number(0), maximum=number(10_000), vague=("全国服务",),
        ),
        TermInfo(
            "local_ops_city", Text("运维人员所在城市", "City of that staff"),
            Text("同城才能当天到场。", "Only the same city comes the same day."),
            Kind.TEXT, length=60,
            requirement=Requirement.CONDITIONAL, conditions=above("local_ops_staff", 0),
        ),
        TermInfo(
            "hotline", Text("7×24 客服电话", "Hotline, day and night"),
            Text("半夜也要打得通。", "It must answer at night too."),
            Kind.TEXT, length=40,
        ),
        TermInfo(
            "engineer_group", Text("有工程师在的技术群", "Chat group with engineers in it"),
            Text("答复更快。", "Answers come sooner."),
            Kind.YES_NO,
            requirement=Requirement.OPTIONAL, is_seldom=True,
            printed=Text("工程师技术群", "Chat group with engineers"),
        ),
    ),
)  # fmt: skip
