"""Step 1: who the two parties are, where the machines stand, and what entitles the vendor to rent them out."""

from gpucontract.contracts.sections.provinces import REGIONS
from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, number, only
from gpucontract.wording import Text

ROLES = {
    "owner": Text("设备所有人", "owner"),
    "finance_lessee": Text("融资租赁承租人", "finance lessee"),
    "sublessor": Text("转租方", "sub-lessor"),
    "reseller": Text("经销商", "reseller"),
    "broker": Text("撮合平台", "broker"),
}
CERTIFICATES = {
    "iso9001": Text("ISO 9001 质量管理", "ISO 9001 quality"),
    "iso27001": Text("ISO 27001 信息安全", "ISO 27001 information security"),
    "iso20000": Text("ISO 20000 服务管理", "ISO 20000 service management"),
}
LICENSED_SERVICES = {
    "IDC": Text("互联网数据中心（IDC）", "data centre (IDC)"),
    "internet_resource_collab": Text("互联网资源协作", "internet resource collaboration (cloud)"),
    "CDN": Text("内容分发（CDN）", "content delivery (CDN)"),
    "ISP": Text("互联网接入（ISP）", "internet access (ISP)"),
    "IP-VPN": Text("国内 IP-VPN", "domestic IP-VPN"),
    "information_service": Text("信息服务（B2）", "information service (B2)"),
}
RELOCATIONS = {
    "forbidden": Text("不得搬迁", "not allowed"),
    "consent": Text("甲方同意后", "with the buyer's consent"),
    "notice+reacceptance": Text("提前通知并重新验收", "after notice, with a new acceptance"),
    "notice": Text("通知后即可", "after notice alone"),
}
TENURES = {
    "own": Text("自有", "own"),
    "leased": Text("租用", "leased"),
    "colocation": Text("托管", "colocation"),
}
MLPS_LEVELS = {
    "none": Text("未定级", "none"),
    "2": Text("二级", "level 2"),
    "3": Text("三级", "level 3"),
    "4": Text("四级", "level 4"),
}
SUBCONTRACTING = {
    "none": Text("不得转包、分包", "not allowed"),
    "listed": Text("仅限列明的单位", "only to those listed"),
    "consent": Text("甲方书面同意后", "with the buyer's written consent"),
}
EXPORT_STATEMENTS = {
    "maker_channel": Text("原厂或其授权渠道购入，附凭证", "bought from the maker or its channel, with papers"),
    "licensed": Text("已取得出口许可，附文号", "export licence held, with its number"),
    "resold_in_country": Text("境内二手购入，附来源凭证", "bought used in the country, with papers"),
}
SIGNING_METHODS = {
    "wet_seal": Text("纸质盖章", "paper and seal"),
    "esign_platform": Text("电子签约平台", "e-signature platform"),
    "pdf_pades": Text(
        "PDF 数字签名（PAdES，在系统外签署）", "digitally signed PDF (PAdES, applied outside this system)"
    ),
}
SEALS = {
    "official": Text("公章", "company seal"),
    "contract": Text("合同专用章", "contract seal"),
    "legal_rep": Text("法定代表人章", "legal representative's seal"),
    "across_page": Text("骑缝章", "across-page seal"),
}

BUYER = (
    TermInfo(
        "buyer_name", Text("甲方全称", "Buyer's legal name"),
        Text("须与发票抬头一致，约束的是这一主体。", "It must equal the invoice title: this entity is bound."),
        Kind.TEXT, length=120, vague=("我司", "our company"), is_indispensable=True,
    ),
    TermInfo(
        "buyer_uscc", Text("甲方统一社会信用代码", "Buyer's USCC"),
        Text(
            "营业执照上的 18 位代码，末位是校验位。",
            "The 18 characters on the business licence; the last is a check digit.",
        ),
        Kind.TEXT, length=18, shape="uscc",
    ),
    TermInfo(
        "buyer_notice_email", Text("甲方通知邮箱", "Buyer's address for notices"),
        Text("异议和索赔从送达这里起算。", "Objections and claims count from their arrival here."),
        Kind.TEXT, length=254, vague=("微信", "个人邮箱", "wechat"), shape="email",
    ),
    TermInfo(
        "buyer_signatory", Text("甲方签约人及授权", "Buyer's signatory and mandate"),
        Text(
            "没有授权的人签字，合同可能不生效。写姓名、职务和授权书。",
            "Signed without a mandate, the contract may not bind. Give name, office and mandate.",
        ),
        Kind.TEXT, length=120, vague=("相关负责人", "负责人", "the person in charge"),
    ),
)  # fmt: skip

