"""Letters: queued in the transaction of the event they speak of, sent afterwards, each person once per event."""

from __future__ import annotations

import json
import logging
import smtplib
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.accounts.roles import SIDES, Side
from gpucontract.contracts.letters import LETTERS, Letter, written
from gpucontract.contracts.models import Contract, Event, Mail
from gpucontract.wording import Text

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=5)
PAUSE = timedelta(minutes=2)
MAX_ATTEMPTS = 6
BATCH = 50


def queue_letters(contract: Contract, event: Event) -> int:
    """Leave one row per person concerned by an event, in the event's own transaction; the actor gets none."""
    letter = LETTERS.get(event.kind)
    if letter is None:
        return 0
    place = [contract.uuid, event.key] if letter.page == "contract-line" else [contract.uuid]
    link = f"{settings.BASE_URL}{reverse(letter.page, args=place)}"
    subject, text = written(letter, _facts(contract, event), link)
    rows = [
        Mail(contract=contract, to=person, occasion=f"{event.kind}-{event.number}", subject=subject[:300], body=text,
             due_at=event.at)
        for person in _people(contract, letter)
        if person.pk != event.actor_id
    ]  # fmt: skip
    return len(Mail.objects.bulk_create(rows))


def send_due(now: datetime | None = None) -> int:
    """Send what is due; returns how many letters went out. A claimed letter is due again only after its lease."""
    at = now or timezone.now()
    due = Mail.objects.filter(due_at__lte=at).order_by("due_at").values_list("pk", flat=True)[:BATCH]
    return sum(_send(mail) for pk in list(due) if (mail := _claim(pk, at)) is not None)


def _claim(pk: int, now: datetime) -> Mail | None:
    """Take a letter by pushing its due time on; None when somebody else was faster."""
    token = uuid.uuid4()
    if not Mail.objects.filter(pk=pk, due_at__lte=now).update(due_at=now + LEASE, lease=token):
        return None
    return Mail.objects.select_related("to").get(pk=pk)


def _send(mail: Mail) -> bool:
    # The same Message-ID on a second try, so that a letter sent just before a crash shows once in the reader's box.
    headers = {"Message-ID": f"<{mail.uuid}@gpucontract>", "Auto-Submitted": "auto-generated"}
    mine = Mail.objects.filter(pk=mail.pk, lease=mail.lease)
    try:
        EmailMessage(mail.subject, mail.body, None, [mail.to.email], headers=headers).send()
    # ValueError: a header or an address that no mail can bear.
    except (smtplib.SMTPException, OSError, ValueError) as fault:
        attempts = mail.attempts + 1
        again = None if attempts >= MAX_ATTEMPTS else timezone.now() + PAUSE * attempts
        mine.update(due_at=again, lease=None, attempts=attempts, error=str(fault)[:1000])
        log.warning("letter %s was not sent: %s", mail.uuid, fault)
        return False
    mine.update(due_at=None, lease=None, sent_at=timezone.now(), error="")
    return True


def _people(contract: Contract, letter: Letter) -> Iterator[User]:
    """Everybody of the letter's sides with one of its roles; the vendor's only once it has been shown anything."""
    has_seen = contract.revisions.filter(sent_at__isnull=False).exists()
    for side in letter.sides:
        organisation = contract.buyer if side is Side.BUYER else contract.vendor
        if organisation is None or (side is Side.VENDOR and not has_seen):
            continue
        for membership in organisation.memberships.filter(user__is_active=True).select_related("user"):
            if set(membership.roles) & set(letter.roles):
                yield membership.user


def _facts(contract: Contract, event: Event) -> dict[str, object]:
    body: dict[str, Any] = json.loads(event.body)
    # More time is told of before the contract holds it.
    until = datetime.fromisoformat(body["until"]) if body.get("until") else contract.offer_valid_until
    own: dict[str, object] = {
        "contract": contract.number,
        "title": contract.title,
        "buyer": contract.buyer,
        "vendor": contract.vendor,
        "who": event.actor,
        "line": _line(contract, event) if event.kind == "commented" else event.key,
        "deadline": f"{timezone.localtime(until):%Y-%m-%d %H:%M}" if until else "",
    }
    side = SIDES.get(body.get("side", ""))
    own |= {name: Text(*body[name]) for name in ("what", "about") if name in body}
    return body | own | {"side": side or ""}


def _line(contract: Contract, event: Event) -> Text | str:
    """The line of the newest revision that an event speaks of, in its own words."""
    newest = contract.revisions.sent().order_by("-number").first()
    found = [clause.text for clause in newest.body().clauses if clause.key == event.key] if newest else []
    return found[0] if found else event.key
