"""Background entry points of contracts."""

from gpucontract.celery_app import app
from gpucontract.contracts import expiry, heads, mailing


@app.task(soft_time_limit=110, time_limit=120)
def expire_due() -> int:
    return expiry.expire_due() + expiry.remind_due()


@app.task
def keep_heads() -> int:
    """Keep today's head of every journal that grew."""
    return heads.keep_heads()


@app.task(soft_time_limit=230, time_limit=240)
def mail_due() -> int:
    return mailing.send_due()
