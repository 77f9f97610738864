"""fio's plain text: the value in round brackets is decimal, the one before it binary; k and M of IOPS are rounded."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.fio_options import options_of
from gpucontract.measurements.parsers.fio_results import DIRECTIONS, Flow, Run, as_parsed
from gpucontract.measurements.parsers.outcomes import run_error
from gpucontract.measurements.parsers.sizes import decimal

JOB = re.compile(
    r"^(.{1,80}?): \(groupid=([0-9]{1,6}), jobs=([0-9]{1,6})\): err=[ ]{0,4}([0-9]{1,4})"
    r"(?: \((.{0,200}?)\))?: pid=([0-9]{1,9})"
)
FLOW = re.compile(r"^\s{1,8}(read|write)\s?: IOPS=(\S{1,16}), BW=\S{1,20} \((\S{1,20})\)\(\S{1,20}/([0-9]{1,10})msec\)")
OLD_FLOW = re.compile(
    r"^\s{1,8}(read|write)\s?: io=\S{1,20}, bw=(\S{1,20}), iops=(\S{1,16}), runt(?:ime)?=[ ]{0,8}([0-9]{1,10})msec"
)
PERCENTILES = re.compile(r"^\s{1,8}(clat|lat) percentiles \((nsec|usec|msec|sec)\):")
P99 = re.compile(r"\b99\.00th=\[\s{0,8}([0-9]{1,12})\]")
ISSUED = re.compile(r"^\s{1,8}issued .*short=([0-9,/rwd= ]{1,60}),? drop(?:ped)?=([0-9,/rwd= ]{1,60})")
STARTED = re.compile(
    r"^(\S.{0,78}?): \(g=[0-9]{1,6}\): rw=(\w{1,20}), bs=(.{1,160}?), ioengine=([\w-]{1,30}), iodepth=([0-9]{1,6})"
)
BLOCK = re.compile(r"\(([RW])\) ([0-9]{1,9}(?:KiB|B|MiB))-\2(?=,|$)")
RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([kMGT]?B/s)\Z")
GROUP_RATE = re.compile(r"^\s{1,8}(READ|WRITE): bw=\S{1,20} \((\S{1,20}?)\)")
RUN_STATUS = re.compile(r"^Run status group [0-9]", re.MULTILINE)
VERSION = re.compile(r"^fio-[0-9]{1,3}\.[0-9]{1,3}\S{0,20}", re.MULTILINE)
STARTING = re.compile(r"^Starting [0-9]{1,6} (?:process|thread)", re.MULTILINE)
TIMES = {"nsec": "ns", "usec": "us", "msec": "ms", "sec": "s"}
IOPS_LETTERS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6}
OLD_RATES = {"B/s": "B/s", "KB/s": "KiB/s", "MB/s": "MiB/s", "GB/s": "GiB/s"}


@dataclass(slots=True)
class Part:
    """One direction of one job as printed."""

    bandwidth: tuple[Decimal, str] | None
    iops: Decimal | None
    runtime_ms: int
    line: str
    p99: dict[str, tuple[Decimal, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Job:
    """One job's block: its group, how many processes it stands for, its error and its directions."""

    group: str
    processes: int
    error: int
    said: str
    lost: int = 0
    parts: dict[str, Part] = field(default_factory=dict)


def read_text(capture: Capture, text: str) -> tuple[Parsed, str]:
    """The readings of a text output, or the error that leaves the run without any."""
    jobs = _jobs(text)
    failing = next((job for job in jobs if job.error), None)
    error = f"fio_job_error {failing.error}: {failing.said}" if failing else run_error(capture)
    if not error and len(STARTING.findall(text)) > 1:
        error = "two_outputs: fio was started more than once in this capture; keep one run per capture"
    if not error and not RUN_STATUS.search(text):
        error = "fio_incomplete: no 'Run status' after the results; the run did not end or the text is cut"
    if error:
        return Parsed(), error
    flows = {name: flow for name in DIRECTIONS if (flow := _flow(name, jobs, text))}
    version = VERSION.search(text)
    options = options_of(_started(text, flows), capture.command, False)
    return as_parsed(Run(flows, options, sum(job.processes for job in jobs), (), version[0] if version else "")), ""


