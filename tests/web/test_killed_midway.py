"""A process that dies between two statements of an act: nothing is half done, and doing it again does it once.

The death is no Exception, so nothing on the way may catch and mend it; what the database then keeps is what a killed
process leaves. Acts of one transaction leave nothing, acts of several only whole ones.
"""

import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from gpucontract.accounts.second_factor import Method, Proof
from gpucontract.contracts.lifecycle import State
from gpucontract.documents.services import sign_off
from tests import factories
from tests.verdicts.test_fleet import SLOW_THIRD, four_machines
from tests.web import walk
from tests.web.opened import checked
from tests.web.test_every_act import MODELS, WRITES, address_of, contents, no_pages, post, world

pytestmark = pytest.mark.django_db
__all__ = ["no_pages", "world"]
MOST_DEATHS = 9
NOW = timezone.now()
FILE = walk.on_page(answer_ram="counter", value_ram="1536", reason_ram="缺货", file_ram=walk.file)
# Act -> who, the state, what is posted, how many transactions it takes.
ACTS = {
    "replacement-decide": ("eng", State.ACCEPTING, {"agree": ""}, 1),
    "node-replacement": ("vera", State.ACCEPTING, {"names": "1650100", "reason": "x"}, 1),
    "contract-remedy": ("vera", State.ACCEPTING, walk.ACTS["contract-remedy"].given, 1),
    "remedy-decide": ("sun", State.ACCEPTING, {"agree": ""}, 1),
    "contract-order": ("eng", State.ACCEPTING, {"jobs": ["inventory", "health"]}, 1),
    "run-retry": ("eng", State.ACCEPTING, {}, 1),
    "contract-paper": ("vera", State.ACCEPTING, {"key": "c/licence", "file": walk.file}, 1),
    "contract-name-signer": ("sun", State.AGREED, {"email": "x@vendor.example"}, 1),
    "contract-amend": ("bing", State.ACTIVE, {}, 1),
    "contract-answers": ("vera", State.WITH_VENDOR, FILE, 1),
    "contract-answers submit": ("vera", State.WITH_VENDOR, walk.whole, 2),
    "contract-decide": ("ada", State.ANSWERED, walk.on_page(decision_ram="accepted"), 1),
    "contract-draft-send": ("ada", State.DRAFT, checked, 1),
}


class Death(BaseException):
    """The process is gone."""


def dying_at(wanted):
    """Let the process die where it would write for the wanted time; 0 lets it live and counts."""
    count = 0

    def write(execute, sql, params, many, context):
        nonlocal count
        if WRITES.match(sql):
            count += 1
            if count == wanted:
                raise Death
        return execute(sql, params, many, context)

    return write, lambda: count


def posted(person, address, given, contract):
    """The act of posting there."""

    def act():
        assert post(person, address, given, contract) == 302

    return act


def acted(act, wanted=0):
    """How often it wrote before it ended or died."""
    wrapper, written = dying_at(wanted)
    try:
        # No transaction but the act's own: what it writes outside of one stays.
        with connection.execute_wrapper(wrapper):
            act()
    except Death:
        pass
    return written()


def rows():
    return {name: len(found) for name, found in contents(MODELS).items()}


def die_everywhere(parts, act):
    """Let the act die at its writes, one after the other, and do it again after each."""
    before, clean = contents(MODELS), transaction.savepoint()
    writes = acted(act)
    after = rows()
    transaction.savepoint_rollback(clean)
    assert writes and contents(MODELS) == before
    for wanted in sorted({*range(1, writes + 1, max(1, writes // MOST_DEATHS)), writes}):
        point = transaction.savepoint()
        acted(act, wanted)
        assert parts > 1 or contents(MODELS) == before, f"died at write {wanted} of {writes}"
        acted(act)
        assert rows() == after, f"again after write {wanted} of {writes}"
        transaction.savepoint_rollback(point)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_that_died_left_nothing_half_and_is_done_once_when_done_again(world, name):
    (scene, _people), (who, state, given, parts) = world, ACTS[name]
    contract = scene.standing(state)
    act = posted(factories.person(who), address_of(name, contract, scene.things), given, contract)
    die_everywhere(parts, act)


def test_a_retest_that_died_is_ordered_once_for_these_two_machines():
    contract, eng = four_machines(**SLOW_THIRD), factories.person("eng")
    before = set(contract.runs.values_list("pk", flat=True))
    address = reverse("contract-retest", args=[contract.uuid])
    act = posted(eng, address, {"node": "g1-003"}, contract)
    die_everywhere(1, act)
    assert set(contract.runs.values_list("pk", flat=True)) == before
    acted(act)
    # Pressed once more, the open one is not ordered again.
    acted(act)
    (run,) = contract.runs.exclude(pk__in=before)
    assert (run.job, run.state) == ("nccl_pairs", "queued")
    assert [place.node.code for place in run.places.order_by("position")] == ["g1-001", "g1-003"]


def test_a_signature_that_died_left_the_old_contract_in_its_place_and_given_again_replaces_it_once(world):
    scene, _people = world
    parent = scene.standing(State.ACCEPTING)
    amendment = factories.agreed_amendment(parent)
    revision = factories.latest(amendment)
    sign(revision, "sun")
    die_everywhere(1, lambda: sign(revision, "ada"))


def sign(revision, name):
    user = factories.person(name)
    proof = Proof(user.pk, Method.TOTP, NOW)
    sign_off(revision, by=user, typed_name=name.title(), sha256=revision.sha256, proof=proof, now=NOW)
