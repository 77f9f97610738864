"""A signed amendment ends its parent and goes on from where it stood: state, days, term, waivers, open to-dos."""

import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from gpucontract.accounts.second_factor import Method, Proof
from gpucontract.contracts.amending import amend_contract
from gpucontract.contracts.commenting import comment
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.handing_in import decide_paper, hand_in
from gpucontract.contracts.handover import clocks, confirm_handover, deny_handover
from gpucontract.contracts.lifecycle import IN_FORCE, Fact, State
from gpucontract.contracts.models import Contract, Mail
from gpucontract.contracts.running import tenures
from gpucontract.contracts.services import add_group, move, send_revision, verify_chain, write_terms
from gpucontract.contracts.superseding import lines_of, state_after, succession, unchanged
from gpucontract.documents.models import Document
from gpucontract.documents.services import sign_off
from gpucontract.measurements import services
from gpucontract.measurements.ending import end_due, terminate
from gpucontract.measurements.models import Node
from gpucontract.measurements.replacing import decide_replacement, declare_replacement
from gpucontract.verdicts.accepting import accept, outlook
from gpucontract.verdicts.judging import judge_contract
from gpucontract.verdicts.models import Verdict, Waiver
from gpucontract.verdicts.owed_papers import owed
from gpucontract.verdicts.services import waive_clause
from gpucontract.verdicts.succeeding import succeed, waiver_lines
from gpucontract.web.retests import cure_until, retests_of
from tests import factories
from tests.sample_terms import SAMPLE
from tests.verdicts import making
from tests.verdicts.storing import delivered_contract, store

pytestmark = pytest.mark.django_db
HERE = ZoneInfo("Asia/Shanghai")
ROAD = {State.SIGNED: 0, State.DELIVERED: 1, State.ACCEPTING: 2, State.ACTIVE: 3}
MOVES = ("deliver", "start_acceptance", "accept")
HANDED_OVER = date(2031, 6, 3)
TERM = {"term_start": date(2031, 7, 1), "term_months": 3}
ONLY_WORDS = {"c": {"renewal_notice_days": 45}}
MORE_RAM = {"g1": {"ram_gb_per_node": 4096}}
LINKS = "g1/links_per_gpu"
MORE_NODES = {"g1": {"node_count": 3}, "c": {"total_gpu_count_stated": 24}}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DOCUMENT_ROOT = tmp_path


def at(day, hour=12):
    return datetime(day.year, day.month, day.day, hour, tzinfo=HERE)


def come_to(state, by="eng"):
    """A contract that was handed over on HANDED_OVER and accepted a fortnight later, as far as its state has it."""
    contract = factories.signed_contract(c=TERM | {"billing_start": "acceptance_signed"})
    for name in MOVES[: ROAD[state]]:
        if name == "deliver":
            services.deliver(contract, by=factories.person(by), now=at(HANDED_OVER))
        elif name == "start_acceptance":
            services.order_runs(contract, round=1, by=factories.person("eng"), now=at(HANDED_OVER))
        else:
            day = at(HANDED_OVER + timedelta(days=14))
            move(contract, "accept", by=factories.person("ada"), facts={Fact.ALL_SETTLED}, now=day)
        contract.refresh_from_db()
    return contract


@pytest.mark.parametrize("news", [False, True], ids=["nothing to accept", "something to accept"])
@pytest.mark.parametrize("state", IN_FORCE)
def test_it_goes_on_where_the_parent_stood_and_only_news_lead_back_into_acceptance(state, news):
    parent = come_to(state)
    amendment = factories.signed_amendment(parent, at=at(date(2031, 8, 1)), **(MORE_RAM if news else ONLY_WORDS))
    expected = State.ACCEPTING if news and state is State.ACTIVE else state
    assert (parent.state, amendment.state) == ("superseded", expected) and state_after(state, news) is expected
    assert Contract.objects.get(pk=amendment.pk).state == expected
    carried = list(amendment.events.filter(kind__startswith="move_carry").values_list("kind", flat=True))
    assert carried == [f"move_carry_{name}" for name in ("delivery", "tests", "acceptance")][: ROAD[expected]]
    for each in (parent, amendment):
        assert verify_chain(each).is_whole
    said = json.loads(parent.events.get(kind="move_supersede").body)
    assert said == {"from": state.value, "to": "superseded", "successor": amendment.number}


