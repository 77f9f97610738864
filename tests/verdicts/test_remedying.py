"""Remedies: who may offer and answer, for what, what they settle, and how a new result opens the question again."""

import json
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.lifecycle import State as Stage
from gpucontract.contracts.models import Contract, Mail
from gpucontract.contracts.services import move
from gpucontract.contracts.terms import NotApplicable
from gpucontract.verdicts import judging
from gpucontract.verdicts.accepting import accept, outlook, ripe
from gpucontract.verdicts.models import Remedy, Verdict, Waiver
from gpucontract.verdicts.remedies import Basis, Kind, Offer
from gpucontract.verdicts.remedying import (
    decide_remedy,
    failing_slots,
    held,
    propose_remedy,
    waiting_for,
    withdraw_remedy,
)
from gpucontract.verdicts.rent import rent_after
from gpucontract.verdicts.services import VerdictError, counts_of, waive_clause, withdraw_waiver
from gpucontract.verdicts.succeeding import remedy_lines, succeed
from tests import factories
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

KEY, DAY = "g1/links_per_gpu", date(2027, 1, 1)
CUT = Offer(KEY, Kind.PRICE_CUT, DAY, Decimal("5"), Basis.PERCENT)
REJECT = Offer(KEY, Kind.PARTIAL_REJECT, DAY, slots=("g1-002",))


@pytest.fixture
def contract(db, eng):
    """In acceptance, with one GPU of g1-002 that has lost links."""
    made = move(delivered_contract(), "start_acceptance", by=eng, now=making.NOW)
    store(made, *making.sick())
    judging.judge_contract(made.pk, making.NOW)
    return made


def offered(contract, offer=CUT, who="ada", reason="交期紧"):
    return propose_remedy(contract, offer, reason=reason, by=factories.person(who), now=making.NOW)


def agreed(contract, offer=CUT, who="ada"):
    other = "sun" if who == "ada" else "ada"
    made = offered(contract, offer, who)
    return decide_remedy(made, is_agreed=True, by=factories.person(other), now=making.NOW)


def blocking(contract):
    return outlook(contract, making.NOW).settlement.blocking


def test_a_remedy_both_agreed_on_settles_the_clause_and_leaves_the_measured_state(contract):
    before = counts_of(contract)
    assert KEY in blocking(contract)
    offer = offered(contract)
    assert KEY in blocking(contract) and waiting_for([contract]) == {contract.pk: {"buyer"}}
    decide_remedy(offer, is_agreed=True, by=factories.person("vera"), now=making.NOW)
    assert KEY not in blocking(contract) and waiting_for([contract]) == {}
    assert Verdict.objects.get(contract=contract, key=KEY).state == "breached"
    after = counts_of(contract)
    assert after.by_state == before.by_state and after.remedied == 1
    seen = after.looks(sees_waivers=False)
    assert (seen["breached"], seen["remedied"], sum(seen.values())) == (before.breached - 1, 1, after.clauses)
    assert after.as_text.zh.endswith("，1 已商定处理办法") and "remedy" not in before.as_text.en


def test_both_sides_read_it_in_the_journal_and_the_other_is_told_by_mail(contract):
    offer = offered(contract, who="vera")
    event = contract.events.last()
    said = json.loads(event.body)
    assert (event.kind, event.key, said["amount"], said["from_on"]) == ("remedy_proposed", KEY, "5", "2027-01-01")
    assert said["found"]["state"] == "breached" and said["found"]["finding"] == offer.found["finding"]
    letter = Mail.objects.get(occasion=f"remedy_proposed-{event.number}", to__email="ada@buyer.example")
    assert "租金降 5 %，自 2027-01-01 起" in letter.body and "5 % off the rent" in letter.body
    assert "每张 GPU 的 NVLink 活动链路数" in letter.body and "交期紧" in letter.body
    assert not Mail.objects.filter(occasion=f"remedy_proposed-{event.number}", to__email="vera@vendor.example").exists()


@pytest.mark.parametrize("who", ["bing", "eng", "wen", "adam", "mallory", "zoe"])
def test_nobody_else_offers_answers_or_takes_back(contract, who):
    with pytest.raises(NotAllowed):
        offered(contract, who=who)
    made = offered(contract)
    person = factories.person(who)
    for act in (lambda: decide_remedy(made, is_agreed=True, by=person, now=making.NOW),
                lambda: withdraw_remedy(made, by=person, now=making.NOW)):  # fmt: skip
        with pytest.raises(NotAllowed):
            act()
    assert Remedy.objects.get().standing == "open"


