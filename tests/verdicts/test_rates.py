"""Rates: how many runs, which value of them, and the conditions without which a run does not count."""

from dataclasses import replace
from decimal import Decimal
from itertools import permutations

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts.rates import combined
from gpucontract.verdicts.states import Attribution, State
from tests.verdicts import making
from tests.verdicts.making import SIZE, collective, three

V, B, M, Q, P, N = (
    State.VERIFIED, State.BREACHED, State.MARGINAL, State.INCONCLUSIVE, State.PENDING, State.NOT_APPLICABLE,
)  # fmt: skip
ONE, PAIR = "g1-001", ("g1-001", "g1-002")
BODY = making.body_of()


def contract(**terms):
    return making.body_of(contract=terms)


def intra(records, body=BODY):
    """The verdict on busbw_intra of machine 1."""
    return making.scope_verdicts(body.clause("g1/busbw_intra:8GiB"), records, body)[ONE]


def inter(records, body=BODY):
    """Scope -> verdict on busbw_inter."""
    return making.scope_verdicts(body.clause(making.key_of(body, "busbw_inter")), records, body)


# rule, tolerance, values -> state, value, reason
SERIES = {
    "median of three above": ("median", 0, (480, 440, 470), V, "470", "met"),
    "median of three below": ("median", 0, (480, 440, 450), B, "450", "missed"),
    "best of three": ("best", 0, (440, 441, 456), V, "456", "met"),
    "worst of three": ("worst", 0, (480, 481, 454), B, "454", "missed"),
    "exactly the mark": ("median", 0, (455, 455, 455), V, "455", "met"),
    "a hair below": ("median", 0, ("454.99", "454.99", "454.99"), B, "454.99", "missed"),
    "within the tolerance": ("median", 2, (447, 447, 447), M, "447", "marginal"),
    "beyond the tolerance": ("median", 2, (445, 445, 445), B, "445", "missed"),
    "two of three": ("median", 0, (480, 481), P, "None", "few_runs"),
    "two low ones of three": ("median", 0, (300, 301), P, "None", "few_runs"),
}


@pytest.mark.parametrize(("rule", "tolerance", "values", "state", "value", "reason"), SERIES.values(), ids=SERIES)
def test_runs_are_combined_as_contracted(rule, tolerance, values, state, value, reason):
    body = contract(repeat_rule=rule, tolerance_pct=Decimal(tolerance))
    found = intra(three(ONE, *values), body)
    assert (found.state, str(found.value), found.reason) == (state, value, reason)


SINGLE = {
    "passes": ((480,), V, "met"),
    "misses once": ((440,), Q, "once_below"),
    "misses twice": ((440, 441), B, "missed"),
    "passes and misses": ((480, 440), Q, "split_runs"),
    "passes twice and misses": ((480, 481, 440), Q, "split_runs"),
}


@pytest.mark.parametrize(("values", "state", "reason"), SINGLE.values(), ids=SINGLE)
def test_one_contracted_run(values, state, reason):
    found = intra(three(ONE, *values), contract(repeat_runs=1))
    assert (found.state, found.reason) == (state, reason)


def test_runs_beyond_the_contracted_number_are_set_aside_so_that_nobody_runs_until_it_passes():
    found = intra(three(ONE, 440, 441, 442, 480, 481, 482))
    assert (found.state, found.value) == (B, Decimal(441))
    assert [why for _, why in found.aside] == ["extra"] * 3 and len(found.runs) == 3


def test_a_new_round_starts_counting_anew():
    old, new = (
        three(ONE, 440, 441, 442),
        [collective(ONE, v, r, minutes=10 + r, round=2) for r, v in ((1, 480), (2, 481))],
    )
    found = intra([*old, *new])
    assert (found.state, found.reason) == (P, "few_runs")
    assert ("older_round" in dict(found.aside).values()) and len(found.aside) == 3


