"""Pure: the geometry of the bandwidth chart, drawn by its template as SVG with nothing but attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

WIDTH, HEIGHT = 720, 300
# The last size stands under the end of the axis and needs half its width to the right.
LEFT, RIGHT, TOP, BOTTOM = 56, 32, 20, 40
MOST_X_LABELS = 8
SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))


@dataclass(frozen=True, slots=True)
class Point:
    """One measured size: place on the drawing, size in bytes, value in GB/s."""

    x: float
    y: float
    size_bytes: int
    value: Decimal


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A line over message sizes on a log2 axis. floor_y: height of the contracted mark, None without one."""

    points: tuple[Point, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    floor: Decimal | None = None
    floor_y: float | None = None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right_x: int = WIDTH - RIGHT
    base_y: int = HEIGHT - BOTTOM
    top_y: int = TOP

    @property
    def path(self) -> str:
        """The line as SVG points."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def bandwidth_chart(values: Mapping[int, Decimal], floor: Decimal | None = None) -> Chart | None:
    """Bus bandwidth in GB/s by message size in bytes, with the contracted floor; None when there is no line to draw."""
    sizes = sorted(size for size in values if size > 0)
    if len(sizes) < 2:
        return None
    top = nice_top(max([*(values[size] for size in sizes), *([floor] if floor is not None else [])]))
    low, high = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(size: int) -> float:
        return round(LEFT + (math.log2(size) - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    def y(value: Decimal) -> float:
        return round(HEIGHT - BOTTOM - float(value / top) * (HEIGHT - TOP - BOTTOM), 1)

    every = -(-len(sizes) // MOST_X_LABELS)
    labelled = sizes[::-1][::every]
    return Chart(
        points=tuple(Point(x(size), y(values[size]), size, values[size]) for size in sizes),
        x_ticks=tuple(Tick(x(size), size_text(size)) for size in reversed(labelled)),
        y_ticks=tuple(Tick(y(top * step / 4), f"{(top * step / 4).normalize():f}") for step in range(5)),
        floor=floor, floor_y=None if floor is None else y(floor),
    )  # fmt: skip


def nice_top(value: Decimal) -> Decimal:
    """The next round number at or above a value: 1, 2, 4 or 5 times a power of ten."""
    if value <= 0:
        return Decimal(1)
    unit = Decimal(10) ** math.floor(math.log10(value))
    return next((unit * step for step in (1, 2, 4, 5) if unit * step >= value), unit * 10)


def size_text(size_bytes: int) -> str:
    """A message size as people say it: 8 GiB; odd sizes stay bytes."""
    scale, unit = next((scale, unit) for scale, unit in SIZES if size_bytes % scale == 0)
    return f"{size_bytes // scale} {unit}"
