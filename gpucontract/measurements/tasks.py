"""The two stages, and the end of terms, as Celery tasks; the ticker calls them as plain functions."""

from gpucontract.celery_app import app
from gpucontract.measurements import ending, parsing, pull


@app.task
def pull_due() -> int:
    """Exchange orders for results with every agent that is due."""
    return pull.pull_due()


@app.task
def parse_due() -> int:
    """Read every result that today's parsers have not read."""
    return parsing.parse_due()


@app.task(soft_time_limit=290, time_limit=300)
def end_due() -> int:
    """End every contract whose term is over."""
    return ending.end_due()
