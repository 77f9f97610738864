"""What people who were bitten asked of a judge, where it concerns verdicts."""

from dataclasses import replace
from decimal import Decimal

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import (
    all_healthy,
    collective,
    each_gpu,
    fabric,
    health,
    inventory,
    output,
    run,
    software,
    three,
    topology,
)  # fmt: skip

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE, TWO, PAIR = "g1-001", "g1-002", ("g1-001", "g1-002")
BODY = making.body_of()


def verdict(name, *records, body=BODY):
    return making.judged(list(records), body)[making.key_of(body, name)]


def test_a_listing_alone_does_not_verify_that_cards_are_usable():
    assert verdict("gpu_count", *all_healthy()).state is V
    listed = [software(slot, drop=["usable_gpus"]) for slot in PAIR]
    assert verdict("gpu_usable", *listed).state is Q
    seen = [
        software(slot, ["usable_gpus"], [Reading("usable_gpus", count)])
        for slot, count in zip(PAIR, (8, 7), strict=True)
    ]
    assert verdict("gpu_usable", *seen).failing == ((TWO, B),)


def test_faults_of_the_tenants_program_are_no_breach():
    tenant = [Reading("xid_13", 4), Reading("xid_31", 2), Reading("xid_43", 1), Reading("hardware_xids", 0)]
    records = [health(ONE, ["hardware_xids"], tenant), health(TWO)]
    assert verdict("health_xid", *records).state is V


def test_a_fatal_fault_is_a_breach():
    assert (
        verdict("health_xid", health(ONE, ["fatal_xids"], [Reading("fatal_xids", 1), Reading("xid_79", 1)])).state is B
    )


def test_a_count_from_one_tool_and_a_list_from_another_must_agree():
    counted, detailed = (
        output([Reading("gpu_count", 8)], "nvidia-smi"),
        output([Reading("gpu_count", 1)], "nvidia-smi -L"),
    )
    found = verdict("gpu_count", run("inventory", ONE, (), outputs=(counted, detailed)))
    assert (found.state, found.reason) == (Q, "sources_disagree")


def test_links_and_insides_at_full_rate_do_not_excuse_the_network_between_machines():
    records = [r for r in all_healthy() if r.job != "nccl_inter"]
    records += three(PAIR, "154.9", "155.1", "154.7", name="all_gather")
    assert verdict("port_rate", *records).state is V
    assert verdict("busbw_intra", *records).state is V
    found = verdict("busbw_inter", *records)
    assert (found.state, str(found.value)) == (B, "154.9")


def test_a_joint_run_that_hung_proves_nothing_about_any_machine():
    hung = [
        replace(r, error="timeout: killed after 3600 s", outputs=()) for r in three(PAIR, 1, 2, 3, name="all_gather")
    ]
    found = verdict("busbw_inter", *hung)
    assert (found.state, found.reason) == (Q, "failed")
    assert found.attribution.value == "harness"


def test_breached_as_delivered_and_verified_after_the_vendors_change():
    before = three(PAIR, 120, 121, 122, name="all_gather")
    after = [replace(r, round=2, id=f"{r.id}b") for r in three(PAIR, 330, 331, 332, name="all_gather")]
    assert verdict("busbw_inter", *before).state is B
    assert verdict("busbw_inter", *before, *after).state is V


def test_settings_that_the_contract_does_not_know_make_a_result_inconclusive():
    tuned = three(PAIR, 330, 331, 332, name="all_gather", env={"NCCL_IB_QPS_PER_CONNECTION": "4"})
    assert verdict("busbw_inter", *tuned).reason == "env"


def test_the_silent_use_of_sockets_breaches_the_transport_clause():
    records = [fabric(ONE), fabric(TWO), *three(PAIR, 5, 5, 5, name="all_gather", network="Socket")]
    assert verdict("fabric_type", *records).state is B
    assert verdict("busbw_inter", *records).reason == "over_tcp"


def test_a_machine_that_computes_wrong_has_no_valid_speed():
    records = three(ONE, 480, 481, 482, spoil={"wrong_results": 5})
    assert verdict("wrong_results_intra", *records).state is B
    assert verdict("busbw_intra", *records).state is Q


def test_one_slow_machine_of_several_is_named_and_not_averaged_away():
    records = [*three(ONE, 480, 481, 482), *three(TWO, 300, 301, 302)]
    found = verdict("busbw_intra", *records)
    assert (found.state, found.scope, found.counts) == (B, TWO, {V: 1, B: 1})


def test_uncorrectable_errors_are_a_breach_from_the_first_one():
    bad = health(ONE, ["ecc_uncorrected_volatile"], each_gpu("ecc_uncorrected_volatile", 0, gpu7=1))
    assert verdict("health_ecc", bad).scope == "g1-001/gpu7"


def test_a_library_of_zero_bytes_is_a_software_question_and_leaves_the_hardware_alone():
    broken = run("software", ONE, (), outputs=(output([], "python print", error="import_failed: libcudnn.so"),))
    records = [r for r in all_healthy() if not (r.job == "software" and r.lead == ONE)]
    assert verdict("cudnn", *records, broken).state is Q
    assert verdict("gpu_count", *records, broken).state is V


def test_an_older_nic_driver_explains_nothing_by_itself():
    assert verdict("busbw_inter", *three(PAIR, 120, 121, 122, name="all_gather"), software(ONE)).because == ""


def test_a_value_below_the_mark_within_tolerance_is_marginal_and_needs_an_approver():
    body = making.body_of(contract={"tolerance_pct": Decimal(3)})
    found = verdict("busbw_intra", *three(ONE, 450, 450, 450), *three(TWO, 480, 481, 482), body=body)
    assert (found.state, found.scope) == (State.MARGINAL, ONE)
    assert "3 %" in found.sentence.zh and "approver" in found.sentence.en


def test_a_single_collective_is_two_runs_short():
    found = verdict("busbw_intra", collective(ONE, 480), *three(TWO, 480, 481, 482))
    assert (found.state, found.scope) == (P, ONE)
    assert "1 of 3" in found.sentence.en


def test_inventory_of_one_machine_says_nothing_about_the_other():
    found = verdict("gpu_count", inventory(ONE), topology(TWO))
    assert (found.state, found.scope) == (P, TWO)
