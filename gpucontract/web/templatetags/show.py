"""Filters that show a value with its unit, its money or its time; nothing here computes."""

from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, Decimal

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from gpucontract.contracts.buffering import clock
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.localise import spoken
from gpucontract.units import grouped, unit_word
from gpucontract.wording import Text

register = template.Library()

SIGNS = {"CNY": "¥", "USD": "US$", "HKD": "HK$"}
NO_VALUE = "—"
MOST_MINUTES = 120


@register.filter
def said(text: Text | None) -> str:
    """A Text in the reader's language."""
    return spoken(text) if text else ""


@register.filter
def term_label(path: str) -> str:
    """What a term is called, by its path."""
    info = TERMS.get(path.partition("/")[2])
    return spoken(info.label) if info else path


register.filter("clock", clock)


@register.filter
def number(value: Decimal | int | None) -> str:
    """A number with thousands separators and no trailing zeros; nothing measured shows as a dash, never as 0."""
    return NO_VALUE if value is None else grouped(value)


@register.filter
def quantity(value: Decimal | int | None, unit: str) -> str:
    """A number and its unit with a space between: 455 GB/s."""
    shown = number(value)
    return shown if shown == NO_VALUE or not unit else f"{shown} {spoken(unit_word(unit))}"


@register.filter
def minutes(value: int) -> str:
    """So many minutes; beyond two hours in hours, to a tenth: 72.1 h."""
    if value <= MOST_MINUTES:
        return quantity(value, "min")
    return quantity((Decimal(value) / 60).quantize(Decimal("0.1"), ROUND_CEILING), "h")


@register.filter
def money(value: Decimal | None, currency: str = "CNY") -> str:
    """The exact amount: ¥1,286,000.50."""
    return NO_VALUE if value is None else f"{SIGNS.get(currency, currency + ' ')}{value:,.2f}"


@register.filter
def money_short(value: Decimal | None, currency: str = "CNY") -> str | SafeString:
    """The amount for a tile, the exact one in its title: ¥128.6 万, ¥1.2 亿, or ¥1.29M in English."""
    if value is None:
        return NO_VALUE
    exact = money(value, currency)
    scales = [(10**8, " 亿", 2), (10**4, " 万", 1)]
    if get_language() == "en":
        scales = [(10**9, "B", 2), (10**6, "M", 2), (10**3, "k", 1)]
    for size, word, places in scales:
        if abs(value) >= size:
            short = f"{SIGNS.get(currency, currency + ' ')}{(value / size).quantize(Decimal(10) ** -places):f}{word}"
            return format_html('<span title="{}">{}</span>', exact, short)
    return exact


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """A time with its zone, and how far away it is beside it."""
    if at is None:
        return NO_VALUE
    local = timezone.localtime(at)
    exact = f"{local:%Y-%m-%d %H:%M} {_zone(local)}"
    return format_html(
        '<time datetime="{}">{}</time>&nbsp;<span class="muted">· {}</span>', at.isoformat(), exact, ago(at)
    )


def _zone(local: datetime) -> str:
    """What the zone is called: CST may be Beijing's or Chicago's."""
    if timezone.get_current_timezone_name() == "Asia/Shanghai":
        return _("Beijing time")
    return local.tzname() or ""


@register.filter
def ago(at: datetime | date | None) -> str:
    """How far a time is away in words: 3 days ago, in 2 hours."""
    if at is None:
        return NO_VALUE
    gap = at - (timezone.now() if isinstance(at, datetime) else timezone.localdate())
    if isinstance(at, datetime) and abs(gap) < timedelta(minutes=1):
        return _("just now")
    distance = span(abs(gap))
    return (_("in %(distance)s") if gap > timedelta() else _("%(distance)s ago")) % {"distance": distance}


@register.filter
def span(length: timedelta) -> str:
    """A span in its largest unit of days, hours or minutes."""
    whole = int(length.total_seconds()) // 60
    if days := whole // (24 * 60):
        return ngettext("%(count)s day", "%(count)s days", days) % {"count": days}
    if hours := whole // 60:
        return ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours}
    return ngettext("%(count)s minute", "%(count)s minutes", whole) % {"count": whole}