def test_added_machines_are_news_too():
    parent = come_to(State.ACTIVE)
    amendment = factories.signed_amendment(parent, **MORE_NODES)
    assert amendment.state == "accepting"
    assert json.loads(amendment.events.get(kind="amendment_took_over").body)["added"] == ["g1-003"]
    assert [node.code for node in Node.objects.of(amendment)] == ["g1-001", "g1-002", "g1-003"]
    assert any("新增 1 台机器" in line.zh for line in clocks([amendment])[amendment.pk].deadlines.lines)


@pytest.mark.parametrize("state", [State.DELIVERED, State.ACCEPTING])
def test_the_day_of_the_handover_and_the_window_stay_what_they_were(state):
    parent = come_to(state)
    before = clocks([parent])[parent.pk]
    amendment = factories.signed_amendment(parent, at=at(date(2031, 6, 8)), **MORE_RAM)
    after = clocks([amendment])[amendment.pk]
    assert after.handover == before.handover and after.handover.confirmed_on == HANDED_OVER
    assert after.deadlines.ends_on == before.deadlines.ends_on is not None
    assert after.deadlines.lines[0].en.startswith(f"The day of delivery is that of contract {parent.number}")
    assert clocks([parent]) == {}


def test_a_day_that_waits_to_be_confirmed_is_confirmed_under_the_amendment(eng):
    parent = come_to(State.DELIVERED, by="vera")
    deny_handover(parent, reason="少一台", by=eng)
    amendment = factories.signed_amendment(parent)
    handover = clocks([amendment])[amendment.pk].handover
    assert handover.is_open and (handover.recorded_on, handover.by, handover.denied) == (
        HANDED_OVER,
        "vendor",
        "少一台",
    )
    with pytest.raises(ContractError, match=amendment.number):
        confirm_handover(parent, on=HANDED_OVER, by=eng)
    confirm_handover(amendment, on=HANDED_OVER, by=eng, now=at(HANDED_OVER))
    assert clocks([amendment])[amendment.pk].handover.confirmed_on == HANDED_OVER


def test_no_second_window_runs_where_the_machines_were_accepted():
    amendment = factories.signed_amendment(come_to(State.ACTIVE), at=at(date(2031, 8, 1)), **MORE_RAM)
    clock = clocks([amendment])[amendment.pk]
    assert clock.deadlines.ends_on is None and clock.deadlines.days_left(date(2031, 8, 2)) is None
    (line,) = clock.deadlines.lines
    assert line.zh.startswith(f"合同 {amendment.amends.number} 已于 2031-06-17 验收") and "没有重新起算" in line.zh


@pytest.mark.parametrize("values", [ONLY_WORDS, MORE_RAM], ids=["active", "accepting"])
def test_the_term_runs_on_from_the_first_acceptance_and_ends_once(values):
    parent = come_to(State.ACTIVE)
    before = tenures([parent])[parent.pk]
    amendment = factories.signed_amendment(parent, at=at(date(2031, 8, 1)), **values)
    assert tenures([amendment])[amendment.pk] == before and tenures([parent]) == {}
    assert before.over_on == date(2031, 10, 1)
    assert (end_due(at(date(2031, 9, 30))), end_due(at(date(2031, 10, 1))), end_due(at(date(2031, 10, 2)))) == (0, 1, 0)
    amendment.refresh_from_db()
    assert amendment.state == "ended" and Contract.objects.get(pk=parent.pk).state == "superseded"


def test_accepting_the_news_later_does_not_start_the_term_again(ada):
    amendment = factories.signed_amendment(come_to(State.ACTIVE), at=at(date(2031, 8, 1)), **MORE_RAM)
    move(amendment, "accept", by=ada, facts={Fact.ALL_SETTLED}, now=at(date(2031, 8, 20)))
    amendment.refresh_from_db()
    assert tenures([amendment])[amendment.pk].over_on == date(2031, 10, 1)
    again = factories.signed_amendment(amendment, at=at(date(2031, 9, 1)), **ONLY_WORDS)
    assert again.state == "active" and tenures([again])[again.pk].over_on == date(2031, 10, 1)


