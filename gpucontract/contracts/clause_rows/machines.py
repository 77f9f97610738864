"""Clauses about the machines of a group: what is in them."""

from decimal import Decimal

from gpucontract.contracts.clause_rows import conditions
from gpucontract.contracts.clause_rows.row import ClauseRow, Per
from gpucontract.contracts.clauses import Operator, Scope, VerifiedBy
from gpucontract.contracts.sections.term import only
from gpucontract.wording import Text

NODES = (
    ClauseRow(
        "nodes", "node_count", Per.GROUP, Text("交付 {value} 台机器", "Machines delivered: {value}"),
        ("node_count",), unit="count", metric="node_count_reachable", scope=Scope.GROUP, jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "gpu_count", Per.GROUP, Text("每台机器有 {value} 张 GPU", "Each machine has {value} GPUs"),
        ("gpus_per_node",), unit="count", metric="gpu_count", scope=Scope.NODE, jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "gpus_in_one_machine", Per.GROUP,
        Text("同一台机器内的 GPU ≥ {value} 张，不拆到多台机器",
             "At least {value} GPUs sit in one and the same machine, not spread over several"),
        ("gpus_promised_in_one_machine",), Operator.AT_LEAST, "count", metric="gpu_count", scope=Scope.NODE,
        jobs=("inventory", "nccl_intra"), conditions=conditions.one_host,
    ),
    ClauseRow(
        "nodes", "gpu_model", Per.GROUP, Text("每张 GPU 的型号为 {value}", "Each GPU is of the model {value}"),
        ("gpu_model",), Operator.IN, "text", metric="gpu_model", scope=Scope.GPU, jobs=("inventory",),
        conditions=conditions.gpu_model,
    ),
    ClauseRow(
        "nodes", "gpu_memory", Per.GROUP,
        Text("每张 GPU 的显存 ≥ {value} GB", "Each GPU has at least {value} GB of memory"),
        ("gpu_memory_gb",), Operator.AT_LEAST, "GB", metric="gpu_memory_total_mib", scope=Scope.GPU,
        jobs=("inventory",), conditions=conditions.gpu_memory,
    ),
    ClauseRow(
        "nodes", "ecc", Per.GROUP, Text("每张 GPU 开启 ECC", "ECC is enabled on each GPU"),
        ("gpu_ecc_enabled",), unit="bool", metric="ecc_enabled", scope=Scope.GPU, jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "mig_off", Per.GROUP,
        Text("每张 GPU 关闭 MIG，整卡独占", "MIG is off on each GPU: the whole card is the buyer's alone"),
        unit="text", fixed="off", metric="gpu_mig_mode", scope=Scope.GPU, jobs=("inventory",),
        when=only("gpu_exclusive", True),
    ),
    ClauseRow(
        "nodes", "power_limit", Per.GROUP,
        Text("每张 GPU 的功耗上限 ≥ {value} W", "The power limit of each GPU is at least {value} W"),
        ("gpu_power_limit_w",), Operator.AT_LEAST, "W", metric="gpu_power_limit_w", scope=Scope.GPU,
        jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "gpu_usable", Per.GROUP,
        Text("每台机器的 {value} 张 GPU 都能运行 CUDA 程序", "All {value} GPUs of each machine run CUDA programs"),
        ("gpus_per_node",), unit="count", metric="gpu_cuda_usable_count", scope=Scope.NODE, jobs=("software",),
    ),
    ClauseRow(
        "nodes", "cpu_model", Per.GROUP, Text("CPU 型号为 {value}", "The CPU is of the model {value}"),
        ("cpu_model",), Operator.IN, "text", metric="cpu_model", scope=Scope.NODE, jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "cpu_cores", Per.GROUP,
        Text("每台机器的 CPU 物理核 ≥ {value} 核", "Each machine has at least {value} physical CPU cores"),
        ("cpu_cores_per_node",), Operator.AT_LEAST, "count", metric="cpu_core_count", scope=Scope.NODE,
        jobs=("inventory",),
    ),
    ClauseRow(
        "nodes", "ram", Per.GROUP,
        Text("每台机器的内存 ≥ {value} GiB", "Each machine has at least {value} GiB of memory"),
        ("ram_gb_per_node",), Operator.AT_LEAST, "GiB", metric="ram_total_gib", scope=Scope.NODE,
        jobs=("inventory",), conditions=conditions.ram,
    ),
    ClauseRow(
        "nodes", "gemm", Per.GROUP,
        Text("全部 GPU 同时运算时，每张 GPU 的 {dtype} 矩阵乘 ≥ {value} TFLOPS",
             "With all GPUs at work, each GPU multiplies {dtype} matrices at {value} TFLOPS at least"),
        ("gemm_tflops_min", "gemm_dtype"), Operator.AT_LEAST, "TFLOPS", metric="gemm_bf16_tflops", scope=Scope.GPU,
        jobs=("gemm",), conditions=conditions.gemm, is_rate=True,
    ),
    ClauseRow(
        "nodes", "server_model", Per.GROUP, Text("整机型号为 {value}", "The server is of the model {value}"),
        ("server_model",), Operator.IN, "text", scope=Scope.NODE, verified_by=VerifiedBy.DOCUMENT,
    ),
    ClauseRow(
        "nodes", "serials", Per.GROUP,
        Text("交付时提供全部 GPU 的序列号清单", "A list of all GPU serial numbers is handed over at delivery"),
        ("gpu_serials_listed",), unit="bool", metric="gpu_serial_set", scope=Scope.NODE,
        verified_by=VerifiedBy.DOCUMENT,
    ),
)  # fmt: skip

HEALTH = (
    ClauseRow(
        "acceptance", "health_ecc", Per.GROUP,
        Text("验收时每张 GPU 都没有不可纠正的 ECC 错误", "At acceptance no GPU shows an uncorrectable ECC error"),
        operator=Operator.AT_MOST, unit="count", fixed=Decimal(0), metric="ecc_uncorrected_volatile",
        scope=Scope.GPU, jobs=("health",),
    ),
    ClauseRow(
        "acceptance", "health_row_remap", Per.GROUP,
        Text("验收时每张 GPU 都没有待处理或失败的行重映射", "At acceptance no GPU has a pending or failed row remap"),
        operator=Operator.AT_MOST, unit="count", fixed=Decimal(0), metric="row_remap_pending", scope=Scope.GPU,
        jobs=("health",),
    ),
    ClauseRow(
        "acceptance", "health_xid", Per.GROUP,
        Text("验收时每台机器都没有致命的 Xid 错误", "At acceptance no machine shows a fatal Xid error"),
        operator=Operator.AT_MOST, unit="count", fixed=Decimal(0), metric="xid_critical_count", scope=Scope.NODE,
        jobs=("health",), conditions=conditions.fatal_codes,
    ),
)  # fmt: skip
