"""The judging stage as a Celery task; the ticker calls it as a plain function."""

from gpucontract.celery_app import app
from gpucontract.verdicts import judging


@app.task
def judge_due() -> int:
    """Judge one contract that has news."""
    return judging.judge_due()
