"""H: availability and service during the term."""

from __future__ import annotations

from gpucontract.metrics.metric import FROM_EVENTS, FROM_RECORDS, none, read, row
from gpucontract.wording import Text

_CLEAN = Text(
    "到第一次出错或掉卡为止的连续满载时间，最差的一张卡决定",
    "Time under load until the first wrong result or lost GPU; the worst card decides",
)

METRICS = (
    row("node_availability_pct", "机器可用率 | availability of machines", "% more contract", none(FROM_EVENTS),
        "须写明何为可用；采集程序断线不等于机器停机 | "
        "Define what usable means; an agent that is silent is not a machine that is down"),
    row("gpu_hours_delivered", "交付的健康 GPU 小时 | healthy GPU hours delivered", "h more contract",
        none(FROM_EVENTS), "坏一张卡可能停用整台机器 | One bad card may take the whole machine out"),
    row("incident_response_min", "故障响应时间 | time to answer an incident", "min less contract", none(FROM_EVENTS),
        "自动回执不算答复 | An automatic receipt is no answer"),
    row("repair_time_h", "修复时间 | time to repair", "h less contract", none(FROM_EVENTS),
        "起点有争议时取最早的证据时间 | When the start is disputed, the earliest evidence counts"),
    row("replacement_time_h", "换机时间 | time to a replacement", "h less contract", none(FROM_EVENTS),
        "换上的机器重新验收后才算完成 | It ends when the new machine has passed acceptance"),
    row("mtbf_h", "平均无故障时间 | mean time between failures", "h more contract", none(FROM_EVENTS),
        "机器少、时间短时没有统计意义 | With few machines or a short time it says nothing"),
    row("same_fault_recurrence_30d", "30 天内同一故障重现 | same fault again within 30 days", "count less node 次",
        none(FROM_EVENTS), "按序列号认机器，不按机位 | Follow the serial number, not the slot"),
    row("delivery_delay_h", "交付延迟 | delay of delivery", "h less contract", none(FROM_EVENTS),
        "以最后一条必须条款证实之日为准 | What counts is the day the last mandatory clause was verified"),
    row("burn_in_hours", "连续无故障压测时长 | hours of burn-in without a fault", "h more node",
        read(_CLEAN, "load_clean_time load_runtime"),
        "维修后该机器重新计时 | The machine's clock restarts after a repair"),
    row("maintenance_notice_h", "维护提前通知 | notice before maintenance", "h more contract", none(FROM_EVENTS),
        "以对方收到的时间起算 | It runs from when the other side received it"),
    row("evidence_age_h", "证据的时效 | age of the evidence", "h less node", none(FROM_RECORDS),
        "过期的好结果不能证明现在 | A good result that is too old proves nothing about today"),
    row("agent_integrity", "采集程序可信度 | integrity of the agent", "enum same node", none(FROM_RECORDS),
        "签名证明是谁发的，不证明内容真实 | A signature proves who sent it, not that it is true"),
)  # fmt: skip
