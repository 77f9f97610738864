"""Step 1: who the two parties are and what entitles the vendor to rent machines out."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, only
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

SECTION = Section(
    "parties",
    Text("主体与供应商资质", "Parties and vendor qualification"),
    Text("写清由谁签约、凭什么出租。", "Say who signs, and what entitles the vendor to rent machines out."),
    (
        TermInfo(
            "buyer_name", Text("甲方全称", "Buyer's legal name"),
            Text("须与发票抬头一致，约束的是这一主体。", "It must equal the invoice title: this entity is bound."),
            Kind.TEXT, length=120, vague=("我司", "our company"), is_indispensable=True,
        ),
        TermInfo(
            "buyer_uscc", Text("甲方统一社会信用代码", "Buyer's USCC"),
            Text("主体的唯一编号，末位是校验位。", "The entity's only identifier; it ends in a check digit."),
            Kind.TEXT, length=18,
        ),
        TermInfo(
            "vendor_name", Text("乙方全称", "Vendor's legal name"),
            Text("写承担责任的公司，不写平台或品牌。", "The company that is liable, not its platform or brand."),
            Kind.TEXT, length=120, vague=("贵司", "your company"), is_indispensable=True,
        ),
        TermInfo(
            "vendor_uscc", Text("乙方统一社会信用代码", "Vendor's USCC"),
            Text("核验工商登记和信用记录要用它。", "Registry and credit look-ups go by it."),
            Kind.TEXT, length=18,
        ),
        TermInfo(
            "vendor_role", Text("乙方身份", "Vendor's role"),
            Text("转租或撮合的一方管不到机房和备件。", "A sub-lessor or broker controls neither site nor spares."),
            Kind.CHOICE, choices=ROLES, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "vendor_licence_no", Text("增值电信业务经营许可证号", "Telecom licence number"),
            Text("对外出租主机通常属于 IDC 业务。", "Renting out hosts is normally licensed IDC business."),
            Kind.TEXT, length=40, requirement=Requirement.OPTIONAL, vague=("办理中", "集团有证", "pending"),
        ),
        TermInfo(
            "vendor_iso_certs", Text("ISO 认证", "ISO certificates"),
            Text("说明质量和信息安全有人管。", "They show that quality and information security are managed."),
            Kind.MULTI, choices=CERTIFICATES, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "asset_title_proof", Text("设备权属或转租授权证明", "Title or sub-lease authorisation"),
            Text("防止第三方把设备收回。", "It keeps third parties from taking the machines back."),
            Kind.TEXT, requirement=Requirement.CONDITIONAL,
            conditions=only("vendor_role", "finance_lessee", "sublessor", "reseller", "broker"),
            vague=("设备自有，无需证明",),
        ),
    ),
)  # fmt: skip
