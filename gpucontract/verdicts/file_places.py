"""Where a storage test really ran: the file system its path lies on, by the mounts that the same run listed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.parsers.file_systems import MEMORY, shared_name
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.sightings import plain
from gpucontract.wording import Text

# Layers over some other file system: writes go to the container's own, wherever that lies.
LAYERS = frozenset({"overlay", "aufs", "fuse.fuse-overlayfs", "unionfs", "rootfs"})
_LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "vfat"})
_MEMORY_DEVICES = ("/dev/ram", "/dev/zram", "/dev/loop")
_ON_DISK = Text("本地数据盘", "on a local data disk")
_SHARED = Text("网络文件系统", "on a network file system")

Miss = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """A mount point with its file system type and what is mounted there ("" where it was not printed)."""

    at: str
    type: str
    source: str = ""


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it, after its .. are followed."""
    here, there = posixpath.normpath(path), posixpath.normpath(folder)
    return here == there or here.startswith(there.rstrip("/") + "/")


def place_of(record: RunRecord, path: str) -> Place | None:
    """The mount that a path lies on, the longest one; None where the run lists no mounts."""
    around = [place for place in _mounts(record) if within(path, place.at)]
    return max(around, key=lambda place: len(posixpath.normpath(place.at)), default=None)


def wrong_place(record: RunRecord, clause: Clause, path: str, disks: tuple[str, ...]) -> Miss | None:
    """Why a test on that path says nothing about the contracted storage. disks: those that fio itself saw in use."""
    mount = str(clause.conditions.get("mount") or "")
    place = place_of(record, path)
    if place is None:
        return "place_unknown", {"path": path}
    shown = {"path": path, "mounted": place.type, "at": place.at}
    if place.type in MEMORY or place.type in LAYERS or place.source.startswith(_MEMORY_DEVICES):
        return "wrong_place", {**shown, "wanted": _SHARED if mount else _ON_DISK}
    if mount:
        is_there = posixpath.normpath(place.at) == posixpath.normpath(mount)
        return None if is_there and place.type not in _LOCAL else ("wrong_place", {**shown, "wanted": _SHARED})
    is_local = not shared_name(place.type) and place.at != "/" and not _system_disks(record, disks)
    return None if is_local else ("wrong_place", {**shown, "wanted": _ON_DISK})


def _mounts(record: RunRecord) -> Iterator[Place]:
    sources = plain(record, "mount_source", "mount:")
    for name in ("mount_type", "memory_mount", "fs_type"):
        for scope, seen in plain(record, name, "mount:").items():
            source = sources.get(scope)
            if seen.value is not None:
                told = str(source.value) if source and source.value is not None else ""
                yield Place(scope.removeprefix("mount:"), str(seen.value), told)


def _system_disks(record: RunRecord, disks: tuple[str, ...]) -> bool:
    """Whether fio used a disk that the system lies on."""
    system = plain(record, "disk_is_system", "disk:")
    return any((seen := system.get(f"disk:{disk}")) is not None and seen.value is True for disk in disks)
