"""What each error of the host, network and storage parsers means for people, in both languages, with what to do."""

from __future__ import annotations

from gpucontract.wording import Text


def _layout(codes: str, zh: str, en: str) -> dict[str, Text]:
    """One sentence for tools whose output was not found in the text: the command whose output is needed."""
    text = Text(
        f"文本里没有所需的输出。请收集 {zh} 的完整输出。", f"The text lacks what is needed. Collect all of {en}."
    )
    return dict.fromkeys(codes.split(), text)


HOST_FAILURES: dict[str, Text] = {
    **_layout("chronyc_unknown", "chronyc tracking", "chronyc tracking"),
    **_layout("collect_env_unknown", "python -m torch.utils.collect_env", "python -m torch.utils.collect_env"),
    **_layout("detect_virt_unknown", "systemd-detect-virt", "systemd-detect-virt"),
    **_layout("df_unknown", "LC_ALL=C df -PT", "LC_ALL=C df -PT"),
    **_layout("dmidecode_unknown", "dmidecode -t 17（需 root）", "dmidecode -t 17 as root"),
    **_layout("docker_info_unknown", "docker info", "docker info"),
    **_layout("driver_version_unknown", "/proc/driver/nvidia/version", "/proc/driver/nvidia/version"),
    **_layout("ethtool_unknown", "ethtool 网口名", "ethtool INTERFACE"),
    **_layout("findmnt_no_json", "findmnt -J", "findmnt -J"),
    **_layout("fio_no_jobs fio_no_json fio_incomplete", "fio --output-format=json", "fio --output-format=json"),
    **_layout("free_no_memory", "LC_ALL=C free -b", "LC_ALL=C free -b"),
    **_layout("ibstat_unknown", "ibstat", "ibstat"),
    **_layout("ibstatus_unknown", "ibstatus", "ibstatus"),
    **_layout("ibv_devinfo_unknown", "ibv_devinfo -v", "ibv_devinfo -v"),
    **_layout("identity_unknown", "id -u", "id -u"),
    **_layout("iperf3_no_json iperf3_incomplete", "iperf3 -J", "iperf3 -J"),
    **_layout("kubectl_unknown", "kubectl version", "kubectl version"),
    **_layout("kernel_gpus_unknown", "ls /proc/driver/nvidia/gpus", "ls /proc/driver/nvidia/gpus"),
    **_layout("lfs_df_unknown lfs_df_inodes", "lfs df（不加 -i）", "lfs df, without -i"),
    **_layout("lsblk_unknown lsblk_no_json", "lsblk -J -b", "lsblk -J -b"),
    **_layout("lscpu_unknown lscpu_no_json", "LC_ALL=C lscpu", "LC_ALL=C lscpu"),
    **_layout("lspci_unknown", "lspci -vvv（需 root）", "lspci -vvv as root"),
    **_layout("mdtest_incomplete", "mdtest", "mdtest"),
    "no_cuda_library": Text(
        "这台机器上没有 NVIDIA 驱动的 libcuda。请装好驱动，再复测。",
        "This machine has no libcuda of the NVIDIA driver. Install the driver and run again.",
    ),
    "no_gpu": Text(
        "PyTorch 看不到 GPU。请检查驱动和 PyTorch 的 CUDA 版本是否匹配，再复测。",
        "PyTorch sees no GPU. See whether its CUDA build fits the driver, then run again.",
    ),
    "probe_incomplete": Text(
        "探测程序中途停止，或有 GPU 没有报告。请看这台机器的日志，再复测。",
        "The probe stopped half-way, or a GPU did not report. Look at the machine's log and run again.",
    ),
    "probe_odd": Text(
        "探测程序的输出自相矛盾，不可能是原样。请在这台机器上复测，并查明输出的来源。",
        "The probe's output contradicts itself and cannot be as it was printed. Run it again on this machine and find "
        "out where the output came from.",
    ),
    "probe_refused": Text(
        "探测程序没能在每张 GPU 上开始。请看它写的原因（常见的是显存被其他程序占用），再复测。",
        "The probe could not start on every GPU. See the reason it gave (often memory that another program holds), "
        "then run again.",
    ),
    "agent_note_unknown": Text(
        "文本不是采集程序所写的未完成记录。请用随本系统提供的采集程序复测。",
        "The text is no note of unfinished loads as the agent writes it. Run it again with the agent that comes with "
        "this system.",
    ),
    "train_learns_nothing": Text(
        "训练的损失没有下降：可能有 GPU 算错。先看该机器的错误计数，再复测。",
        "The loss did not fall: a GPU may compute wrongly. See the machine's error counters, then run again.",
    ),
    "train_on_cpu": Text(
        "训练跑在 CPU 上，不是 GPU 的成绩。在有 GPU 的机器上复测。",
        "The training ran on the CPU, which says nothing about the GPUs. Run it again on a machine with GPUs.",
    ),
    "probe_unknown": Text(
        "文本不是这个版本的探测程序的完整输出。请用随本系统提供的采集程序复测。",
        "The text is no whole output of this version of the probe. Run it again with the agent that comes with this "
        "system.",
    ),
    **_layout("meminfo_no_total", "/proc/meminfo", "/proc/meminfo"),
    **_layout("mount_unknown", "mount", "mount"),
    **_layout("nvcc_no_release", "nvcc --version", "nvcc --version"),
    **_layout("nvme_no_json", "nvme list -o json", "nvme list -o json"),
    **_layout("ofed_info_unknown", "ofed_info -s", "ofed_info -s"),
    **_layout("os_release_unknown", "/etc/os-release", "/etc/os-release"),
    **_layout("perftest_unknown", "ib_write_bw --report_gbits", "ib_write_bw --report_gbits"),
    **_layout(
        "perftest_no_size perftest_no_json perftest_unit_unknown",
        "该工具（连同命令行）",
        "the tool, with its command line",
    ),
    **_layout("python_print_unknown", "打印 PyTorch 版本的那条命令", "the command that prints PyTorch's version"),
    **_layout("show_gids_unknown", "show_gids", "show_gids"),
    **_layout("sinfo_unknown", "sinfo", "sinfo"),
    **_layout("systemctl_unknown", "systemctl is-active 服务名", "systemctl is-active SERVICE"),
    "chrony_no_daemon": Text(
        "对时服务 chronyd 没有运行。启动它，等时钟同步后复测。",
        "The clock service chronyd is not running. Start it, wait for the clock to settle, then run again.",
    ),
    "dmidecode_no_smbios": Text(
        "这台机器不提供硬件清单，多见于虚拟机或容器。在物理机上以 root 复测。",
        "The machine offers no hardware list, as in many virtual machines and containers. Run on the host as root.",
    ),
    "dmidecode_permission": Text(
        "没有权限读硬件清单。以 root 复测。", "The hardware list may not be read. Run as root."
    ),
    "docker_permission": Text(
        "没有权限或连不上 Docker 服务。启动服务，以 root 或 docker 组用户复测。",
        "The Docker service is down or may not be used. Start it and run as root or a member of group docker.",
    ),
    "docker_no_daemon": Text(
        "Docker 服务没有应答，容器没有启动，里面的命令没有运行。启动服务后重新运行。",
        "The Docker service did not answer, so no container started and its command did not run. Start the service "
        "and run it again.",
    ),
    "docker_no_gpu_support": Text(
        "Docker 不会把 GPU 交给容器，里面的命令没有运行。请装好 NVIDIA Container Toolkit 并重启 Docker，再重新运行。",
        "Docker cannot give GPUs to a container, so the command did not run. Install the NVIDIA Container Toolkit, "
        "restart Docker and run it again.",
    ),
    "docker_gpu_hook": Text(
        "容器启动时没能接上 GPU，里面的命令没有运行；多半是驱动没有加载，或镜像要求更新的驱动。"
        "先在主机上运行 nvidia-smi，再重试。",
        "The GPUs could not be joined to the container, so its command did not run: mostly the driver is not loaded, "
        "or the image asks for a newer one. Run nvidia-smi on the host first, then try again.",
    ),
    "docker_no_image": Text(
        "没能取到镜像，容器没有启动。核对镜像名与标签、网络或镜像仓库的登录，再重新运行。",
        "The image could not be fetched, so no container started. Check its name and tag, the network and the "
        "registry's login, then run it again.",
    ),
    "docker_no_command": Text(
        "镜像里没有要运行的命令，因此什么也没有测。换一个带这个工具的镜像，或用完整路径重新运行。",
        "The image lacks the command that was to run, so nothing was measured. Use an image that holds the tool, or "
        "give its full path.",
    ),
    "docker_run_failed": Text(
        "docker run 没能启动容器，里面的命令没有运行。按它的报错处理后重新运行。",
        "docker run started no container, so its command did not run. Act on its message and run it again.",
    ),
    "docker_run_unknown": Text(
        "这是 docker run 的命令，但容器里的工具没有打印认得的内容。请在下面选定容器里运行的工具再读一次。",
        "This is a docker run, but nothing that its tool printed is known. Choose the tool that ran in the container "
        "and read again.",
    ),
    "not_docker": Text(
        "应答的是 podman，不是 docker。若合同要求 Docker，请供应方安装。",
        "Podman answered in place of Docker. If the contract needs Docker, have the vendor install it.",
    ),
    "no_such_interface": Text(
        "机器上没有这个网口。用 ip link 查名字后复测。",
        "The machine has no such interface. Look its name up with ip link and run again.",
    ),
    "fio_job_error": Text(
        "有任务读写出错，整次运行的数值都不算。查磁盘与空间后复测。",
        "A job failed while reading or writing, so no number of the run counts. Check disk and space, then run again.",
    ),
    "fio_stopped": Text(
        "fio 在测完之前被中断，数字不算。让它跑完再测。",
        "fio was stopped before its end, so its numbers do not count. Let it run to its end.",
    ),
    "fio_no_result": Text(
        "fio 没有跑起来，没有结果。按它的提示改正命令后复测。",
        "fio did not run: there is no result. Mend the command as it says and run again.",
    ),
    "repeated_keys": Text(
        "JSON 里同一个键出现两次，无法判断哪个算数。重新收集，不要编辑。",
        "A key stands twice in the JSON, so neither value counts. Collect it again, unedited.",
    ),
    "ibstat_failed": Text(
        "读不到网卡端口。查驱动是否加载、权限是否够，再复测。",
        "The ports cannot be read. See that the driver is loaded and may be used, then run again.",
    ),
    "ibstatus_failed": Text(
        "读不到网卡端口：多半没有 RDMA 设备或驱动没有加载。请供应方检查。",
        "The ports cannot be read: no RDMA device, or its driver is not loaded. Have the vendor check.",
    ),
    "rdma_module_missing": Text(
        "内核没有加载 RDMA 模块（ib_uverbs）。请供应方加载后复测。",
        "The kernel module for RDMA (ib_uverbs) is not loaded. Have the vendor load it, then run again.",
    ),
    "no_rdma_device": Text(
        "找不到所指的 RDMA 设备。用 ibv_devinfo 查名字后复测。",
        "The RDMA device was not found. Look its name up with ibv_devinfo and run again.",
    ),
    "no_rdma_port": Text(
        "两台机器至少有一台没有可用的 RDMA 端口，之间至多走 TCP，因此没有写。请乙方接通端口后复测。",
        "At least one of the two machines has no active RDMA port: between them is TCP at best, so nothing was "
        "written. Have the vendor bring the ports up and run again.",
    ),
    "iperf3": Text(
        "iperf3 报错，没有结果。确认对端在运行、端口可达后复测。",
        "iperf3 failed: there is no result. See that the other side runs and its port is open, then run again.",
    ),
    "perftest_connect_failed": Text(
        "连不上对端。先在对端启动同一命令，确认网络可达后复测。",
        "The other side could not be reached. Start the same command there first, then run again.",
    ),
    "perftest_failed": Text(
        "传输中途失败，没有结果。查端口状态与网络配置后复测。",
        "The transfer failed midway: there is no result. Check ports and network settings, then run again.",
    ),
    "perftest_no_result": Text(
        "还没有结果就停了。查对端与日志后复测。",
        "The run stopped before its first result. Look at the other side and rerun.",
    ),
    "perftest_row_unreadable": Text(
        "结果行读不出来。以英文区域设置（LC_ALL=C）复测，保留原始输出。",
        "A row of results cannot be read. Run again with LC_ALL=C and keep the output as printed.",
    ),
    "rows_disagree": Text(
        "同一大小的几行结果互相矛盾。每次运行单独收集。",
        "Rows of the same size contradict each other. Collect each run by itself.",
    ),
    "lfs_no_such_path": Text(
        "没有这个路径。核对挂载点后复测。", "There is no such path. Check the mount point and run again."
    ),
    "not_lustre": Text(
        "该路径不是 Lustre。核对挂载点；若合同写的是 Lustre，请供应方说明。",
        "This path is not on Lustre. Check the mount point; if the contract says Lustre, ask the vendor.",
    ),
    "login_uid_missing": Text(
        "内核不提供登录用户号，容器里常见。在主机上复测。",
        "The kernel offers no login user, as in many containers. Run on the host.",
    ),
    "lspci_no_access": Text(
        "读不到 PCI 设备，容器里常见。在主机上以 root 复测。",
        "The PCI devices cannot be read, as in many containers. Run on the host as root.",
    ),
    "mdtest_aborted": Text(
        "mdtest 中途中止，没有结果。按它的提示处理后复测。",
        "mdtest was aborted: there is no result. Act on its message and run again.",
    ),
    "nvme_permission": Text("没有权限读 NVMe 盘。以 root 复测。", "The NVMe drives may not be read. Run as root."),
    "nvme_scan_failed": Text(
        "扫描 NVMe 盘失败，不等于没有盘。以 root 复测，或改用 lsblk。",
        "The scan for NVMe drives failed, which does not mean that there are none. Run as root, or use lsblk.",
    ),
    "os_release_missing": Text(
        "机器上没有 os-release 文件。请供应方说明操作系统版本。",
        "The machine has no os-release file. Ask the vendor which system it runs.",
    ),
    "python_no_module": Text(
        "Python 环境里没有这个模块。在装好它的环境里复测。",
        "The Python environment lacks the module. Run again in the one that has it.",
    ),
    "python_error": Text(
        "Python 报错，没有结果。按报错处理后复测。", "Python failed: there is no result. Mend the cause and rerun."
    ),
    "slurm_no_controller": Text(
        "连不上 Slurm 控制节点。请供应方检查 slurmctld。",
        "Slurm's controller cannot be reached. Have the vendor check slurmctld.",
    ),
    "not_systemd": Text(
        "这里没有 systemd，容器里常见。在主机上复测。",
        "There is no systemd here, as in many containers. Run on the host.",
    ),
}
