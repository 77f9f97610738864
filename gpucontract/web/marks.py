"""How a state looks and is called on a page: tone, icon and word in one table, never colour alone."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gpucontract.contracts.lifecycle import STATES
from gpucontract.localise import lazy_text
from gpucontract.verdicts.states import STATE_TEXTS, State


@dataclass(frozen=True, slots=True)
class Mark:
    """A state's look. tone: good, bad, warn, unsure, idle or info (parts.css). icon: a vendored Bootstrap icon."""

    tone: str
    icon: str
    word: str | Promise


MARKS: dict[str, Mark] = {
    "verified": Mark("good", "check-circle-fill", lazy_text(STATE_TEXTS[State.VERIFIED])),
    "breached": Mark("bad", "x-circle-fill", lazy_text(STATE_TEXTS[State.BREACHED])),
    "marginal": Mark("warn", "exclamation-circle-fill", lazy_text(STATE_TEXTS[State.MARGINAL])),
    "inconclusive": Mark("unsure", "question-circle-fill", lazy_text(STATE_TEXTS[State.INCONCLUSIVE])),
    "pending": Mark("idle", "hourglass-split", lazy_text(STATE_TEXTS[State.PENDING])),
    "not_applicable": Mark("idle", "dash-circle", lazy_text(STATE_TEXTS[State.NOT_APPLICABLE])),
    "waived": Mark("info", "shield-check", _("Waived")),
    "remedied": Mark("info", "check2-all", _("Remedy agreed")),
    "offered": Mark("warn", "chat-left-text", _("Remedy offered")),
    "draft": Mark("idle", "pencil", lazy_text(STATES["draft"])),
    "with_vendor": Mark("info", "send", lazy_text(STATES["with_vendor"])),
    "answered": Mark("warn", "chat-left-text", lazy_text(STATES["answered"])),
    "agreed": Mark("info", "check2-all", lazy_text(STATES["agreed"])),
    "signed": Mark("good", "shield-check", lazy_text(STATES["signed"])),
    "delivered": Mark("info", "hdd-network", lazy_text(STATES["delivered"])),
    "accepting": Mark("warn", "speedometer2", lazy_text(STATES["accepting"])),
    "active": Mark("good", "check-circle-fill", lazy_text(STATES["active"])),
    "ended": Mark("idle", "check-lg", lazy_text(STATES["ended"])),
    "withdrawn": Mark("idle", "arrow-left", lazy_text(STATES["withdrawn"])),
    "rejected": Mark("bad", "x-circle-fill", lazy_text(STATES["rejected"])),
    "expired_offer": Mark("warn", "clock-history", lazy_text(STATES["expired_offer"])),
    "terminated": Mark("bad", "x-circle-fill", lazy_text(STATES["terminated"])),
    "superseded": Mark("idle", "file-earmark-diff", lazy_text(STATES["superseded"])),
    "queued": Mark("idle", "clock", _("Queued")),
    "running": Mark("info", "arrow-repeat", _("Running")),
    "done": Mark("good", "check-circle-fill", _("Done")),
    "failed": Mark("bad", "x-circle-fill", _("Failed")),
    "untouched": Mark("idle", "circle", _("Not started")),
    "started": Mark("warn", "circle-half", _("In progress")),
    "complete": Mark("good", "check-circle-fill", _("Complete")),
    "attention": Mark("bad", "exclamation-circle-fill", _("A check stops sending")),
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
