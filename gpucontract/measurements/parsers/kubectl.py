"""kubectl version: client and server, as short text, old long text or JSON; a refused server is no evidence."""

from __future__ import annotations

import re
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import cut_documents, fields, only_document
from gpucontract.measurements.parsers.outcomes import failed, printed, run_error, value_or

NAMES = ("kubernetes_client_version", "kubernetes_server_version")
SHORT = re.compile(r"^(Client|Server) Version: (v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\S{0,40})$", re.MULTILINE)
LONG = re.compile(
    r"^(Client|Server) Version: version\.Info\{[^\n]{0,200}?"
    r"GitVersion:\"(v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[^\"\n]{0,40})\"",
    re.MULTILINE,
)
VERSION = re.compile(r"v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\S{0,40}\Z")
NO_SERVER = re.compile(
    r"was refused|Unable to connect to the server|couldn't get current server|Forbidden", re.IGNORECASE
)
NO_SERVER_EXIT = 1


def parse(capture: Capture) -> Parsed:
    """kubernetes_client_version and kubernetes_server_version; the server's is not measured when none answers."""
    text = printed(capture)
    refused = bool(NO_SERVER.search(text))
    error = run_error(capture, (NO_SERVER_EXIT,) if refused else ())
    found: dict[str, str] = {}
    if not error:
        found, error = _versions(cleaned(capture.stdout))
    if error:
        return failed(error, *NAMES)
    why = "no_server" if refused else "not_printed"
    sides = zip(NAMES, ("Client", "Server"), strict=True)
    return Parsed(tuple(value_or(name, found.get(side), why, line=_line(side, found)) for name, side in sides))


def _line(side: str, found: dict[str, str]) -> str:
    return f"{side} Version: {found[side]}" if side in found else ""


def _versions(text: str) -> tuple[dict[str, str], str]:
    if text.lstrip().startswith("{"):
        document, error = only_document(cut_documents(text), "clientVersion", "kubectl")
        sides = {"Client": document.get("clientVersion"), "Server": document.get("serverVersion")}
        return {side: version for side, entry in sides.items() if (version := _git_version(entry))}, error
    pairs = SHORT.findall(text) + LONG.findall(text)
    if len({side for side, _ in pairs}) < len(pairs):
        return {}, "two_outputs: a version stands there more than once; keep one run per capture"
    if not pairs:
        return {}, "kubectl_unknown: no line 'Client Version' or 'Server Version'"
    return dict(pairs), ""


def _git_version(entry: Any) -> str:
    version = fields(entry).get("gitVersion")
    return version if isinstance(version, str) and VERSION.match(version) else ""
