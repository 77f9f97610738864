"""Step 4: the disks inside each machine and the mounts the machines share."""

from gpucontract.contracts.sections.term import (
    Kind,
    Requirement,
    Row,
    Section,
    TermInfo,
    above,
    number,
    only,
    parted,
)
from gpucontract.wording import Text

SHARED_TYPES = {
    "parallel_fs": Text("并行文件系统", "parallel file system"),
    "clustered_nfs": Text("集群 NFS", "clustered NFS"),
    "single_nfs": Text("单机 NFS", "single NFS server"),
    "object": Text("对象存储", "object store"),
}
PROTOCOLS = {
    "lustre": Text("Lustre", "Lustre"),
    "gpfs": Text("GPFS", "GPFS"),
    "beegfs": Text("BeeGFS", "BeeGFS"),
    "cephfs": Text("CephFS", "CephFS"),
    "wekafs": Text("WekaFS", "WekaFS"),
    "nfs": Text("NFS", "NFS"),
    "fuse": Text("FUSE", "FUSE"),
}
BASES = {"usable": Text("可用容量", "usable"), "raw": Text("裸容量", "raw")}
PATTERNS = {
    "read": Text("顺序读", "sequential read"),
    "write": Text("顺序写", "sequential write"),
    "randread": Text("随机读", "random read"),
    "randwrite": Text("随机写", "random write"),
}
BLOCK_SIZES = {
    each.replace(" ", ""): Text(each, each)
    for each in ("4 KiB", "16 KiB", "64 KiB", "128 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB")
}

PERSISTENCE = {
    "persistent": Text("持久，重装换机也保留", "persistent, kept over reinstalls and swaps"),
    "ephemeral": Text("易失，重装换机即清空", "ephemeral, lost on reinstall or swap"),
}
REDUNDANCIES = {
    "none": Text("无冗余", "none"),
    "raid": Text("RAID", "RAID"),
    "replica": Text("多副本", "replicas"),
    "erasure_code": Text("纠删码", "erasure code"),
}
BACKUPS = {
    "none": Text("不备份", "none"),
    "vendor": Text("乙方备份", "by the vendor"),
    "buyer": Text("甲方自己备份", "by the buyer"),
}
LIABILITIES = {
    "actual_loss": Text("赔偿实际损失", "actual loss"),
    "capped": Text("赔偿实际损失，有上限", "actual loss, up to a cap"),
    "fee_refund": Text("退还受影响期间的租金", "refund of the rent for the time affected"),
    "none": Text("乙方不承担", "none"),
}

