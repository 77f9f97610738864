"""kill -9 in the middle of an act, on PostgreSQL: nothing is half done, and doing it again does it once.

A child process does the act and kills itself for real before one of its writes, before its commit, or after it; what
the server then keeps is what a killed worker leaves. Then the act is done again, as a person or the next beat would.
"""

import os
import re
import signal
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.utils import timezone

from gpucontract.accounts.second_factor import Method, Proof
from gpucontract.contracts import handover, naming, services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.expiry import expire_due
from gpucontract.contracts.lifecycle import Fact
from gpucontract.contracts.models import Contract, Mail
from gpucontract.documents.services import sign_off
from gpucontract.measurements.ending import end_due, terminate
from gpucontract.measurements.services import deliver, order_runs
from gpucontract.verdicts.accepting import accept, outlook
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.services import waive_clause
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="one process at a time writes to SQLite"),
]
WRITES = re.compile(r"^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\b")
DONE, REFUSED, FAILED = 0, 3, 4


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Killer:
    """Kills the process before its wanted write; 0 counts only."""

    def __init__(self, wanted):
        self.wanted, self.count = wanted, 0

    def __call__(self, execute, sql, params, many, context):
        if WRITES.match(sql):
            self.count += 1
            if self.count == self.wanted:
                die()
        return execute(sql, params, many, context)


def around_commit(when):
    """Lets the process die right before the first commit of an act, or right after it."""
    commit = connection._commit

    def killing():
        if when == "before":
            die()
        commit()
        die()

    connection._commit = killing


def in_a_process(act, wanted=0, commit=""):
    """How the act ended in a process of its own: the code it left with, or the signal below 0."""
    connections.close_all()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = FAILED
    try:
        if commit:
            around_commit(commit)
        with connection.execute_wrapper(Killer(wanted)):
            act()
        code = DONE
    except ContractError:
        code = REFUSED
    finally:
        os._exit(code)


def left(contract):
    """What there is of a contract, whatever its numbers and moments are."""
    found = Contract.objects.get(pk=contract.pk)
    assert services.verify_chain(found).is_whole
    mails = Mail.objects.filter(contract=found).order_by("occasion", "to__email").values_list("occasion", "to__email")
    assert len(set(mails)) == len(mails)
    runs = sorted(found.runs.values_list("state", "error"))
    line = [left(found.amends)] if found.amends else []
    return [found.state, list(found.events.order_by("number").values_list("kind", flat=True)), list(mails), runs, *line]


def counted(act):
    """How many writes the act takes."""
    killer = Killer(0)
    with connection.execute_wrapper(killer):
        act()
    return killer.count


def signing(contract, name):
    user, now, revision = factories.person(name), timezone.now(), factories.latest(contract)
    proof = Proof(user.pk, Method.TOTP, now)
    return lambda: sign_off(
        revision, by=user, typed_name=name.title(), sha256=revision.sha256, proof=proof, now=now
    )  # fmt: skip


def accepting():
    contract = delivered_contract()
    eng, ada = factories.person("eng"), factories.person("ada")
    services.move(contract, "start_acceptance", by=eng, now=making.NOW)
    contract.refresh_from_db()
    store(contract, *(replace(each, id=f"{each.id} {contract.pk}") for each in making.all_healthy()))
    judge_contract(contract.pk, making.NOW)
    for key in outlook(contract, making.NOW).settlement.blocking:
        waive_clause(contract, key=key, reason="另测", by=ada, now=making.NOW)
    known = outlook(contract, timezone.now())
    ticked = known.settlement.marginal
    return contract, lambda: accept(contract, by=ada, seen=known.sha256, ticked=ticked)


def under_test():
    contract, eng = factories.signed_contract(), factories.person("eng")
    deliver(contract, by=eng, now=timezone.now())
    order_runs(contract, round=1, by=eng, now=timezone.now())
    contract.refresh_from_db()
    return contract


def terminating():
    contract, ada = under_test(), factories.person("ada")
    return contract, lambda: terminate(contract, by=ada, reason="项目终止")


def ending():
    contract, ada, now = under_test(), factories.person("ada"), timezone.now()
    services.move(contract, "accept", by=ada, facts={Fact.ALL_SETTLED}, now=now)
    return contract, lambda: end_due(now + timedelta(days=365 * 20))


def confirming():
    contract, eng = factories.signed_contract(), factories.person("eng")
    deliver(contract, by=factories.person("vera"), now=timezone.now())
    day = timezone.localdate()
    return contract, lambda: handover.confirm_handover(contract, on=day, by=eng)


def handing_on():
    contract, bing = factories.drafted_contract(), factories.person("bing")
    factories.person("ada")
    return contract, lambda: services.tell_approvers(contract, by=bing)


def naming_a_signer():
    contract, vera = factories.agreed_contract(), factories.person("vera")
    return contract, lambda: naming.name_signer(contract, email="x@vendor.example", by=vera)


def amending():
    amendment = factories.agreed_amendment(under_test())
    signing(amendment, "sun")()
    return amendment, signing(amendment, "ada")


def expiring():
    contract, now = factories.sent_contract(), timezone.now()
    Contract.objects.filter(pk=contract.pk).update(offer_valid_until=now)
    return contract, lambda: expire_due(now + timedelta(days=1))


ACTS = {
    "accept": accepting, "terminate": terminating, "the end of the term": ending, "confirm the handover": confirming,
    "hand a draft on": handing_on, "name a signer": naming_a_signer, "sign an amendment": amending,
    "let an offer expire": expiring,
}  # fmt: skip


@pytest.fixture(autouse=True)
def people(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path
    for name in ("bing", "ada", "eng", "vera", "sun"):
        factories.person(name)


@pytest.mark.parametrize("made", ACTS.values(), ids=ACTS)
def test_an_act_killed_anywhere_and_done_again_is_done_once(made):
    contract, act = made()
    before = left(contract)
    writes = counted(act)
    after = left(contract)
    assert before != after and writes > 1
    for kill in ({"wanted": 1}, {"wanted": (writes + 1) // 2}, {"wanted": writes}, {"commit": "before"}):
        fresh, again = made()
        untouched = left(fresh)
        assert in_a_process(again, **kill) == -signal.SIGKILL
        assert left(fresh) == untouched, kill
        assert in_a_process(again) == DONE
        assert shape(left(fresh)) == shape(after), kill
    fresh, again = made()
    assert in_a_process(again, commit="after") == -signal.SIGKILL
    done = left(fresh)
    assert in_a_process(again) in (DONE, REFUSED)
    assert left(fresh) == done and shape(done) == shape(after)


def shape(found):
    """The same whatever contract it is: occasions without their event numbers."""
    state, kinds, mails, runs, *line = found
    return [state, kinds, [(re.sub(r"-\d+$", "", what), to) for what, to in mails], runs, *map(shape, line)]
