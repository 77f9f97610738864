"""Every page of a contract x person x state; acts are walked in test_every_act.py.

Strangers are tried in full. For members a Latin square: in each state every third page refuses each person, every
twelfth is rendered, and the next state takes the next ones, so that each pair of page and person meets several.
"""

import pytest
from django.db import transaction
from django.urls import reverse

from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract
from tests import factories
from tests.web import walk
from tests.web.test_access import GET, PEOPLE, ours, sign_in

pytestmark = pytest.mark.django_db
PARTS = {"step": "nodes", "number": 1, "old": 1, "new": 1, "which": "nodes", "key": "g1/ram", "kind": "docx"}
STATES = [state.value for state in State]
STRANGERS = ("mallory", "zoe")
MEMBERS = ("bing", "ada", "eng", "wen", "vera", "sun")
IN_FORCE = ("signed", "delivered", "accepting", "active")
SENT = tuple(state for state in STATES if state != "draft")
EDITABLE = ("draft", "answered")
# The contract that stands for a state; the first three are in it by themselves.
WORLD = {"draft": "unsent", "answered": "answered", "agreed": "agreed", **dict.fromkeys(IN_FORCE, "agreed"),
         "ended": "agreed", "terminated": "agreed"}  # fmt: skip
# Pages that change terms: open while the terms are, else 409 for those who draft.
DRAFTING = {"contract-draft", "contract-draft-check", "contract-vendor", "contract-draft-step", "contract-draft-panel",
            "contract-draft-more", "contract-spec-sheet"}  # fmt: skip
# What has no revision, file or later version to show for these addresses.
ALWAYS_MISSING = {"contract-draft-more": EDITABLE, "contract-compare": STATES}
# Pages about what the vendor was shown.
OFFERED = {"contract-answers", "contract-answers-list", "contract-appendix-state", "contract-clauses", "contract-line",
           "contract-remedies", "contract-rounds", "contract-sign"}  # fmt: skip


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """Contracts at the turns of a negotiation, built once; every test changes them in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        for name in factories.PEOPLE:
            factories.person(name)
        made = {"sent": factories.sent_contract, "unsent": factories.drafted_contract, "answered": walk.answered}
        yield {name: make() for name, make in (made | {"agreed": factories.agreed_contract}).items()}
        transaction.set_rollback(True)


def in_state(contract, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    return contract


def standing(world, state):
    return in_state(world[WORLD.get(state, "sent")], state)


def addresses(contract, wanted):
    """The address of every wanted page that a contract alone makes; runs, nodes and papers hang on rows of their own."""
    found = {}
    for each in ours():
        names = set(each.pattern.converters)
        if each.name in wanted and each.name.startswith("contract-") and "uuid" in names and names <= {"uuid", *PARTS}:
            things = PARTS | {"uuid": contract.uuid}
            found[each.name] = reverse(each.name, kwargs={name: things[name] for name in names})
    return found


def codes(client, person, contract, wanted):
    sign_in(client, person)
    return {name: client.get(url).status_code for name, url in addresses(contract, wanted).items()}


@pytest.mark.parametrize("state", STATES)
def test_a_stranger_finds_no_page_in_any_state(client, world, state):
    person = STRANGERS[STATES.index(state) % len(STRANGERS)]
    found = codes(client, person, in_state(world["sent"], state), GET)
    assert len(found) > 20 and found == dict.fromkeys(found, 404), person


@pytest.mark.parametrize("state", ["draft", "withdrawn"])
def test_a_vendor_finds_no_page_of_what_was_never_sent(client, world, state):
    found = codes(client, "vera", in_state(world["unsent"], state), GET)
    assert len(found) > 20 and found == dict.fromkeys(found, 404)


@pytest.mark.parametrize("state", STATES)
def test_members_read_what_the_table_says_in_every_state(client, world, state):
    contract, place, wrong = standing(world, state), STATES.index(state), {}
    for turn, person in enumerate(MEMBERS):
        sign_in(client, person)
        for at, (name, url) in enumerate(sorted(addresses(contract, GET).items())):
            code = expected(name, person, state)
            if (at + turn + place) % (12 if code == 200 else 3):
                continue
            found = client.get(url).status_code
            if found != code:
                wrong[person, name] = found
    assert wrong == {}


def expected(name, person, state):
    code = GET[name][PEOPLE.index(person)]
    if state == "draft" and person in ("vera", "sun"):
        return 404
    if state in ALWAYS_MISSING.get(name, ()) and code in (200, 409):
        return 404
    if name in DRAFTING and code == 409:
        return 200 if state in EDITABLE else 409
    return 404 if state == "draft" and name in OFFERED else code
