"""The numbers an organisation's policy may set: what each is called, what it does, which checks read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucontract.contracts.sections.term import Kind, Row, TermInfo, number
from gpucontract.wording import Text


@dataclass(frozen=True, slots=True)
class Line:
    """One number of the policy: typed and bounded like a term; its default stands in Policy. checks: who reads it."""

    info: TermInfo
    checks: tuple[str, ...]


def _line(name: str, label: Text, does: Text, unit: str, most: int, *checks: str, least: int = 0) -> Line:
    kind = Kind.DECIMAL if name == "spareless_availability_pct" else Kind.WHOLE
    return Line(
        TermInfo(
            name, label, does, kind, Row.CHILD, unit=unit, minimum=number(least), maximum=number(most),
            decimals=3 if kind is Kind.DECIMAL else 0,
        ),
        checks,
    )  # fmt: skip


_ALL = (
    _line("power_pct", Text("功耗上限至少为标称的", "Least power limit, of the rated one"),
          Text("更低的功耗上限会拖慢 GPU，给出警告。", "Warns of a power limit that slows the GPUs."),
          "%", 100, "C-NOD-08"),
    _line("gemm_low_pct", Text("矩阵乘下限至少为峰值的", "Least GEMM floor, of the dense peak"),
          Text("更低的门槛连慢卡也能通过，给出警告。", "Warns of a floor that slow cards would pass."),
          "%", 100, "C-NOD-11"),
    _line("used_burn_in_hours", Text("二手设备压测至少", "Least burn-in of used machines"),
          Text("二手或翻新设备压测更短时给出警告。", "Warns of a shorter burn-in of used or refurbished machines."),
          "h", 2_160, "C-NOD-14"),
    _line("least_message_mib", Text("机内测试消息至少", "Least message of the test inside a machine"),
          Text("消息更小就测不出稳定带宽，给出提示。", "Hints at messages too small for a steady rate."),
          "MiB", 65_536, "C-NET-10", least=1),
    _line("slow_ethernet_gbps", Text("多机训练不可用的以太网速率", "Ethernet too slow for several machines"),
          Text("到此速率为止的以太网会阻断发送。", "Ethernet up to this speed stops sending."),
          "Gb/s", 800, "C-NET-12"),
    _line("nics_per_gpu_pct", Text("计算网口数至少为 GPU 数的", "Least number of compute ports, of the GPUs"),
          Text("网口更少会成为瓶颈，给出警告。", "Warns of fewer ports, which become the bottleneck."),
          "%", 100, "C-NET-15"),
    _line("inter_low_pct", Text("机间门槛至少为网卡合计的", "Least floor between machines, of all NICs"),
          Text("更低的门槛连坏口也能通过，给出警告。", "Warns of a floor that bad ports would pass."),
          "%", 100, "C-NET-22"),
    _line("nfs_node_limit", Text("多少台机器起不宜共用单机 NFS", "Machines from which one NFS server is too few"),
          Text("达到这个台数给出警告。", "Warns from this number of machines on."),
          "count", 10_000, "C-STO-02", least=1),
    _line("checkpoint_seconds", Text("写一次检查点最多", "Longest write of a checkpoint"),
          Text("估算写得更久时给出警告。", "Warns where a checkpoint is estimated to take longer."),
          "s", 86_400, "C-STO-05", least=1),
    _line("least_mlps_level", Text("敏感数据至少要等保", "Least MLPS level for sensitive data"),
          Text("敏感、重要或个人数据而等保级别更低时给出警告。",
               "Warns of a lower level under sensitive, important or personal data."),
          "count", 4, "C-PTY-12", least=1),
    _line("incident_hours", Text("安全事件最迟通报", "Latest notice of a security incident"),
          Text("没有约定或更迟时给出警告。", "Warns where it is missing or later."),
          "h", 720, "C-SEC-07", least=1),
    _line("shared_bw_mbps", Text("多大的共享带宽要提示", "Shared bandwidth that deserves a hint"),
          Text("共享带宽达到此值给出提示，因为它没有下限。", "Hints from this size on: shared bandwidth has no floor."),
          "Mb/s", 10_000_000, "C-SEC-08"),
    _line("fleet_average_nodes", Text("多少台机器起不宜按平均算可用性", "Machines from which an average hides outages"),
          Text("达到这个台数又按全部平均计算，给出警告。", "Warns of an average over this many machines or more."),
          "count", 10_000, "C-SLA-04", least=1),
    _line("countable_minutes", Text("停机满多少分钟起算，最多", "Longest outage that need not count"),
          Text("起算更长时给出警告。", "Warns of a longer minimum."), "min", 1_440, "C-SLA-07"),
    _line("maintenance_hours", Text("每月计划维护最多", "Most planned maintenance in a month"),
          Text("不封顶或更多时给出警告。", "Warns where there is no cap or a higher one."), "h", 744, "C-SLA-08"),
    _line("critical_response_min", Text("关键训练的 P1 响应须短于", "P1 response for critical training, under"),
          Text("达到或超过时给出警告。", "Warns of as many minutes or more."), "min", 10_080, "C-SLA-10", least=1),
    _line("gpu_replace_hours", Text("坏卡最迟更换", "Latest replacement of a GPU"),
          Text("没有约定或更迟时给出警告。", "Warns where it is missing or later."), "h", 8_760, "C-SLA-12", least=1),
    _line("credit_cap_pct", Text("每月赔付上限至少", "Least cap of credits in a month"),
          Text("更低的上限给出警告。", "Warns of a lower cap."), "%", 100, "C-SLA-15"),
    _line("claim_days", Text("申请赔付的时限至少", "Least time to claim a credit"),
          Text("须申请而时限缺失或更短时给出警告。", "Warns where credits must be claimed in less time."),
          "d", 365, "C-SLA-16"),
    _line("spareless_availability_pct", Text("没有热备时可信的可用性低于", "Credible without spares, under"),
          Text("无热备而承诺达到此值，给出警告。", "Warns of a promise this high without a hot spare."),
          "%", 100, "C-SLA-21"),
    _line("least_burn_in_hours", Text("压测至少", "Least burn-in"),
          Text("没有约定或更短时给出警告。", "Warns where it is missing or shorter."), "h", 2_160, "C-ACC-08"),
    _line("test_hours", Text("每批其余测试预留", "Time for the other tests of a batch"),
          Text("估算验收期时，每批机器另加这么久。", "Added per batch when the acceptance window is reckoned."),
          "h", 720, "C-ACC-02"),
    _line("spare_days", Text("验收期另加机动", "Spare time in the acceptance window"),
          Text("估算验收期时，在测试之外再加这么久。", "Added to the tests when the acceptance window is reckoned."),
          "d", 90, "C-ACC-02"),
    _line("prepay_pct", Text("未挂钩验收的预付最多", "Most prepayment not tied to acceptance"),
          Text("预付更多而起租不以验收为准，给出警告。", "Warns of more, where rent does not start at acceptance."),
          "%", 100, "C-COM-08"),
    _line("earnest_pct", Text("定金最多为总价的", "Most earnest money, of the total"),
          Text("更多时给出警告；法定上限请法务确认。", "Warns of more; ask counsel about the legal ceiling."),
          "%", 100, "C-COM-06"),
    _line("late_fee_pct", Text("逾期交付违约金累计最多为总价的", "Most late-delivery damages, of the total"),
          Text("到解约日累计更多时给出提示，请法务确认。",
               "Hints where more adds up by the day of termination; ask counsel."),
          "%", 100, "C-COM-10"),
    _line("fixed_price_months", Text("多长的租期锁价要提示", "Term with a fixed price that deserves a hint"),
          Text("租期（月）达到此数又锁定价格，给出提示。", "Hints at a fixed price over this many months or more."),
          "count", 240, "C-COM-12", least=1),
    _line("suspension_days", Text("欠费停机宽限至少", "Least grace before suspension"),
          Text("更短时给出警告。", "Warns of less."), "d", 365, "C-COM-13"),
    _line("past_start_days", Text("租期起日最多早于今天", "Longest time the term may have begun ago"),
          Text("更早时给出警告，多半是填错了年份。", "Warns of an earlier start: usually a wrong year."),
          "d", 3_650, "C-COM-19"),
    _line("renewal_notice_days", Text("自动续租的通知期至少", "Least notice against automatic renewal"),
          Text("更短时给出警告。", "Warns of less."), "d", 365, "C-EXT-01"),
    _line("vendor_exit_days", Text("乙方解约须提前至少", "Least notice before the vendor exits"),
          Text("没有约定或更短时给出警告。", "Warns where it is missing or shorter."), "d", 365, "C-EXT-02"),
    _line("export_pct", Text("导出时能用到的带宽", "Share of the bandwidth an export reaches"),
          Text("估算导出要多少天时按此折算。", "Used when the days of an export are reckoned."),
          "%", 100, "C-EXT-04", least=1),
)  # fmt: skip

LINES: Mapping[str, Line] = {line.info.id: line for line in _ALL}
