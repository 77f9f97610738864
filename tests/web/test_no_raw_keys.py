"""No page shows a person the name that only the program knows: of a term, a choice, a clause or a row."""

import re
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.printing import condition_lines, printed_value
from gpucontract.contracts.sections.steps import STEPS, TERMS
from tests import factories
from tests.every_term import every_term

pytestmark = pytest.mark.django_db
# What the field itself writes so, as its tools print it.
FIELD_WORDS = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "ib_write_bw", "send_recv", "node_exporter"}
UNSEEN = {"script", "style", "datalist", "symbol"}


class _Text(HTMLParser):
    """Collects what a person reads."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag, _attrs):
        self.hidden += tag in UNSEEN

    def handle_endtag(self, tag):
        self.hidden -= tag in UNSEEN

    def handle_data(self, data):
        if not self.hidden:
            self.read.append(data)


def keys() -> set[str]:
    """Every name of a term, of a column and of a choice that is no word of the field in itself."""
    infos = [*TERMS.values(), *(column for info in TERMS.values() for column in info.columns)]
    choices = {str(value) for info in infos for value, text in info.choices.items() if str(value) not in text.zh}
    return {name for name in {info.id for info in infos} | choices if re.fullmatch(r"[a-z]\w*[_a-z]\w*", name)}


def raw_in(page: str) -> set[str]:
    """The keys in a page's text, and row codes such as g1 or c/price."""
    reader = _Text()
    reader.feed(page)
    text = " ".join(reader.read)
    words = set(re.findall(r"(?<![\w./@-])[a-z]\w+(?![\w./@-])", text))
    snakes = {word for word in words if "_" in word}
    rows = set(re.findall(r"(?<![\w/.-])(?:c|[gm]\d{1,2})(?:/\w+)?(?![\w/.-])", text))
    return (((words & keys()) | snakes) - FIELD_WORDS) | rows


@pytest.fixture
def full(db):
    contract, bing = factories.empty_contract(), factories.person("bing")
    services.add_group(contract, by=bing)
    for _ in range(2):
        services.add_mount(contract, by=bing)
    services.write_terms(contract, values=every_term(), by=bing)
    return contract


@pytest.mark.parametrize("step", [section.id for section in STEPS])
def test_a_chinese_step_shows_no_key(client, full, step):
    client.force_login(factories.person("bing"))
    address = reverse("contract-draft-step", args=[full.uuid, step])
    page = client.get(f"{address}?more=c&more=g1&more=m1").content.decode()
    assert raw_in(page) == set()


def test_the_last_page_shows_no_key(client, full):
    client.force_login(factories.person("ada"))
    assert raw_in(client.get(reverse("contract-draft-check", args=[full.uuid])).content.decode()) == set()


def test_no_clause_shows_a_key(client, full):
    client.force_login(factories.person("ada"))
    revision = services.freeze_revision(full, by=factories.person("bing"))
    for clause in revision.body().clauses:
        said = [clause.text, printed_value(clause), *condition_lines(clause)]
        assert (clause.key, raw_in(" ".join(f"<p>{text.zh}</p>" for text in said))) == (clause.key, set())