VENDOR = (
    TermInfo(
        "vendor_name", Text("乙方全称", "Vendor's legal name"),
        Text("写承担责任的公司，不写平台或品牌。", "The company that is liable, not its platform or brand."),
        Kind.TEXT, length=120, vague=("贵司", "your company"), is_indispensable=True,
    ),
    TermInfo(
        "vendor_uscc", Text("乙方统一社会信用代码", "Vendor's USCC"),
        Text("核验工商登记和信用记录要用它。", "Registry and credit look-ups go by it."),
        Kind.TEXT, length=18, shape="uscc",
    ),
    TermInfo(
        "vendor_founded_on", Text("乙方成立日期", "Vendor founded on"),
        Text("新公司没有履约记录可查。", "A young company has no record to look at."),
        Kind.DATE, vague=("老牌",),
    ),
    TermInfo(
        "vendor_registered_capital", Text("乙方注册资本", "Vendor's registered capital"),
        Text(
            "赔付能力的第一个参考。以万元计：5 千万元写 5000。",
            "A first hint of what it could pay. In units of 10,000 CNY: 50 million is 5000.",
        ),
        Kind.DECIMAL, unit="万元", decimals=2, minimum=number(0), maximum=number(1_000_000_000),
    ),
    TermInfo(
        "vendor_role", Text("乙方身份", "Vendor's role"),
        Text("转租或撮合的一方管不到机房和备件。", "A sub-lessor or broker controls neither site nor spares."),
        Kind.CHOICE, choices=ROLES, vague=("算力合作方", "战略伙伴"),
    ),
    TermInfo(
        "asset_title_proof", Text("设备权属或转租授权证明", "Title or sub-lease authorisation"),
        Text(
            "防止第三方把设备收回。写文件名和编号。",
            "It keeps third parties from taking the machines back. Name the paper and its number.",
        ),
        Kind.TEXT, requirement=Requirement.CONDITIONAL,
        conditions=only("vendor_role", "finance_lessee", "sublessor", "reseller", "broker"),
        vague=("设备自有，无需证明",),
    ),
    TermInfo(
        "vendor_licence_no", Text("增值电信业务经营许可证号", "Telecom licence number"),
        Text(
            "对外出租主机通常属于 IDC 业务。照许可证抄写，例如 B1-20230001。",
            "Renting out hosts is normally licensed IDC business. Copy it from the licence, such as B1-20230001.",
        ),
        Kind.TEXT, length=40, vague=("办理中", "集团有证", "挂靠", "pending"),
    ),
    TermInfo(
        "vendor_licence_scope", Text("许可的业务种类", "Licensed services"),
        Text(
            "只有信息服务证不能出租主机。照许可证勾选。",
            "An information-service licence does not cover hosts. Tick what the licence lists.",
        ),
        Kind.MULTI, choices=LICENSED_SERVICES, vague=("经营范围含算力",),
    ),
    TermInfo(
        "vendor_licence_region", Text("许可覆盖的地域", "Where the licence holds"),
        Text("省里发的证管不到外省机房。", "A provincial licence ends at the border of its province."),
        Kind.MULTI, choices=REGIONS, vague=("全国可用",),
    ),
    TermInfo(
        "vendor_licence_expiry", Text("许可证有效期至", "Licence valid until"),
        Text("应当比租期长。", "It should outlast the term."),
        Kind.DATE, vague=("长期",),
    ),
    TermInfo(
        "vendor_icp_no", Text("乙方网站 ICP 备案号", "ICP record of the vendor's site"),
        Text("核对自助门户是谁的；它不是许可证。", "It tells whose portal it is; it is no licence."),
        Kind.TEXT, length=40, requirement=Requirement.OPTIONAL, is_seldom=True,
    ),
    TermInfo(
        "vendor_iso_certs", Text("ISO 认证", "ISO certificates"),
        Text("说明质量和信息安全有人管。", "They show that quality and information security are managed."),
        Kind.MULTI, choices=CERTIFICATES, requirement=Requirement.OPTIONAL, vague=("通过国际认证",),
    ),
    TermInfo(
        "vendor_iso_expiry", Text("认证最早到期日", "First certificate to expire on"),
        Text("过期的证书不算数。", "An expired certificate proves nothing."),
        Kind.DATE, requirement=Requirement.OPTIONAL, is_seldom=True,
    ),
    TermInfo(
        "credit_check_date", Text("失信与被执行核查日期", "Credit records looked up on"),
        Text("签约前三十天内查过才有用。", "Of use when done within thirty days before signing."),
        Kind.DATE, requirement=Requirement.OPTIONAL, is_seldom=True,
    ),
    TermInfo(
        "subcontracting", Text("转包与分包", "Subcontracting"),
        Text("换了做事的人，责任也要跟过去。", "Whoever does the work must carry the duty."),
        Kind.CHOICE, choices=SUBCONTRACTING, vague=("可委托第三方",),
        printed_choices={"consent": Text("须经甲方书面同意", "with the buyer's written consent")},
    ),
    TermInfo(
        "export_control_statement", Text("设备来源与出口管制声明", "Source and export-control statement"),
        Text("受管制的型号可能断供或被追查。", "A controlled model may be cut off from supply, or traced."),
        Kind.CHOICE, choices=EXPORT_STATEMENTS, vague=("渠道正规",),
    ),
)  # fmt: skip

