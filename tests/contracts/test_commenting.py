"""Comments: to both sides by those who speak for a side, to one's own side by everybody who reads."""

import json

import pytest

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import Comment
from gpucontract.contracts.services import comment
from tests import factories

pytestmark = pytest.mark.django_db
PEOPLE = ("bing", "ada", "eng", "wen", "vera", "sun", "mallory", "zoe")
MAY = {"shared": ("bing", "ada", "vera", "sun"), "internal": ("bing", "ada", "eng", "wen", "vera", "sun")}


@pytest.fixture
def contract(db):
    return factories.sent_contract()


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("audience", MAY)
def test_who_may_write_what(contract, name, audience):
    who = factories.person(name)
    if name in MAY[audience]:
        assert comment(contract, "g1/ram", text="看过", audience=audience, by=who).written_by == who
    else:
        with pytest.raises(NotAllowed):
            comment(contract, "g1/ram", text="看过", audience=audience, by=who)


@pytest.mark.parametrize(("writer", "reads", "reads_not"), [
    ("ada", ("bing", "eng", "wen"), ("vera", "sun", "mallory", "zoe")),
    ("vera", ("sun",), ("bing", "ada", "wen", "mallory", "zoe")),
])  # fmt: skip
def test_an_internal_comment_is_read_by_its_own_side_only(contract, writer, reads, reads_not):
    comment(contract, "g1/ram", text="底线", audience="internal", by=factories.person(writer))
    for names, many in ((reads, 1), (reads_not, 0)):
        for name in names:
            assert Comment.objects.visible_to(factories.person(name), contract).count() == many, name


def test_a_shared_comment_is_read_by_both_sides_and_no_stranger(contract, ada):
    comment(contract, "g1/ram", text="可以吗", audience="shared", by=ada)
    seen = {name: Comment.objects.visible_to(factories.person(name), contract).count() for name in PEOPLE}
    assert seen == {name: int(name not in ("mallory", "zoe")) for name in PEOPLE}


def test_the_journal_says_that_an_internal_comment_was_written_and_never_what(contract, ada):
    comment(contract, "g1/ram", text="底线 1024", audience="internal", by=ada)
    event = contract.events.latest("number")
    assert (event.kind, event.key, json.loads(event.body)) == ("noted_buyer", "g1/ram", {})


REFUSED = [
    ("  ", "g1/ram", "at most 2000"),
    ("字" * 2001, "g1/ram", "at most 2000"),
    ("x", "g9/none", "no line g9/none"),
]


@pytest.mark.parametrize(("text", "key", "said"), REFUSED, ids=["empty", "long", "no line"])
def test_it_refuses(contract, ada, text, key, said):
    with pytest.raises(ContractError) as caught:
        comment(contract, key, text=text, audience="shared", by=ada)
    assert said in caught.value.text.en


def test_nothing_is_commented_before_the_vendor_sees_a_line(ada):
    with pytest.raises(ContractError):
        comment(factories.drafted_contract(), "g1/ram", text="x", audience="shared", by=ada)
