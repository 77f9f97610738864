"""The appendix prints what changed since the revision before, the total in formal numerals, and the journals' heads."""

import pytest

from gpucontract.accounts.members import change_roles
from gpucontract.contracts import services
from gpucontract.contracts.body import pack
from gpucontract.documents.context import read
from gpucontract.documents.render import render
from gpucontract.documents.services import is_current, printed, request_appendix
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def second(bing, ada):
    contract = factories.sent_contract()
    services.reopen(contract, by=ada)
    services.write_terms(contract, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    return services.send_revision(contract, by=ada)


def test_the_first_revision_is_compared_with_nothing(db):
    assert printed(factories.latest(factories.sent_contract())).against is None


def test_the_second_prints_each_changed_line_with_both_values(second):
    facts = printed(second)
    (line,) = facts.against.lines
    assert (facts.against.name, line.key, line.kind.zh) == ("v1", "g1/ram", "数值有改动")
    assert "2,048" in line.before.en and "1,536" in line.after.en
    html, pdf = render(read(facts.stored()), pack(bytes(second.head), parts(second)))
    assert "与 v1 相比的改动" in html and "（大写：人民币壹佰伍拾陆万元整）" in html and pdf.startswith(b"%PDF")
    assert read(facts.stored()) == facts


def parts(revision):
    return {part.name: bytes(part.document) for part in revision.sections.all()}


def test_an_amendment_is_compared_with_what_it_amends(bing, ada):
    amendment = services.amend_contract(factories.signed_contract(), by=bing)
    services.write_terms(amendment, values={"g1": {"ram_gb_per_node": 1536}}, by=bing)
    against = printed(services.send_revision(amendment, by=ada)).against
    assert against.name == f"{amendment.amends.number} v1" and [line.key for line in against.lines] == ["g1/ram"]


def test_the_heads_are_those_of_the_sending_and_later_events_do_not_move_them(second, ada, adam, wen):
    organisation = factories.organisation_of("adam")
    event = second.contract.events.get(kind="move_send", revision_sha256=second.sha256)
    document = request_appendix(second, by=ada, now=event.at)
    (head,) = printed(second).heads
    assert (head.number, head.sha256) == (event.number, event.sha256)
    change_roles(organisation.memberships.get(user__email="wen@buyer.example"), ["engineer"], by=adam)
    assert is_current(document, second)


def test_the_heads_of_both_organisations_stand_beside_it(bing, ada, adam, sun):
    contract = factories.drafted_contract()
    factories.person("wen")
    organisation = factories.organisation_of("adam")
    change_roles(organisation.memberships.get(user__email="wen@buyer.example"), ["engineer"], by=adam)
    heads = printed(services.send_revision(contract, by=ada)).heads
    last = organisation.events.latest("number")
    assert [(head.number, head.sha256) for head in heads[1:]] == [(last.number, last.sha256)]
    assert organisation.name in heads[1].journal.zh
