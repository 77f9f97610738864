"""The Celery application, the beat schedule and the one helper that enqueues work."""

import os

from celery import Celery, Task
from django.db import transaction

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucontract.settings")

app = Celery("gpucontract")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def every(seconds: float, task: str) -> dict[str, object]:
    """A beat entry that expires after its own interval, so that slow rounds never pile up."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


# Stages only leave rows; the next drain finds them. Intervals only: the embedded ticker has no memory of clock times.
app.conf.beat_schedule = {
    "pull": every(2.0, "gpucontract.measurements.tasks.pull_due"),
    "parse": every(2.0, "gpucontract.measurements.tasks.parse_due"),
    "judge": every(2.0, "gpucontract.verdicts.tasks.judge_due"),
    "render": every(2.0, "gpucontract.documents.tasks.render_due"),
}


def nudge(task: "Task[..., object]", *arguments: object) -> None:
    """Enqueue short single-object work after the commit; a broker that is down never fails the request."""

    def send() -> None:
        task.delay(*arguments)

    transaction.on_commit(send, robust=True)
