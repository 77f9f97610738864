"""Carries out orders one after the other, keeps their results, and says how far each one is."""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from gpucontract.agent import protocol, results, unfinished
from gpucontract.agent.children import Children
from gpucontract.agent.execute import Record, Stopped, Watch
from gpucontract.agent.jobs import Step, is_exclusive
from gpucontract.agent.orders import Order, Refused
from gpucontract.agent.store import Kept, Store
from gpucontract.agent.unfinished import Begun

MOST_WAITING = 100
# A server asks every few seconds or minutes; a run it has not asked for so long was cancelled, or the server is gone.
ABANDONED_S = 2 * 3600.0
Source = Union[results.Live, results.Replay]


class Progress(NamedTuple):
    """A run that has no result yet."""

    run: str
    state: str
    step: int
    steps: int
    doing: str
    elapsed_s: int


class Task:
    """A run that waits or is being done; what changes is written by its lane alone."""

    def __init__(self, order: Order, steps: List[Step]) -> None:
        self.order = order
        self.steps = steps
        self.at = 0
        self.began: Optional[float] = None
        self.asked = time.monotonic()
        self.error = ""

    def progress(self) -> Progress:
        """How far it is."""
        doing = self.steps[min(self.at, len(self.steps) - 1)].tool
        elapsed_s = 0 if self.began is None else int(time.monotonic() - self.began)
        state = "queued" if self.began is None else "running"
        return Progress(self.order.run, state, self.at, len(self.steps), doing, elapsed_s)


class Stop(threading.Event):
    """Set when the agent stops, or when nobody has asked for the task for ABANDONED_S."""

    def __init__(self, agent: threading.Event, task: Task) -> None:
        super().__init__()
        self._agent = agent
        self._task = task

    def is_set(self) -> bool:
        """Whether the task is to end now."""
        return self._agent.is_set() or time.monotonic() - self._task.asked > ABANDONED_S

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Whether it is to end, waiting no longer than the timeout in seconds."""
        return self._agent.wait(timeout) or self.is_set()


class Runner:
    """Two lanes, each doing one run at a time: what loads the machine never runs beside another load."""

    def __init__(self, source: Source, store: Store) -> None:
        self._source = source
        self._store = store
        self._lock = threading.Lock()
        self._tasks: Dict[str, Task] = {}
        self._stop = threading.Event()
        self._children = Children(store.folder / "children")
        self._children.end_leftovers()
        self._begun = Begun(store.folder / "begun")
        self._lanes: Dict[bool, "queue.Queue[Optional[Task]]"] = {True: queue.Queue(), False: queue.Queue()}
        self._threads = [
            threading.Thread(target=self._work, args=(lane,), daemon=True) for lane in self._lanes.values()
        ]
        for thread in self._threads:
            thread.start()

    def answer(self, order: Order) -> Union[Kept, Progress]:
        """The run's result, or how far it is; a run not seen before is started. Raises Refused."""
        with self._lock:
            kept = self._store.find(order.run)
            if kept:
                _check_same(order, kept.job, kept.params)
                return kept
            task = self._tasks.get(order.run) or self._started(order)
            _check_same(order, task.order.job, task.order.params)
            task.asked = time.monotonic()
            if task.error:
                del self._tasks[order.run]
                raise Refused("job_failed", task.error)
            return task.progress()

    def stop(self, patience_s: float = 12.0) -> None:
        """End what is running, its programs too, and wait for it; results that were not complete are dropped."""
        self._stop.set()
        for lane in self._lanes.values():
            lane.put(None)
        for thread in self._threads:
            thread.join(patience_s)

    def _started(self, order: Order) -> Task:
        lane = self._lanes[is_exclusive(order.job)]
        if lane.qsize() >= MOST_WAITING:
            raise Refused("busy", f"{MOST_WAITING} runs are waiting on this machine already: ask again later")
        task = self._tasks[order.run] = Task(order, self._source.steps(order.job, order.params))
        lane.put(task)
        return task

    def _work(self, lane: "queue.Queue[Optional[Task]]") -> None:
        for task in iter(lane.get, None):
            if self._stop.is_set():
                return
            try:
                (self._do_noted if self._is_noted(task) else self._do)(task)
            except Stopped:
                self._forget(task)
            except Exception as error:
                traceback.print_exc(file=sys.stderr)
                task.error = f"{task.order.job} could not be carried out: {type(error).__name__}: {error}"[:300]

    def _is_noted(self, task: Task) -> bool:
        return task.order.job in unfinished.JOBS and self._source.origin == protocol.ORIGIN_LIVE

    def _do_noted(self, task: Task) -> None:
        """Do a long run so that a later one knows that it began and did not end, and say which did so before."""
        before = self._begun.left()
        place = self._begun.note(task.order.run)
        try:
            is_good = self._do(task, [unfinished.record(before)])
        except BaseException:
            (self._begun.stopped if self._stop.is_set() else self._begun.forget)(place)
            raise
        for each in (place, *(before if is_good else ())):
            self._begun.forget(each)

    def _do(self, task: Task, told: Sequence[Record] = ()) -> bool:
        """Do a run and keep its result, after what is told already; whether every tool of it ended well."""
        task.began = time.monotonic()
        outputs: List[Record] = [*told]
        watch = Watch(Stop(self._stop, task), self._children)
        for step in task.steps:
            outputs += step.records(watch)
            task.at += 1
        is_good = not any(record["exit_status"] for record in outputs)
        order, source = task.order, self._source
        body = results.document(order.run, order.job, order.params, source.node, outputs)
        self._store.keep(Kept(order.run, order.job, dict(order.params), source.node, source.origin, body))
        self._forget(task)
        seconds = time.monotonic() - task.began
        print(f"gpucontract-agent: {order.job} {order.run} done in {seconds:.1f} s", file=sys.stderr, flush=True)
        return is_good

    def _forget(self, task: Task) -> None:
        with self._lock:
            self._tasks.pop(task.order.run, None)


def _check_same(order: Order, job: str, params: Mapping[str, Any]) -> None:
    if (order.job, protocol.compact(order.params)) != (job, protocol.compact(params)):
        raise Refused("run_differs", f"run {order.run} was ordered before as {job} with other parameters")
