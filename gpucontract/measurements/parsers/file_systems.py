"""What kinds of file system there are: shared by machines, promised by software only, or not a disk at all."""

from __future__ import annotations

from collections.abc import Mapping

# fstype as the kernel names it -> the name readings carry.
NETWORK: Mapping[str, str] = {
    "lustre": "lustre", "beegfs": "beegfs", "fhgfs": "beegfs", "gpfs": "gpfs", "nfs": "nfs", "nfs4": "nfs4",
    "ceph": "ceph", "fuse.ceph": "ceph", "fuse.ceph-fuse": "ceph", "wekafs": "wekafs", "cvfs": "cvfs",
    "cifs": "cifs", "smb3": "cifs", "fuse.glusterfs": "glusterfs", "glusterfs": "glusterfs", "panfs": "panfs",
    "cpfs": "cpfs", "fuse.aliyun-alinas-efc": "cpfs", "fuse.hf3fs": "3fs", "orangefs": "orangefs", "pvfs2": "orangefs",
    "fuse.dfuse": "daos", "fuse.sshfs": "sshfs", "yrfs": "yrfs", "fuse.curvefs": "curvefs", "quobyte": "quobyte",
    "fuse.quobyte": "quobyte", "ocfs2": "ocfs2", "gfs2": "gfs2", "afs": "afs", "vastnfs": "nfs",
}  # fmt: skip
# Object storage behind a mount point: the capacity df shows is a constant of the software, no promise.
VIRTUAL: Mapping[str, str] = {
    "fuse.juicefs": "juicefs", "juicefs": "juicefs", "fuse.s3fs": "s3fs", "s3fs": "s3fs", "fuse.goofys": "goofys",
    "fuse.ossfs": "ossfs", "fuse.ossfs2": "ossfs", "fuse.cosfs": "cosfs", "fuse.obsfs": "obsfs", "fuse.tosfs": "tosfs",
    "fuse.gcsfuse": "gcsfuse", "fuse.blobfuse": "blobfuse", "fuse.blobfuse2": "blobfuse", "fuse.rclone": "rclone",
    "fuse.mountpoint-s3": "mountpoint_s3", "fuse.geesefs": "geesefs", "fuse.bosfs": "bosfs",
    "fuse.alluxio-fuse": "alluxio", "fuse.alluxio": "alluxio",
}  # fmt: skip
MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
NOT_STORAGE = frozenset({
    "proc", "sysfs", "cgroup", "cgroup2", "devpts", "securityfs", "pstore", "bpf", "tracefs", "debugfs", "mqueue",
    "hugetlbfs", "configfs", "fusectl", "binfmt_misc", "autofs", "rpc_pipefs", "efivarfs", "nsfs", "selinuxfs",
    "squashfs", "iso9660", "fuse.lxcfs", "fuse.gvfsd-fuse", "fuse.portal", "fuse.snapfuse",
}) | MEMORY  # fmt: skip


def shared_name(fstype: str) -> str:
    """The reading name of a shared file system's type ('nfs4', 'ceph', 'juicefs'), '' when it is local."""
    return NETWORK.get(fstype) or VIRTUAL.get(fstype, "")