def test_what_an_amendment_changed_and_nobody_accepted_is_still_news_in_the_next():
    first = factories.signed_amendment(come_to(State.ACTIVE), **MORE_RAM)
    second = factories.signed_amendment(first, **ONLY_WORDS)
    assert second.state == "accepting"
    assert json.loads(second.events.get(kind="amendment_took_over").body)["changed"] == ["g1/ram"]


def test_nobody_acts_on_the_parent_and_each_is_sent_to_its_successor(eng, ada, vera, sun, bing):
    parent = come_to(State.ACCEPTING)
    node = Node.objects.of(parent).first()
    paper = {"name": "a.pdf", "data": b"%PDF-1.7", "valid_on": None}
    amendment, now = factories.signed_amendment(parent), timezone.now()
    secret = {"url": "http://10.0.0.9:9723", "secret": "a-secret-long-enough"}
    for act in (
        lambda: services.order_runs(parent, round=2, by=eng, now=now),
        lambda: services.order_pair(parent, one="g1-001", other="g1-002", by=eng, now=now),
        lambda: services.enrol_agent(node, by=sun, now=now, **secret),
        lambda: accept(parent, by=ada, seen="x"),
        lambda: waive_clause(parent, key="g1/ram", reason="x", by=ada),
        lambda: hand_in(parent, "c/licence", by=vera, **paper),
        lambda: declare_replacement(node, names=["GPU-1234"], reason="x", by=vera, now=now),
        lambda: terminate(parent, by=ada, reason="x"),
        lambda: amend_contract(parent, by=bing),
        lambda: comment(parent, "g1/ram", text="x", audience="shared", by=bing),
    ):
        before = parent.events.count()
        with pytest.raises(ContractError, match=amendment.number):
            act()
        assert parent.events.count() == before


def test_open_runs_are_cancelled_and_to_dos_move_to_the_successor(eng, vera):
    parent = come_to(State.ACCEPTING)
    old = Node.objects.of(parent).get(code="g1-001")
    open_one = declare_replacement(old, names=["GPU-1234"], reason="坏了", by=vera, now=timezone.now())
    paper = hand_in(parent, "c/licence", name="许可.pdf", data=b"%PDF-1.7", valid_on=None, by=vera)
    waits = owed([parent])[parent.pk].to_confirm
    amendment = factories.signed_amendment(parent)
    assert not parent.runs.open().exists() and parent.runs.filter(error="superseded").exists()
    assert owed([amendment])[amendment.pk].to_confirm == waits == 1 and owed([parent]) == {}
    decide_paper(paper, confirmed=True, by=eng)
    assert json.loads(amendment.events.get(kind="paper_decided").body)["to"] == "confirmed"
    assert not parent.events.filter(kind="paper_decided").exists() and owed([amendment])[amendment.pk].to_confirm == 0
    open_one.refresh_from_db()
    assert open_one.node == Node.objects.of(amendment).get(code="g1-001")
    assert decide_replacement(open_one, is_agreed=True, by=eng, now=timezone.now()).is_agreed


def test_waivers_stay_where_the_clause_does_not_change(ada):
    parent = delivered_contract()
    store(parent, *making.sick())
    judge_contract(parent.pk, making.NOW + timedelta(hours=1))
    failing = list(Verdict.objects.failing().filter(contract=parent).values_list("key", flat=True))
    for key in failing:
        waive_clause(parent, key=key, reason="知悉", by=ada)
    assert "g1/links_per_gpu" in failing
    same = factories.signed_amendment(parent, at=making.NOW, **ONLY_WORDS)
    assert sorted(Waiver.objects.filter(contract=same).values_list("key", flat=True)) == sorted(failing)
    other = factories.signed_amendment(same, at=making.NOW, g1={"nvlink_active_links_min": 16})
    kept = set(Waiver.objects.filter(contract=other).values_list("key", flat=True))
    assert kept == set(failing) - {"g1/links_per_gpu"}
    assert sorted(json.loads(other.events.get(kind="waivers_carried").body)["keys"]) == sorted(kept)


def waived_parent(ada):
    """A parent with every failing clause waived: of g1, of the mount and of the contract."""
    parent = delivered_contract()
    store(parent, *making.sick())
    judge_contract(parent.pk, making.NOW)
    for verdict in Verdict.objects.failing().filter(contract=parent):
        waive_clause(parent, key=verdict.key, reason="知悉", by=ada, now=making.NOW)
    return parent


