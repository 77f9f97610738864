"""Two people on one contract in the same moment: whoever comes first, one right outcome and a whole journal.

Only PostgreSQL lets two writers in at all; SQLite locks the whole database, so there is nothing to be seen there.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.utils import timezone

from gpucontract.accounts.second_factor import Method, Proof
from gpucontract.contracts import services
from gpucontract.contracts.countering import Price
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, newest_number
from gpucontract.contracts.models import Contract, Decision, Revision
from gpucontract.contracts.services import Given
from gpucontract.contracts.snapshot import terms_of
from gpucontract.documents.models import SignOff
from gpucontract.documents.services import sign_off
from gpucontract.measurements.ending import terminate
from tests import factories

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite lets no two writers in at once"),
]
PATIENCE = 20
FIRST = pytest.mark.parametrize("turn", [1, -1], ids=["as written", "the other first"])
LESS = Given("counter", "64 GB 内存条缺货", "1536", Price(Decimal(-500), "CNY", "node_month"))
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'FOR (NO KEY )?UPDATE'
"""


def wait_for(writers):
    """Until so many transactions stand before the contract's row, all their earlier reading done."""
    end = time.monotonic() + PATIENCE
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(WAITING)
            if cursor.fetchone()[0] == writers:
                return
            time.sleep(0.02)
    raise AssertionError(f"{writers} writers never stood in line")


def carried_out(act):
    """Done, or told why not."""
    try:
        act()
        return "done"
    except ContractError as refusal:
        return refusal.text.en
    finally:
        connection.close()


def at_once(contract, *acts):
    """What each was told; all have read before the first may write, and they write in the order given."""
    with ThreadPoolExecutor(len(acts)) as pool:
        with transaction.atomic():
            lock(contract)
            told = []
            for place, act in enumerate(acts, 1):
                told.append(pool.submit(carried_out, act))
                wait_for(place)
        return [each.result(PATIENCE) for each in told]


def whole(contract):
    """The contract read afresh, its journal recomputed and its numbers without a gap."""
    found = Contract.objects.get(pk=contract.pk)
    check = services.verify_chain(found)
    numbers = list(found.events.order_by("number").values_list("number", flat=True))
    assert check.is_whole and numbers == list(range(1, check.length + 1))
    return found


def kinds(contract, *wanted):
    return list(contract.events.filter(kind__in=wanted).order_by("number").values_list("kind", flat=True))


def revision_of(contract):
    """For each act its own object, as each request has."""
    return Revision.objects.select_related("contract").filter(contract=contract).latest("number")


def confirming_all(revision):
    return {clause.key: Given("confirm") for clause in revision.body().clauses}


def signing(contract, who):
    person, now, revision = factories.person(who), timezone.now(), revision_of(contract)
    proof = Proof(person.pk, Method.TOTP, now)
    return lambda: sign_off(
        revision, by=person, typed_name=who.title(), sha256=revision.sha256, proof=proof, now=now
    )  # fmt: skip


def answering(contract, who, given):
    person, revision = factories.person(who), revision_of(contract)
    return lambda: services.answer_clauses(revision, answers={"g1/ram": given}, by=person)


def deciding(contract, who, key, decision="accepted", text=""):
    person, revision = factories.person(who), revision_of(contract)
    return lambda: services.decide(revision, key, decision=decision, text=text, by=person)


@FIRST
def test_both_sides_sign_at_once_and_the_contract_is_signed_once(turn):
    contract = factories.agreed_contract()
    told = at_once(contract, *[signing(contract, who) for who in ("ada", "sun")[::turn]])
    found = whole(contract)
    assert told == ["done", "done"] and found.state == "signed"
    assert kinds(found, "signed_off", "move_sign") == ["signed_off", "signed_off", "move_sign"]
    assert set(SignOff.objects.values_list("side", flat=True)) == {"buyer", "vendor"}


@FIRST
def test_both_sides_sign_an_amendment_at_once_and_its_parent_is_replaced_once(turn):
    parent = factories.signed_contract()
    amendment = factories.agreed_amendment(parent)
    told = at_once(parent, *[signing(amendment, who) for who in ("ada", "sun")[::turn]])
    assert told == ["done", "done"] and whole(amendment).state == "signed"
    assert kinds(amendment, "move_sign", "amendment_took_over") == ["move_sign", "amendment_took_over"]
    assert whole(parent).state == "superseded" and kinds(parent, "move_supersede") == ["move_supersede"]


@FIRST
def test_a_contract_is_terminated_or_replaced_but_never_both(turn):
    parent, ada = factories.signed_contract(), factories.person("ada")
    amendment = factories.agreed_amendment(parent)
    signing(amendment, "sun")()
    acts = [signing(amendment, "ada"), lambda: terminate(parent, by=ada, reason="x")]
    told = at_once(parent, *acts[::turn])
    assert told[0] == "done" and told[1] != "done"
    assert (whole(parent).state, whole(amendment).state) == (
        ("superseded", "signed") if turn == 1 else ("terminated", "agreed")
    )


def test_one_side_signs_twice_at_once_and_the_second_is_told():
    contract = factories.agreed_contract()
    told = at_once(contract, signing(contract, "ada"), signing(contract, "ada"))
    found = whole(contract)
    assert told[0] == "done" and "already signed" in told[1]
    assert found.state == "agreed" and SignOff.objects.count() == 1
    assert kinds(found, "signed_off", "move_sign") == ["signed_off"]


