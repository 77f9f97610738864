"""What each error of the GPU parsers means for people, in both languages, with what to do next."""

from __future__ import annotations

from gpucontract.wording import Text

FAILURES: dict[str, Text] = {
    "command_not_found": Text(
        "机器上没有这个工具，或不在 PATH 里。安装后复测。",
        "The tool is not on the machine, or not on its PATH. Install it and run again.",
    ),
    "timed_out": Text(
        "运行到了时间上限被停止。延长时限或缩小规模后复测。",
        "The run was stopped at its time limit. Allow more time or a smaller run.",
    ),
    "killed": Text(
        "运行被强行终止。查内存与调度器日志后复测。",
        "The run was killed. Look at memory and the scheduler's log, then run again.",
    ),
    "exit_status": Text(
        "工具以非零状态结束，打印的数值不能作数。查明原因后复测。",
        "The tool ended with a non-zero exit status, so what it printed does not count. Find the cause and run again.",
    ),
    "two_outputs": Text(
        "一份输出里有多次运行的结果，无法判断哪一次算数。每次运行单独收集。",
        "One output holds the results of several runs, none of which stands for all. Collect each run by itself.",
    ),
    "output_truncated": Text(
        "输出不完整，后面可能还有内容。重新收集。",
        "The output is not whole; more may have followed. Collect it again.",
    ),
    "no_output": Text("工具什么也没有打印。复测。", "The tool printed nothing. Run it again."),
    "unknown_layout": Text(
        "输出不是这个工具的已知格式。核对工具名与版本。",
        "The output is in no known layout of this tool. Check the tool's name and version.",
    ),
    "unknown_tool": Text(
        "认不出这是哪个工具的输出。选定工具后再试。",
        "Nothing tells which tool printed this. Name the tool and try again.",
    ),
    "json_broken": Text("JSON 不完整。重新收集。", "The JSON is not whole. Collect it again."),
    "driver_library_mismatch": Text(
        "内核里的驱动与用户态库版本不同，多见于自动升级之后。重启机器后复测。",
        "The loaded driver and its library differ, mostly after an automatic update. Restart and run again.",
    ),
    "driver_not_loaded": Text(
        "NVIDIA 驱动没有加载。请厂商装好驱动后复测。",
        "The NVIDIA driver is not loaded. Have the vendor install it, then run again.",
    ),
    "nvml_library_missing": Text(
        "找不到驱动的管理库。请厂商修复驱动安装。",
        "The driver's management library is missing. Have the driver installation repaired.",
    ),
    "nvml_permission": Text(
        "没有权限访问 GPU。换有权限的用户或容器参数后复测。",
        "The GPUs may not be accessed. Run as a user, or in a container, that may.",
    ),
    "nvml_failed": Text(
        "驱动的管理库初始化失败，容器里常因设备权限失效。重启容器或机器后复测。",
        "The driver's management library failed to start, in containers often for lost rights. Restart and run again.",
    ),
    "gpu_lost": Text(
        "有 GPU 掉卡，整个查询因此失败。查内核日志的 Xid 79，重启或换卡后复测。",
        "A GPU fell off the bus and the query failed. Look for Xid 79 in the kernel log; restart or replace the card.",
    ),
    "gpu_unreadable": Text(
        "驱动打不开某块 GPU，整个查询因此失败。查内核日志，重启或换卡后复测。",
        "The driver cannot open a GPU and the whole query failed. Look at the kernel log; restart or replace the card.",
    ),
    "invalid_query_field": Text(
        "这个驱动不认识所查的字段，整个查询没有结果。去掉该字段后复测。",
        "This driver does not know a field of the query, so nothing was answered. Leave the field out and run again.",
    ),
    "invalid_option": Text(
        "命令的参数组合无效。改正命令后复测。", "The command's options do not fit. Mend the command."
    ),
    "table_broken": Text(
        "表格的行数与边框对不上，可能混进了别的输出。重新收集。",
        "Rows and borders of the table do not agree; other output may be mixed in. Collect it again.",
    ),
    "indentation_lost": Text(
        "缩进丢失，分不清标题与数值。不要复制粘贴，直接收集原始输出。",
        "The indentation is lost, so headings and values cannot be told apart. Collect the output itself, no paste.",
    ),
    "xml_broken": Text(
        "XML 不完整或混有其他文字。重新收集。", "The XML is not whole or holds foreign text. Collect it again."
    ),
    "xml_unsafe": Text(
        "XML 自带实体定义，nvidia-smi 从不这样写。拒绝读取；查明来源。",
        "The XML declares entities, which nvidia-smi never does. It was refused; find out where it came from.",
    ),
    "topo_asymmetric": Text(
        "拓扑矩阵的行与列互相矛盾。重新收集；若仍如此请厂商解释。",
        "Rows and columns of the topology contradict each other. Collect it again; if it stays, ask the vendor.",
    ),
    "topo_unreadable": Text(
        "拓扑矩阵里没有一格 GPU 间的关系读得出来。直接收集原始输出。",
        "No relation between two GPUs can be read from the topology. Collect the output itself, no paste.",
    ),
    "p2p_unreadable": Text(
        "互访矩阵有一行与列对不上。重新收集。",
        "A row of the access matrix does not fit its columns. Collect it again.",
    ),
    "test_nccl_failure": Text(
        "NCCL 报错，测试中止，没有带宽结果。看 NCCL 日志排除后复测。",
        "NCCL failed and the test stopped: there is no bandwidth. Read NCCL's log, mend the cause and run again.",
    ),
    "test_cuda_failure": Text(
        "CUDA 报错，测试中止。常因要求的 GPU 比机器上的多；核对进程数与 -g 后复测。",
        "CUDA failed and the test stopped, often for more GPUs asked for than there are. Check processes and -g.",
    ),
    "test_timeout": Text(
        "测试超时，多半是网络或某张卡卡住。查明后复测。",
        "The test timed out; the network or a card probably hangs. Find it and run again.",
    ),
    "test_failure": Text(
        "测试中途失败，没有结果。看日志后复测。", "The test failed midway: there is no result. Read the log and rerun."
    ),
    "invalid_number_of_gpus": Text(
        "要求的 GPU 比机器上的多。核对进程数与 -g 后复测。",
        "More GPUs were asked for than there are. Check processes and -g, then run again.",
    ),
    "incompatible_nccl": Text(
        "测试程序与 NCCL 版本不兼容。用同一版本重新编译后复测。",
        "The test program and NCCL do not fit. Build it against the installed version and run again.",
    ),
    "process_died": Text(
        "有进程崩溃或被杀，其余结果不能代表全部。查明后复测。",
        "A process crashed or was killed, so the rest stands for nothing. Find the cause and run again.",
    ),
    "no_report": Text(
        "输出里没有测试报告。核对命令后复测。",
        "The output holds no report of the test. Check the command and run again.",
    ),
    "run_incomplete": Text(
        "报告没有到结尾，前面的行不算结果。复测。",
        "The report does not reach its end; the rows before it are no result. Run again.",
    ),
    "rows_unreadable": Text(
        "结果行与表头对不上，例如小数点被换成逗号。以英文区域设置复测。",
        "The rows do not fit their header, for example with decimal commas. Run again in an English locale.",
    ),
    "nccl_json_unknown": Text(
        "不是 nccl-tests 的 JSON 格式，可能来自其他分支。用官方版本复测。",
        "This is not the JSON of nccl-tests, perhaps a fork's. Run the official version.",
    ),
    "nvbandwidth_pattern_mismatch": Text(
        "拷贝的数据不对：硬件在损坏数据。停用该机并请厂商检修。",
        "Copied data came back wrong: the hardware corrupts data. Take the machine out and have it serviced.",
    ),
    "fabric_manager_down": Text(
        "NVSwitch 的 Fabric Manager 没有运行，GPU 列得出但用不了。启动它后复测。",
        "The fabric manager of the NVSwitches is down: GPUs are listed but unusable. Start it and run again.",
    ),
    "nvbandwidth_cuda_error": Text(
        "CUDA 报错，测试中止。排除后复测。", "CUDA failed and the test stopped. Mend it and rerun."
    ),
    "nvbandwidth_nvml_error": Text(
        "驱动的管理库报错。排除后复测。", "The driver's management library failed. Mend it and rerun."
    ),
    "nvbandwidth_assert": Text(
        "工具内部检查失败，测试中止。复测。", "The tool's own check failed and it stopped. Run again."
    ),
    "nvbandwidth_unknown_test": Text(
        "工具没有这个测试。核对名称与版本。", "The tool has no such test. Check name and version."
    ),
    "nvbandwidth_failed": Text(
        "工具报告测试出错。排除后复测。", "The tool reports a failed test. Mend the cause and run again."
    ),
    "cuda_error": Text(
        "CUDA 报错，没有结果。排除后复测。", "CUDA failed: there is no result. Mend the cause and run again."
    ),
    "dcgm_hostengine_down": Text(
        "DCGM 服务没有运行，诊断没有做。启动 nvidia-dcgm 后复测。",
        "The DCGM service is not running, so no diagnostic was made. Start nvidia-dcgm and run again.",
    ),
    "dcgm_not_supported": Text(
        "DCGM 不支持这项诊断。换级别或版本。", "DCGM does not support this diagnostic. Use another level or version."
    ),
    "dcgm_failed": Text(
        "DCGM 没能做诊断。按它的提示处理后复测。",
        "DCGM could not run the diagnostic. Act on its message and run again.",
    ),
    "dcgm_no_json": Text("没有诊断的 JSON。加 -j 复测。", "There is no JSON of the diagnostic. Run again with -j."),
    "dcgm_no_results": Text("诊断里没有任何测试结果。复测。", "The diagnostic holds no test with a result. Run again."),
    "dcgm_unknown_status": Text(
        "有测试的状态词无法识别，不能算通过也不能算失败。升级解析或复测。",
        "A test ended with an unknown word, neither pass nor fail. Run again, or report the version.",
    ),
    "dcgm_exit": Text(
        "诊断以出错状态结束，但没有一项测试显示错误。复测。",
        "The diagnostic ended with an error that none of its tests shows. Run again.",
    ),
    "dmesg_permission": Text(
        "没有权限读内核日志，不等于没有故障。以 root 复测。",
        "The kernel log may not be read, which does not mean that nothing happened. Run again as root.",
    ),
    "dmesg_empty": Text(
        "内核日志为空，不等于没有故障。确认日志没有被清空后复测。",
        "The kernel log is empty, which does not mean that nothing happened. See that it was not cleared; run again.",
    ),
}


def failure_text(error: str) -> Text | None:
    """The sentence for an error 'code: text' of a GPU parser, None for a code this table does not have."""
    return FAILURES.get(error.partition(":")[0].strip())
