"""D: collectives and the network between machines."""

from __future__ import annotations

from gpucontract.metrics.metric import (
    ANY,
    AS_READ,
    NO_COUNTERS,
    NO_OUTSIDE,
    NO_PARSER,
    NO_SPREAD,
    OF_RUNS,
    OF_SIZE,
    WORST,
    none,
    read,
    row,
)
from gpucontract.wording import Text

_LINES = Text("日志里每个进程说明的传输方式", "What every rank's log lines say about its transport")
_PAIR = Text(
    "两两成对的环算法测试中，最大消息那一行最低的一对",
    "The lowest row of the largest message over the pairs, measured as rings",
)
_RUN = "busbw_at algbw_at time_at ranks hosts collective"

METRICS = (
    row("nccl_allreduce_busbw_intra", "单机 all_reduce 总线带宽 | all_reduce bus bandwidth inside one machine",
        "rate GB/s more node", read(OF_SIZE, _RUN),
        "平均值包含小消息，只看约定大小那一行；不能与双向标称值相比 | "
        "The average includes small messages: only the agreed size counts, never two-way data-sheet figures"),
    row("nccl_allreduce_busbw_ring", "单机 all_reduce 环形带宽 | all_reduce inside one machine, ring only",
        "rate GB/s more node", read(OF_SIZE, f"{_RUN} algorithm"),
        "环形低说明链路有问题，只有默认低则多半是设置问题 | "
        "A low ring points to a link; low only by default points to a setting"),
    row("nccl_allgather_busbw", "all_gather 总线带宽 | all_gather bus bandwidth", "rate GB/s more group",
        read(OF_SIZE, _RUN), "没有交换芯片内归约的加成，不能与 all_reduce 比较 | "
        "It gains nothing from reduction in the switch: do not compare it with all_reduce"),
    row("nccl_reducescatter_busbw", "reduce_scatter 总线带宽 | reduce_scatter bus bandwidth", "rate GB/s more group",
        read(OF_SIZE, _RUN), "换算系数与 all_reduce 不同，须按打印的总线带宽比较 | "
        "Its factor is not that of all_reduce: compare the printed bus bandwidth"),
    row("nccl_alltoall_busbw", "all_to_all 总线带宽 | all_to_all bus bandwidth", "rate GB/s more group",
        read(OF_SIZE, _RUN), "多机时最受网络拥塞影响，一次低值先重复 | "
        "Congestion hurts it most across machines: repeat before judging one low value"),
    row("nccl_busbw_inter", "多机集合通信总线带宽 | collective bus bandwidth across machines", "rate GB/s more group",
        read(OF_SIZE, f"{_RUN} network"),
        "恰好两台机器时默认 all_reduce 会虚高 | On exactly two machines the default all_reduce overstates"),
    row("nccl_pairwise_busbw_min", "最慢一对机器的带宽 | bandwidth of the slowest pair of machines",
        "rate GB/s more pair", read(_PAIR, f"{_RUN} network"),
        "一对慢不能说明是哪一台，须换已知良好的搭档复测 | "
        "A slow pair does not say which machine it is; retest each with a partner known to be good"),
    row("nccl_spread_pct", "各对或各机的带宽差 | spread over pairs or machines", "rate % less group", none(NO_SPREAD),
        "差值受最慢一台左右，须同时看中位数 | One slow machine makes the whole spread: look at the median too"),
    row("nccl_small_latency_us", "小消息 all_reduce 用时 | time of a small all_reduce", "rate us less group",
        read(OF_SIZE, "time_at ranks hosts collective"),
        "大消息的带宽再高，小消息也可能很慢 | Good bandwidth with large messages says nothing about small ones"),
    row("nccl_wrong_count", "集合通信错误结果 | wrong results in collectives", "count same node",
        read(AS_READ, "wrong_results validation"),
        "关闭校验时显示 N/A，不等于 0 | With validation off the tool prints N/A, which is not 0"),
    row("nccl_transport", "机间网络类型 | network between the machines", "enum same node",
        read(_LINES, "network port_link_layer port_state"),
        "RoCE 在端口信息里写作 Ethernet、在 NCCL 日志里写作 IB，这是正常的 | "
        "RoCE reads Ethernet at the port and IB in the NCCL log: that is right"),
    row("ib_port_state", "端口状态 | port state", "enum same port", read(ANY, "port_state port_link_layer"),
        "物理已连接但未激活，多半是缺少子网管理 | "
        "Linked yet not active mostly means that no subnet manager runs"),
    row("ib_port_rate_gbps", "端口速率 | port rate", "Gb/s more port",
        read(WORST, "port_rate port_state port_link_layer"),
        "Down 的端口仍会显示一个默认速率，不能当真 | A Down port still shows a default rate that means nothing"),
    row("ib_write_bw_gbps", "单口 RDMA 写带宽 | RDMA write bandwidth of one port", "rate Gb/s more port",
        read(OF_RUNS, "bw_average_at_ link_type device bidirectional port_rate"),
        "工具的 MB/sec 实为 MiB/s | The tool's MB/sec is MiB/s"),
    row("ib_write_bw_gdr_gbps", "从显存写的 RDMA 带宽 | RDMA write bandwidth out of GPU memory",
        "rate Gb/s more port", none(NO_PARSER),
        "没有 GPUDirect 时会绕行主机内存，须看是否真的用了显存 | "
        "Without GPUDirect it passes through host memory: check that GPU memory was used"),
    row("ib_write_lat_p99_us", "RDMA 写延迟 99 分位 | RDMA write latency, 99th percentile", "rate us less pair",
        read(OF_RUNS, "t_p99"), "平均值好看时尾部仍可能很长 | A good average can hide a long tail"),
    row("ib_symbol_errors", "端口符号错误增量 | growth of symbol errors", "count less port 次", none(NO_COUNTERS),
        "看加载期间的增量，不看历史总数 | Judge the growth under load, not the total of years"),
    row("ib_link_downed", "端口掉线增量 | growth of link-down events", "count less port 次", none(NO_COUNTERS),
        "插拔维护也会计数，须对照时间 | Maintenance counts too: compare the times"),
    row("ib_rcv_errors", "端口接收错误增量 | growth of receive errors", "count less port 次", none(NO_COUNTERS),
        "看加载期间的增量，不看历史总数 | Judge the growth under load, not the total of years"),
    row("port_xmit_discards", "端口发送丢弃增量 | growth of discarded sends", "count less port 次", none(NO_COUNTERS),
        "少量丢弃可能是对端拥塞，不一定是本端口坏 | A few may come from congestion at the other end"),
    row("roce_cnp_rate", "RoCE 拥塞通知速率 | RoCE congestion notices", "rate count/s less port", none(NO_COUNTERS),
        "有通知说明流控在工作，过多才是问题 | Some show that flow control works; many are the problem"),
    row("roce_out_of_sequence", "RoCE 乱序包增量 | growth of RoCE packets out of order", "count less port 次",
        none(NO_COUNTERS), "多路径转发本身会造成乱序 | Spreading over several paths makes some by itself"),
    row("ib_link_flap_24h", "24 小时内端口闪断 | link flaps in 24 hours", "count less port 次", none(NO_PARSER),
        "主机日志租户未必能看，看不到不等于没有 | Tenants may not see the host's log; unseen is not none"),
    row("eth_bandwidth_gbps", "业务网带宽 | front-end network bandwidth", "rate Gb/s more pair",
        read(OF_RUNS, "throughput throughput_reverse"),
        "单条连接跑不满，须多条并行 | One stream cannot fill the line; several must run in parallel"),
    row("internet_down_mbps", "公网下行带宽 | internet download rate", "rate Mb/s more node", none(NO_OUTSIDE),
        "线路共享，须约定时间和对端 | The line is shared: agree on times and the other end"),
    row("internet_up_mbps", "公网上行带宽 | internet upload rate", "rate Mb/s more node", none(NO_OUTSIDE),
        "线路共享，须约定时间和对端 | The line is shared: agree on times and the other end"),
)  # fmt: skip
