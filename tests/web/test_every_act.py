"""Every POST x everybody by a single role of either side x every state: who may, acts; nobody else leaves a trace."""

import re
from contextlib import contextmanager

import pytest
from django.apps import apps
from django.contrib.messages.storage.base import BaseStorage
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.http import Http404
from django.test import RequestFactory
from django.urls import resolve, reverse

from gpucontract.accounts.roles import Role, Side, may
from gpucontract.contracts.lifecycle import State
from gpucontract.web.middleware import RefusalMiddleware
from tests import factories
from tests.web import walk
from tests.web.test_access import GET, ours

pytestmark = pytest.mark.django_db
WRITES = re.compile(r'^\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM)\s+"(\w+)"')
# States by the contract that stands for them, the never sent ones too: their vendor knows nothing of them.
TURNS = [(state, "") for state in State] + [(State.WITHDRAWN, "unsent")]
PARTS = {"step": "nodes", "number": 1, "which": "nodes", "key": "g1/ram"}
# Rows that stand only on the contract that was delivered.
ON_ROWS = {"node-enrol": "node", "node-replacement": "node", "replacement-decide": "replacement",
           "remedy-decide": "remedy",
           "remedy-withdraw": "remedy", "paper-decide": "paper", "run-retry": "run-retry", "run-cancel": "run-cancel"}  # fmt: skip


@pytest.fixture(autouse=True)
def no_pages(monkeypatch):
    """Pages are looked at elsewhere; here only what is behind them."""
    monkeypatch.setattr("django.shortcuts.loader.render_to_string", lambda *_arguments, **_options: "")


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        yield walk.made(), tuple(walk.crowd())
        transaction.set_rollback(True)


class Messages(BaseStorage):
    """Messages that are kept nowhere."""

    def _get(self, *_arguments, **_options):
        return [], True

    def _store(self, *_arguments, **_options):
        return []


def post(person, address, given, contract=None):
    """The status of a view called as its URL would, its refusals answered as the site does, without the frame."""
    given = given(contract) if callable(given) else given
    fresh = {name: value(contract) if callable(value) else value for name, value in given.items()}
    request = RequestFactory().post(address, fresh)
    request.user, request.session = person, SessionBase()
    request._messages = Messages(request)
    view = resolve(address)
    try:
        return view.func(request, **view.kwargs).status_code
    except Http404:
        return 404
    except PermissionDenied:
        return 403
    except Exception as refusal:
        answer = RefusalMiddleware(view.func).process_exception(request, refusal)
        if answer is None:
            raise
        return answer.status_code


@contextmanager
def traced(tables):
    def note(execute, sql, params, many, context):
        if found := WRITES.match(sql):
            tables.add(found[1])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield


MODELS = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}


def contents(tables):
    return {name: sorted(map(repr, MODELS[name]._base_manager.values_list())) for name in tables}


def tried(person, address, given, contract=None):
    """The status and whether anything is different afterwards; all is put back."""
    tables = set()
    point = transaction.savepoint()
    with traced(tables):
        code = post(person, address, given, contract)
    after = contents(tables)
    transaction.savepoint_rollback(point)
    return code, after != contents(tables)


def test_every_address_is_walked_or_only_read(world):
    acts = {name.partition(" ")[0] for name in (*walk.ACTS, *walk.COMPANY_ACTS, *walk.DRAFTERS_ACTS)}
    assert {each.name for each in ours()} == acts | walk.OWN_ACTS | set(GET) | walk.ADMINS_PAGES


def address_of(name, contract, things):
    name = name.partition(" ")[0]
    if name in ON_ROWS:
        return reverse(name, args=[things[ON_ROWS[name]]])
    wanted = next(each.pattern.converters for each in ours() if each.name == name)
    return reverse(name, kwargs={part: (PARTS | {"uuid": contract.uuid})[part] for part in wanted})


@pytest.mark.parametrize(("state", "place"), TURNS)
def test_who_may_acts_in_its_states_and_nobody_else_leaves_a_trace(world, state, place):
    (scene, people), wrong = world, {}
    contract = scene.standing(state, place)
    is_sent = contract.revisions.sent().exists()
    for name, act in walk.ACTS.items():
        if name in ON_ROWS and contract != scene.contracts["measured"]:
            continue
        address = address_of(name, contract, scene.things)
        for side, role, person in people:
            expected = 404 if side is Side.VENDOR and not is_sent else answer_of(act, side, role, state, is_sent)
            code, changed = tried(person, address, act.given, contract)
            is_let_in = isinstance(expected, bool)
            if (code != 403 and changed is expected) if is_let_in else (code, changed) == (expected, False):
                continue
            wrong[name, side.value, role.value] = (code, changed, expected)
    assert wrong == {}


def answer_of(act, side, role, state, is_sent):
    """403; for who may: whether something happens."""
    if not may(side, [role], act.page_of(side)):
        return 403
    of_what_was_sent = act.states in (walk.SENT, walk.SPOKEN_OF)
    in_time = state in act.states and (is_sent or not of_what_was_sent)
    return may(side, [role], act.right_of(side)) and in_time


@pytest.mark.parametrize("state", State)
def test_a_stranger_of_every_role_finds_nothing_to_act_on(world, state):
    scene, _people = world
    contract, mallory = scene.standing(state), factories.person("mallory")
    mallory.memberships.update(roles=",".join(Role))
    names = [name for name in walk.ACTS if name not in ON_ROWS or contract == scene.contracts["measured"]]
    found = {
        name: tried(mallory, address_of(name, contract, scene.things), walk.ACTS[name].given, contract)
        for name in names
    }
    assert found == dict.fromkeys(names, (404, False))


def test_who_may_acts_on_an_organisation_and_what_it_owns(world):
    (scene, people), wrong = world, {}
    for name, act in walk.COMPANY_ACTS.items():
        address = reverse(name, kwargs=scene.things[name.partition("-")[0]])
        for side, role, person in people:
            code, changed = tried(person, address, act.given)
            is_let_in = side is Side.BUYER and may(side, [role], act.right_of(side))
            if (code, changed) != ((302, True) if is_let_in else (404 if side is Side.VENDOR else 403, False)):
                wrong[name, side.value, role.value] = (code, changed)
    assert wrong == {}


def test_who_may_draft_for_an_organisation_of_theirs_starts_contracts(world):
    (_scene, people), wrong = world, {}
    for name, act in walk.DRAFTERS_ACTS.items():
        for side, role, person in people:
            code, changed = tried(person, reverse(name), act.given, person.memberships.get().organisation)
            if (code, changed) != ((302, True) if may(Side.BUYER, [role], "draft") else (403, False)):
                wrong[name, side.value, role.value] = (code, changed)
    assert wrong == {}
