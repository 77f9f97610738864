"""I: what people measure who were bitten once."""

from __future__ import annotations

from gpucontract.metrics.metric import (
    AS_READ,
    FROM_EVENTS,
    NO_OUTSIDE,
    NO_PROBE,
    NO_SAMPLES,
    NO_SHARED_LOAD,
    NO_TRAINING,
    WORST,
    none,
    read,
    row,
)
from gpucontract.wording import Text

_CUT_SHORT = Text(
    "每台机器满载时被卡或驱动中断的次数，相加；同时或一分钟内接连发生的算一次，别人占用显存、人为停止的不算",
    "How often cards or drivers cut a machine's load short, added up; together or within a minute is once, and memory "
    "taken by others and stops by hand are not counted",
)

METRICS = (
    row("gpu_cuda_usable_count", "可运行 CUDA 程序的 GPU | GPUs that run CUDA programs", "count same node 张",
        read(AS_READ, "usable_gpus"), "驱动能列出的卡不一定能用 | A listed card is not yet a usable one"),
    row("time_to_usable_s", "从计费到可用的时间 | time from billing to usable", "s less node", none(NO_OUTSIDE),
        "计费可能从开通起算，机器却还不能登录 | Billing may start while nobody can sign in yet"),
    row("login_handshake_ok", "能够登录 | sign-in answers", "bool same node", none(NO_OUTSIDE),
        "机器健康而登录不通，对租户就是停机 | A healthy machine that nobody can enter is down for the tenant"),
    row("outbound_reachable", "约定的外部地址可达 | agreed endpoints can be reached", "bool same node",
        none(NO_OUTSIDE), "只测一个地址说明不了线路 | One address says little about the line"),
    row("volume_present", "重启后数据仍在 | data still there after a restart", "bool same node", none(NO_OUTSIDE),
        "临时盘在重启后会清空，须问明是哪一种 | Temporary disks are emptied at a restart: ask which kind it is"),
    row("foreign_gpu_process_min", "他人程序占用 GPU 的时间 | time with other people's programs on the GPU",
        "min less gpu", none(NO_SAMPLES),
        "测试前就被占用，只能说无法判定 | A card that was busy before the run settles nothing"),
    row("roce_mtu", "RoCE 路径 MTU | MTU on the RoCE path", "B same port", read(WORST, "active_mtu"),
        "端口写 400G 而 MTU 只有 1024，速度上不去 | A 400G port with an MTU of 1024 never gets up to speed"),
    row("nic_bonding_collective_gbs", "绑定端口上的集合通信 | collective over bonded ports", "rate GB/s more group",
        none(NO_SHARED_LOAD), "链路测得满速，集合通信可能只有六成 | "
        "The link may test at full rate while the collective gets three fifths of it"),
    row("p2p_copy_ok", "两卡拷贝结果正确 | peer copies are correct", "bool same node", none(NO_PROBE),
        "改装卡会报告成功而数据错误 | Modified cards report success and deliver wrong data"),
    row("vram_fill_verify_pct", "写满并读回的显存 | memory filled and read back", "% more gpu", none(NO_PROBE),
        "改装大显存的卡能报容量，未必写得满 | A card modified for more memory reports it, yet may not hold it"),
    row("bar1_size_mib", "BAR1 大小 | size of BAR1", "MiB more gpu", read(WORST, "bar1_memory_total"),
        "过小会使 P2P 退回主机内存 | Too small, peer copies fall back to host memory"),
    row("driver_origin", "驱动来源 | origin of the driver", "text member node", read(AS_READ, "kernel_module"),
        "打过补丁的驱动版本号照旧 | A patched driver keeps its version number"),
    row("goodput_ratio", "有效训练时间占比 | share of useful training time", "rate % more group", none(NO_TRAINING),
        "不足一小时的样本主要是启动时间 | A sample under an hour is mostly start-up"),
    row("interrupts_per_1000_gpu_days", "压测中断 | interrupts during burn-in", "count less group 次",
        read(_CUT_SHORT, "load_interrupts load_interrupts_open unfinished_loads load_worked"),
        "大集群要求零中断会拒绝几乎所有好集群 | "
        "Demanding zero on a large cluster rejects nearly every good one"),
    row("lost_gpu_hours", "损失的 GPU 小时 | GPU hours lost", "h less contract", none(FROM_EVENTS),
        "一台停机可能使整个作业停下 | One machine down can stop the whole job"),
)  # fmt: skip