def test_order_of_arrival_in_the_list_changes_nothing():
    records = three(ONE, 480, 440, 470)
    assert len({(found.state, found.value) for order in permutations(records) for found in [intra(list(order))]}) == 1


# what is wrong with the run -> reason it does not count
CONDITIONS = {
    "another collective": ({"name": "all_gather"}, "other_collective"),
    "ranks on two hosts": ({"spoil": {"hosts": 2}}, "several_hosts"),
    "four GPUs of eight": ({"spoil": {"ranks": 4}}, "wrong_ranks"),
    "a single rank": ({"spoil": {"ranks": 1}}, "single_rank"),
    "results unchecked": ({"spoil": {"wrong_results": None, "validation": False}}, "validation_off"),
    "wrong results": ({"spoil": {"wrong_results": 3096}}, "wrong_results"),
    "size not reached": ({"spoil": {f"busbw_at_{SIZE}_out_of_place": None}}, "size_missing"),
    "a variable that is not allowed": ({"env": {"NCCL_NVLS_ENABLE": "0"}}, "env"),
    "a variable hidden in the command": ({"command": "NCCL_P2P_LEVEL=SYS all_reduce_perf -b 8G"}, "env"),
    "a variable passed on by mpirun": ({"command": "mpirun -x NCCL_MIN_CTAS=32 all_reduce_perf"}, "env"),
    "a variable handed on from the shell": ({"command": "mpirun -x NCCL_ALGO all_reduce_perf"}, "env"),
    "a variable that NCCL says it obeys": ({"spoil": {"nccl_settings": ("NCCL_ALGO", "NCCL_DEBUG")}}, "env"),
    "eight ranks on one GPU": ({"spoil": {"distinct_gpus": 1}}, "shared_gpus"),
    "ranks on a machine that is not under test": ({"spoil": {"host_names": ("gpu-node-09",)}}, "elsewhere"),
    "ranks here and elsewhere": ({"spoil": {"host_names": ("gpu-node-01", "gpu-node-09")}}, "elsewhere"),
    "a number that its time does not give": ({"spoil": {f"time_at_{SIZE}_out_of_place": Decimal(20000)}}, "implausible"),
    "one pass": ({"spoil": {"iterations": 1}}, "few_iterations"),
    "one pass fewer than the tool's own number": ({"spoil": {"iterations": 19}}, "few_iterations"),
    "passes not said": ({"spoil": {"iterations": None}}, "few_iterations"),
    "no warm-up": ({"spoil": {"warm_up_iterations": 0}}, "no_warm_up"),
    "warm-up not said": ({"spoil": {"warm_up_iterations": None}}, "no_warm_up"),
    "times of queueing": ({"spoil": {"is_cpu_time": True}}, "cpu_time"),
    "no time to work it out again": ({"spoil": {f"time_at_{SIZE}_out_of_place": None}}, "no_time"),
}  # fmt: skip


