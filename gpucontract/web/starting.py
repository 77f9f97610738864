"""What a new contract can be started from, as cards: what each contains and what is left to type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import get_language

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts import copying, interchange
from gpucontract.contracts.creating import BUYERS_OWN
from gpucontract.contracts.models import Contract, OwnTemplate
from gpucontract.contracts.sections.gaps import Left, counted, unanswered
from gpucontract.contracts.sections.steps import SECTIONS, terms_of
from gpucontract.contracts.sections.term import TermInfo
from gpucontract.contracts.templates import Template, templates
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.values import joined
from gpucontract.localise import spoken
from gpucontract.web.catalogue_page import Source, sources
from gpucontract.web.forms.steps import Place, places_of
from gpucontract.web.wizard import said, summary_of, titles_of
from gpucontract.wording import Text

_NONE = Text("不适用：{reason}", "not applicable: {reason}")
EMPTY, COPY, TEMPLATE, OWN = "empty", "copy", "template", "own"
MOST_COPIES = 200


@dataclass(frozen=True, slots=True)
class Contents:
    """What a set of terms holds: its machines in few words, how many terms, and what is left to type.

    stopping: in words, what of it stops sending.
    """

    machines: tuple[str, ...]
    count: int
    left: Left
    stopping: str


@dataclass(frozen=True, slots=True)
class Card:
    """One thing to start from. value: what its radio button posts; address: where all its values are shown."""

    value: str
    title: str
    when: str
    contents: Contents
    limits: tuple[str, ...] = ()
    address: str = ""
    own: OwnTemplate | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """One value of a template as its page shows it, with where it comes from."""

    label: str
    values: tuple[str, ...]
    note: str = ""
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenSection:
    """The values of one section of a template."""

    title: str
    given: tuple[Given, ...]


def template_cards() -> list[Card]:
    """The templates that come with the software."""
    return [_card(template) for template in templates().values()]


def own_cards(user: User, buyers: QuerySet[Organisation]) -> list[Card]:
    """The templates of the organisations a person drafts for."""
    found = OwnTemplate.objects.visible_to(user).filter(organisation__in=buyers).select_related("created_by")
    return [own_card(template) for template in found]


def own_card(template: OwnTemplate) -> Card:
    """One's own template as a card."""
    terms = interchange.kept(template.values)
    return Card(f"{OWN}:{template.uuid}", template.name, "", contents_of(terms), own=template)


def copyable(user: User, buyers: QuerySet[Organisation]) -> QuerySet[Contract]:
    """The contracts a person may copy: those their own organisations buy in, whatever their state."""
    return Contract.objects.visible_to(user).filter(buyer__in=buyers).order_by("-created_at")


def contents_of(terms: Terms) -> Contents:
    """What a draft started from these terms holds; whoever starts it gives the buyer's name and code."""
    count = sum(terms.is_given(f"{code}/{info.id}") for code in terms.rows for info in terms_of(code))
    gaps = [gap for gap in unanswered(terms) if gap.info.id not in BUYERS_OWN]
    labels = list(dict.fromkeys(gap.info.label for gap in gaps if gap.stops))
    stopping = spoken(joined(labels)) if labels else ""
    return Contents(tuple(summary_of(code, terms) for code in terms.groups), count, counted(gaps), stopping)


def source_of(start: str, user: User) -> copying.Source:
    """What a chosen card stands for. Raises KeyError for a template nobody knows, DoesNotExist for a stranger's."""
    kind, _colon, name = start.partition(":")
    if kind == TEMPLATE:
        return copying.from_template(templates()[name], _language())
    return copying.from_own_template(OwnTemplate.objects.visible_to(user).get(uuid=name))


def sections_of(terms: Terms, template: Template | None = None) -> list[GivenSection]:
    """Every given value, section by section, with its provenance where a template knows it."""
    found = ((spoken(section.title), tuple(_given(terms, name, template))) for name, section in SECTIONS.items())
    return [GivenSection(title, given) for title, given in found if given]


def _given(terms: Terms, section: str, template: Template | None) -> Iterable[Given]:
    for place in places_of(SECTIONS[section], terms, _titles(terms)):
        for info in place.infos:
            path = f"{place.code}/{info.id}"
            value = terms.get(path)
            if reason := terms.reason(path):
                yield Given(_label(place, info), (spoken(_NONE.fill(reason=reason)),))
            if value is None:
                continue
            note = template.provenance(path) if template else None
            currency = terms.get("c/currency", "CNY")
            lines = tuple(said(info, row, currency) for row in (value if info.columns else (value,)))
            why, where = (spoken(note.text), sources(note.source)) if note else ("", ())
            yield Given(_label(place, info), lines, why, where)


def _titles(terms: Terms) -> dict[str, str]:
    """What each group and mount is called, where there are several of its kind."""
    kinds = [codes for codes in (terms.groups, terms.mounts) if len(codes) > 1]
    return {code: title for code, title in titles_of(terms).items() if any(code in codes for codes in kinds)}


def _label(place: Place, info: TermInfo) -> str:
    return " · ".join(filter(None, (place.title, spoken(info.label))))


def _language() -> str:
    return get_language() or "zh-hans"


def _card(template: Template) -> Card:
    title, when = spoken(template.title), spoken(template.when)
    limits = tuple(spoken(limit) for limit in template.limits)
    address = reverse("contract-template", args=[template.id])
    return Card(f"{TEMPLATE}:{template.id}", title, when, contents_of(template.terms_in(_language())), limits, address)
