"""The system around the GPUs, out of one run's readings: its name, who is root, which containers and services run."""

from __future__ import annotations

from collections.abc import Iterator

from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.verdicts.comparing import number_of
from gpucontract.verdicts.sightings import Seen, one

# Containers as systemd-detect-virt names them.
CONTAINERS = (
    "docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "openvz", "rkt", "pouch", "proot", "wsl",
    "container-other",
)  # fmt: skip
_NO_NUMBER, _NO_WORD, _NO_ANSWER = "not_a_number", "not_a_word", "not_an_answer"


def container(record: RunRecord, clause: Clause) -> Iterator[Seen]:
    """docker when it answers with the NVIDIA runtime; other runtimes cannot be told from docker info."""
    available, runtime = one(record, "docker_available"), one(record, "nvidia_runtime")
    if clause.value != "docker":
        yield Seen("", None, why="runtime_not_read")
    elif available is not None and not isinstance(available.value, bool):
        yield available.unread(_NO_ANSWER)
    elif available is not None and not available.value:
        yield Seen("", "none", "enum")
    elif available is not None and runtime is not None and isinstance(runtime.value, bool):
        yield Seen("", "docker" if runtime.value else "docker_without_gpu", "enum")
    elif available is not None:
        yield runtime.unread(_NO_ANSWER) if runtime else Seen("", None, why="half_read")


def root(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Root counts only when the tenant's own login holds it: a service or container with uid 0 proves nothing."""
    uid, login = one(record, "uid"), one(record, "login_uid")
    number = number_of(uid.value) if uid else None
    if uid is None or number is None:
        yield from [uid.unread(_NO_NUMBER)] if uid else []
        return
    virtual = one(record, "virtualization")
    if virtual and str(virtual.value) in CONTAINERS:
        yield Seen("", None, why="in_container", facts={"container": str(virtual.value)})
    elif virtual and not isinstance(virtual.value, str):
        yield virtual.unread(_NO_WORD)
    elif number != 0:
        yield Seen("", None, why="not_root", facts={"uid": str(uid.value)})
    elif login is None or number_of(login.value) is None:
        yield Seen("", None, why="no_login")
    else:
        yield Seen("", True, "bool", facts={"login": str(login.value)})


def fabric_manager(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """The state of the service that the NVSwitch needs, whatever other services the run asked about."""
    for output in record.outputs:
        names = {reading.name: reading for reading in output.readings}
        asked = str(names["service_name"].value) if "service_name" in names else ""
        if "service_active" in names and "fabricmanager" in asked.replace("-", ""):
            state = names["service_active"]
            yield Seen("", state.value, "bool", state.why)
            return


def os_name(record: RunRecord, _: Clause) -> Iterator[Seen]:
    """Name and version as the system states them."""
    name, version = one(record, "os_name"), one(record, "os_version_id")
    if name is None:
        return
    if not isinstance(name.value, str) or version is None or not isinstance(version.value, str):
        unsaid = name if not isinstance(name.value, str) else version
        yield unsaid.unread(_NO_WORD) if unsaid else Seen("", None, why="half_read")
    else:
        yield Seen("", f"{name.value} {version.value}", "text")
