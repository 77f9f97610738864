"""What the nccl-tests parsers remark, in both languages, with what to do next."""

from __future__ import annotations

from gpucontract.wording import Text

NCCL_REMARKS: dict[str, Text] = {
    "rows_cut": Text(
        "有 {count} 行结果被其他输出打断，已跳过：{sizes}。把 NCCL 日志写到文件后复测。",
        "{count} result rows were cut by other output and skipped: {sizes}. Send the NCCL log to a file and run again.",
    ),
    "sizes_missing": Text(
        "应有的 {count} 个消息大小没有结果：{sizes}。这些大小不能用来判定，请复测。",
        "{count} message sizes that were asked for have no result: {sizes}. Nothing can be judged at them; run again.",
    ),
    "sizes_repeated": Text(
        "同一消息大小有多行（多种类型、运算、根或轮次）。此处取 {kind} 中最低的一行。",
        "Several rows share a size (types, operations, roots or cycles). The lowest row of {kind} is taken.",
    ),
    "size_not_reached": Text(
        "要求测到 {wanted} 字节，实际最大只到 {largest} 字节。按合同的消息大小复测。",
        "The run was asked for {wanted} bytes and its largest size is {largest}. Run again at the contracted size.",
    ),
    "device_list_cut": Text(
        "设备清单被工具截断，进程数按“进程 × 线程 × 每线程 GPU 数”推出。",
        "The tool cut its device list; the number of ranks follows from processes x threads x GPUs per thread.",
    ),
    "device_list_incomplete": Text(
        "设备清单缺行（列出 {listed} 个，应有 {expected} 个），rank 数因此不算。请复测。",
        "The device list lacks lines ({listed} listed, {expected} expected), so the ranks are not known. Run again.",
    ),
    "host_name_shared": Text(
        "有两个 rank 的主机名与 GPU 都相同：多半是两台机器（或容器）同名。改名后复测。",
        "Two ranks show one host name and GPU: two machines or containers probably share a name. Rename and rerun.",
    ),
    "split_groups": Text(
        "NCCL_TESTS_SPLIT 把 rank 分成 {count} 组；读数只属于 rank 0 所在的组，不代表全部机器。",
        "NCCL_TESTS_SPLIT made {count} groups of ranks; the figures are those of rank 0's group, not of all machines.",
    ),
    "wrong_results": Text(
        "计算结果有错：{count} 次校验失败。带宽因此不能算合格，先查明硬件原因。",
        "The results are wrong: {count} checks failed. The bandwidth proves nothing; find the faulty hardware first.",
    ),
    "validation_off": Text(
        "此次运行没有校验结果（-c 0）。正确性未测；用 -c 1 复测。",
        "This run did not check its results (-c 0). Correctness was not measured; run again with -c 1.",
    ),
    "tool_check_failed": Text(
        "工具自己的最低带宽检查（NCCL_TESTS_MIN_BW）没有通过。这不是合同的判定，数值保留。",
        "The tool's own minimum (NCCL_TESTS_MIN_BW) was missed. That is not the contract's verdict; the figures stand.",
    ),
    "one_rank": Text(
        "只有一个 rank，按公式总线带宽恒为 0，没有意义。至少用两块 GPU 复测。",
        "With one rank the bus bandwidth is 0 by formula and says nothing. Run on at least two GPUs.",
    ),
    "nccl_warning": Text(
        "NCCL 给出 {count} 条警告，首条：“{line}”。按提示处理后复测。",
        'NCCL gave {count} warnings, the first: "{line}". Act on it and run again.',
    ),
    "nccl_last_error": Text(
        "运行完成，但 NCCL 留有错误信息：“{line}”。核实它是否影响结果。",
        'The run finished but NCCL left an error text: "{line}". See whether it touches the result.',
    ),
    "transport_fallback": Text(
        "主机 {hosts} 的 NCCL 退回到 TCP 套接字（网口 {interface}），没有走 IB/RoCE。检查网卡端口与驱动后复测。",
        "NCCL fell back to TCP sockets on {hosts} (interface {interface}) instead of InfiniBand or RoCE. Check the "
        "ports and drivers of the network cards, then run again.",
    ),
    "transport_mixed": Text(
        "各 rank 用的网络不同：{seen}。统一后复测。",
        "The ranks used different networks: {seen}. Make them the same and run again.",
    ),
    "secrets_in_output": Text(
        "结果文件带有完整环境变量，其中疑似密钥：{names}。保存前去掉，并更换这些密钥。",
        "The result file holds the whole environment with likely secrets: {names}. Drop it before storing and change "
        "these secrets.",
    ),
    "environment_in_output": Text(
        "结果文件带有完整环境变量。保存前去掉。",
        "The result file holds the whole environment. Drop it before storing.",
    ),
    "json_renamed": Text(
        "同名文件已存在，工具把结果写到了 {name}。确认收上来的不是旧文件。",
        "The result file existed already, so the tool wrote {name}. Make sure that no stale file was collected.",
    ),
    "collective_differs": Text(
        "要测的是 {asked}，输出里却是 {found}。以输出为准；确认命令无误后复测。",
        "{asked} was asked for but the output is of {found}. The output counts; check the command and run again.",
    ),
}
