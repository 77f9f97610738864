"""The test plan of a draft, before anything is frozen: what will be measured, how long, and what it cannot prove."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucontract.contracts import compile
from gpucontract.contracts.body import Body, load
from gpucontract.contracts.freezing import SALT_BYTES, Deal, freeze
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.contracts.terms import NotGiven, Terms
from gpucontract.measurements.durations import (
    Duration,
    durations,
    gpu_hours_in_total,
    hours_in_total,
    soaks,
    suite_for,
)
from gpucontract.measurements.plan import not_settled
from gpucontract.wording import Text

_NO_SALTS = dict.fromkeys(SECTIONS, bytes(SALT_BYTES))


@dataclass(frozen=True, slots=True)
class Line:
    """One job of the plan as the page shows it."""

    job: str
    group: str
    note: Text
    machines: int
    repeats: int
    minutes: int
    settles: int


@dataclass(frozen=True, slots=True)
class Open:
    """Clauses that stay pending for the same reason."""

    reason: Text
    clauses: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """What a group of this size needs beyond the plan: calendar days with two retests, spares, the soak's GPU time."""

    group: str
    nodes: int
    days: int
    spare_nodes: int
    soak_hours: int
    soak_gpu_hours: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The whole plan: jobs, hours, what stays open, remarks about soaks."""

    lines: tuple[Line, ...]
    hours: Decimal
    gpu_hours: Decimal
    open: tuple[Open, ...]
    remarks: tuple[Text, ...]
    windows: tuple[Window, ...]


def preview_of(terms: Terms, titles: Mapping[str, str]) -> Preview | None:
    """None while the draft does not say how many machines and GPUs there are, or where a mount is.

    titles: what the groups are called on the page.
    """
    try:
        frozen = freeze(Deal("", 0, "", {}), terms, compile.clauses(terms), _NO_SALTS)
    except NotGiven:
        return None
    body = load(frozen.head, frozen.sections)
    known, asked = durations(body), soaks(body)
    return Preview(
        lines=tuple(_line(each, titles) for each in known),
        hours=hours_in_total(known),
        gpu_hours=gpu_hours_in_total(known),
        open=open_of(body),
        remarks=tuple(remark for soak in asked.values() for remark in soak.remarks),
        windows=_windows(body, titles, {code: soak.hours for code, soak in asked.items()}),
    )


def _line(each: Duration, titles: Mapping[str, str]) -> Line:
    return Line(
        job=each.job.job, group=titles.get(each.job.group, each.job.group), note=each.job.note,
        machines=len(each.job.nodes), repeats=each.job.repeats,
        minutes=-(-each.in_a_row.numerator // each.in_a_row.denominator),
        settles=len(each.job.settles),
    )  # fmt: skip


def open_of(body: Body) -> tuple[Open, ...]:
    """What no job settles, by reason."""
    reasons: dict[Text, list[Text]] = {}
    for each in not_settled(body):
        reasons.setdefault(each.reason, []).append(body.clause(each.key).text)
    return tuple(Open(reason, tuple(clauses)) for reason, clauses in reasons.items())


def _windows(body: Body, titles: Mapping[str, str], hours: dict[str, int]) -> tuple[Window, ...]:
    found = []
    for group in body.groups:
        suite = suite_for(group.node_count)
        soak = hours.get(group.code, suite.soak_hours)
        gpu_hours = group.node_count * group.gpus_per_node * soak
        found.append(Window(
            titles.get(group.code, group.code), group.node_count, suite.window_days, suite.spare_nodes, soak, gpu_hours,
        ))  # fmt: skip
    return tuple(found)