# who offered, who acts, what they do, what becomes of it (None: refused)
ACTS = [
    ("ada", "ada", "agree", None), ("ada", "ada", "decline", None), ("ada", "ada", "withdraw", "withdrawn"),
    ("ada", "vera", "agree", "agreed"), ("ada", "sun", "decline", "declined"), ("ada", "sun", "withdraw", None),
    ("vera", "sun", "agree", None), ("vera", "sun", "withdraw", "withdrawn"), ("vera", "ada", "agree", "agreed"),
    ("sun", "ada", "decline", "declined"), ("sun", "ada", "withdraw", None),
]  # fmt: skip


@pytest.mark.parametrize(("by", "who", "act", "becomes"), ACTS)
def test_the_other_side_answers_and_the_own_side_takes_back_once(contract, by, who, act, becomes):
    made, person = offered(contract, who=by), factories.person(who)

    def do():
        if act == "withdraw":
            return withdraw_remedy(made, by=person, now=making.NOW)
        return decide_remedy(made, is_agreed=act == "agree", by=person, now=making.NOW)

    if becomes is None:
        with pytest.raises(ContractError):
            do()
        assert Remedy.objects.get().standing == "open"
        return
    assert do().standing == becomes and contract.events.last().kind == f"remedy_{becomes}"
    with pytest.raises(ContractError, match="already"):
        do()
    assert (KEY in blocking(contract)) is (becomes != "agreed")


def cut(amount, basis=Basis.PERCENT, key=KEY):
    return Offer(key, Kind.PRICE_CUT, DAY, None if amount is None else Decimal(amount), basis)


REFUSED = {
    "nothing off": (cut("0"), "x", "above 0"),
    "no amount": (cut(None), "x", "above 0"),
    "less than nothing": (cut("-5"), "x", "above 0"),
    "more than all": (cut("100.01"), "x", "at most 100 %"),
    "parts of a cent": (cut("1.005", Basis.MONTH), "x", "two decimals"),
    "more than the rent": (cut("130000.01", Basis.MONTH), "x", "more comes off"),
    "more than anybody means": (cut("10000000000.01", Basis.ONCE), "x", "the limit 10,000,000,000"),
    "a day long before": (Offer(KEY, Kind.PRICE_CUT, date(2020, 1, 1), Decimal(5), Basis.PERCENT), "x", "cannot be"),
    "a reason nobody can read": (CUT, "\u202e\u200b", "Give the reason"),
    "no machine": (Offer(KEY, Kind.PARTIAL_REJECT, DAY), "x", "Tick"),
    "a machine that is not there": (Offer(KEY, Kind.PARTIAL_REJECT, DAY, slots=("g1-009",)), "x", "no machine g1-009"),
    "all machines": (Offer(KEY, Kind.PARTIAL_REJECT, DAY, slots=("g1-001", "g1-002")), "x", "terminate"),
    "no reason": (CUT, "  ", "Give the reason"),
    "a long reason": (CUT, "x" * 1001, "1001"),
    "a verified clause": (cut("5", key="g1/gpu_count"), "x", "nothing to remedy"),
    "a paper nobody handed in": (cut("5", key="c/licence"), "x", "nobody measured"),
    "a clause that is not there": (cut("5", key="g1/nonsense"), "x", "no verdict"),
}  # fmt: skip


