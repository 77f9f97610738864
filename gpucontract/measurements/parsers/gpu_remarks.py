"""What the GPU parsers remark, in both languages: each code once, with what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.nccl_remarks import NCCL_REMARKS
from gpucontract.wording import Text

REMARKS: dict[str, Text] = NCCL_REMARKS | {
    "gpu_unreadable": Text(
        "驱动打不开 GPU（{where}）：“{line}”。查内核日志的 Xid，必要时重启机器或更换该卡，再复测。",
        'The driver cannot open a GPU ({where}): "{line}". Look for Xid lines in the kernel log, restart the machine '
        "or replace the card if needed, then measure again.",
    ),
    "gpu_index_gap": Text(
        "GPU 编号不连续，缺 {missing}，而输出没有说明原因。对照 lspci 与 topo 核实缺的卡。",
        "The GPU numbers skip {missing} and the output does not say why. Check these cards against lspci and topo.",
    ),
    "gpus_not_described": Text(
        "驱动报告有 {attached} 块 GPU，输出只描述了 {described} 块，数量因此不算。不带 -i 复测。",
        "The driver has {attached} GPUs attached but the output describes {described}, so they were not counted. "
        "Run again without -i.",
    ),
    "inforom_corrupted": Text(
        "GPU 的 infoROM 损坏：“{line}”。请厂商检修或更换该卡。",
        'The infoROM of a GPU is corrupted: "{line}". Have the vendor service or replace the card.',
    ),
    "row_remap_pending": Text(
        "GPU 有待生效的显存行重映射。验收前先重置该 GPU，再复测。",
        "This GPU has a row remap pending. Reset the GPU before acceptance, then measure again.",
    ),
    "row_remap_failure": Text(
        "GPU 的显存行重映射失败，属硬件故障。要求更换该卡。",
        "Row remapping failed on this GPU, a hardware fault. Ask for the card to be replaced.",
    ),
    "ecc_uncorrected": Text(
        "GPU 自上次重置以来有 {count} 个不可纠正的 ECC 错误，显存可能有故障。重置该卡后复测；若再出现，要求更换。",
        "This GPU counts {count} uncorrectable ECC errors since its last reset: its memory may be faulty. Reset the "
        "card and measure again; if they come back, ask for it to be replaced.",
    ),
    "gpu_busy": Text(
        "GPU 正忙：利用率 {load} %。性能测试前先停掉其上的程序，否则结果不能判定。",
        "This GPU is busy at {load} %. Stop what runs on it before measuring speed, or the result decides nothing.",
    ),
    "mig_enabled": Text(
        "GPU 开着 MIG 切片模式，不是整卡。要求关闭 MIG 后复测。",
        "This GPU is in MIG mode, so it is not a whole card. Have MIG switched off, then measure again.",
    ),
    "gpu_recovery_needed": Text(
        "驱动要求对该 GPU 做恢复操作：{action}。照做之后再复测。",
        "The driver asks for a recovery action on this GPU: {action}. Do it, then measure again.",
    ),
    "pcie_idle": Text(
        "PCIe 当前代数在空闲时会降低，此次读数不算。在有负载时复测。",
        "The current PCIe generation drops while idle, so it was not read. Measure it under load.",
    ),
    "text_around": Text(
        "输出前后有 {count} 行其他文字，首行：“{line}”。确认它不是报错；是报错就排除后复测。",
        'There are {count} lines of other text around the output, the first: "{line}". See whether it is an error; '
        "if so, remove the cause and run again.",
    ),
    "lines_passed_over": Text(
        "有 {count} 行不属于这张表，首行：“{line}”。确认没有漏掉 GPU。",
        '{count} lines do not belong to the table, the first: "{line}". Make sure that no GPU was missed.',
    ),
    "topo_nic_row_unreadable": Text(
        "该 GPU 到网卡的关系单元格粘连，无法辨认。直接用 nvidia-smi topo -m 的原始输出复测，不要复制粘贴。",
        "The cells between this GPU and the network cards run together. Capture nvidia-smi topo -m again instead of "
        "pasting it.",
    ),
    "links_degraded": Text(
        "该 GPU 的 NVLink 数为 {links}，同机多数为 {usual}。请厂商检查该卡与 NVSwitch，再复测。",
        "This GPU shows {links} NVLinks where most in the machine show {usual}. Have the vendor check the card and "
        "the switches, then measure again.",
    ),
    "links_inactive": Text(
        "该 GPU 有 {count} 条 NVLink 未激活。桥接卡按设计只用一部分；否则请厂商检修。",
        "{count} NVLinks of this GPU are inactive. Bridge cards use only a part by design; otherwise have it serviced.",
    ),
    "links_cut": Text(
        "该 GPU 的链路列表不完整，比同型号的卡短或中间有缺。输出可能被截断，请复测。",
        "The list of links of this GPU is incomplete: shorter than on its like, or with gaps. The output may be cut; "
        "capture it again.",
    ),
    "foreign_processes": Text(
        "已有 {count} 个进程在用 GPU。停掉之后再做性能测试，否则结果不能判定。",
        "{count} processes already use the GPUs. Stop them before measuring speed, or the result decides nothing.",
    ),
    "nvlink_errors": Text(
        "该 GPU 的 NVLink 计有 {count} 个错误（{kind}）。过一段时间再读，若继续增加请厂商检修。",
        "The NVLinks of this GPU count {count} errors ({kind}). Read them again later and have the card serviced if "
        "they grow.",
    ),
    "p2p_impossible": Text(
        "GPU 之间不能直接互访（{pairs}）。表中“P2P=Enabled”的带宽其实经过内存。核对卡型与合同。",
        'The GPUs cannot access each other ({pairs}). The "P2P=Enabled" figures went through host memory. '
        "Check the card model against the contract.",
    ),
    "worst_pair": Text(
        "{what}最差的一对是 {pair}：{value} {unit}。对照拓扑查这两张卡之间的路径。",
        "The worst pair for {what} is {pair}: {value} {unit}. Look at the path between the two cards in the topology.",
    ),
    "data_corruption": Text(
        "拷贝回来的数据不对：“{line}”。这是健康故障，停用该机并请厂商检修。",
        'Copied data came back wrong: "{line}". This is a health fault: take the machine out and have it serviced.',
    ),
    "test_waived": Text(
        "工具放弃了测试 {name}，因此没有读数。通常是硬件不支持；若合同要求该项，请厂商说明。",
        "The tool waived the test {name}, so nothing was measured. The hardware usually lacks it; ask the vendor if "
        "the contract needs it.",
    ),
    "cells_not_measured": Text(
        "{name} 的矩阵有 {count} 个非对角单元没有数值，最小值因此不算。查这些卡之间能否互访。",
        "{count} cells of the matrix of {name} off the diagonal hold no value, so there is no minimum. See whether "
        "these cards can access each other.",
    ),
    "dcgm_test_failed": Text(
        "DCGM 测试“{test}”结果为 {status}：{message}。按提示检修后复测。",
        'The DCGM test "{test}" ended with {status}: {message}. Service as it says, then run it again.',
    ),
    "dcgm_test_skipped": Text(
        "DCGM 跳过了测试“{test}”：没有结果，不算通过。换更高级别或在启动参数里允许后复测。",
        'DCGM skipped the test "{test}": no result, which is not a pass. Run a higher level or allow it in the '
        "parameters.",
    ),
    "xid_fatal": Text(
        "内核日志有致命 Xid {code}（{bus}）：“{line}”。该卡需检修或更换。",
        'The kernel log holds the fatal Xid {code} ({bus}): "{line}". Have the card serviced or replaced.',
    ),
    "xid_hardware": Text(
        "内核日志有硬件类 Xid {code}（{bus}）：“{line}”。重置该 GPU 或请厂商查看，单凭它不算违约。",
        'The kernel log holds the hardware Xid {code} ({bus}): "{line}". Reset the GPU or have it looked at; alone it '
        "is no breach.",
    ),
    "xid_application": Text(
        "内核日志有 Xid {code}（{count} 次），多由程序自身引起。先查当时运行的程序。",
        "The kernel log holds Xid {code} ({count} times), mostly the program's own doing. First check what ran then.",
    ),
    "xid_other": Text(
        "内核日志有 Xid {code}（{count} 次），不在已知的硬件类或程序类之中。请厂商说明原因。",
        "The kernel log holds Xid {code} ({count} times), known neither as hardware nor as the program's doing. "
        "Ask the vendor for the cause.",
    ),
    "xid_consequence": Text(
        "内核日志有 Xid 154（{count} 次）：它只宣布另一事件的恢复动作，不另计数。",
        "The kernel log holds Xid 154 ({count} times): it only announces the action for another event and is not "
        "counted. Look for that event.",
    ),
    "sxid": Text(
        "内核日志有 NVSwitch 故障 SXid {code}（{count} 次）。请厂商检查 NVSwitch 与 Fabric Manager。",
        "The kernel log holds the NVSwitch fault SXid {code} ({count} times). Have the switches and the fabric manager "
        "checked.",
    ),
    "nccl_segfault": Text(
        "程序在 libnccl 内崩溃 {count} 次。核对 NCCL 版本与网络插件后重试。",
        "A program crashed inside libnccl {count} times. Check the NCCL version and the network plugin, then retry.",
    ),
}


def remark(code: str, scope: str = "", /, **values: object) -> Finding:
    """The finding of that code with its placeholders filled."""
    return Finding(code, REMARKS[code].fill(**values), scope)


def gpu_findings(readings: Iterable[Reading]) -> Iterator[Finding]:
    """Remarks on single GPUs that follow from their readings."""
    for reading in readings:
        if reading.name in ("row_remap_pending", "row_remap_failure", "mig_enabled") and reading.value is True:
            yield remark(reading.name, reading.scope)
        elif reading.name == "ecc_uncorrected_volatile" and reading.value:
            yield remark("ecc_uncorrected", reading.scope, count=reading.value)
        elif reading.name == "pcie_gen_current" and reading.why == "idle":
            yield remark("pcie_idle", reading.scope)
        elif reading.name == "gpu_recovery_action" and reading.value not in (None, "None"):
            yield remark("gpu_recovery_needed", reading.scope, action=reading.value)
