"""Matrix products under load as evidence for one GPU's rate clause: the agreed type, long enough, all GPUs at once."""

from __future__ import annotations

from decimal import Decimal

from gpucontract.catalogue.gpus import find
from gpucontract.contracts.body import Body
from gpucontract.contracts.clauses import Clause
from gpucontract.measurements.records import RunRecord
from gpucontract.units import UnitError
from gpucontract.verdicts.comparing import condition_number, in_unit
from gpucontract.verdicts.trials import Printed, Trial, busy, printed

# A card that boosts runs a little above the clock its data sheet counts with.
ABOVE_PEAK = Decimal("1.05")
# GPUs start and end within a second or two of each other.
TOGETHER = Decimal("0.9")


def load_trial(record: RunRecord, clause: Clause, body: Body, local: str) -> Trial:
    """The run's TFLOPS of one GPU (gpu5), or the first condition that the run does not meet."""
    shown = next((each for each in printed(record) if each.output.tool.startswith("gpucontract-probe")), None)
    if shown is None:
        return Trial(record, why="not_read")
    if shown.output.error:
        return Trial(record, why="tool_failed", facts={"detail": shown.output.error})
    miss = busy(record) or _miss(shown, clause)
    if miss is not None:
        return Trial(record, why=miss[0], facts=miss[1])
    own = {each.name: each for each in shown.output.readings if each.scope == local}
    wrong = own.get("load_wrong")
    if wrong is None or wrong.value != 0:
        return Trial(record, why="wrong_results", facts={"wrong": wrong.value if wrong else "?"})
    reading = own.get("gemm_tflops")
    if reading is None or reading.value is None:
        return Trial(record, why="unread" if reading else "not_read", facts={"detail": reading.why if reading else ""})
    try:
        value = in_unit(reading.value, reading.unit, clause.unit)
    except UnitError as fault:
        return Trial(record, why="unread", facts={"detail": str(fault)})
    return _plausible(record, clause, body, value)


def _miss(shown: Printed, clause: Clause) -> tuple[str, dict[str, object]] | None:
    wanted = {name: str(clause.conditions[key]) for key, name in (("dtype", "load_dtype"), ("gpus", "load_gpus"))
              if key in clause.conditions}  # fmt: skip
    for name, needed in wanted.items():
        if shown.word(name) != needed:
            return "other_profile", {"name": name.removeprefix("load_"), "seen": shown.word(name), "wanted": needed}
    runtime, together = condition_number(clause.conditions, "runtime_s"), shown.number("load_together")
    if runtime is not None and (together is None or together < runtime * TOGETHER):
        return "too_short", {"seconds": together or Decimal(0), "wanted": runtime}
    return None


def _plausible(record: RunRecord, clause: Clause, body: Body, value: Decimal) -> Trial:
    gpu = find(body.group(clause.code).gpu_model)
    dtype = clause.conditions.get("dtype")
    most = gpu.bf16_tflops * ABOVE_PEAK if gpu and gpu.bf16_tflops and dtype in ("bf16", "fp16") else None
    if most is not None and value > most:
        return Trial(record, why="over_ceiling", facts={"printed": value, "most": most})
    return Trial(record, value)