PROFILE_COLUMNS = (
    TermInfo(
        "rw", Text("读写方式", "Pattern"), Text("顺序与随机差数十倍。", "Sequential and random differ tens of times."),
        Kind.CHOICE, Row.CHILD, choices=PATTERNS,
    ),
    TermInfo(
        "block_size", Text("块大小", "Block size"), Text("不写它，IOPS 没有意义。", "IOPS mean nothing without it."),
        Kind.CHOICE, Row.CHILD, choices=BLOCK_SIZES,
        printed_choices=parted(BLOCK_SIZES),
    ),
    TermInfo(
        "iodepth", Text("队列深度", "Queue depth"), Text("深度决定并发。", "It sets the parallelism."),
        Kind.WHOLE, Row.CHILD, unit="count", minimum=number(1), maximum=number(4_096),
    ),
    TermInfo(
        "numjobs", Text("每台任务数", "Jobs per machine"), Text("任务数决定压力。", "It sets the load."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("个", "jobs"), minimum=number(1), maximum=number(1_024),
    ),
    TermInfo(
        "clients", Text("同时测试的机器数", "Machines at once"),
        Text("聚合带宽要多机同测。", "Aggregate rates need several machines."),
        Kind.WHOLE, Row.CHILD, unit="count", counted=Text("台", "machines"), minimum=number(1), maximum=number(10_000),
    ),
    TermInfo(
        "runtime_s", Text("时长", "Duration"), Text("太短只测到缓存。", "Too short measures only caches."),
        Kind.WHOLE, Row.CHILD, unit="s", minimum=number(1), maximum=number(86_400),
    ),
    TermInfo(
        "direct", Text("绕过缓存", "Direct I/O"), Text("否则测到的是内存。", "Else memory is what is measured."),
        Kind.YES_NO, Row.CHILD,
    ),
)  # fmt: skip

SECTION = Section(
    "storage",
    Text("共享与本地存储", "Shared and local storage"),
    Text("本地盘逐台写，共享存储逐个挂载点写。", "Local disks by machine, shared storage by mount."),
    (
        TermInfo(
            "local_disk_count", Text("本地 NVMe 块数", "Local NVMe drives"),
            Text("少装一块很常见。", "One drive short is common."),
            Kind.WHOLE, Row.GROUP, unit="count", counted=Text("块", "drives"), minimum=number(0), maximum=number(128),
        ),
        TermInfo(
            "local_nvme_tb", Text("单机本地 NVMe 容量", "Local NVMe capacity per machine"),
            Text("缓存和检查点放在这里。", "Caches and checkpoints live there."),
            Kind.DECIMAL, Row.GROUP, unit="TB", decimals=3, minimum=number(0), maximum=number(10_000),
            vague=("大容量 SSD",),
        ),
        TermInfo(
            "local_nvme_persist", Text("本地盘是否保留数据", "Whether local disks keep their data"),
            Text("易失的盘，换一次机就全没了。", "On an ephemeral disk one swap loses everything."),
            Kind.CHOICE, Row.GROUP, choices=PERSISTENCE,
            printed=Text("本地盘数据的保留", "Data on local disks"),
        ),
        TermInfo(
            "local_read_gbs", Text("本地顺序读下限", "Local sequential read, at least"),
            Text("加载数据的速度。", "How fast data loads."),
            Kind.DECIMAL, Row.GROUP, unit="GB/s", decimals=3, minimum=number("0.001"), maximum=number(2_000),
            requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "path", Text("挂载路径", "Mount path"),
            Text("每台机器上都要看到它。例如 /data。", "Each machine must show it. Such as /data."),
            Kind.TEXT, Row.MOUNT, length=200, shape="path", is_indispensable=True,
        ),
        TermInfo(
            "groups", Text("哪些组能看到", "Groups that see it"),
            Text("未写的组不检查。", "Other groups are not checked."),
            Kind.MULTI, Row.MOUNT, is_indispensable=True,
            printed=Text("可访问的节点组", "Groups with access"),
        ),
        TermInfo(
            "shared_mounts", Text("交付时已挂载且可写", "Mounted and writable at delivery"),
            Text("挂上了才算交付。", "Only what is mounted is delivered."),
            Kind.YES_NO, Row.MOUNT, default=True,
        ),
        TermInfo(
            "shared_type", Text("共享存储类型", "Shared storage type"),
            Text("单机 NFS 会拖垮多机。", "A single NFS server starves many machines."),
            Kind.CHOICE, Row.MOUNT, choices=SHARED_TYPES, vague=("高性能存储",),
        ),
        TermInfo(
            "protocol", Text("文件系统", "File system"), Text("挂载时看到的类型。", "The type a mount shows."),
            Kind.CHOICE, Row.MOUNT, choices=PROTOCOLS, requirement=Requirement.OPTIONAL,
        ),
        TermInfo(
            "purpose", Text("用途", "Purpose"), Text("数据集、检查点还是家目录。", "Data sets, checkpoints, or homes."),
            Kind.TEXT, Row.MOUNT, length=120, requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "shared_product", Text("存储产品与版本", "Storage product and version"),
            Text(
                "出了问题才知道找谁、查什么。例如 Lustre 2.15。",
                "It tells whom to ask when something breaks. Such as Lustre 2.15.",
            ),
            Kind.TEXT, Row.MOUNT, length=120,
        ),
        TermInfo(
            "shared_capacity_tb", Text("共享容量", "Shared capacity"), Text("写能用的容量。", "What can be used."),
            Kind.DECIMAL, Row.MOUNT, unit="TB", decimals=3, minimum=number("0.001"), maximum=number(10_000_000),
            vague=("PB 级可扩展",),
        ),
        TermInfo(
            "capacity_basis", Text("容量口径", "Capacity basis"),
            Text("裸容量与可用差两到五成。", "Raw and usable differ by a fifth to a half."),
            Kind.CHOICE, Row.MOUNT, choices=BASES, requirement=Requirement.CONDITIONAL,
            conditions=above("shared_capacity_tb", 0),
        ),
        TermInfo(
            "shared_free_tb", Text("交付时可用容量", "Free capacity at delivery"),
            Text("总量不等于可用。", "Total is not free."),
            Kind.DECIMAL, Row.MOUNT, unit="TB", decimals=3, minimum=number(0), maximum=number(10_000_000),
        ),
        TermInfo(
            "shared_read_gbs", Text("共享聚合读带宽", "Aggregate read"),
            Text("决定数据加载。", "It decides how data loads."),
            Kind.DECIMAL, Row.MOUNT, unit="GB/s", decimals=3, minimum=number("0.001"), maximum=number(100_000),
            vague=("万兆接入",),
        ),
        TermInfo(
            "shared_write_gbs", Text("共享聚合写带宽", "Aggregate write"),
            Text("决定检查点时长。", "It decides how long a checkpoint takes."),
            Kind.DECIMAL, Row.MOUNT, unit="GB/s", decimals=3, minimum=number("0.001"), maximum=number(100_000),
            printed=Text("共享聚合写带宽下限", "Aggregate write, at least"),
        ),
        TermInfo(
            "shared_read_iops", Text("读 IOPS 下限", "Read IOPS, at least"),
            Text("小文件训练看它。", "Training on small files needs it."),
            Kind.WHOLE, Row.MOUNT, unit="IOPS", minimum=number(1), maximum=number(1_000_000_000),
            vague=("百万级 IOPS",),
        ),
        TermInfo(
            "shared_write_iops", Text("写 IOPS 下限", "Write IOPS, at least"),
            Text("小文件写入看它。", "Writing small files needs it."),
            Kind.WHOLE, Row.MOUNT, unit="IOPS", minimum=number(1), maximum=number(1_000_000_000),
        ),
        TermInfo(
            "io_test_profile", Text("存储测试口径", "Storage test profile"),
            Text("不写口径，数字无法复现。", "Without it no number can be reproduced."),
            Kind.ROWS, Row.MOUNT, columns=PROFILE_COLUMNS, requirement=Requirement.CONDITIONAL,
            conditions=above("shared_read_gbs", 0), vague=("fio 测试",),
        ),
        TermInfo(
            "metadata_ops_min", Text("元数据操作下限", "Metadata operations, at least"),
            Text("百万个小文件时，慢在这里。", "With a million small files this is what is slow."),
            Kind.WHOLE, Row.MOUNT, unit="ops/s", minimum=number(1), maximum=number(1_000_000_000),
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "inode_quota", Text("文件数上限不少于", "Files allowed, at least"),
            Text("容量没满，文件数先满了。", "Files may run out long before space does."),
            Kind.WHOLE, Row.MOUNT, unit="count", counted=Text("个", "files"),
            minimum=number(1), maximum=number(2_000_000_000),
            requirement=Requirement.OPTIONAL, is_seldom=True,
        ),
        TermInfo(
            "storage_redundancy", Text("冗余方式", "Redundancy"),
            Text("坏一块盘会不会丢数据。", "Whether one failed disk loses data."),
            Kind.CHOICE, Row.MOUNT, choices=REDUNDANCIES, vague=("数据安全",),
        ),
        TermInfo(
            "storage_expand_price", Text("扩容单价（元/TB/月）", "Price of more space (CNY per TB and month)"),
            Text("不先锁价，扩容时就由对方开价。", "Unless fixed now, the other side names it later."),
            Kind.DECIMAL, Row.MOUNT, decimals=2, minimum=number(0), maximum=number(1_000_000),
            requirement=Requirement.OPTIONAL, is_seldom=True, vague=("另议",),
            printed=Text("扩容单价（每 TB 每月）", "Price of more space (per TB and month)"),
        ),
        TermInfo(
            "storage_backup", Text("备份与快照", "Backups and snapshots"),
            Text("没写就是没有备份。", "Unsaid means that there is none."),
            Kind.CHOICE, choices=BACKUPS, vague=("定期备份",),
        ),
        TermInfo(
            "storage_backup_rpo_h", Text("最多丢多久的数据（RPO）", "Data lost at most (RPO)"),
            Text("两次备份之间的写入都可能丢。", "What is written between two backups may be lost."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number(0), maximum=number(8_760),
            requirement=Requirement.CONDITIONAL, conditions=only("storage_backup", "vendor"),
            printed=Text("恢复点目标（RPO）", "Recovery point objective (RPO)"),
        ),
        TermInfo(
            "storage_backup_rto_h", Text("多久恢复（RTO）", "Restored within (RTO)"),
            Text("有备份也要约定多久能用上。", "A backup helps when it can be used in time."),
            Kind.DECIMAL, unit="h", decimals=1, minimum=number(0), maximum=number(8_760),
            requirement=Requirement.CONDITIONAL, conditions=only("storage_backup", "vendor"),
            printed=Text("恢复时间目标（RTO）", "Recovery time objective (RTO)"),
        ),
        TermInfo(
            "storage_data_loss_liability", Text("数据丢失由谁赔", "Liability for lost data"),
            Text("不写明，多半就是不赔。", "Left open, mostly nothing is paid."),
            Kind.CHOICE, choices=LIABILITIES, vague=("不承担",),
            printed=Text("数据丢失的赔偿责任", "Liability for lost data"),
        ),
        TermInfo(
            "storage_data_loss_cap_pct",
            Text("数据丢失赔偿上限（占合同总价）", "Cap for lost data, as a share of the total"),
            Text("有上限就要写多少。", "A cap needs its number."),
            Kind.DECIMAL, unit="%", decimals=2, minimum=number(0), maximum=number(1_000),
            requirement=Requirement.CONDITIONAL, conditions=only("storage_data_loss_liability", "capped"),
        ),
    ),
)  # fmt: skip
