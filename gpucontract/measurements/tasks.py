"""The two stages as Celery tasks; the ticker calls them as plain functions."""

from gpucontract.celery_app import app
from gpucontract.measurements import parsing, pull


@app.task
def pull_due() -> int:
    """Exchange orders for results with every agent that is due."""
    return pull.pull_due()


@app.task
def parse_due() -> int:
    """Read every result that today's parsers have not read."""
    return parsing.parse_due()
