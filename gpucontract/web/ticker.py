"""Embedded mode's clock: one thread per beat entry calls the schedule's own task functions inside the web process."""

import logging
import time
from collections.abc import Callable
from threading import Event, Thread

from django.db import close_old_connections

from gpucontract.celery_app import app

log = logging.getLogger(__name__)


def start() -> Event:
    """Start every lane; returns the event that stops them. Threads, so call it after gunicorn has forked."""
    app.loader.import_default_modules()
    stopping = Event()
    for name, entry in app.conf.beat_schedule.items():
        arguments = (entry["task"], float(entry["schedule"]), stopping)
        Thread(target=run_lane, args=arguments, name=f"ticker-{name}", daemon=True).start()
    return stopping


def run_lane(task_name: str, interval_s: float, stopping: Event) -> None:
    """Call one task again and again, interval_s seconds after its last end, until told to stop."""
    task = app.tasks[task_name]
    while not stopping.wait(interval_s):
        tick(task_name, task)


def tick(task_name: str, task: Callable[[], object]) -> None:
    """One call; whatever it raises is logged, since the next tick finds the same rows again."""
    began = time.monotonic()
    close_old_connections()
    try:
        task()
    except Exception:
        log.exception("%s failed after %.1f s; it is due again at the next tick", task_name, time.monotonic() - began)
    finally:
        close_old_connections()
