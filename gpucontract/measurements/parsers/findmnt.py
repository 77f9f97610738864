"""findmnt -J: the mounts as JSON, flat or nested; an empty list (or no output at all) means that nothing matched."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.json_documents import cut_documents, cut_text, fields, items, only_document
from gpucontract.measurements.parsers.mounts import SUMMARY_NAMES, Mount, findings, networks, per_mount, summary
from gpucontract.measurements.parsers.outcomes import absent, failed, printed, run_error

NOTHING_MATCHED = 1
# Options that take a value of their own, so the word after them is no path.
WITH_VALUE = frozenset({
    "-o", "--output", "-t", "--types", "-O", "--options", "-S", "--source", "-T", "--target", "-M", "--mountpoint",
    "-N", "--task", "-F", "--tab-file", "-d", "--direction", "-w", "--timeout",
})  # fmt: skip
NARROWING = frozenset({"-t", "--types", "-O", "--options", "-S", "--source", "-T", "--target", "-M", "--mountpoint"})


def parse(capture: Capture) -> Parsed:
    """mount_type, mount_source, mount_writable per mount; counts over the list, or of the types that were asked for."""
    is_empty = not printed(capture).strip()
    error = run_error(capture, (NOTHING_MATCHED,) if is_empty or _is_no_match(capture) else ())
    cut = cut_documents(cleaned(capture.stdout))
    document: dict[str, Any] = {}
    if not error and not is_empty:
        document, error = only_document(cut, "filesystems", "findmnt")
    if error:
        return failed(error, *SUMMARY_NAMES)
    mounts = list(_walked(document.get("filesystems")))
    options = _options(capture.command)
    narrowed = {key: value for key, value in options.items() if key in NARROWING or key == ""}
    is_whole = mounts and not narrowed.keys() - {"-t", "--types"}
    counts = (*summary(mounts),) if is_whole else networks(mounts)
    asked = _asked_for(narrowed, mounts) if narrowed or not mounts else ()
    return Parsed((*counts, *asked, *per_mount(mounts)), findings(mounts) + cut_text(cut))


def _is_no_match(capture: Capture) -> bool:
    return '"filesystems"' in capture.stdout and not capture.stderr.strip()


def _walked(entries: Any, depth: int = 0) -> Iterator[Mount]:
    for entry in items(entries):
        target, options = fields(entry).get("target"), fields(entry).get("options")
        if isinstance(target, str):
            source, fstype = fields(entry).get("source"), fields(entry).get("fstype")
            split = tuple(options.split(",")) if isinstance(options, str) else ()
            yield Mount(target, source if isinstance(source, str) else "", str(fstype or ""), split)
        if depth < 40:
            yield from _walked(fields(entry).get("children"), depth + 1)


def _options(command: str) -> dict[str, str]:
    """The command's options with their values; '' holds the first word that is a path or device."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    found: dict[str, str] = {}
    rest = iter(words[words.index("findmnt") + 1 :] if "findmnt" in words else words[1:])
    for word in rest:
        name, given, value = word.partition("=")
        if name in WITH_VALUE:
            found[name] = value if given else next(rest, "")
        elif not word.startswith("-"):
            found.setdefault("", word)
    return found


def _asked_for(narrowed: dict[str, str], mounts: list[Mount]) -> tuple[Reading, ...]:
    """Counts of the types named by -t (of lustre the summary has it), and paths asked for that are not mounted."""
    types = narrowed.get("-t") or narrowed.get("--types") or ""
    counted = [kind for kind in types.split(",") if kind and not kind.startswith("no")]
    readings = [
        Reading(f"{kind}_mounts", sum(mount.type == kind for mount in mounts))
        for kind in counted
        if not mounts or kind != "lustre"
    ]
    paths = {narrowed.get(key, "") for key in ("", "-T", "--target", "-M", "--mountpoint")}
    missing = [path for path in paths if path.startswith("/") and not mounts]
    readings += [reading for path in missing for reading in _not_mounted(path)]
    return tuple(readings) if readings or mounts else absent("not_in_command", *SUMMARY_NAMES)


def _not_mounted(path: str) -> tuple[Reading, ...]:
    return absent("not_mounted", "mount_type", "mount_source", "mount_writable", scope=f"mount:{path}")
