"""Every page of a contract x every state: strangers find nothing ever, a vendor nothing before it is sent."""

import pytest
from django.db import transaction
from django.urls import reverse

from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract
from tests import factories
from tests.web.test_access import GET, ours, sign_in

pytestmark = pytest.mark.django_db
PARTS = {"step": "nodes", "number": 1, "old": 1, "new": 1, "which": "nodes", "key": "g1/ram", "kind": "docx"}
STATES = [state.value for state in State]
STRANGERS = ("mallory", "zoe")


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """One contract that was sent and one that never was, built once; every test changes them in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        for name in factories.PEOPLE:
            factories.person(name)
        yield {"sent": factories.sent_contract(), "unsent": factories.drafted_contract()}
        transaction.set_rollback(True)


def in_state(contract, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    return contract


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
