"""The states of a run; claiming is not one of them (design: due_at and lease say who works on it)."""

from enum import StrEnum

from gpucontract.wording import Text


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_open(self) -> bool:
        """Whether the run may still bring a result."""
        return self in OPEN


OPEN = (RunState.QUEUED, RunState.RUNNING)

STATE_TEXTS = {
    RunState.QUEUED: Text("排队中", "queued"),
    RunState.RUNNING: Text("运行中", "running"),
    RunState.DONE: Text("已完成", "done"),
    RunState.FAILED: Text("失败", "failed"),
}

ORIGIN_TEXTS = {
    "agent": Text("机器上的采集程序", "agent on the machine"),
    "bundle": Text("离线签名包", "signed bundle"),
    "replay": Text("录制回放", "replay of a recording"),
    "pasted": Text("人工粘贴", "pasted by hand"),
    "file": Text("文件", "file"),
}
