"""The Celery application and the beat schedule."""

import os

from celery import Celery

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
    "mail": every(5.0, "gpucontract.contracts.tasks.mail_due"),
    "expire": every(60.0, "gpucontract.contracts.tasks.expire_due"),
    "end": every(3600.0, "gpucontract.measurements.tasks.end_due"),
    "heads": every(3600.0, "gpucontract.contracts.tasks.keep_heads"),
    "render": every(2.0, "gpucontract.documents.tasks.render_due"),
}
