"""docker info, as text or JSON: the client part is printed even when no daemon answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import cut_documents, fields, items
from gpucontract.measurements.parsers.keyed_lines import by_key
from gpucontract.measurements.parsers.outcomes import absent, failed, line_around, printed, run_error, value_or
from gpucontract.wording import Text

NAMES = (
    "docker_available", "nvidia_runtime", "docker_server_version", "docker_client_version", "cgroup_version",
)  # fmt: skip
SERVER_NAMES = ("nvidia_runtime", "docker_server_version", "cgroup_version")
PERMISSION = re.compile(r"permission denied while trying to connect|connect: permission denied", re.IGNORECASE)
NO_DAEMON = re.compile(
    r"Cannot connect to the Docker daemon|failed to connect to the docker API|Is the docker daemon running",
    re.IGNORECASE,
)
CDI_GPU = re.compile(r"nvidia\.com/gpu")
PODMAN = re.compile(r"Emulate Docker CLI using podman|^host:$|buildahVersion", re.MULTILINE)
SECTIONS = re.compile(r"^(Client|Server)\b.*:", re.MULTILINE)
VERSION = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,4}){1,3}(?:[-+~][\w.+~-]{1,40})?\Z")
THROUGH_CDI = Text(
    "Docker 没有列出 nvidia 运行时，但能通过 CDI 找到 GPU 设备。请启动一个带 --device nvidia.com/gpu=all 的容器确认。",
    "Docker lists no nvidia runtime but finds GPUs through CDI. Start a container with "
    "--device nvidia.com/gpu=all to make sure.",
)

Info = Mapping[str, Any]


def parse(capture: Capture) -> Parsed:
    """docker_available (False when no daemon answers), nvidia_runtime, the versions of client, server and cgroup."""
    text = printed(capture)
    info, unread = _information(cleaned(capture.stdout))
    denied, no_daemon = PERMISSION.search(text), NO_DAEMON.search(text)
    if denied:
        return _denied(info, line_around(text, denied.start()))
    if no_daemon:
        return _without_daemon(info, line_around(text, no_daemon.start()))
    error = run_error(capture) or ("not_docker: podman answered in place of docker" if PODMAN.search(text) else unread)
    return failed(error, *NAMES) if error else _with_daemon(info)


def _information(text: str) -> tuple[Info, str]:
    """Client, server, cgroup, runtimes and devices, from either form."""
    if text.lstrip().startswith("{"):
        return _from_json(text)
    sections = [found[1] for found in SECTIONS.finditer(text)]
    if len(sections) > len(set(sections)):
        return {}, "two_outputs: 'Client' or 'Server' stands there more than once; keep one run per capture"
    client, _, server = text.partition("\nServer:")
    client_lines, server_lines = by_key(client), by_key(server)
    info = {
        "client": _version(next((line.value for line in client_lines.get("Version", ())), "")),
        "server": _version(next((line.value for line in server_lines.get("Server Version", ())), "")),
        "cgroup": next((line.value for line in server_lines.get("Cgroup Version", ())), ""),
        # The last line may have been cut.
        "runtimes": None
        if next(reversed(server_lines), "") == "Runtimes"
        else next((line.value.split() for line in server_lines.get("Runtimes", ())), None),
        "has_cdi": bool(CDI_GPU.search(server)),
    }
    return info, "" if info["server"] else "docker_info_unknown: no line 'Server Version'"


def _from_json(text: str) -> tuple[Info, str]:
    cut = cut_documents(text)
    if cut.is_broken or not cut.documents:
        return {}, "json_broken: the JSON of docker info breaks off or holds foreign text; capture it again, unedited"
    if len(cut.documents) > 1:
        return {}, "two_outputs: more than one JSON document of docker info; keep one run per capture"
    document = fields(cut.documents[0])
    devices = [fields(device).get("ID", "") for device in items(document.get("DiscoveredDevices"))]
    runtimes = document.get("Runtimes")
    info = {
        "client": _version(fields(document.get("ClientInfo")).get("Version")),
        "server": _version(document.get("ServerVersion")),
        "cgroup": str(document.get("CgroupVersion") or ""),
        "runtimes": list(runtimes) if isinstance(runtimes, dict) else None,
        "has_cdi": any(CDI_GPU.search(str(device)) for device in devices),
    }
    return info, "" if info["server"] else "docker_info_unknown: no ServerVersion in the JSON"


def _version(value: Any) -> str:
    return value if isinstance(value, str) and VERSION.match(value) else ""


def _denied(info: Info, line: str) -> Parsed:
    """Not allowed to ask the daemon: whether there is one stays unknown; the client said its version all the same."""
    client = value_or("docker_client_version", info.get("client") or None, "not_printed")
    reason = Reading("reason", "permission denied", line=line)
    unknown = absent("docker_permission", "docker_available", *SERVER_NAMES, line=line)
    return Parsed((*unknown, reason, client), (), f"docker_permission: {line}")


def _without_daemon(info: Info, line: str) -> Parsed:
    client = info.get("client") or None
    return Parsed(
        (
            Reading("docker_available", False, line=line),
            Reading("reason", "cannot connect to daemon", line=line),
            value_or("docker_client_version", client, "not_printed"),
            *absent("no_daemon", *SERVER_NAMES, line=line),
        )
    )


def _with_daemon(info: Info) -> Parsed:
    server = f"Server Version: {info['server']}"
    return Parsed(
        (
            Reading("docker_available", True, line=server),
            Reading("docker_server_version", info["server"], line=server),
            value_or("docker_client_version", info["client"] or None, "not_printed"),
            _cgroup(info["cgroup"]),
            _runtime(info),
        ),
        (Finding("cdi_only", THROUGH_CDI),) if info["has_cdi"] and "nvidia" not in (info["runtimes"] or ()) else (),
    )


def _cgroup(version: str) -> Reading:
    number = int(version) if version in ("1", "2") else None
    return value_or("cgroup_version", number, "not_printed", line=f"Cgroup Version: {version}")


def _runtime(info: Info) -> Reading:
    """Whether the nvidia runtime is registered; where GPUs come through CDI instead, that says nothing either way."""
    runtimes = info["runtimes"]
    if runtimes is None:
        return absent("not_printed", "nvidia_runtime")[0]
    line = f"Runtimes: {' '.join(runtimes)}"[:200]
    if "nvidia" not in runtimes and info["has_cdi"]:
        return absent("through_cdi", "nvidia_runtime", line=line)[0]
    return Reading("nvidia_runtime", "nvidia" in runtimes, line=line)
