"""Every move from every state, and what each needs to be true first."""

import pytest

from gpucontract.accounts.roles import ACTIONS, Role, Side, may
from gpucontract.contracts.lifecycle import FACTS, MOVES, STATES, Fact, LifecycleError, State, moves_for, next_state

ALL = tuple(Fact)

# move, the states it starts from, the state it leads to
TABLE = [
    ("send", "draft answered", "with_vendor"),
    ("submit", "with_vendor", "answered"),
    ("agree", "answered", "agreed"),
    ("extend", "with_vendor expired_offer", "with_vendor"),
    ("reopen", "with_vendor agreed", "answered"),
    ("sign", "agreed", "signed"),
    ("deliver", "signed", "delivered"),
    ("start_acceptance", "delivered", "accepting"),
    ("accept", "accepting", "active"),
    ("end", "accepting active", "ended"),
    ("withdraw", "draft with_vendor answered agreed", "withdrawn"),
    ("reject", "with_vendor answered", "rejected"),
    ("expire", "with_vendor", "expired_offer"),
    ("terminate", "signed delivered accepting active", "terminated"),
    ("supersede", "signed delivered accepting active", "superseded"),
    ("carry_delivery", "signed", "delivered"),
    ("carry_tests", "delivered", "accepting"),
    ("carry_acceptance", "accepting", "active"),
]
EVERY = [(move, state) for move, _, _ in TABLE for state in State]
STARTS = {move: starts.split() for move, starts, _ in TABLE}
ENDS = {move: end for move, _, end in TABLE}
NEEDS = [(move.name, fact) for move in MOVES.values() for fact in move.facts]


@pytest.mark.parametrize(("move", "state"), EVERY, ids=[f"{move}-{state}" for move, state in EVERY])
def test_a_move_starts_only_where_the_table_says(move, state):
    if state in STARTS[move]:
        assert next_state(state, move, ALL) == ENDS[move]
    else:
        with pytest.raises(LifecycleError):
            next_state(state, move, ALL)


@pytest.mark.parametrize(("move", "fact"), NEEDS, ids=[f"{move}-{fact}" for move, fact in NEEDS])
def test_a_move_names_the_fact_it_lacks(move, fact):
    with pytest.raises(LifecycleError) as caught:
        next_state(STARTS[move][0], move, [each for each in ALL if each is not fact])
    assert FACTS[fact].en in caught.value.text.en
    assert FACTS[fact].zh in caught.value.text.zh


def test_facts_may_be_given_as_plain_names():
    assert next_state("answered", "agree", {"all_confirmed"}) is State.AGREED


def test_a_wrong_state_is_said_with_the_states_that_would_do():
    with pytest.raises(LifecycleError) as caught:
        next_state("draft", "sign", ALL)
    assert caught.value.text.zh == "合同处于“起草中”，不能签署；这一步只能在“已达成一致”时进行。"
    assert caught.value.text.en == "The contract is “Draft”: you cannot sign it now, only while it is “Agreed”."


def test_the_main_road_leads_from_draft_to_ended():
    state = State.DRAFT
    for move in ("send", "submit", "agree", "sign", "deliver", "start_acceptance", "accept", "end"):
        state = next_state(state, move, ALL)
    assert state is State.ENDED


def test_it_refuses_to_sign_without_both_parties():
    with pytest.raises(LifecycleError, match="the vendor has not signed"):
        next_state("agreed", "sign", [fact for fact in ALL if fact != "vendor_signed"])


@pytest.mark.parametrize("state", ["ended", "withdrawn", "rejected", "terminated", "superseded"])
def test_nothing_leaves_an_end_state(state):
    assert not any(state in move.from_states for move in MOVES.values())


def test_an_expired_offer_is_left_only_by_the_buyer_who_gives_more_time():
    assert [move.name for move in MOVES.values() if "expired_offer" in move.from_states] == ["extend"]


# move, who may make it as side:role; nobody where time or the system does
MAKERS = {
    "send": "buyer:approver", "submit": "vendor:confirmer vendor:signer", "agree": "", "reopen": "buyer:approver",
    "extend": "buyer:approver", "sign": "buyer:approver vendor:signer",
    "deliver": "buyer:engineer buyer:approver vendor:confirmer vendor:signer",
    "start_acceptance": "buyer:engineer buyer:approver", "accept": "buyer:approver", "end": "",
    "withdraw": "buyer:approver", "reject": "vendor:signer", "expire": "",
    "terminate": "buyer:approver vendor:signer",
    "supersede": "", "carry_delivery": "", "carry_tests": "", "carry_acceptance": "",
}  # fmt: skip
EVERYBODY = [(side, role) for side in (*Side, None) for role in Role]


@pytest.mark.parametrize("state", State)
def test_each_person_is_offered_exactly_the_moves_of_the_table_in_each_state(state):
    for side, role in EVERYBODY:
        expected = {move for move in STARTS if state in STARTS[move] and f"{side}:{role}" in MAKERS[move].split()}
        assert {move.name for move in moves_for(state, side, (role,))} == expected


def test_an_unknown_move_is_a_programming_error():
    with pytest.raises(KeyError):
        next_state("draft", "vanish")


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_somebody_may_make_each_move_unless_time_makes_it(move):
    assert all(any(may(side, (role,), move.action) for role in ("approver", "signer")) for side in move.sides)
    assert (move.action in ACTIONS) == bool(move.sides)


def test_a_drafter_is_offered_no_move_and_an_approver_the_fitting_ones():
    assert moves_for("draft", "buyer", ("drafter",)) == ()
    assert [move.name for move in moves_for("draft", "buyer", ("approver",))] == ["send", "withdraw"]
    assert [move.name for move in moves_for("with_vendor", "vendor", ("signer",))] == ["submit", "reject"]
    assert moves_for("draft", None, ("approver",)) == ()


def test_every_state_has_a_name_in_both_languages():
    assert set(STATES) == {state.value for state in State}