def _jobs(text: str) -> list[Job]:
    """The last block of every job: --status-interval repeats them with newer numbers."""
    jobs: dict[tuple[str, str, str], Job] = {}
    job, part, latency = None, None, ("", "")
    for line in text.splitlines():
        started = JOB.match(line)
        if started:
            job, part = Job(started[2], int(started[3]), int(started[4]), _error_text(started[5] or "")), None
            jobs[(started[1], started[2], started[6])] = job
        elif job:
            part = _part(line, job) or part
            latency = _latency(line) or latency
            _add(line, job, part, latency)
    return list(jobs.values())


def _error_text(said: str) -> str:
    return said.rpartition("error=")[2] or "see fio's output"


def _part(line: str, job: Job) -> Part | None:
    found, old = FLOW.match(line), OLD_FLOW.match(line)
    if found:
        part = Part(_rate(found[3]), _iops(found[2]), int(found[4]), line.strip())
        job.parts[found[1]] = part
        return part
    if old:
        number, unit = _rate(old[2]) or (Decimal(0), "")
        bandwidth = (number, OLD_RATES[unit]) if unit in OLD_RATES else None
        job.parts[old[1]] = Part(bandwidth, _iops(old[3]), int(old[4]), line.strip())
        return job.parts[old[1]]
    return None


def _latency(line: str) -> tuple[str, str] | None:
    found = PERCENTILES.match(line)
    return (f"{found[1]}_p99", TIMES[found[2]]) if found else None


def _add(line: str, job: Job, part: Part | None, latency: tuple[str, str]) -> None:
    """Note a percentile for the direction it stands under, and operations that were short or dropped for the job."""
    found, issued = P99.search(line), ISSUED.match(line)
    if found and part and latency[0]:
        part.p99[latency[0]] = (Decimal(found[1]), latency[1])
    if issued:
        job.lost = sum(int(digits) for cell in issued.groups() for digits in re.findall("[0-9]{1,12}", cell))


def _rate(text: str) -> tuple[Decimal, str] | None:
    found = RATE.match(text)
    return (Decimal(found[1]), found[2].replace("k", "K")) if found else None


def _iops(text: str) -> Decimal | None:
    letter = text[-1:] if text[-1:] in IOPS_LETTERS else ""
    number = decimal(text.removesuffix(letter))
    return number * IOPS_LETTERS[letter] if number is not None else None


def _flow(name: str, jobs: list[Job], text: str) -> Flow | None:
    active = [(job, job.parts[name]) for job in jobs if name in job.parts]
    if not active:
        return None
    parts = [part for _, part in active]
    rate = parts[0].bandwidth if len(parts) == 1 else _group_rate(name, text)
    iops = [part.iops for part in parts if part.iops is not None]
    return Flow(
        bandwidth=rate[0] if rate and rate[0] else None,
        unit=rate[1] if rate else "",
        iops=sum(iops, start=Decimal(0)) if len(iops) == len(parts) else None,
        runtime_ms=min(part.runtime_ms for part in parts),
        lost=sum(job.lost for job, _ in active),
        p99=_p99(parts),
        line=parts[0].line[:200],
        why="several_groups" if len({job.group for job, _ in active}) > 1 else "",
    )


def _p99(parts: list[Part]) -> dict[str, tuple[Decimal, str]]:
    """The percentile of one job, or the worst of several where all print it in the same unit."""
    if len(parts) == 1:
        return dict(parts[0].p99)
    worst: dict[str, tuple[Decimal, str]] = {}
    for name in parts[0].p99:
        found = [part.p99[name] for part in parts if name in part.p99]
        if len(found) == len(parts) and len({unit for _, unit in found}) == 1:
            worst[f"{name}_worst"] = max(found)
    return worst


def _group_rate(name: str, text: str) -> tuple[Decimal, str] | None:
    """fio's own sum over the jobs of a group, from the last 'Run status'."""
    found = [match for line in text.splitlines() if (match := GROUP_RATE.match(line)) and match[1] == name.upper()]
    return _rate(found[-1][2]) if found else None


def _started(text: str, flows: dict[str, Flow]) -> list[dict[str, str]]:
    """Options out of the first lines, one job each; the block size only when its one direction has a single one."""
    jobs = []
    for line in text.splitlines():
        found = STARTED.match(line)
        if found:
            job = {"rw": found[2], "ioengine": found[4], "iodepth": found[5]}
            blocks = dict(BLOCK.findall(found[3]))
            letter = next(iter(flows))[0].upper() if len(flows) == 1 else ""
            if letter in blocks:
                job["bs"] = blocks[letter].replace("iB", "")
            jobs.append(job)
    return jobs
