"""Background entry points of documents."""

from gpucontract.celery_app import app
from gpucontract.documents import rendering


@app.task(soft_time_limit=700, time_limit=720)
def render_due() -> int:
    return rendering.render_due()
