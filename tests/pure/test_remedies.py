"""What agreed remedies leave open and what they make of the rent, row by row."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts.body import Body, Group
from gpucontract.contracts.clauses import Clause, Operator
from gpucontract.verdicts.acceptance import settlement
from gpucontract.verdicts.remedies import Basis, Kind, Offer, counting, left_open, may_be_for
from gpucontract.verdicts.rent import needs_amount, rent_after
from gpucontract.verdicts.states import State
from gpucontract.wording import Text
from tests.pure.test_acceptance import CLAUSE, OPTIONAL

B, M, P = State.BREACHED, State.MARGINAL, State.PENDING
SICK, OTHER = ("g1-002/gpu5", B), ("g1-001/gpu0", M)
ONE = {"g1-002"}

# what falls short, is a price cut agreed for it, machines not taken, what is left ("same": nothing of it is touched)
LEFT = {
    "nothing agreed": ([SICK], False, set(), "same"),
    "a price cut": ([SICK, OTHER], True, set(), None),
    "a price cut where no place is known": ([], True, set(), "same"),
    "a price cut beside what nobody measured": ([SICK, ("g1-001", P)], True, set(), P),
    "a price cut beside what nobody could tell": ([SICK, ("g1-001", State.INCONCLUSIVE)], True, set(), State.INCONCLUSIVE),
    "a price cut and the unmeasured machine not taken": ([SICK, ("g1-001", P)], True, {"g1-001"}, None),
    "the only machine": ([SICK, ("g1-002", P)], False, ONE, None),
    "a port and a mount of it": ([("g1-002/port:mlx5_0", B), ("g1-002/mount:/data", B)], False, ONE, None),
    "another machine": ([SICK], False, {"g1-001"}, "same"),
    "one of two": ([SICK, OTHER], False, ONE, M),
    "the worse stays": ([("g1-001", P), ("g1-003", B), SICK], False, ONE, B),
    "both": ([SICK, OTHER], False, {"g1-001", "g1-002"}, None),
    "a joint run with it": ([("g1-001+g1-002", B)], False, ONE, "same"),
    "a joint run of none but such": ([("g1-002+g1-003", B)], False, {"g1-002", "g1-003"}, None),
    "a large team whose machines are not all named": ([("g1-001+7#0a1b2c3d", B)], False, {"g1-001"}, "same"),
    "the group as a whole": ([("g1", P)], False, ONE, "same"),
    "the contract": ([("c", B)], False, ONE, "same"),
    "a slot of a longer name": ([("g1-0021", B)], False, ONE, "same"),
    "no place known": ([], False, ONE, "same"),
}  # fmt: skip


@pytest.mark.parametrize(("places", "is_cut", "rejected", "left"), LEFT.values(), ids=LEFT)
def test_what_is_left_of_a_clause(places, is_cut, rejected, left):
    found = left_open(["g1/x"] if is_cut else [], rejected, {"g1/x": places})
    assert found == ({} if left == "same" else {"g1/x": left})


# clause, measured, what remedies leave, ticked, may it be accepted
SETTLED = [
    (CLAUSE, "breached", {"g1/x": None}, False, True),
    (CLAUSE, "breached", {}, False, False),
    (CLAUSE, "inconclusive", {"g1/x": None}, False, True),
    (CLAUSE, "breached", {"g1/x": P}, False, False),
    # A tick would speak of the value of a machine that is not taken.
    (CLAUSE, "breached", {"g1/x": M}, True, False),
    (CLAUSE, "marginal", {"g1/x": M}, True, True),
    (CLAUSE, "marginal", {"g1/x": None}, False, True),
    (CLAUSE, "breached", {"g1/y": None}, False, False),
    (OPTIONAL, "breached", {}, False, True),
]


@pytest.mark.parametrize(("clause", "state", "left", "ticked", "expected"), SETTLED)
def test_acceptance_with_remedies(clause, state, left, ticked, expected):
    found = settlement([clause], {"g1/x": state}, (), left)
    assert found.holds_with({"g1/x"} if ticked else ()) is expected


@pytest.mark.parametrize("state", State)
def test_only_what_was_measured_to_miss_is_worth_less(state):
    assert may_be_for(Kind.PRICE_CUT, state) is (state in (B, M))
    assert may_be_for(Kind.PARTIAL_REJECT, state) is state.is_failing


DAY, LATER = date(2027, 1, 1), date(2027, 2, 1)


def cut(amount, basis=Basis.PERCENT, key="g1/x", on=DAY):
    return Offer(key, Kind.PRICE_CUT, on, Decimal(amount), basis)


def reject(*slots, amount=None, on=DAY):
    return Offer("g1/x", Kind.PARTIAL_REJECT, on, amount and Decimal(amount), None, slots)


COUNTING = {
    "none": ([], ()),
    "the last cut for one clause": ([cut(5), cut(5), cut(3)], (2,)),
    "equal cuts once": ([cut(5), cut(5)], (1,)),
    "cuts for two clauses": ([cut(5), cut(3, key="g1/y")], (0, 1)),
    "every rejection": ([reject("g1-001"), cut(5), reject("g1-002")], (0, 1, 2)),
}


@pytest.mark.parametrize(("offers", "expected"), COUNTING.values(), ids=COUNTING)
def test_which_of_several_count(offers, expected):
    assert counting(offers) == expected


def body_of(unit, price="65000", groups=((2, 8),), fees=()):
    """A frozen body with nothing but its price."""
    terms = {"pricing_unit": unit, "month_basis": "calendar", "currency": "CNY"}
    clauses = [clause("c/price", Decimal(price), "CNY", terms)] if unit else []
    clauses += [clause("c/other_fees:o1", fees, "set", {})] if fees else []
    made = tuple(Group(f"g{n}", f"g{n}", "H100", nodes, gpus) for n, (nodes, gpus) in enumerate(groups, 1))
    return Body("C-1", 1, "x", "0" * 64, {}, made, (), tuple(clauses))


def clause(key, value, unit, conditions):
    words = Text("价", "price")
    return Clause(key, "commercial", words, Operator.EQUAL, value, unit, conditions=conditions)


NODE, GPU, HOUR, ALL = "CNY/node/month", "CNY/GPU/month", "CNY/GPU/hour", "package"
TWO_SIZES = ((2, 8), (4, 4))
# unit, price, groups, offers, rent before, rent after
RENTS = {
    "nothing": (NODE, "65000", ((2, 8),), [], "130000", "130000"),
    "a machine less": (NODE, "65000", ((2, 8),), [reject("g1-002")], "130000", "65000"),
    "five percent": (NODE, "65000", ((2, 8),), [cut(5)], "130000", "123500"),
    "percent of what is taken": (NODE, "65000", ((2, 8),), [cut(5), reject("g1-002")], "130000", "61750"),
    "percentages add up": (NODE, "65000", ((2, 8),), [cut(5), cut(3, key="g1/y")], "130000", "119600"),
    "each month less": (NODE, "65000", ((2, 8),), [cut("1200.50", Basis.MONTH)], "130000", "128799.50"),
    "once is apart": (NODE, "65000", ((2, 8),), [cut(9000, Basis.ONCE)], "130000", "130000"),
    "half a cent is rounded up": (NODE, "0.10", ((1, 8),), [cut(5)], "0.10", "0.09"),
    "a machine named twice": (NODE, "65000", ((3, 8),), [reject("g1-002"), reject("g1-002", "g1-003")], "195000", "65000"),
    "by the card": (GPU, "8000", TWO_SIZES, [reject("g2-004")], "256000", "224000"),
    "by the card of the larger machine": (GPU, "8000", TWO_SIZES, [reject("g1-001")], "256000", "192000"),
    "by the hour": (HOUR, "9.5", ((2, 8),), [cut("2.5"), reject("g1-002")], "152", "74.1"),
    "by the hour each month less is apart": (HOUR, "9.5", ((2, 8),), [cut(100, Basis.MONTH)], "152", "152"),
    "a package": (ALL, "1560000", ((2, 8),), [reject("g1-002", amount="700000"), cut(10)], "1560000", "774000"),
    "a package once less": (ALL, "1560000", ((2, 8),), [cut(60000, Basis.ONCE)], "1560000", "1500000"),
    "everything": (NODE, "65000", ((2, 8),), [cut(100)], "130000", "0"),
    "more than there is": (NODE, "65000", ((2, 8),), [cut(60), cut(60, key="g1/y")], "130000", "-26000"),
}  # fmt: skip


@pytest.mark.parametrize(("unit", "price", "groups", "offers", "before", "after"), RENTS.values(), ids=RENTS)
def test_the_rent(unit, price, groups, offers, before, after):
    rent = rent_after(body_of(unit, price, groups), offers)
    assert (rent.before, rent.after) == (Decimal(before), Decimal(after))
    assert rent.is_possible is (Decimal(after) >= 0)


def test_the_computation_can_be_redone_by_a_reader():
    offers = [reject("g1-002"), cut("5.5", on=LATER), cut(9000, Basis.ONCE, key="g1/y")]
    rent = rent_after(body_of(NODE, fees=("kind=power", "basis=per_node_month", "amount=100")), offers)
    assert [line.zh for line in rent.lines] == [
        "合同租金：每月 130,000.00 元（65,000.00 元 × 2 台）。",
        "自 2027-01-01 起不接收 g1-002：减 65,000.00 元（65,000.00 元 × 1 台）。",
        "自 2027-02-01 起降价 5.5 %：减 3,575.00 元（65,000.00 元 × 5.5 %）。",
        "调整后的租金：每月 61,425.00 元（自 2027-02-01 起）。",
        "另外，一次性减 9,000.00 元，2027-01-01 之前结清。",
        "合同另有按台收取的费用，上面没有计入，请双方核对。",
    ]
    assert rent.lines[3].en == "Rent after that: CNY 61,425.00 a month (from 2027-02-01 on)."


def test_without_a_price_there_is_no_rent_and_only_a_package_needs_an_amount():
    assert rent_after(body_of(""), [cut(5)]) is None
    assert [needs_amount(body_of(unit)) for unit in ("", NODE, GPU, HOUR, ALL)] == [False] * 4 + [True]


SAID = [
    (cut("5.50"), "租金降 5.5 %，自 2027-01-01 起", "5.5 % off the rent, from 2027-01-01 on"),
    (cut("1200.5", Basis.MONTH), "每月租金减 1,200.50 元，自 2027-01-01 起", "CNY 1,200.50 off each month's rent, from 2027-01-01 on"),
    (cut("9000", Basis.ONCE), "一次性减 9,000.00 元，2027-01-01 之前结清", "CNY 9,000.00 off once, settled by 2027-01-01"),
    (reject("g1-002", "g1-003"), "不接收 g1-002、g1-003，自 2027-01-01 起不计租金", "g1-002, g1-003 not taken, no rent for them from 2027-01-01 on"),
    (reject("g1-002", amount="7"), "不接收 g1-002，自 2027-01-01 起不计租金，总价减 7.00 元", "g1-002 not taken, no rent for them from 2027-01-01 on; CNY 7.00 off the total"),
]  # fmt: skip


@pytest.mark.parametrize(("offer", "zh", "en"), SAID)
def test_an_offer_in_words(offer, zh, en):
    assert offer.said("CNY") == Text(zh, en)
