"""Step 10: taking the data out, and having what stays erased."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, number, only
from gpucontract.wording import Text

DELETION_METHODS = {
    "logical": Text("逻辑删除", "logical deletion"),
    "clear": Text("覆写", "clear"),
    "purge": Text("净化", "purge"),
    "crypto_erase": Text("加密擦除", "cryptographic erase"),
    "destroy": Text("物理销毁", "destroy"),
}
RENEWALS = {
    "auto": Text("自动续租", "automatic"),
    "by_notice": Text("通知后续租", "by notice"),
    "none": Text("不续租", "none"),
}
RENEWAL_PRICES = {
    "same": Text("原价", "same price"),
    "market_cap": Text("不高于市场价", "capped by the market"),
    "renegotiate": Text("重新谈", "renegotiated"),
}
BUYER_EXITS = {
    "none": Text("不可提前解约", "none"),
    "fee_months": Text("付费后可解约", "for a fee"),
    "for_cause": Text("乙方违约时可解约", "for cause"),
}
EXIT_FEES = {
    "none": Text("无费用", "none"),
    "months": Text("若干个月租金", "a number of months"),
    "share_of_remaining": Text("剩余租金的一部分", "a share of the remaining rent"),
    "all_remaining_rent": Text("全部剩余租金", "all remaining rent"),
}
DISK_CUSTODIES = {
    "buyer_keeps": Text("甲方保留", "buyer keeps them"),
    "destroy_witnessed": Text("见证销毁", "destroyed before a witness"),
    "vendor_keeps": Text("乙方带走", "vendor keeps them"),
}
OWNERSHIPS = {
    "vendor": Text("归乙方", "the vendor's"),
    "buyer_option": Text("甲方可购买", "buyer may purchase"),
}
SURVIVALS = {
    "confidentiality": Text("保密", "confidentiality"),
    "data": Text("数据", "data"),
    "credits": Text("赔付", "credits"),
    "liability": Text("责任", "liability"),
    "disputes": Text("争议解决", "disputes"),
}

SECTION = Section(
    "exit",
    Text("退出", "Exit"),
    Text("数据怎么带走，剩下的怎么清除。", "How data leaves, and how the rest is erased."),
    (
        TermInfo(
            "data_export_days", Text("数据导出期", "Time to export data"),
            Text("TB 级数据要时间。", "Terabytes take time."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), vague=("到期即清理",),
        ),
        TermInfo(
            "data_deletion_days", Text("数据删除期限", "Data is erased within"),
            Text("不写就可能一直留着。", "Unsaid, it may stay for ever."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
        ),
        TermInfo(
            "data_deletion_method", Text("删除方式", "How data is erased"),
            Text(
                "固态盘覆写不够，要净化、加密擦除或销毁。",
                "Overwriting is weak on SSDs: purge, erase the key or destroy.",
            ),
            Kind.CHOICE, choices=DELETION_METHODS, vague=("格式化",),
        ),
        TermInfo(
            "renewal_type", Text("续租方式", "Renewal"),
            Text("自动续租最容易忘记。", "Automatic renewal is easily forgotten."),
            Kind.CHOICE, choices=RENEWALS, vague=("默认续期",),
        ),
        TermInfo(
            "renewal_notice_days", Text("续租或不续的通知期", "Notice for renewal"),
            Text("错过通知期就多租一期。", "Missing it rents another term."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
            requirement=Requirement.CONDITIONAL, conditions=only("renewal_type", "auto", "by_notice"),
        ),
        TermInfo(
            "renewal_price_rule", Text("续租价格", "Renewal price"),
            Text("不写就由对方开价。", "Unsaid, the other side sets it."),
            Kind.CHOICE, choices=RENEWAL_PRICES, vague=("届时协商",),
            requirement=Requirement.CONDITIONAL, conditions=only("renewal_type", "auto", "by_notice"),
            printed_choices={"renegotiate": Text("重新协商", "renegotiated")},
        ),
        TermInfo(
            "buyer_exit_right", Text("甲方提前解约", "Buyer's early exit"),
            Text("项目停了还要不要付租。", "Whether rent goes on when the project stops."),
            Kind.CHOICE, choices=BUYER_EXITS,
        ),
        TermInfo(
            "early_exit_fee_basis", Text("提前解约费的口径", "What the exit fee is based on"),
            Text("有没有上限差别很大。", "Bounded or not makes the difference."),
            Kind.CHOICE, choices=EXIT_FEES,
            requirement=Requirement.CONDITIONAL, conditions=only("buyer_exit_right", "fee_months"),
        ),
        TermInfo(
            "early_exit_fee", Text("提前解约费的算法", "How the exit fee is computed"),
            Text("写成公式，双方算出同一个数。", "A formula gives both sides the same number."),
            Kind.TEXT, length=200, vague=("剩余租金全额",),
            requirement=Requirement.CONDITIONAL, conditions=only("buyer_exit_right", "fee_months"),
        ),
        TermInfo(
            "vendor_exit_notice", Text("乙方解约须提前", "Notice before the vendor exits"),
            Text("防止涨价时收机转租。", "It stops a vendor from taking machines back when prices rise."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), vague=("有权收回",),
            printed=Text("乙方解约须提前通知", "Notice before the vendor exits"),
        ),
        TermInfo(
            "cure_days", Text("违约补救期", "Time to cure a breach"),
            Text("先补救，再解约。", "Mend first, terminate later."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
        ),
        TermInfo(
            "data_export_bw", Text("导出带宽保证", "Bandwidth guaranteed for export"),
            Text(
                "带宽不够，导出期再长也不够；每 100 Mb/s 一天约传 1 TB。",
                "Without it no export period is long enough: about 1 TB a day for each 100 Mb/s.",
            ),
            Kind.WHOLE, unit="Mb/s", minimum=number(1), maximum=number(10_000_000),
        ),
        TermInfo(
            "egress_fee", Text("每 TB 的导出费用", "Export fee per TB"),
            Text("不写价，数据就成了筹码。", "Without a price the data become a hostage."),
            Kind.DECIMAL, decimals=2, minimum=number(0), maximum=number(1_000_000),
        ),
        TermInfo(
            "deletion_certificate", Text("出具删除证明", "Deletion certificate"),
            Text("按序列号列出才算证明。", "It proves something when it lists serial numbers."),
            Kind.YES_NO, vague=("口头确认",),
        ),
        TermInfo(
            "failed_disk_custody", Text("坏盘归谁", "Who keeps failed disks"),
            Text("换下的盘会把数据带走。", "A swapped disk leaves with its data."),
            Kind.CHOICE, choices=DISK_CUSTODIES,
            printed=Text("故障盘的归属", "Custody of failed disks"),
        ),
        TermInfo(
            "account_closure_days", Text("账号回收期限", "Accounts are closed within"),
            Text("过期账号是漏洞。", "Stale accounts are a hole."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "transition_support", Text("迁移支持", "Help with moving out"),
            Text("换供应商时谁来帮忙。", "Who helps when you change vendors."),
            Kind.TEXT, length=200,
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "end_ownership", Text("期末设备归谁", "Who owns the machines at the end"),
            Text("以租代购要写价。", "Lease-to-own needs a price."),
            Kind.CHOICE, choices=OWNERSHIPS, vague=("可优惠购买",),
            requirement=Requirement.OPTIONAL, is_seldom=True,
            printed=Text("期末设备的归属", "Ownership of the machines at the end"),
        ),
        TermInfo(
            "end_purchase_price", Text("期末购买价", "Purchase price at the end"),
            Text("可购买就要有价。", "An option to buy needs its price."),
            Kind.DECIMAL, decimals=2, minimum=number(0), maximum=number(10_000_000_000),
            requirement=Requirement.CONDITIONAL, conditions=only("end_ownership", "buyer_option"), is_seldom=True,
        ),
        TermInfo(
            "survival_clauses", Text("合同结束后仍有效的条款", "What survives the contract"),
            Text("保密和数据义务不随合同结束。", "Secrecy and data duties outlive the contract."),
            Kind.MULTI, choices=SURVIVALS, requirement=Requirement.OPTIONAL,
        ),
    ),
)  # fmt: skip
