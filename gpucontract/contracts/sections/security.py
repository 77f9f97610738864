"""Step 6: public network and separation from other tenants."""

from gpucontract.contracts.sections.term import Kind, Requirement, Section, TermInfo, number
from gpucontract.wording import Text

ISOLATIONS = {
    "physical": Text("物理隔离", "physical"),
    "vlan_vxlan": Text("VLAN 或 VXLAN", "VLAN or VXLAN"),
    "vpc": Text("VPC", "VPC"),
    "partition_key": Text("InfiniBand 分区", "InfiniBand partition key"),
    "none": Text("无", "none"),
}

SECTION = Section(
    "security",
    Text("网络与数据安全", "Network and data security"),
    Text("公网多大，与别的租户怎样隔开。", "How much public bandwidth, and what separates you from other tenants."),
    (
        TermInfo(
            "public_bw_mbps", Text("公网带宽", "Public bandwidth"),
            Text("拉数据和导出都靠它。", "Data comes in and leaves by it."),
            Kind.WHOLE, unit="Mb/s", minimum=number(0), maximum=number(10_000_000),
            requirement=Requirement.OPTIONAL, vague=("大带宽",),
        ),
        TermInfo(
            "tenant_isolation", Text("租户隔离", "Tenant isolation"),
            Text("防止跨租户泄露。", "Keeps other tenants out."),
            Kind.CHOICE, choices=ISOLATIONS, vague=("安全隔离",),
        ),
    ),
)  # fmt: skip
