"""What the draft costs, as it stands beside the commercial step while somebody types."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from gpucontract.canonical import decimal_text
from gpucontract.contracts.amounts import SHORTENED_FROM, as_agreed, formal, in_full, in_wan
from gpucontract.contracts.money import Quote, quote
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.terms import Terms
from gpucontract.localise import spoken


@dataclass(frozen=True, slots=True)
class Price:
    """The total in three ways of writing it, what it comes to by month and hour, and how it was computed.

    lacking: the term that the total still waits for, "" where there is a total; is_unread: whether text that is no
    number stands in it.
    """

    full: str
    short: str
    formal: str
    shares: tuple[tuple[str, str], ...]
    how: str
    is_firm: bool
    lacking: str
    is_unread: bool


def price_of(terms: Terms, unread: Collection[str] = ()) -> Price:
    """The price of the drafted terms, as far as it can be told."""
    known = quote(terms)
    total, currency = known.total, known.currency
    return Price(
        full=spoken(in_full(total, currency)) if total is not None else "",
        short=spoken(in_wan(total, currency)) if total is not None and abs(total) >= SHORTENED_FROM else "",
        formal=formal(total, currency) if total is not None else "",
        shares=tuple(_shares(known, terms)),
        how=spoken(known.how) if known.how else "",
        is_firm=known.is_firm,
        lacking=_label(known.lacking),
        is_unread=known.lacking.replace("/", "-") in unread,
    )


def _shares(known: Quote, terms: Terms) -> Iterator[tuple[str, str]]:
    promised = terms.get("c/sla_availability_pct")
    named: list[tuple[str, Decimal | None]] = [
        (_("Per month"), known.monthly),
        (_("Without VAT"), known.net if known.net != known.total else None),
        (_("Per GPU-hour"), known.gpu_hour),
    ]
    if promised is not None:
        label = _("Per healthy GPU-hour at %(pct)s %%") % {"pct": decimal_text(Decimal(promised))}
        named.append((label, known.healthy_gpu_hour))
    yield from ((label, spoken(as_agreed(value, known.currency))) for label, value in named if value is not None)


def _label(path: str) -> str:
    info = TERMS.get(path.partition("/")[2])
    return spoken(info.label) if info else ""
