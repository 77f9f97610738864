"""Every page of a contract x person x state: strangers find nothing, refusals do not depend on the state, acts do.

Strangers and acts are tried in full. For members a Latin square: in each state every third page refuses each person,
every twelfth is rendered, and the next state takes the next ones, so that each pair of page and person meets several.
"""

import pytest
from django.db import transaction
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.lifecycle import State
from gpucontract.contracts.models import Contract
from tests import factories
from tests.web.test_access import GET, PEOPLE, POST, ours, sign_in

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
           "contract-rounds", "contract-sign"}  # fmt: skip
# Act -> who, what is posted, the states in which something happens, the code in every other; a move that does not fit
# leaves the contract and its journal as they were.
ACTS = {
    "contract-reopen": ("ada", {}, ("with_vendor", "agreed"), 409),
    "contract-withdraw": ("ada", {"reason": "x"}, ("draft", "with_vendor", "answered", "agreed"), 409),
    "contract-extend": ("ada", {"until_day": "2027-02-01"}, ("with_vendor", "expired_offer"), 302),
    "contract-amend": ("bing", {}, IN_FORCE, 302),
    "contract-draft-send": ("ada", {}, ("draft",), 422),
    "contract-draft-autosave": ("bing", {}, (), 409),
    "contract-draft-step": ("bing", {}, (), 409),
    "contract-decide": ("ada", {"decision-g1/ram": "accepted"}, ("answered",), 302),
    "contract-order": ("eng", {}, (), 409),
    "contract-answers": ("vera", {"answer-g1/ram": "confirm"}, ("with_vendor",), 422),
    "contract-reject": ("sun", {"reason": "x"}, ("with_vendor", "answered"), 302),
    "contract-sign": ("sun", {}, (), 422),
    "contract-name-signer": ("vera", {"email": "x@vendor.example"}, ("with_vendor", "answered", "agreed"), 302),
    "contract-comment-shared": ("vera", {"shared_text": "x"}, SENT, 404),
    "contract-comment-internal": ("eng", {"internal_text": "x"}, SENT, 404),
    "contract-appendix-state": ("wen", {}, SENT, 404),
}
# Where a code is another one than the act's usual, though nothing happens.
OTHER_CODES = {
    ("contract-order", "signed"): 422, ("contract-order", "delivered"): 422, ("contract-order", "accepting"): 422,
    ("contract-order", "active"): 422, ("contract-draft-autosave", "draft"): 200,
    ("contract-draft-autosave", "answered"): 200, ("contract-draft-step", "draft"): 302,
    ("contract-draft-step", "answered"): 302,
    **{(name, "draft"): 404 for name in ("contract-decide", "contract-answers", "contract-reject", "contract-sign", "contract-name-signer")},
}  # fmt: skip


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """Contracts at the turns of a negotiation, built once; every test changes them in a savepoint of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        for name in factories.PEOPLE:
            factories.person(name)
        made = {"sent": factories.sent_contract, "unsent": factories.drafted_contract, "answered": answered}
        yield {name: make() for name, make in (made | {"agreed": factories.agreed_contract}).items()}
        transaction.set_rollback(True)


def answered():
    """The sample with one line countered and every other confirmed."""
    contract, vera = factories.sent_contract(), factories.person("vera")
    revision = factories.latest(contract)
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    counter = {"g1/ram": services.Given("counter", "缺货", "1536")}
    services.answer_clauses(revision, answers=given | counter, by=vera)
    return services.submit_answers(revision, by=vera)


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
def test_acts_are_refused_to_the_same_people_in_every_state(client, world, state):
    contract = standing(world, state)
    for person in ("anonymous", *MEMBERS, *STRANGERS):
        sign_in(client, person)
        turn = STATES.index(state) + PEOPLE.index(person)
        refused = [name for name, allowed in POST.items() if person not in allowed]
        wanted = [name for at, name in enumerate(refused) if person in STRANGERS or (at + turn) % 3 == 0]
        found = {name: client.post(url).status_code for name, url in addresses(contract, wanted).items()}
        assert found and found == {name: refusal(name, person, state) for name in found}, person
        client.logout()


def refusal(name, person, state):
    if person == "anonymous":
        return 302
    is_hidden = person in STRANGERS or (state == "draft" and person in ("vera", "sun"))
    return 404 if is_hidden else 403


@pytest.mark.parametrize("state", STATES)
def test_acts_happen_in_their_states_and_leave_no_trace_in_others(client, world, state):
    contract, wrong = standing(world, state), {}
    urls = addresses(contract, ACTS)
    for name, (person, given, states, otherwise) in ACTS.items():
        sign_in(client, person)
        before = contract.events.count()
        savepoint = transaction.savepoint()
        found = client.post(urls[name], given).status_code, contract.events.count() > before
        transaction.savepoint_rollback(savepoint)
        code = 302 if state in states else OTHER_CODES.get((name, state), otherwise)
        if found != (code, state in states):
            wrong[name] = found
    assert wrong == {}


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