def waived(contract):
    return set(Waiver.objects.filter(contract=contract).values_list("key", flat=True))


def of_row(keys, code):
    return {key for key in keys if key.startswith(f"{code}/")}


def test_a_waiver_covers_no_machine_that_is_added_later(ada):
    parent = waived_parent(ada)
    before = waived(parent)
    assert LINKS in before and of_row(before, "c")
    amendment = factories.agreed_amendment(parent, **MORE_NODES)
    (line,) = waiver_lines(amendment, succession(amendment).state)
    assert line.zh.startswith(f"已有豁免 {len(before)} 项失效，须重新决定") and line.en.endswith(f": {len(before)}.")
    amendment = succeed(signed_by_both(amendment), at=making.NOW)
    assert waived(amendment) == set() and not amendment.events.filter(kind="waivers_carried").exists()
    assert set(json.loads(amendment.events.get(kind="waivers_ended").body)["keys"]) == before
    store(amendment, making.topology("g1-003", dict.fromkeys(making.GPUS, 4)))
    judge_contract(amendment.pk, making.NOW)
    assert outlook(amendment, making.NOW).settlement.blocking[LINKS] == "breached"


def test_a_waiver_stays_where_machines_are_added_that_its_clause_does_not_judge(ada, bing):
    parent = waived_parent(ada)
    draft = amend_contract(parent, by=bing)
    add_group(draft, by=bing)
    own = {**SAMPLE["g1"], "name": "推理组"}
    write_terms(draft, values={"g2": own, "c": {"total_gpu_count_stated": 32}}, by=bing)
    send_revision(draft, by=ada)
    before = waived(parent)
    kept, ended = of_row(before, "g1"), before - of_row(before, "g1")
    (line,) = waiver_lines(draft, State.DELIVERED)
    assert line.zh.startswith(f"已有豁免 {len(kept)} 项继续有效、{len(ended)} 项失效") and LINKS in kept and ended


def ticked_parent(ada):
    """Accepted with one marginal clause, which was ticked with its value."""
    parent = waived_parent(ada)
    move(parent, "start_acceptance", by=factories.person("eng"), now=making.NOW)
    Waiver.objects.filter(contract=parent, key=LINKS).delete()
    Verdict.objects.filter(contract=parent, key=LINKS).update(state="marginal", value="17")
    return accept(parent, by=ada, seen=outlook(parent, making.NOW).sha256, ticked=[LINKS], now=making.NOW)


@pytest.mark.parametrize("between", [False, True], ids=["at once", "after one that stays active"])
def test_what_was_ticked_as_marginal_is_decided_on_anew_where_there_is_acceptance_again(ada, between):
    parent = ticked_parent(ada)
    before = waived(parent)
    if between:
        parent = factories.signed_amendment(parent, at=making.NOW, **ONLY_WORDS)
        assert parent.state == "active" and waived(parent) == before and LINKS in before
    amendment = factories.agreed_amendment(parent, **MORE_RAM)
    (line,) = waiver_lines(amendment, State.ACCEPTING)
    ended = {LINKS, "g1/ram"} & before
    assert line.zh.startswith(f"已有豁免 {len(before - ended)} 项继续有效、{len(ended)} 项失效，须重新决定")
    amendment = succeed(signed_by_both(amendment), at=making.NOW)
    assert amendment.state == "accepting" and waived(amendment) == before - ended
    store(amendment, making.topology("g1-001", dict.fromkeys(making.GPUS, 1), minutes=30, repeat=9))
    judge_contract(amendment.pk, making.NOW)
    assert outlook(amendment, making.NOW).settlement.blocking[LINKS] == "breached"


@pytest.mark.parametrize(("was", "becomes"), [("50", "100"), ("100", "50")])
def test_another_share_of_machines_that_must_pass_is_news_to_every_joint_clause(ada, was, becomes):
    share = "acceptance_coverage_pct"
    parent = factories.signed_contract(c={share: Decimal(was)})
    for name in MOVES:
        move(parent, name, by=ada if name == "accept" else factories.person("eng"), facts=set(Fact), now=making.NOW)
        parent.refresh_from_db()
    assert parent.state == "active"
    amendment = factories.agreed_amendment(parent, c={share: Decimal(becomes)})
    coming = succession(amendment)
    assert coming.state is State.ACCEPTING and set(coming.changed) == {"g1/busbw_inter:8GiB", "g1/wrong_results_inter"}
    assert succeed(signed_by_both(amendment), at=making.NOW).state == "accepting"