@pytest.mark.parametrize(("spoiled", "reason"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_run_outside_the_conditions_is_inconclusive_never_a_breach(spoiled, reason):
    found = intra(three(ONE, 480, 481, 482, **spoiled))
    assert (found.state, found.reason, found.value) == (Q, reason, None)
    assert {why for _, why in found.aside} == {reason}


@pytest.mark.parametrize(("ordered", "ran", "reason"), [
    (20, 20, "met"), (20, 50, "met"), (50, 49, "few_iterations"), (50, 50, "met"), (5, 5, "met"), (5, 4, "few_iterations"),
])  # fmt: skip
def test_as_many_passes_as_were_ordered_are_due(ordered, ran, reason):
    found = intra(three(ONE, 480, 481, 482, spoil={"iterations": ran}, params={"iterations": ordered}))
    assert (found.state, found.reason) == (V if reason == "met" else Q, reason)


BUSY = (Reading("gpu_processes", 1), Reading("gpu_process_list", ("4242, python3, 61440 MiB",)))


@pytest.mark.parametrize(("told", "state", "reason"), [
    (BUSY, Q, "gpu_busy"), ((Reading("gpu_processes", 0),), V, "met"),
    ((Reading("gpu_processes", None, why="no_output"),), V, "met"),
])  # fmt: skip
def test_gpus_in_use_by_others_give_no_figure(told, state, reason):
    runs = [replace(r, outputs=(making.output(told, "apps"), *r.outputs)) for r in three(ONE, 300, 301, 302)]
    fast = [replace(r, outputs=(making.output(told, "apps"), *r.outputs)) for r in three(ONE, 480, 481, 482)]
    found = making.judged(fast, BODY)["g1/busbw_intra:8GiB"].exceptions
    assert intra(fast).reason == reason and intra(fast).state is state
    assert intra(runs).state is (Q if reason == "gpu_busy" else B)
    if reason == "gpu_busy":
        assert "in use when the test began (1 processes: 4242, python3, 61440 MiB)" in found[0].sentence.en


def test_a_run_of_one_pass_that_misses_is_no_breach_and_says_what_is_due():
    body = BODY
    found = making.judged(three(ONE, 300, 301, 302, spoil={"iterations": 1}), body)["g1/busbw_intra:8GiB"]
    assert (found.state, found.reason) == (Q, "few_iterations")
    assert "timed 1 passes of each message where 20 are due (-n 20)" in found.sentence.en


MODELS = {
    "the contracted model": (("NVIDIA H100 80GB HBM3",), V, "met"),
    "the same by a driver that leaves out the maker": (("H100 80GB HBM3",), V, "met"),
    "another model": (("NVIDIA A100-SXM4-80GB",), Q, "other_model"),
    "one card of another model": (("NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe"), Q, "other_model"),
}


def with_models(records, models, host="gpu-node-01"):
    """The same runs with the GPU models that NCCL's ranks name."""
    told = (Reading("rank_gpu_models", models), Reading("rank_gpu_models", models, scope=f"@{host}"))
    return [replace(r, outputs=(replace(r.outputs[0], readings=(*r.outputs[0].readings, *told)),)) for r in records]


@pytest.mark.parametrize(("models", "state", "reason"), MODELS.values(), ids=MODELS)
def test_ranks_must_sit_on_the_contracted_model(models, state, reason):
    found = intra(with_models(three(ONE, 480, 481, 482), models))
    assert (found.state, found.reason) == (state, reason)


def test_the_machine_with_the_other_model_is_named_in_a_joint_run():
    joint = three(PAIR, 330, 331, 332, name="all_gather")
    mixed = with_models(joint, ("NVIDIA A100-SXM4-80GB",), "gpu-node-02")
    found = making.judged(mixed, BODY)["g1/busbw_inter:8GiB"]
    assert (found.state, found.reason) == (Q, "other_model")
    assert "gpu-node-02: NVIDIA A100-SXM4-80GB" in found.sentence.en


def test_another_model_in_the_inventory_explains_the_run_and_is_the_providers():
    cards = making.each_gpu("gpu_name", "NVIDIA A100-SXM4-80GB")
    runs = with_models(three(ONE, 480, 481, 482), ("NVIDIA A100-SXM4-80GB",))
    verdicts = making.judged([making.inventory(ONE, ["gpu_name"], cards), *runs], BODY)
    assert verdicts["g1/gpu_model"].state is B
    found = verdicts["g1/busbw_intra:8GiB"]
    assert (found.state, found.because, found.attribution) == (Q, "g1/gpu_model", Attribution.PROVIDER)


def test_a_listing_that_the_ranks_contradict_verifies_no_model():
    runs = with_models(three(ONE, 480, 481, 482), ("NVIDIA A100-SXM4-80GB",))
    found = making.scope_verdicts(BODY.clause("g1/gpu_model"), [making.inventory(ONE), *runs], BODY)
    assert {(v.state, v.reason) for s, v in found.items() if s.startswith(ONE)} == {(Q, "sources_disagree")}


def test_allowed_and_harmless_variables_do_not_matter():
    env = {"NCCL_DEBUG": "INFO", "NCCL_IB_HCA": "mlx5", "LC_ALL": "C"}
    assert intra(three(ONE, 480, 481, 482, env=env)).state is V


def test_valid_runs_count_beside_invalid_ones():
    bad = collective(ONE, 470, 4, minutes=9, env={"NCCL_ALGO": "Tree"})
    found = intra([*three(ONE, 480, 481, 482), bad])
    assert found.state is V and (bad.id, "env") in found.aside


def test_more_than_the_links_carry_is_not_believed():
    found = intra(three(ONE, 901, 902, 903))
    assert (found.state, found.reason, found.attribution) == (Q, "over_ceiling", Attribution.HARNESS)


def test_the_same_bytes_twice_count_once():
    found = intra([collective(ONE, 480, repeat, minutes=repeat, sha256="same") for repeat in (1, 2, 3)])
    assert (found.state, found.reason) == (P, "few_runs")
    assert [why for _, why in found.aside] == ["same_bytes", "same_bytes"]


TWO_NODES = {
    "a pass proves nothing": ((487, 488, 489), Q, "two_node_all_reduce"),
    "a miss counts": ((200, 201, 202), B, "missed"),
}


@pytest.mark.parametrize(("values", "state", "reason"), TWO_NODES.values(), ids=TWO_NODES)
def test_default_all_reduce_on_exactly_two_machines(values, state, reason):
    body = making.body_of(group={"inter_test_collective": "all_reduce"})
    found = inter(three(PAIR, *values), body)["g1-001+g1-002"]
    assert (found.state, found.reason) == (state, reason)


def test_the_ring_algorithm_may_verify_on_two_machines():
    body = making.body_of(group={"inter_test_collective": "all_reduce_ring"})
    forced = three(PAIR, 330, 331, 332, env={"NCCL_ALGO": "Ring"})
    assert inter(forced, body)["g1-001+g1-002"].state is V
    assert inter(three(PAIR, 330, 331, 332), body)["g1-001+g1-002"].reason == "other_algorithm"


@pytest.mark.parametrize(
    ("network", "reason"), [("Socket", "over_tcp"), ("mixed", "over_tcp"), (None, "no_network")], ids=str
)
def test_a_joint_run_must_use_the_contracted_network(network, reason):
    spoil = {"network": network}
    found = inter(three(PAIR, 300, 301, 302, name="all_gather", spoil=spoil))["g1-001+g1-002"]
    assert (found.state, found.reason) == (Q, reason)


def test_a_joint_run_on_fewer_machines_than_contracted_does_not_count():
    body = making.body_of(group={"node_count": 4, "inter_test_nodes": 4})
    found = inter(three(PAIR, 330, 331, 332, name="all_gather"), body)["g1-001+g1-002"]
    assert (found.state, found.reason) == (Q, "too_few_hosts")


def test_a_single_rank_has_no_bus_bandwidth():
    found = intra([collective(ONE, 1, 1, spoil={"ranks": 1, f"busbw_at_{SIZE}_out_of_place": None})])
    assert (found.state, found.reason) == (Q, "single_rank")


@pytest.mark.parametrize(
    ("rule", "values", "is_more_better", "expected"),
    [
        ("median", (3, 1, 2), True, 2),
        ("median", (1, 2, 3, 4), True, Decimal("2.5")),
        ("best", (3, 1, 2), True, 3),
        ("worst", (3, 1, 2), True, 1),
        ("best", (3, 1, 2), False, 1),
        ("worst", (3, 1, 2), False, 3),
    ],
)
def test_combined(rule, values, is_more_better, expected):
    assert combined([Decimal(value) for value in values], rule, is_more_better) == expected
