"""Tags of the page frame: icons, marks of states, navigation."""

from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.forms import BaseForm
from django.template.context import RequestContext
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from gpucontract.web.marks import MARKS, TONE_ICONS, TONES

register = template.Library()

ICONS = settings.BASE_DIR / "static" / "vendor" / "bootstrap-icons"
NAV: tuple[tuple[str, str | Promise, str], ...] = (
    ("dashboard", _("Dashboard"), "dashboard"),
    ("contract-list", _("Contracts"), "contract run node"),
    ("catalogue", _("Catalogue"), "catalogue"),
    ("paste", _("Read output"), "paste"),
)


@cache
def _drawing(name: str) -> str:
    svg = (ICONS / f"{name}.svg").read_text(encoding="utf-8").strip()
    return svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)


@register.simple_tag
def icon(name: str) -> SafeString:
    """A vendored icon inline; it says nothing to a screen reader, so a word must stand beside it."""
    return mark_safe(_drawing(name))


@register.simple_tag
def mark(state: str, word: str = "") -> SafeString:
    """A state as icon and word in its tone: {% mark "breached" %}."""
    look = MARKS[state]
    return format_html(
        '<span class="state-mark {}">{}<span>{}</span></span>', look.tone, icon(look.icon), word or look.word
    )


@register.simple_tag
def state_word(state: str) -> str | Promise:
    """The word of a state alone, where a mark beside it would be too much."""
    return MARKS[state].word


@register.simple_tag
def pill(state: str, word: str = "") -> SafeString:
    """A state as a soft badge with a dot, for headings and lists: {% pill contract.state %}."""
    look = MARKS[state]
    return format_html(
        '<span class="pill {}"><span class="dot"></span><span>{}</span></span>', look.tone, word or look.word
    )


@register.simple_tag
def gap() -> str:
    """What parts two sentences: a blank, which Chinese does without."""
    return "" if (get_language() or "").startswith("zh") else " "


@register.inclusion_tag("parts/_note.html")
def note(tone: str, text: str, icon: str = "") -> dict[str, Any]:
    """One sentence in a soft box: {% note "warn" _("…") %}."""
    return {"tone": tone, "text": text, "icon": icon or TONE_ICONS[tone]}


@register.filter
def tone_of(level: str) -> str:
    """The tone of a message level: error becomes bad."""
    return TONES.get(level, "info")


@register.inclusion_tag("parts/_nav.html", takes_context=True)
def main_nav(context: RequestContext) -> dict[str, Any]:
    """The main navigation; the page one is in is marked by its URL's name."""
    match = context["request"].resolver_match
    here = match.url_name if match else ""
    return {"items": [(reverse(name), label, here.partition("-")[0] in pages.split()) for name, label, pages in NAV]}


@register.inclusion_tag("parts/_crumbs.html")
def crumbs(*labels_and_urls: str) -> dict[str, Any]:
    """The way to this page: {% crumbs label url label url here %}; the last one has no url."""
    pairs = list(labels_and_urls)
    links = list(zip(pairs[0:-1:2], pairs[1::2], strict=False))
    return {"links": links, "here": pairs[-1] if len(pairs) % 2 else ""}


@register.inclusion_tag("contracts/draft/_problems.html")
def problems_of(form: BaseForm) -> dict[str, object]:
    """The summary of what is wrong in a form, each line leading to its input; nothing while all is right."""
    places = getattr(form, "places", {})
    problems = [
        {"message": message, "target": places.get(name) or _input_of(form, name)}
        for name, messages in form.errors.items()
        for message in messages
    ]
    return {"problems": problems}


def _input_of(form: BaseForm, name: str) -> str:
    """The id of a field's first input; of what is wrong with the whole form, its first field's."""
    bound = form[name if name in form.fields else next(iter(form.fields))]
    return bound.id_for_label or f"{bound.auto_id}_0"
