"""C: how fast GPUs compute and move data inside a machine."""

from __future__ import annotations

from gpucontract.metrics.metric import NO_PROBE, NO_TRAINING, WORST, none, read, row
from gpucontract.wording import Text

_PRODUCTS = Text(
    "2n³ × 乘积次数 ÷ GPU 自己计的用时，取整段时间的平均",
    "2n³ times the products, over the GPU's own time, averaged over the whole load",
)
_STEP = Text("预热之后各步用时的中位数，最慢的一张卡", "The median of the steps after warm-up, of the slowest GPU")
_TOKENS = Text("全部卡处理的词元 ÷ 最慢一张卡的用时", "Tokens of all GPUs over the time of the slowest")
_USED = Text(
    "每秒词元数 ×（6 × 参数量 + 12 × 层数 × 宽度 × 序列长度）÷ 稠密峰值",
    "Tokens a second x (6 x parameters + 12 x layers x width x sequence), over the dense peak",
)
_CELL = Text("矩阵中最小的一格", "The smallest cell of the matrix")

METRICS = (
    row("gemm_bf16_tflops", "BF16 矩阵乘性能 | BF16 matrix multiply", "rate TFLOPS more gpu",
        read(_PRODUCTS, "gemm_tflops load_dtype load_gpus load_together"),
        "须全部 GPU 同时满载测，不能用稀疏峰值 | All GPUs at once, and never against the sparse peak"),
    row("gemm_fp8_tflops", "FP8 矩阵乘性能 | FP8 matrix multiply", "rate TFLOPS more gpu", none(NO_PROBE),
        "缩放方式和累加精度不同，数字就不可比 | Other scaling or accumulation makes another number"),
    row("gpu_perf_spread_pct", "同批 GPU 的性能差 | spread between GPUs", "rate % less node", none(NO_PROBE),
        "位置靠后、散热差的卡会慢，先查温度再判坏卡 | "
        "A card at the warm end is slower: look at the temperature before calling it broken"),
    row("hbm_copy_gbs", "显存拷贝带宽 | GPU memory copy rate", "rate GB/s more gpu", none(NO_PROBE),
        "标称值永远达不到，健康的卡约为八成 | Nobody reaches the data sheet; healthy cards reach about four fifths"),
    row("h2d_gbs", "主机到 GPU 拷贝 | copy from host to GPU", "rate GB/s more gpu", read(_CELL, "h2d_min"),
        "内存须在该卡所属的 NUMA 节点上，否则偏低 | Host memory must lie on the card's own NUMA node, or it reads low"),
    row("d2h_gbs", "GPU 到主机拷贝 | copy from GPU to host", "rate GB/s more gpu", read(_CELL, "d2h_min"),
        "只看一个方向的结果，双向之和不是单向速率 | Two directions added up are not the rate of one"),
    row("d2d_p2p_gbs", "两卡之间拷贝 | copy between two GPUs", "rate GB/s more pair",
        read(_CELL, "d2d_read_min d2d_write_min"),
        "读和写两种方式结果不同，须与约定的一种比较 | Reading and writing differ; compare the agreed one"),
    row("train_step_time_s", "参考训练每步用时 | time of one training step", "rate s less group",
        read(_STEP, "train_step_time train_step_time_p99"),
        "前几十步含编译和预热，不能计入 | The first dozens of steps hold compiling and warm-up and do not count"),
    row("tokens_per_s", "参考训练吞吐 | training throughput", "rate tokens/s more group",
        read(_TOKENS, "tokens_per_s tokens_per_s_per_gpu train_gpus"),
        "序列长度和批大小不同，数字就不可比 | Another sequence length or batch makes another number"),
    row("train_scaling_efficiency", "多机扩展效率 | scaling over machines", "rate % more group", none(NO_TRAINING),
        "基准须是同一集群的一台机器，不是别处的数字 | The base must be one machine of the same cluster"),
    row("mfu", "模型算力利用率 | model FLOPS utilisation", "rate % more group",
        read(_USED, "mfu train_tflops train_params"),
        "公式有多种，条款须写明用哪一种 | There are several formulas; the clause must print one"),
    row("sdc_mismatch_count", "计算结果不一致 | results that differ", "count less gpu 次", read(WORST, "load_wrong"),
        "只有确定性的算子才能比较，否则差异是正常的 | Only deterministic kernels may be compared"),
)  # fmt: skip