@pytest.mark.parametrize(("offer", "reason", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_stand_is_refused_with_a_sentence(contract, offer, reason, words):
    with pytest.raises(ContractError, match=words) as refusal:
        offered(contract, offer, reason=reason)
    assert refusal.value.text.zh != refusal.value.text.en and not Remedy.objects.exists()


@pytest.mark.parametrize("state", [state for state in Stage if state is not Stage.ACCEPTING])
def test_only_acceptance_is_the_time_for_it(contract, state, ada):
    made = offered(contract)
    Contract.objects.filter(pk=contract.pk).update(state=state)
    for act in (lambda: offered(contract, REJECT), lambda: withdraw_remedy(made, by=ada, now=making.NOW),
                lambda: decide_remedy(made, is_agreed=True, by=factories.person("sun"), now=making.NOW)):  # fmt: skip
        with pytest.raises(ContractError, match="in acceptance"):
            act()
    assert Remedy.objects.get().standing == "open" and waiting_for([Contract.objects.get(pk=contract.pk)]) == {}


def test_one_offer_at_a_time_for_a_clause(contract):
    offered(contract)
    with pytest.raises(ContractError, match="waits for its answer"):
        offered(contract, REJECT, who="vera")


# What changes in the verdict after both agreed; whether that opens the question again.
TURNS = {
    "nothing": ({}, False),
    "another value": ({"value": "14"}, True),
    "another state": ({"state": "inconclusive"}, True),
    "other places or values": ({"finding": "0" * 64}, True),
    "newer words only": ({"zh": "措辞", "en": "wording"}, False),
    "a newer moment": ({"rules_version": 999}, False),
}


@pytest.mark.parametrize(("changes", "opens"), TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("offer", [CUT, REJECT], ids=["cut", "reject"])
def test_another_result_opens_the_question_again(contract, offer, changes, opens):
    agreed(contract, offer)
    Verdict.objects.filter(contract=contract, key=KEY).update(**({"rules_version": 1} | changes))
    assert (KEY in blocking(contract)) is opens
    assert bool(held([contract])[contract.pk].remedies) is not opens


@pytest.mark.parametrize(("changes", "opens"), TURNS.values(), ids=TURNS)
def test_another_result_cannot_be_agreed_to_unseen(contract, sun, changes, opens):
    made = offered(contract)
    Verdict.objects.filter(contract=contract, key=KEY).update(**({"rules_version": 1} | changes))
    if opens:
        with pytest.raises(ContractError, match="another result"):
            decide_remedy(made, is_agreed=True, by=sun, now=making.NOW)
    else:
        assert decide_remedy(made, is_agreed=True, by=sun, now=making.NOW).standing == "agreed"


def test_a_new_measurement_is_judged_as_ever_and_lapses_the_remedy(contract):
    agreed(contract)
    store(contract, making.topology("g1-001", {3: 12}, minutes=9))
    judging.judge_contract(contract.pk, making.NOW)
    assert Verdict.objects.get(contract=contract, key=KEY).value == "12" and KEY in blocking(contract)


def test_what_falls_short_on_machines_not_taken_holds_nothing_up_in_any_clause(contract):
    before = set(blocking(contract))
    agreed(contract, REJECT)
    settled = held([contract])[contract.pk].settled
    assert KEY in settled and set(blocking(contract)) == before - settled
    assert failing_slots(contract, factories.latest(contract).body()) == ("g1-001", "g1-002")
    store(contract, making.topology("g1-002", {5: 15}, minutes=9))
    judging.judge_contract(contract.pk, making.NOW)
    assert Verdict.objects.get(contract=contract, key=KEY).state == "breached"


@pytest.fixture
def ready(contract, ada):
    """Nothing but the lost links blocks it."""
    for key in blocking(contract).keys() - {KEY}:
        waive_clause(contract, key=key, reason="另行约定", by=ada, now=making.NOW)
    return contract


def test_acceptance_makes_the_remedies_final_with_the_rent_in_the_journal(ready, ada, sun):
    assert ready.pk not in ripe([ready])
    agreed(ready, REJECT)
    assert ready.pk in ripe([ready])
    known = outlook(ready, making.NOW)
    assert (known.rent.before, known.rent.after) == (Decimal(130000), Decimal(65000))
    accept(ready, by=ada, seen=known.sha256, now=making.NOW)
    said = json.loads(ready.events.get(kind="move_accept").body)
    assert said["remedies"] == [Remedy.objects.get().pk] and said["rent"][-1][0].startswith(
        "调整后的租金：每月 65,000.00 元"
    )
    assert Remedy.objects.get().final_at == making.NOW
    # Whatever is measured in the term, what acceptance was given on stays; a new breach is a breach.
    Verdict.objects.filter(contract=ready, key=KEY).update(value="1", finding="0" * 64)
    ready.refresh_from_db()
    after = held([ready])[ready.pk]
    assert [each.slots for each in after.remedies] == [["g1-002"]]


def test_a_remedy_agreed_or_offered_meanwhile_refuses_what_the_page_showed(ready, ada):
    seen = outlook(ready, making.NOW).sha256
    for act in (
        lambda: offered(ready),
        lambda: decide_remedy(Remedy.objects.get(), is_agreed=True, by=factories.person("sun"), now=making.NOW),
    ):
        act()
        with pytest.raises(ContractError, match="changed after you opened"):
            accept(ready, by=ada, seen=seen, now=making.NOW)
        seen = outlook(ready, making.NOW).sha256
    assert accept(ready, by=ada, seen=seen, now=making.NOW).state == "active"
    assert not Waiver.objects.filter(key=KEY).exists()


def test_strangers_see_no_remedy(contract, ada, sun, mallory, zoe):
    offered(contract)
    assert [Remedy.objects.visible_to(each).count() for each in (ada, sun, mallory, zoe)] == [1, 1, 0, 0]


# state, what was agreed, whether it can still be taken back
GIVEN = ("waiver", "marginal", "offer", "remedy")
BEFORE = (Stage.SIGNED, Stage.DELIVERED, Stage.ACCEPTING)
TAKEN_BACK = {
    (Stage.ACCEPTING, "offer"), *((state, "waiver") for state in BEFORE),
    # Given in the term, acceptance never rested on it.
    *((state, "later waiver") for state in (*BEFORE, Stage.ACTIVE)),
}  # fmt: skip
AFTER = (Stage.ACTIVE, Stage.ENDED, Stage.TERMINATED)


@pytest.mark.parametrize("state", [*BEFORE, *AFTER])
@pytest.mark.parametrize("given", [*GIVEN, "later waiver"])
def test_what_acceptance_rests_on_is_never_taken_back_after_it(ready, ada, state, given):
    if given == "remedy":
        agreed(ready)
    elif given == "offer":
        offered(ready)
    elif given == "waiver":
        waive_clause(ready, key=KEY, reason="x", by=ada, now=making.NOW)
    else:
        Verdict.objects.filter(contract=ready, key=KEY).update(state="marginal")
    known = outlook(ready, making.NOW)
    if state in AFTER and not known.settlement.blocking:
        accept(ready, by=ada, seen=known.sha256, ticked=[KEY], now=making.NOW)
    elif given == "marginal":
        return
    key = KEY
    if given == "later waiver":
        key = "c/licence"
        Waiver.objects.filter(contract=ready, key=key).delete()
        waive_clause(ready, key=key, reason="y", by=ada, now=making.NOW + timedelta(days=30))
    Contract.objects.filter(pk=ready.pk).update(state=state)

    def take_back():
        if given in ("offer", "remedy"):
            return withdraw_remedy(Remedy.objects.get(), by=ada, now=making.NOW)
        return withdraw_waiver(ready, key=key, by=ada, now=making.NOW + timedelta(days=60))

    if (state, given) in TAKEN_BACK:
        take_back()
        assert not Waiver.objects.filter(contract=ready, key=key).exists()
        return
    before = [list(Waiver.objects.values()), list(Remedy.objects.values())]
    with pytest.raises((ContractError, VerdictError)):
        take_back()
    assert [list(Waiver.objects.values()), list(Remedy.objects.values())] == before


CHEAPER = {"c": {"unit_price": Decimal("60000")}}
AMENDED = {
    "only words": ({"c": {"renewal_notice_days": 45}}, ("price_cut", "partial_reject")),
    "its clause": ({"g1": {"nvlink_active_links_min": 17}}, ()),
    "another clause": ({"g1": {"ram_gb_per_node": 4096}}, ("price_cut", "partial_reject")),
    "the price": (CHEAPER, ()),
    "fewer machines": (
        {"g1": {"node_count": 1, "inter_test_nodes": NotApplicable("只剩一台")}, "c": {"total_gpu_count_stated": 8}},
        (),
    ),
}


@pytest.mark.parametrize(("values", "kept"), AMENDED.values(), ids=AMENDED)
def test_an_amendment_carries_what_was_agreed_unless_its_clause_the_price_or_the_machines_change(
    contract, values, kept
):
    for offer in (CUT, REJECT):
        agreed(contract, offer)
    amendment = factories.agreed_amendment(contract, **values)
    said = " ".join(line.en for line in remedy_lines(amendment))
    assert (f"in force: {len(kept)}" in said, f"change: {2 - len(kept)}" in said) == (bool(kept), len(kept) < 2)
    amendment = succeed(move_signed(amendment), at=making.NOW)
    rows = list(amendment.remedies.all())
    assert tuple(each.kind for each in rows) == kept
    assert all((each.standing, each.decided_by.email) == ("agreed", "sun@vendor.example") for each in rows)
    event = json.loads(amendment.events.get(kind="remedies_carried").body)
    assert (len(event["kept"]), len(event["ended"])) == (len(kept), 2 - len(kept))
    judging.judge_contract(amendment.pk, making.NOW)
    found = Verdict.objects.get(contract=amendment, key=KEY).state
    assert (KEY not in blocking(amendment)) == (bool(kept) or found == "verified")


def test_what_lapsed_is_not_carried_and_nobody_is_told_that_it_stays(contract):
    agreed(contract)
    mended(contract)
    amendment = factories.agreed_amendment(contract)
    assert remedy_lines(amendment) == ()
    assert not succeed(move_signed(amendment), at=making.NOW).remedies.exists()


def mended(contract, links=None, minutes=9):
    """The machine measured again: with all its links, or with these."""
    store(contract, making.topology("g1-002", links or {}, minutes=minutes))
    judging.judge_contract(contract.pk, making.NOW + timedelta(minutes=minutes))


def test_a_price_cut_settles_what_was_measured_to_miss_and_not_what_nobody_measured(db, eng, ada):
    made = move(delivered_contract(), "start_acceptance", by=eng, now=making.NOW)
    store(made, making.topology("g1-002", {5: 15}), making.inventory("g1-002"))
    judging.judge_contract(made.pk, making.NOW)
    agreed(made)
    assert blocking(made)[KEY] == "pending"
    store(made, making.topology("g1-001", minutes=9))
    judging.judge_contract(made.pk, making.NOW)
    assert Remedy.objects.get().standing == "lapsed"  # the finding names what fell short, and that changed


def test_what_lapsed_never_comes_back_by_itself_and_both_sides_read_of_it(contract):
    agreed(contract)
    mended(contract)
    assert Remedy.objects.get().standing == "lapsed" and contract.events.filter(kind="remedy_lapsed").count() == 1
    assert Mail.objects.filter(occasion__startswith="remedy_lapsed").count() >= 2
    mended(contract, {5: 16}, minutes=30)
    assert Verdict.objects.get(contract=contract, key=KEY).state == "breached" and KEY in blocking(contract)


def test_another_place_that_gets_worse_is_another_finding(contract, sun):
    store(contract, making.topology("g1-001", {3: 17}, minutes=2))
    judging.judge_contract(contract.pk, making.NOW)
    made = offered(contract)
    store(contract, making.topology("g1-001", {3: 16}, minutes=9))
    judging.judge_contract(contract.pk, making.NOW)
    assert Verdict.objects.get(contract=contract, key=KEY).value == made.found["value"] == "16"
    with pytest.raises(ContractError, match="another result"):
        decide_remedy(made, is_agreed=True, by=sun, now=making.NOW)


def test_an_offer_from_a_page_that_showed_another_result_is_refused(contract, ada):
    seen = Verdict.objects.get(contract=contract, key=KEY).found.mark
    Verdict.objects.filter(contract=contract, key=KEY).update(value="4")
    for mark in (seen, ""):
        with pytest.raises(ContractError, match="another result since you opened the page"):
            propose_remedy(contract, CUT, reason="x", by=ada, now=making.NOW, seen=mark)
    assert not Remedy.objects.exists()


@pytest.mark.parametrize(("pcts", "after"), [((50, 50), 0), (("33.33", "33.33"), "33343.34"), ((5,), "95005.00")])
def test_percentages_are_rounded_as_one_sum(contract, pcts, after):
    body = factories.latest(contract).body()
    price = replace(body.clause("c/price"), value=Decimal("50002.63") if pcts == (5,) else Decimal("50005.01"))
    body = replace(body, clauses=tuple(price if each.key == "c/price" else each for each in body.clauses))
    offers = [Offer(f"k{place}", Kind.PRICE_CUT, DAY, Decimal(pct), Basis.PERCENT) for place, pct in enumerate(pcts)]
    assert rent_after(body, offers).after == Decimal(after)


def move_signed(amendment):
    facts, revision = factories.SIGNED_BY_BOTH, factories.latest(amendment)
    return move(amendment, "sign", by=factories.person("ada"), facts=facts, now=making.NOW, revision=revision)