def test_what_is_reopened_in_the_same_moment_is_not_signed():
    contract = factories.agreed_contract()
    ada = factories.person("ada")
    told = at_once(contract, lambda: services.reopen(contract, by=ada), signing(contract, "sun"))
    found = whole(contract)
    assert told[0] == "done" and "can be signed only after" in told[1]
    assert found.state == "answered" and not SignOff.objects.exists()


@FIRST
def test_two_answers_to_one_line_leave_the_later_one_and_both_in_the_journal(turn):
    contract = factories.sent_contract()
    given = [("vera", LESS), ("sun", Given("ask", "哪一代内存？"))][::turn]
    told = at_once(contract, *[answering(contract, *each) for each in given])
    kept = revision_of(contract).confirmations.get()
    assert told == ["done", "done"] and (kept.answered_by, kept.answer) == (
        factories.person(given[1][0]),
        given[1][1].answer,
    )
    found = whole(contract)
    assert kinds(found, "clauses_answered") == ["clauses_answered"] * 2


def test_a_counter_typed_in_the_same_moment_is_not_swept_away_by_confirming_the_rest():
    contract = factories.sent_contract()
    sun, revision = factories.person("sun"), revision_of(contract)
    section = revision.body().clause("g1/ram").section
    sweeping = lambda: services.confirm_open_in_section(revision, section, by=sun)  # noqa: E731
    told = at_once(contract, answering(contract, "vera", LESS), sweeping)
    answers = dict(revision_of(contract).confirmations.values_list("key", "answer"))
    assert told == ["done", "done"] and answers.pop("g1/ram") == "counter"
    assert answers and set(answers.values()) == {"confirm"}
    whole(contract)


@FIRST
def test_submitted_while_the_buyer_withdraws_ends_withdrawn_either_way(turn):
    contract = factories.sent_contract()
    revision, ada, vera = revision_of(contract), factories.person("ada"), factories.person("vera")
    services.answer_clauses(revision, answers=confirming_all(revision), by=vera)
    acts = (
        lambda: services.submit_answers(revision, by=vera),
        lambda: services.withdraw(contract, by=ada, reason="预算没有了"),
    )
    told = at_once(contract, *acts[::turn])
    found = whole(contract)
    moves = kinds(found, "move_submit", "move_agree", "move_withdraw")
    assert found.state == "withdrawn" and told[0] == "done"
    if turn == 1:
        assert told[1] == "done" and moves == ["move_submit", "move_agree", "move_withdraw"]
    else:
        assert "cannot be answered now" in told[1] and moves == ["move_withdraw"]
        assert not revision.confirmations.filter(submitted_at__isnull=False).exists()


@pytest.fixture
def countered(db):
    """Two counters submitted: less memory, another power limit."""
    contract = factories.sent_contract()
    revision, vera = revision_of(contract), factories.person("vera")
    other = {"g1/power_limit": Given("counter", "机房限电", "600")}
    services.answer_clauses(revision, answers=confirming_all(revision) | {"g1/ram": LESS} | other, by=vera)
    services.submit_answers(revision, by=vera)
    return contract


def test_two_counters_accepted_at_once_are_both_written(countered):
    told = at_once(countered, deciding(countered, "ada", "g1/ram"), deciding(countered, "ada", "g1/power_limit"))
    terms = terms_of(whole(countered))
    assert told == ["done", "done"] and Decision.objects.filter(answer="accepted").count() == 2
    assert (terms["g1/ram_gb_per_node"], terms["g1/gpu_power_limit_w"]) == (1536, 600)
    assert kinds(countered, "counter_accepted") == ["counter_accepted"] * 2


def test_one_counter_accepted_twice_at_once_still_knows_what_it_replaced(countered):
    before = terms_of(countered)["g1/ram_gb_per_node"]
    told = at_once(countered, deciding(countered, "ada", "g1/ram"), deciding(countered, "ada", "g1/ram"))
    assert told == ["done", "done"] and Decision.objects.get().replaced == str(before)
    whole(countered)


@FIRST
def test_accepted_by_one_and_declined_by_another_the_later_word_and_the_terms_agree(countered, turn):
    before = terms_of(countered)["g1/ram_gb_per_node"]
    acts = (deciding(countered, "ada", "g1/ram"), deciding(countered, "bing", "g1/ram", "declined", "训练需要"))
    told = at_once(countered, *acts[::turn])
    last, value = ("declined", before) if turn == 1 else ("accepted", 1536)
    assert told == ["done", "done"] and Decision.objects.get().answer == last
    assert terms_of(whole(countered))["g1/ram_gb_per_node"] == value


def deciding_from_a_page(contract, who, word, shown):
    person, revision = factories.person(who), revision_of(contract)
    return lambda: services.decide_lines(revision, {"g1/ram": word}, by=person, shown=shown)


@FIRST
def test_two_who_decide_one_line_from_their_pages_and_the_later_is_told_of_the_first(countered, turn):
    shown, words = (
        newest_number(countered),
        {"ada": services.Word("accepted"), "bing": services.Word("declined", "训练需要")},
    )
    first, second = list(words)[::turn]
    told = at_once(countered, *(deciding_from_a_page(countered, who, words[who], shown) for who in (first, second)))
    assert told[0] == "done" and told[1] != "done"
    kept = Decision.objects.get()
    assert (kept.decided_by, kept.answer) == (factories.person(first), words[first].decision)
    assert (terms_of(whole(countered))["g1/ram_gb_per_node"] == 1536) is (first == "ada")
