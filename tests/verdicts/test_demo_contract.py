"""The sample contract on two machines: all healthy, and as customers really get them."""

import pytest

from gpucontract.verdicts.states import Attribution, State
from gpucontract.verdicts.summary import count, summary_line
from tests.verdicts import making

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
NEVER_MEASURED = {"c/licence", "g1/local_read"}

# clause: state, deciding scope, value, explained by
SICK = {
    "g1/links_per_gpu": (B, "g1-002/gpu5", 16, ""),
    "g1/inactive_links": (B, "g1-002/gpu5", 2, "g1/links_per_gpu"),
    "g1/busbw_intra:8GiB": (B, "g1-002", "431.2", "g1/links_per_gpu"),
    "g1/local_disks": (B, "g1-002", 3, ""),
    "g1/local_capacity": (B, "g1-002", "23.044503379968", "g1/local_disks"),
    "g1/nic_count": (B, "g1-002", 0, ""),
    "g1/fabric_type": (B, "g1-002", "Socket", "g1/nic_count"),
    "g1/port_rate": (Q, "g1-002", None, "g1/nic_count"),
    "g1/gdr": (Q, "g1-001+g1-002", None, "g1/nic_count"),
    "g1/wrong_results_inter": (Q, "g1-001+g1-002", None, "g1/nic_count"),
    "g1/busbw_inter:8GiB": (Q, "g1-001+g1-002", None, "g1/nic_count"),
}


@pytest.fixture(scope="module")
def body():
    return making.body_of()


@pytest.fixture(scope="module")
def healthy(body):
    return making.judged(making.all_healthy(), body)


@pytest.fixture(scope="module")
def sick(body):
    return making.judged(making.sick(), body)


def test_two_healthy_machines_verify_everything_that_can_be_measured(healthy):
    assert {key for key, verdict in healthy.items() if verdict.state is not V} == NEVER_MEASURED
    assert {healthy[key].state for key in NEVER_MEASURED} == {P}


@pytest.mark.parametrize("key", SICK)
def test_the_sick_machine_is_named_with_number_and_cause(sick, key):
    state, scope, value, because = SICK[key]
    verdict = sick[key]
    assert (verdict.state, verdict.scope, verdict.because) == (state, scope, because)
    assert str(verdict.value) == str(value)


def test_everything_else_measurable_is_verified(sick):
    failing = {key for key, verdict in sick.items() if verdict.state is not V}
    assert failing == SICK.keys() | NEVER_MEASURED


def test_the_healthy_machine_is_blamed_nowhere(sick):
    breaches = [scope for verdict in sick.values() for scope, state in verdict.failing if state is B]
    assert breaches and all("g1-001" not in scope for scope in breaches)


def test_what_the_ports_explain_is_put_down_to_the_provider(sick):
    assert sick["g1/busbw_inter:8GiB"].attribution is Attribution.PROVIDER
    assert sick["g1/links_per_gpu"].attribution is Attribution.PROVIDER


def test_the_fallen_back_run_names_both_machines(sick):
    sentence = sick["g1/busbw_inter:8GiB"].sentence
    assert "g1-001（gpu-node-01）" in sentence.zh and "g1-002（gpu-node-02）" in sentence.zh
    assert "machine g1-002 (gpu-node-02)" in sentence.en and "TCP" in sentence.en


def test_a_machine_whose_own_ports_are_up_is_inconclusive_not_breached(body):
    verdicts = making.scope_verdicts(body.clause("g1/fabric_type"), making.sick(), body)
    assert (verdicts["g1-001"].state, verdicts["g1-001"].reason) == (Q, "fell_back")
    assert (verdicts["g1-002"].state, verdicts["g1-002"].reason) == (B, "no_fabric")


def test_the_six_counts_sum_to_the_judged_clauses(sick, body):
    counts = count({key: verdict.state for key, verdict in sick.items()})
    assert counts.clauses == len(body.judged) == 47
    assert summary_line("demo", counts) == (
        "demo: 47 clauses, 34 verified, 7 breached, 0 marginal, 4 inconclusive, 2 pending, 0 not applicable; 0 waived"
    )


def test_scopes_are_counted_per_state(sick):
    assert sick["g1/links_per_gpu"].counts == {V: 15, B: 1}
    assert sick["g1/links_per_gpu"].failing == (("g1-002/gpu5", B),)


def test_nothing_measured_leaves_everything_pending(body):
    verdicts = making.judged([], body)
    assert {verdict.state for verdict in verdicts.values()} == {P}
    assert "g1-001" in verdicts["g1/gpu_count"].sentence.zh
