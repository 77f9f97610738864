"""How the agent starts itself once more, for a probe in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, Tuple


def words() -> Tuple[str, ...]:
    """What comes after the interpreter: the one file, or the module when run from sources."""
    place = Path(sys.argv[0]).resolve()
    return (str(place),) if place.suffix == ".pyz" else ("-m", "gpucontract.agent")


def environment() -> Dict[str, str]:
    """Where a module run from sources is found."""
    is_archive = Path(sys.argv[0]).suffix == ".pyz"
    return {} if is_archive else {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
