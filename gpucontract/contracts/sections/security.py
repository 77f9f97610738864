"""Step 6: public network and separation from other tenants."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, number, only
from gpucontract.wording import Text

ISOLATIONS = {
    "physical": Text("物理隔离", "physical"),
    "vlan_vxlan": Text("VLAN 或 VXLAN", "VLAN or VXLAN"),
    "vpc": Text("VPC", "VPC"),
    "partition_key": Text("InfiniBand 分区", "InfiniBand partition key"),
    "none": Text("无", "none"),
}
BANDWIDTHS = {
    "dedicated": Text("独享", "dedicated"),
    "shared": Text("共享", "shared"),
    "burst_95": Text("突发，按 95 计", "burst, 95th percentile"),
}
TRAFFIC_FEES = {
    "included": Text("已含在价内", "included"),
    "per_gb": Text("按 GB 计费", "per GB"),
    "95th": Text("按 95 带宽计费", "by 95th percentile"),
    "open": Text("另行结算", "settled separately"),
}
CROSS_BORDERS = {"none": Text("不出境", "none"), "approved": Text("经评估批准后", "after approval")}
DATA_CLASSES = {
    "public": Text("公开", "public"),
    "internal": Text("内部", "internal"),
    "sensitive": Text("敏感", "sensitive"),
    "important": Text("重要数据", "important data"),
    "personal": Text("个人信息", "personal data"),
}
AT_REST = {
    "none": Text("不加密", "none"),
    "vendor_key": Text("乙方管钥", "vendor holds the key"),
    "buyer_key": Text("甲方管钥", "buyer holds the key"),
}
IN_TRANSIT = {
    "none": Text("不加密", "none"),
    "tls": Text("TLS", "TLS"),
    "vpn": Text("VPN", "VPN"),
    "both": Text("TLS 与 VPN", "TLS and VPN"),
}
VENDOR_ACCESS = {
    "never": Text("从不", "never"),
    "ticket+consent": Text("工单并经甲方同意", "by ticket and with consent"),
    "ops_only_no_data": Text("只运维，不碰数据", "operations only, no data"),
}

SECTION = Section(
    "security",
    Text("网络与数据安全", "Network and data security"),
    Text("公网多大，与别的租户怎样隔开。", "How much public bandwidth, and what separates you from other tenants."),
    (
        TermInfo(
            "public_bw_mbps", Text("公网带宽", "Public bandwidth"),
            Text(
                "拉数据和导出都靠它；每 100 Mb/s 一天约传 1 TB。",
                "Data comes in and leaves by it: about 1 TB a day for each 100 Mb/s.",
            ),
            Kind.WHOLE, unit="Mb/s", minimum=number(0), maximum=number(10_000_000), vague=("大带宽",),
        ),
        TermInfo(
            "tenant_isolation", Text("租户隔离", "Tenant isolation"),
            Text(
                "防止跨租户泄露。物理隔离最严，VLAN、VPC 是在共用的设备上划开网络。",
                "Keeps other tenants out. Physical is strictest; VLAN and VPC part the networks on shared equipment.",
            ),
            Kind.CHOICE, choices=ISOLATIONS, vague=("安全隔离",),
        ),
        TermInfo(
            "public_bw_type", Text("公网带宽类型", "Kind of public bandwidth"),
            Text(
                "共享带宽没有下限。按 95 计：去掉一个月里最忙的 5 % 时段，按余下的最高值收费。",
                "Shared bandwidth has no floor. 95th percentile: the busiest 5 % of a month are left out, the peak "
                "of the rest is paid.",
            ),
            Kind.CHOICE, choices=BANDWIDTHS, vague=("峰值",),
            printed_choices={"burst_95": Text("突发带宽，按 95 计费", "burst, charged by the 95th percentile")},
        ),
        TermInfo(
            "public_ip_count", Text("公网 IP 数", "Public IP addresses"),
            Text("对外服务要有固定地址。", "Services that face outward need fixed addresses."),
            Kind.WHOLE, unit="count", counted=Text("个", "addresses"), minimum=number(0), maximum=number(65_536),
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "traffic_fee", Text("流量怎么计费", "How traffic is charged"),
            Text(
                "没写清的流量费常在月底出现。按 95 带宽：去掉最忙的 5 % 时段，按余下的最高值收费。",
                "Unstated traffic fees turn up at the end of the month. By the 95th percentile the busiest 5 % of "
                "the time are left out.",
            ),
            Kind.CHOICE, choices=TRAFFIC_FEES, vague=("另行结算",),
            printed=Text("流量计费方式", "Charging of traffic"),
        ),
        TermInfo(
            "traffic_price", Text("流量单价", "Traffic price"),
            Text("按量计费就要写价，币种与单价相同。", "What is metered needs a price, in the contract's currency."),
            Kind.DECIMAL, decimals=4, minimum=number(0), maximum=number(1_000_000),
            requirement=Requirement.CONDITIONAL, conditions=only("traffic_fee", "per_gb", "95th"),
            printed=Text(
                "流量单价（每 GB；按 95 带宽计费时为每 Mb/s 每月）",
                "Traffic price (per GB; by the 95th percentile per Mb/s and month)",
            ),
        ),
        TermInfo(
            "data_region", Text("数据存放地域", "Where data are kept"),
            Text("关系到属地合规。", "Residency rules depend on it."),
            Kind.TEXT, length=120, vague=("境内",),
        ),
        TermInfo(
            "cross_border", Text("数据出境", "Data leaving the country"),
            Text("出境要先评估。", "A transfer abroad is assessed first."),
            Kind.CHOICE, choices=CROSS_BORDERS,
            printed_choices={"approved": Text("须经评估批准", "after approval")},
        ),
        TermInfo(
            "data_class", Text("数据分级", "Data class"),
            Text("决定等保级别和删除方式。", "It drives protection level and erasure."),
            Kind.CHOICE, choices=DATA_CLASSES, vague=("普通数据",),
        ),
        TermInfo(
            "encryption_at_rest", Text("静态加密", "Encryption at rest"),
            Text(
                "数据存在盘上时是否加密。谁管密钥，谁就能读；退租时销毁密钥即可擦除。",
                "Whether data lie encrypted on the disks. Who holds the key can read them; destroying it erases them "
                "at the end.",
            ),
            Kind.CHOICE, choices=AT_REST, requirement=Requirement.OPTIONAL,
            printed_choices={
                "vendor_key": Text("加密，密钥由乙方保管", "vendor holds the key"),
                "buyer_key": Text("加密，密钥由甲方保管", "buyer holds the key"),
            },
        ),
        TermInfo(
            "encryption_in_transit", Text("传输加密", "Encryption in transit"),
            Text(
                "数据在传输途中也可能被看到。TLS 加密一个连接，VPN 加密整条线路。",
                "Data in motion can be read too. TLS encrypts one connection, a VPN the whole line.",
            ),
            Kind.CHOICE, choices=IN_TRANSIT, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "buyer_backup", Text("甲方自备份", "Buyer keeps own backup"),
            Text("代码和权重另存一份。", "A second copy of code and weights stays with you."),
            Kind.YES_NO, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "buyer_backup_note", Text("备份放在哪里", "Where that backup is kept"),
            Text("写清位置和频率。", "Say where it lies and how often it is made."),
            Kind.TEXT, length=200,
            requirement=Requirement.OPTIONAL, is_seldom=True,
            printed=Text("备份存放地点", "Place of the buyer's backup"),
        ),
        TermInfo(
            "vendor_access_policy", Text("乙方何时可接触数据", "When the vendor may touch data"),
            Text("运维不等于可以看数据。", "Running machines is no licence to read data."),
            Kind.CHOICE, choices=VENDOR_ACCESS, vague=("必要时",),
            printed=Text("乙方接触数据的条件", "Vendor's access to data"),
            printed_choices={"ops_only_no_data": Text("只做运维，不接触数据", "operations only, no data")},
        ),
        TermInfo(
            "ops_log_days", Text("运维审计日志保存", "Operation logs are kept for"),
            Text("通常不少于六个月（180 天），请法务确认。", "Six months (180 days) is common; ask counsel."),
            Kind.WHOLE, unit="d", minimum=number(0), maximum=number(3_650), vague=("按规定",),
        ),
        TermInfo(
            "incident_notice_hours", Text("安全事件通报时限", "Incident notice within"),
            Text(
                "早知道才能止损，建议 24 小时以内。",
                "Damage is limited by knowing early: 24 hours or less is advised.",
            ),
            Kind.WHOLE, unit="h", minimum=number(1), maximum=number(720), vague=("及时",),
        ),
        TermInfo(
            "confidentiality_years", Text("保密期限（年）", "Years of confidentiality"),
            Text("模型权重也在保密之列。", "Model weights are covered as well."),
            Kind.WHOLE, minimum=number(1), maximum=number(99), vague=("永久",),
            printed=Text("保密期限", "Confidentiality lasts for"),
            counted=Text("年", "years"),
        ),
        TermInfo(
            "security_matrix", Text("安全责任矩阵", "Responsibility matrix"),
            Text("写清各管到哪里。", "It draws the line between the two sides."),
            Kind.TEXT, length=200,
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
    ),
)  # fmt: skip
