"""Background entry points of contracts."""

from gpucontract.celery_app import app
from gpucontract.contracts import expiry, mailing


@app.task(soft_time_limit=110, time_limit=120)
def expire_due() -> int:
    return expiry.expire_due() + expiry.remind_due()


@app.task(soft_time_limit=230, time_limit=240)
def mail_due() -> int:
    return mailing.send_due()
