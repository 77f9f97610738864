"""Step 10: taking the data out, and having what stays erased."""

from gpucontract.contracts.sections.term import Kind, Section, TermInfo, number
from gpucontract.wording import Text

DELETION_METHODS = {
    "logical": Text("逻辑删除", "logical deletion"),
    "clear": Text("覆写", "clear"),
    "purge": Text("净化", "purge"),
    "crypto_erase": Text("加密擦除", "cryptographic erase"),
    "destroy": Text("物理销毁", "destroy"),
}

SECTION = Section(
    "exit",
    Text("退出", "Exit"),
    Text("数据怎么带走，剩下的怎么清除。", "How data leaves, and how the rest is erased."),
    (
        TermInfo(
            "data_export_days", Text("数据导出期（天）", "Days to export data"),
            Text("TB 级数据要时间。", "Terabytes take time."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365), vague=("到期即清理",),
        ),
        TermInfo(
            "data_deletion_days", Text("数据删除期限（天）", "Days until data is erased"),
            Text("不写就可能一直留着。", "Unsaid, it may stay for ever."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(365),
        ),
        TermInfo(
            "data_deletion_method", Text("删除方式", "How data is erased"),
            Text("固态盘覆写不够。", "Overwriting is weak on SSDs."),
            Kind.CHOICE, choices=DELETION_METHODS, vague=("格式化",),
        ),
    ),
)  # fmt: skip