def test_a_mount_that_more_groups_must_see_is_news_and_one_that_fewer_must_see_is_none():
    one = making.body_of()
    two = replace(one, mounts=tuple(replace(mount, groups=("g1", "g2")) for mount in one.mounts))
    keys = {clause.key for clause in one.clauses}
    assert keys - unchanged(one, two) == of_row({clause.key for clause in one.judged}, "m1") != set()
    assert unchanged(two, one) == keys


def test_retests_and_the_time_to_cure_are_counted_on_while_it_is_the_same_acceptance(eng):
    parent = delivered_contract()
    services.order_runs(parent, round=1, by=eng, now=making.NOW)
    store(parent, *making.sick())
    judge_contract(parent.pk, making.NOW + timedelta(hours=1))
    # Cured, they say; it brings results before the amendment is signed.
    services.order_runs(parent, round=2, by=eng, now=making.NOW + timedelta(minutes=90))
    parent.runs.filter(round=2).update(state="done")
    since = cure_until(parent, ["g1/links_per_gpu"], 5)
    amendment = factories.signed_amendment(parent, at=making.NOW + timedelta(hours=2), **MORE_RAM)
    judge_contract(amendment.pk, making.NOW + timedelta(hours=3))
    assert Verdict.objects.get(contract=amendment, key="g1/links_per_gpu").state == "breached"
    known = retests_of(amendment, factories.latest(amendment).body())
    assert (known.rounds, known.before, known.ordered) == ((), 1, 1)
    assert cure_until(amendment, ["g1/links_per_gpu"], 5) == since != ""


@pytest.mark.parametrize("end", ["terminated", "ended"])
def test_an_amendment_of_what_has_ended_is_neither_sent_nor_signed(ada, bing, end):
    parent = come_to(State.ACTIVE)
    draft = factories.agreed_amendment(parent)
    Contract.objects.filter(pk=parent.pk).update(state=end)
    revision = factories.latest(draft)
    with pytest.raises(ContractError, match=rf"{parent.number}, which this amends"):
        signed_by(revision, "ada")
    Contract.objects.filter(pk=draft.pk).update(state="answered")
    with pytest.raises(ContractError, match=rf"{parent.number}, which this amends"):
        send_revision(draft, by=ada)


def signed_by_both(amendment):
    revision = factories.latest(amendment)
    return move(amendment, "sign", by=factories.person("ada"), facts=factories.SIGNED_BY_BOTH, now=making.NOW, revision=revision)  # fmt: skip


def signed_by(revision, name):
    user, now = factories.person(name), timezone.now()
    proof = Proof(user.pk, Method.TOTP, now)
    return sign_off(revision, by=user, typed_name=name.title(), sha256=revision.sha256, proof=proof, now=now)


def test_the_second_signature_does_all_of_it_and_both_sides_are_told():
    parent = come_to(State.ACCEPTING)
    amendment = factories.agreed_amendment(parent, **MORE_RAM)
    revision = factories.latest(amendment)
    coming = succession(amendment)
    assert [line.en for line in lines_of(coming)][1] == "It will then be “In acceptance”."
    assert signed_by(revision, "sun").state == "agreed" and Contract.objects.get(pk=parent.pk).state == "accepting"
    assert signed_by(revision, "ada").state == "accepting"
    event = parent.events.get(kind="move_supersede")
    letters = Mail.objects.filter(contract=parent, occasion=f"move_supersede-{event.number}").select_related("to")
    assert {mail.to.email for mail in letters} == {f"{name}@buyer.example" for name in ("bing", "ada", "eng")} | {
        f"{name}@vendor.example" for name in ("vera", "sun")
    }
    assert all(amendment.number in mail.subject and str(parent.uuid) in mail.body for mail in letters)
    assert Document.objects.filter(revision=revision).count() == 1


def test_who_signs_what_leads_back_into_acceptance_is_told_so_before():
    amendment = factories.agreed_amendment(come_to(State.ACTIVE), **MORE_RAM)
    said = [line.zh for line in lines_of(succession(amendment))]
    assert said[1] == "签署后本协议处于“验收中”。" and "改动或新增 1 条须验收的条款" in said[2]
