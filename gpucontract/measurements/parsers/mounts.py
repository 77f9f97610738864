"""What findmnt and mount have in common: one mount, and the readings of a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpucontract.measurements.parsers.capture import Finding, Reading
from gpucontract.measurements.parsers.file_systems import MEMORY, NOT_STORAGE, shared_name
from gpucontract.measurements.parsers.outcomes import one_of, value_or
from gpucontract.measurements.parsers.sizes import whole
from gpucontract.wording import Text

SUMMARY_NAMES = (
    "shared_filesystems", "readonly_mounts", "lustre_mounts", "lustre_network", "nfs_proto", "nfs_nconnect",
    "mounts_listed",
)  # fmt: skip
LUSTRE_NETWORK = re.compile(r"@([a-z]{1,10}[0-9a-z]{0,6})")
SECRET_KEYS = frozenset({"secret", "password", "passwd", "pass", "token", "secretkey", "access_key", "secret_key"})
READ_ONLY = Text(
    "{path} 以只读方式挂载。请供应方改为可写（rw）后复测。",
    "{path} is mounted read-only. Ask the vendor to mount it writable (rw), then run again.",
)
SECRETS = Text(
    "{path} 的挂载参数里有密钥。读数中不保留；请更换该密钥。",
    "The mount options of {path} hold a secret. It is kept in no reading; change that secret.",
)


@dataclass(frozen=True, slots=True)
class Mount:
    """One mounted file system; options without their secrets are never shown."""

    target: str
    source: str
    type: str
    options: tuple[str, ...]

    @property
    def is_writable(self) -> bool | None:
        """False under ro, True under rw, None when the options say neither."""
        return False if "ro" in self.options else True if "rw" in self.options else None

    @property
    def line(self) -> str:
        """Source, target and type, and whether it may be written: nothing that could be a secret."""
        mode = {True: "rw", False: "ro", None: "?"}[self.is_writable]
        return f"{self.source} on {self.target} type {self.type} ({mode})"[:200]

    def option(self, key: str) -> str | None:
        """The value of a key=value option."""
        found = [option.partition("=")[2] for option in self.options if option.startswith(f"{key}=")]
        return found[0] if len(found) == 1 else None


def per_mount(mounts: Iterable[Mount]) -> tuple[Reading, ...]:
    """mount_type, mount_source and mount_writable of each; of mounts stacked on one path the last is what is seen.

    Memory is no storage, but may lie where storage was promised: memory_mount names it.
    """
    on_top = {mount.target: mount for mount in mounts if mount.type not in NOT_STORAGE - MEMORY}
    return tuple(reading for mount in on_top.values() for reading in _of_one(mount))


def _of_one(mount: Mount) -> tuple[Reading, ...]:
    scope = f"mount:{mount.target}"
    if mount.type in MEMORY:
        return (Reading("memory_mount", mount.type, scope=scope, line=mount.line),)
    return (
        Reading("mount_type", mount.type, scope=scope, line=mount.line),
        value_or("mount_source", mount.source or None, "not_printed", "", scope, mount.line),
        value_or("mount_writable", mount.is_writable, "not_printed", "", scope, mount.line),
    )


def summary(mounts: list[Mount]) -> tuple[Reading, ...]:
    """Counts and common options over a whole list of mounts."""
    shared = {(mount.source, mount.type): mount for mount in mounts if shared_name(mount.type)}
    read_only = tuple(
        mount.target for mount in mounts if mount.is_writable is False and mount.type not in NOT_STORAGE | {"overlay"}
    )
    return (
        Reading("shared_filesystems", len(shared), line="; ".join(mount.line for mount in shared.values())[:200]),
        Reading("readonly_mounts", read_only),
        Reading("lustre_mounts", sum(mount.type == "lustre" for mount in mounts)),
        Reading("mounts_listed", len(mounts)),
        *networks(mounts),
    )


def networks(mounts: list[Mount]) -> tuple[Reading, ...]:
    """The network of Lustre, and protocol and connections of NFS; only where such a mount is there."""
    lustre = [mount for mount in mounts if mount.type == "lustre"]
    nfs = [mount for mount in mounts if mount.type in ("nfs", "nfs4")]
    readings = [_shared_value("lustre_network", lustre, [_lustre_network(mount) for mount in lustre])]
    protocols = [mount.option("proto") or ("rdma" if "rdma" in mount.options else None) for mount in nfs]
    readings.append(_shared_value("nfs_proto", nfs, protocols))
    connections = [whole(mount.option("nconnect")) for mount in nfs]
    readings.append(_shared_value("nfs_nconnect", nfs, connections))
    return tuple(reading for reading in readings if reading)


def _shared_value(name: str, mounts: list[Mount], values: list[str | None] | list[int | None]) -> Reading | None:
    if not mounts:
        return None
    why = "not_printed" if None in values else "differs"
    return value_or(name, one_of(values), why, line=mounts[0].line)


def _lustre_network(mount: Mount) -> str | None:
    found = one_of(LUSTRE_NETWORK.findall(mount.source))
    return found if isinstance(found, str) else None


def findings(mounts: list[Mount]) -> tuple[Finding, ...]:
    """Read-only mounts, and options that carry a secret."""
    found = [
        Finding("mount_readonly", READ_ONLY.fill(path=mount.target), f"mount:{mount.target}")
        for mount in mounts
        if mount.is_writable is False and mount.type not in NOT_STORAGE | {"overlay"}
    ]
    found += [
        Finding("mount_secrets", SECRETS.fill(path=mount.target), f"mount:{mount.target}")
        for mount in mounts
        if any(_is_secret(option) for option in mount.options)
    ]
    return tuple(found)


def _is_secret(option: str) -> bool:
    key, given, value = option.partition("=")
    return bool(given) and key.lower() in SECRET_KEYS and value.strip("*<>").lower() not in ("", "hidden", "redacted")