SITE = (
    TermInfo(
        "datacenter_name", Text("机房名称与运营商", "Data centre and its operator"),
        Text(
            "电力、网络和出入由它负责。例如：江北智算中心，乙方自营。",
            "Power, network and entry are its business. Such as: North Bank data centre, run by the vendor.",
        ),
        Kind.TEXT, length=120, vague=("国内 T3+ 机房", "T3+ 机房"),
    ),
    TermInfo(
        "datacenter_address", Text("机房地址", "Data centre's address"),
        Text("写到门牌号，才能上门验收、判断属地。", "With street and number, so that you can go there."),
        Kind.TEXT, vague=("华北某地", "华东某地", "国内"),
    ),
    TermInfo(
        "datacenter_owned", Text("机房归谁", "Data centre's tenure"),
        Text("不是自己的机房，未必进得去。", "Who does not own the site may not get in."),
        Kind.CHOICE, choices=TENURES,
        printed=Text("机房权属", "Data centre's tenure"),
    ),
    TermInfo(
        "datacenter_relocation", Text("机房搬迁", "Moving to another site"),
        Text("一搬迁，网络和时延就全变了。", "A move changes network and latency altogether."),
        Kind.CHOICE, choices=RELOCATIONS, vague=("可根据需要调整",),
        printed_choices={"consent": Text("须经甲方同意", "with the buyer's consent")},
    ),
    TermInfo(
        "mlps_level", Text("等保级别", "MLPS level"),
        Text(
            "网络安全等级保护的级别，数据越敏感要求越高。",
            "China's grading of systems by security: the more sensitive the data, the higher.",
        ),
        Kind.CHOICE, choices=MLPS_LEVELS, vague=("符合等保要求",),
    ),
    TermInfo(
        "mlps_cert_ref", Text("等保备案或测评编号与日期", "MLPS filing number and date"),
        Text("没有编号就查不到，口头不算。", "Without a number it cannot be looked up."),
        Kind.TEXT, requirement=Requirement.CONDITIONAL, conditions=only("mlps_level", "2", "3", "4"),
        vague=("按三级标准建设",),
    ),
)  # fmt: skip

SIGNING = (
    TermInfo(
        "signing_method", Text("签署方式", "Way of signing"),
        Text("决定日后拿什么当证据。", "It decides what stands as evidence later."),
        Kind.CHOICE, choices=SIGNING_METHODS, default="pdf_pades", vague=("微信确认",),
    ),
    TermInfo(
        "seal_type", Text("用印", "Seals"),
        Text("骑缝章防止换页。", "An across-page seal keeps pages from being swapped."),
        Kind.MULTI, choices=SEALS, default=("contract", "across_page"), vague=("财务章", "部门章"),
    ),
)  # fmt: skip

SECTION = Section(
    "parties",
    Text("主体与供应商资质", "Parties and vendor qualification"),
    Text("写清由谁签约、凭什么出租。", "Say who signs, and what entitles the vendor to rent machines out."),
    (*BUYER, *VENDOR, *SITE, *SIGNING),
)
