"""E: disks and shared file systems."""

from __future__ import annotations

from gpucontract.metrics.metric import AS_READ, NO_SHARED_LOAD, NO_TRAINING, OF_RUNS, none, read, row
from gpucontract.wording import Text

_FIO = "direct runtime fio_filename"
_MOUNTED = Text("挂载表中有该路径，且可写", "The mount table lists the path and it is writable")
_TOGETHER = Text("同时开始的各机结果相加", "Results of machines that started together are added up")

METRICS = (
    row("fio_seq_read_gbs", "本地盘顺序读 | sequential read of the local disks", "rate GB/s more node",
        read(OF_RUNS, f"read_bw {_FIO}"),
        "不绕过缓存或时间太短的结果不算 | Results from the cache or from a very short run do not count"),
    row("fio_seq_write_gbs", "本地盘顺序写 | sequential write of the local disks", "rate GB/s more node",
        read(OF_RUNS, f"write_bw {_FIO}"),
        "新盘和写满过的盘速度不同，须写够容量 | A fresh disk is faster than one that was full: write enough"),
    row("fio_rand_read_iops", "随机读 IOPS | random read IOPS", "rate IOPS more contract 次",
        read(OF_RUNS, f"read_iops {_FIO}"),
        "须说明块大小和队列深度 | Block size and depth must be stated"),
    row("fio_rand_write_iops", "随机写 IOPS | random write IOPS", "rate IOPS more contract 次",
        read(OF_RUNS, f"write_iops {_FIO}"),
        "短测试落在缓存里，须持续写 | A short test ends in the cache: keep writing"),
    row("fio_p99_latency_ms", "磁盘延迟 99 分位 | disk latency, 99th percentile", "rate ms less node",
        read(OF_RUNS, f"clat_p99 {_FIO}"), "队列越深延迟越高，须写明深度 | "
        "A deeper queue waits longer: state the depth"),
    row("fs_aggregate_read_gbs", "共享存储聚合读 | aggregate read of shared storage", "rate GB/s more contract",
        read(_TOGETHER, f"read_bw {_FIO}"), "多客户端须同时开始才能相加 | Clients must start together for a sum"),
    row("fs_aggregate_write_gbs", "共享存储聚合写 | aggregate write of shared storage", "rate GB/s more contract",
        read(_TOGETHER, f"write_bw {_FIO}"), "多客户端须同时开始才能相加 | Clients must start together for a sum"),
    row("fs_metadata_ops_s", "元数据操作速率 | metadata operations", "rate ops/s more contract",
        read(OF_RUNS, "creation stat removal"),
        "大文件带宽好不等于小文件快 | Good bandwidth with large files says nothing about many small ones"),
    row("fs_capacity_tb", "共享存储容量 | shared storage capacity", "TB more contract", read(AS_READ, "fs_capacity"),
        "按可用容量计；虚拟容量不算测得 | Usable capacity counts; a virtual one is not measured"),
    row("fs_inode_free", "剩余文件数 | files that can still be made", "count more contract",
        read(AS_READ, "fs_inodes_free"), "空间还有而文件数用尽，一样写不进 | With none left nothing can be written, "
        "however much space there is"),
    row("fs_free_tb", "共享存储剩余空间 | free shared storage", "TB more contract", read(AS_READ, "fs_free"),
        "总量不等于可用 | Total is not free"),
    row("fs_mount_present", "共享挂载 | shared mount", "bool same node", read(_MOUNTED, "mount_type mount_writable"),
        "只读挂载不算可用 | A read-only mount is not usable"),
    row("fs_type", "文件系统类型 | file system type", "enum same node", read(AS_READ, "mount_type"),
        "nfs4 就是 NFS | nfs4 is NFS"),
    row("checkpoint_write_s", "写一次检查点 | writing one checkpoint", "rate s less contract", none(NO_TRAINING),
        "须等数据落盘，返回不等于写完 | It ends when data is on disk, not when the call returns"),
    row("checkpoint_read_s", "读一次检查点 | reading one checkpoint", "rate s less contract", none(NO_TRAINING),
        "刚写完就读会命中缓存 | Read at once, it comes out of the cache"),
    row("dataset_au_pct", "读数据时的 GPU 利用率 | accelerator utilisation while reading data", "rate % more contract",
        none(NO_TRAINING), "CPU 不够也会使它偏低，不一定是存储慢 | "
        "Too few CPU cores lower it too, not only slow storage"),
    row("object_store_gbs", "对象存储带宽 | object storage rate", "rate GB/s more node", none(NO_SHARED_LOAD),
        "单条连接慢，须约定并发数 | One connection is slow: agree on how many run at once"),
)  # fmt: skip
