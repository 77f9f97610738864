"""Version numbers that tools print as one integer."""

from __future__ import annotations


def cudnn_version(number: int) -> str | None:
    """cuDNN's integer: 8902 is 8.9.2 (major x 1000), 90100 is 9.1.0 (major x 10000, since version 9)."""
    return _dotted(number, 1000 if number < 10_000 else 10_000) if 1000 <= number < 1_000_000 else None


def nccl_version(number: int) -> str | None:
    """NCCL's integer: 2708 is 2.7.8 (major x 1000), 22803 is 2.28.3 (major x 10000, since 2.9)."""
    return _dotted(number, 1000 if number < 10_000 else 10_000) if 1000 <= number < 100_000 else None


def _dotted(number: int, major: int) -> str:
    return f"{number // major}.{number % major // 100}.{number % 100}"
