"""A broken link explains a slow run, never a forged, copied or wrongly run one."""

from decimal import Decimal

import pytest

from gpucontract.verdicts.explaining import BROUGHT_ABOUT, CAUSES, FALLS_SHORT, causes
from gpucontract.verdicts.reasons import REASONS
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import SIZE, three, topology

BODY = making.body_of()
ONE = "g1-001"
RATE = "g1/busbw_intra:8GiB"

# The evidence's or the test's own fault, a state in which nothing is to be explained, or a cause that stays open.
_NEVER = """
    met not_applicable no_run no_job_yet no_file paper_confirmed paper_waits paper_refused paper_expired
    paper_of_other_text paper_unsigned few_runs uncovered unsigned replayed older_round other_machine other_parts copied
    alike stale not_all_gpus too_fast same_bytes extra contradiction sources_disagree unreadable unreadable_count
    same_gpus answered no_version no_name_known generic_cpu several_hosts too_few_ranks too_few_hosts elsewhere
    other_gpus swapped idle_link shared_gpus single_rank other_collective other_algorithm few_iterations no_warm_up
    cpu_time gpu_busy no_network env wrong_results validation_off size_missing no_time implausible beyond beyond_port
    over_ceiling over_ports over_contracted_ports
    over_contracted_disks virtual_port two_node_all_reduce wrong_path wrong_place place_unknown not_direct
    too_short other_profile wrong_layer same_serials fell_back_everywhere no_login in_container inside_container rounded inside_vm not_root
    runtime_not_read few_clients many_results not_together which_ports interrupted soak_missing soak_short
    interrupts_open
"""
NEVER = frozenset(_NEVER.split())


def test_every_reason_is_decided_once():
    decided = [*NEVER, *FALLS_SHORT, *BROUGHT_ABOUT]
    assert sorted(decided) == sorted(REASONS)


@pytest.mark.parametrize("reason", sorted(NEVER))
def test_what_is_the_evidences_own_fault_is_explained_by_no_clause(reason):
    assert [metric for metric in CAUSES if causes(metric, reason)] == []


SPOILT = {
    "a forged number": ({f"time_at_{SIZE}_out_of_place": Decimal(20000)}, "implausible"),
    "wrong results": ({"wrong_results": 3}, "wrong_results"),
    "another collective": ({"collective": "all_gather"}, "other_collective"),
    "too few passes": ({"iterations": 1}, "few_iterations"),
}


@pytest.mark.parametrize(("spoil", "reason"), SPOILT.values(), ids=SPOILT)
def test_a_broken_link_does_not_explain(spoil, reason):
    runs = [topology(ONE, {5: 16}), *three(ONE, 480, 481, 482, spoil=spoil)]
    found = making.judged(runs, BODY)[RATE]
    assert (found.state, found.reason, found.because) == (State.INCONCLUSIVE, reason, "")
    assert "Explained by" not in found.sentence.en and "原因见条款" not in found.sentence.zh


def test_the_same_link_explains_a_slow_run():
    found = making.judged([topology(ONE, {5: 16}), *three(ONE, 430, 430, 430)], BODY)[RATE]
    assert (found.state, found.because) == (State.BREACHED, "g1/links_per_gpu")


RELATED = {
    "too few ranks, a card is gone": ("nccl_allreduce_busbw_intra", "wrong_ranks", ["gpu_count"]),
    "another card": ("nccl_allreduce_busbw_intra", "other_model", ["gpu_model"]),
    "NCCL fails without Fabric Manager": ("nccl_allreduce_busbw_intra", "tool_failed", ["fabric_manager", "gpu_count"]),
    "ports that are not there": ("ib_port_rate_gbps", "ports_missing", ["nic_count"]),
    "no capacity of what is not mounted": ("fs_capacity_tb", "unread", ["present"]),
    "no error count with ECC off": ("ecc_uncorrected_volatile", "unread", ["ecc"]),
    "over sockets, whatever was measured": ("gpu_count", "over_tcp", ["nic_count", "fabric_type"]),
}


@pytest.mark.parametrize(("metric", "reason", "names"), RELATED.values(), ids=RELATED)
def test_nothing_decided_is_explained_by_what_brings_it_about(metric, reason, names):
    assert list(causes(metric, reason)) == names
