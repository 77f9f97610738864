"""The judging stage as a Celery task; the ticker calls it as a plain function."""

from gpucontract.celery_app import app
from gpucontract.verdicts import judging


@app.task
def judge_due() -> int:
    """Judge every contract with new or stale evidence."""
    return judging.judge_due()
