"""Build the agent as one file: python -m gpucontract.agent.build --out FILE. The same sources give the same bytes."""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import zipfile
from pathlib import Path
from typing import Dict, List, Optional

SHEBANG = b"#!/usr/bin/env python3\n"
START = "from gpucontract.agent.main import main\n\nraise SystemExit(main())\n"
LEFT_OUT = {"build.py", "__main__.py"}
# The earliest time a zip can say; the sources' own times differ between checkouts.
NO_TIME = (1980, 1, 1, 0, 0, 0)


def main(arguments: Optional[List[str]] = None) -> int:
    """Write the file and print its sha256."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("var/agent/gpucontract-agent.pyz"))
    options = parser.parse_args(arguments)
    content = archive()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    draft = options.out.with_suffix(".draft")
    draft.write_bytes(content)
    draft.chmod(0o755)
    os.replace(draft, options.out)
    print(f"{options.out} {len(content)} B sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


def archive() -> bytes:
    """The program's bytes. Stored, not compressed: what zlib makes of the same input differs between its versions."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as package:
        for name, text in sorted(_members().items()):
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            package.writestr(entry, text)
    return SHEBANG + file.getvalue()


def _members() -> Dict[str, str]:
    here = Path(__file__).resolve().parent
    modules = {path.name: path.read_text(encoding="utf-8") for path in here.glob("*.py") if path.name not in LEFT_OUT}
    return {
        "__main__.py": START,
        "gpucontract/__init__.py": "",
        **{f"gpucontract/agent/{name}": text for name, text in modules.items()},
    }


if __name__ == "__main__":
    raise SystemExit(main())
