"""How a state looks and is called on a page: tone, icon and word in one table, never colour alone."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Mark:
    """A state's look. tone: good, bad, warn, unsure, idle or info (parts.css). icon: a vendored Bootstrap icon."""

    tone: str
    icon: str
    word: str | Promise


MARKS: dict[str, Mark] = {
    "verified": Mark("good", "check-circle-fill", _("Verified")),
    "breached": Mark("bad", "x-circle-fill", _("Breached")),
    "marginal": Mark("warn", "exclamation-circle-fill", _("Marginal")),
    "inconclusive": Mark("unsure", "question-circle-fill", _("Inconclusive")),
    "pending": Mark("idle", "hourglass-split", _("Pending")),
    "not_applicable": Mark("idle", "dash-circle", _("Not applicable")),
    "waived": Mark("info", "shield-check", _("Waived")),
    "draft": Mark("idle", "pencil", _("Draft")),
    "with_vendor": Mark("info", "send", _("With the vendor")),
    "answered": Mark("warn", "chat-left-text", _("Answered")),
    "agreed": Mark("info", "check2-all", _("Agreed")),
    "signed": Mark("good", "shield-check", _("Signed")),
    "delivered": Mark("info", "hdd-network", _("Delivered")),
    "accepting": Mark("warn", "speedometer2", _("In acceptance")),
    "active": Mark("good", "check-circle-fill", _("Active")),
    "ended": Mark("idle", "check-lg", _("Ended")),
    "withdrawn": Mark("idle", "arrow-left", _("Withdrawn")),
    "rejected": Mark("bad", "x-circle-fill", _("Rejected")),
    "expired_offer": Mark("warn", "clock-history", _("Offer expired")),
    "terminated": Mark("bad", "x-circle-fill", _("Terminated")),
    "queued": Mark("idle", "clock", _("Queued")),
    "running": Mark("info", "arrow-repeat", _("Running")),
    "done": Mark("good", "check-circle-fill", _("Done")),
    "failed": Mark("bad", "x-circle-fill", _("Failed")),
    "untouched": Mark("idle", "circle", _("Not started")),
    "started": Mark("warn", "circle-half", _("In progress")),
    "complete": Mark("good", "check-circle-fill", _("Complete")),
}

TONES = {"success": "good", "error": "bad", "warning": "warn", "info": "info", "debug": "idle"}
TONE_ICONS = {
    "good": "check-circle-fill",
    "bad": "x-circle-fill",
    "warn": "exclamation-triangle-fill",
    "unsure": "question-circle-fill",
    "info": "info-circle-fill",
    "idle": "dash-circle",
}
