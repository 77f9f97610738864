"""Copy the browser libraries named in package.json into static/vendor, or --check that nobody changed them.

`npm ci --ignore-scripts` here first, then `python vendoring/copy.py`. The check needs neither npm nor a network.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "static" / "vendor"
LOCK = HERE / "vendor.lock.json"

ICONS = (
    "arrow-clockwise", "arrow-left", "arrow-right", "arrow-repeat", "box-arrow-right", "building",
    "calendar-event", "check-circle-fill", "check-lg", "chevron-down", "chevron-right", "circle", "circle-half",
    "clipboard", "clock", "clock-history", "cpu", "dash-circle", "download", "exclamation-circle-fill",
    "exclamation-triangle-fill", "file-earmark-pdf", "file-earmark-text", "files", "globe2", "hash",
    "hdd-network", "hourglass-split", "info-circle-fill", "key", "link-45deg", "list", "lock-fill",
    "moon-stars", "pencil", "people", "person-circle", "plus-lg", "printer", "question-circle",
    "question-circle-fill", "search", "send", "shield-check", "sliders", "sun", "trash3", "x-circle-fill",
    "x-lg", "chat-left-text", "file-earmark-diff", "list-check", "bell", "house", "check2-all", "arrow-down-up",
    "speedometer2", "graph-up",
)  # fmt: skip
FILES = {
    "bootstrap": ("dist/css/bootstrap.min.css", "LICENSE"),
    "htmx.org": ("dist/htmx.min.js", "LICENSE"),
    "bootstrap-icons": (*(f"icons/{name}.svg" for name in ICONS), "LICENSE"),
}
SOURCE_MAP = re.compile(rb"\n?(/\*|//)# sourceMappingURL=[^\n]*")


def vendored() -> Iterator[tuple[str, str, Path]]:
    """Package, path inside it, and the place it gets in static/vendor."""
    for package, paths in FILES.items():
        for path in paths:
            yield package, path, TARGET / package / Path(path).name


def integrity(content: bytes) -> str:
    """The sha384 in the spelling browsers use."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode()


def copy() -> None:
    """Copy every file without its source map line, which would stop collectstatic, and write the lock."""
    versions = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    lock = {}
    for package, path, target in vendored():
        content = SOURCE_MAP.sub(b"", (HERE / "node_modules" / package / path).read_bytes())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        lock[f"{package}/{target.name}"] = {
            "version": versions[package], "size": len(content), "integrity": integrity(content),
        }  # fmt: skip
    LOCK.write_text(json.dumps(lock, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def differences() -> Iterator[str]:
    """One sentence per vendored file that is missing, changed or not in the lock."""
    lock = json.loads(LOCK.read_text(encoding="utf-8"))
    present = {str(path.relative_to(TARGET)): path for path in TARGET.rglob("*") if path.is_file()}
    for name in sorted(lock.keys() | present.keys()):
        if name not in present:
            yield f"{name} is in vendor.lock.json but not in static/vendor: run vendoring/copy.py"
        elif name not in lock:
            yield f"{name} is in static/vendor but not in vendor.lock.json: add it to FILES or delete it"
        elif integrity(present[name].read_bytes()) != lock[name]["integrity"]:
            yield f"{name} is not the file that was vendored: its sha384 differs from vendor.lock.json"


def main() -> int:
    """Exit status 1 when --check finds a difference."""
    if "--check" not in sys.argv[1:]:
        copy()
        return 0
    found = list(differences())
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
