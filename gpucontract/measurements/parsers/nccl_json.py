"""The JSON report of nccl-tests (-J), file versions 1 to 3: booleans are strings, the environment is secret."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpucontract.measurements.parsers.json_documents import fields, items, number
from gpucontract.measurements.parsers.nccl_run import Device, Row, Run, collective_in, version_of

SUMMARY_KEYS = ("out_of_bounds", "average_bus_bandwidth")
HALVES = ("out_of_place", "in_place")


def is_report(document: Any) -> bool:
    """Whether a JSON object is this tool's report: config and results under these names."""
    return isinstance(document, dict) and "config" in document and "results" in document


def run_of(document: dict[str, Any]) -> Run:
    """The run a report describes. config.devices lists only the first GPU of each process."""
    config = fields(document.get("config"))
    run = Run(lists_first_only=True)
    threads, gpus = number(config.get("nthreads")), number(config.get("ngpus"))
    run.processes_hold = int(threads * gpus) if threads and gpus else None
    run.asked_min, run.asked_max = _whole(config.get("minimum_bytes")), _whole(config.get("maximum_bytes"))
    run.allowed_max = run.asked_max
    run.is_factor = "step_factor" in config
    run.step = _whole(config.get("step_factor" if run.is_factor else "step_bytes"))
    run.iterations, run.warm_up = _whole(config.get("iterations")), _whole(config.get("warmup_iters"))
    validation = number(config.get("validation"))
    run.validation = None if validation is None else validation > 0
    run.collective = collective_in(*(str(argument) for argument in items(document.get("args"))[:1]))
    version = _whole(document.get("nccl_version"))
    run.nccl_version = version_of(version) if version else ""
    run.devices = list(_devices(items(config.get("devices"))))
    run.rows = list(_rows(items(document.get("results"))))
    run.is_cpu_time = any("cpu_time" in fields(fields(each).get(HALVES[0])) for each in items(document.get("results")))
    _summary(document, run)
    return run


def _whole(value: Any) -> int | None:
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def _devices(listed: list[Any]) -> Iterator[Device]:
    for entry in listed:
        device = fields(entry)
        rank, group = _whole(device.get("rank")), _whole(device.get("group"))
        if rank is not None:
            told = [str(device.get(key, "")) for key in ("pid", "hostname", "device", "device_hex")]
            line = f"rank {rank} on {told[1]} device {told[2]} [{told[3]}]"
            model = str(device.get("device_info", "")).strip()
            yield Device(rank, group or 0, told[0], told[1], told[2], told[3], line, model)


def _rows(results: list[Any]) -> Iterator[Row]:
    for entry in results:
        result = fields(entry)
        size = _whole(result.get("size"))
        if size is not None:
            kind = [str(result.get(key, "")).strip() for key in ("type", "redop", "root")]
            yield Row(size, _line(size, result), *kind, *(cell for half in HALVES for cell in _half(result.get(half))))


def _half(told: Any) -> tuple[str, ...]:
    """time, algbw, busbw, wrong; a bare 'nan' string is no number, a null nwrong was not checked."""
    half = fields(told)
    time = half.get("time", half.get("cpu_time"))
    return tuple(_printed(value) for value in (time, half.get("alg_bw"), half.get("bus_bw"), half.get("nwrong")))


def _printed(value: Any) -> str:
    found = number(value)
    return format(found, "f") if isinstance(found, Decimal) else "" if found is None else str(found)


def _line(size: int, result: dict[str, Any]) -> str:
    return f"size {size}: " + ", ".join(f"{half} bus_bw {fields(result.get(half)).get('bus_bw')}" for half in HALVES)


def _summary(document: dict[str, Any], run: Run) -> None:
    bounds, average = (fields(document.get(key)) for key in SUMMARY_KEYS)
    checks, bandwidth = number(bounds.get("count")), number(average.get("bandwidth"))
    run.out_of_bounds = None if checks is None else Decimal(checks)
    run.average = None if bandwidth is None else Decimal(bandwidth)
    if average:
        run.average_line = f"average_bus_bandwidth {average.get('bandwidth')} okay {average.get('okay')}"
    run.tool_check = {"true": "OK", "false": "FAILED"}.get(str(average.get("okay")).lower(), "")
    errors = [str(error) for error in items(document.get("errors")) if str(error).strip()]
    run.last_error = errors[0] if errors else ""
