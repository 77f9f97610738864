"""What machines really print when something is off between two looks: no wrong pass, no wrong miss."""

from dataclasses import replace

import pytest

from gpucontract.measurements.parsers.capture import Reading
from gpucontract.measurements.records import Origin
from gpucontract.verdicts.states import State
from tests.verdicts import making
from tests.verdicts.making import collective, each_gpu, health, inventory, software, three, topology

V, B, Q, P = State.VERIFIED, State.BREACHED, State.INCONCLUSIVE, State.PENDING
ONE = "g1-001"
BODY = making.body_of()


def at_one(name, *records):
    """Scope below the first machine -> (state, reason)."""
    found = making.scope_verdicts(BODY.clause(making.key_of(BODY, name)), list(records), BODY)
    return {scope: (each.state, each.reason) for scope, each in found.items() if scope.startswith(ONE)}


def states(name, *records):
    return set(at_one(name, *records).values())


def cards(*numbers):
    return [Reading("gpu_uuid", f"GPU-{number}", scope=f"gpu{place}") for place, number in enumerate(numbers)]


def listed(*numbers, **fields):
    return inventory(ONE, ["gpu_uuid"], cards(*numbers), **fields)


def log(*numbers, xid=0, **fields):
    return health(ONE, add=[*cards(*numbers), Reading("xid_79", xid)], **fields)


FIRST, SWAPPED = range(8), (*range(7), 99)


def test_a_card_that_fell_off_the_bus_after_the_roll_call_leaves_the_count_open():
    before, after = listed(*FIRST), log(*FIRST, xid=1, minutes=10)
    assert at_one("gpu_count", before, after)[ONE] == (Q, "sources_disagree")
    assert at_one("gpu_count", before, log(*FIRST, minutes=10))[ONE] == (V, "met")


def test_a_log_from_before_the_roll_call_does_not_speak_against_it():
    assert at_one("gpu_count", log(*FIRST, xid=1), listed(*FIRST, minutes=10))[ONE] == (V, "met")


@pytest.mark.parametrize("name", ["gpu_model", "gpu_memory", "ecc", "gpu_count"])
def test_what_was_listed_before_a_card_was_swapped_verifies_nothing(name):
    assert {state for state, _ in states(name, listed(*FIRST), log(*SWAPPED, minutes=10))} == {Q}
    assert states(name, listed(*FIRST), log(*SWAPPED, minutes=10)) == {(Q, "swapped")}
    again = listed(*SWAPPED, minutes=20)
    assert {state for state, _ in states(name, listed(*FIRST), log(*SWAPPED, minutes=10), again)} == {V}


def test_health_of_a_card_that_is_gone_does_not_count():
    assert states("health_ecc", log(*FIRST), listed(*SWAPPED, minutes=10)) == {(Q, "swapped")}


def test_a_lost_card_is_no_swap_and_is_named():
    seven = log(*range(7), minutes=10)
    assert states("gpu_memory", listed(*FIRST), seven) == {(V, "met")}
    gone = topology(ONE, drop=["nvlink_active"], add=each_gpu("nvlink_active", 18)[:7], minutes=10)
    found = at_one("links_per_gpu", listed(*FIRST), gone)
    assert found["g1-001/gpu7"] == (P, "no_reading") and found["g1-001/gpu0"][0] is V


def test_an_unsigned_listing_swaps_no_card():
    forged = log(*SWAPPED, minutes=10, origin=Origin.PASTED)
    assert states("gpu_memory", listed(*FIRST), forged) == {(V, "met")}


def width(lanes, state=None, most=16):
    told = [Reading("pcie_width_max", most, scope=f"gpu{gpu}") for gpu in making.GPUS]
    told += each_gpu("performance_state", state) if state else []
    return inventory(ONE, ["pcie_width_current"], [*each_gpu("pcie_width_current", lanes), *told])


WIDTHS = {
    "full at rest": (width(16, "P8"), V, "met"),
    "fewer while saving power": (width(8, "P8"), Q, "idle_link"),
    "fewer at full speed": (width(8, "P0"), B, "missed"),
    "fewer and no state told": (width(8), B, "missed"),
    "no more to be had, even at rest": (width(8, "P8", most=8), B, "missed"),
}


@pytest.mark.parametrize(("record", "state", "reason"), WIDTHS.values(), ids=WIDTHS)
def test_a_link_that_rests_is_no_narrow_link(record, state, reason):
    assert states("pcie_width", record) == {(state, reason)}


def test_mig_on_one_card_is_a_breach_there_and_its_run_decides_nothing():
    split = inventory(ONE, ["mig_enabled"], each_gpu("mig_enabled", False, gpu3=True))
    found = at_one("mig_off", split)
    assert found["g1-001/gpu3"][0] is B and found["g1-001/gpu2"][0] is V
    seven = three(ONE, 480, 481, 482, spoil={"ranks": 7})
    assert states("busbw_intra", split, *seven) == {(Q, "wrong_ranks")}


RANKS = {
    "four of eight": ({"ranks": 4}, "wrong_ranks"),
    "eight on four": ({"distinct_gpus": 4}, "shared_gpus"),
    "sixteen": ({"ranks": 16}, "wrong_ranks"),
}


@pytest.mark.parametrize(("spoil", "reason"), RANKS.values(), ids=RANKS)
@pytest.mark.parametrize("speed", [200, 480])
def test_a_run_on_other_than_the_contracted_gpus_neither_passes_nor_misses(spoil, reason, speed):
    shown = [collective(ONE, speed + repeat, repeat, minutes=repeat, spoil=spoil) for repeat in (1, 2, 3)]
    assert states("busbw_intra", *shown) == {(Q, reason)}


UNITS = {
    "GiB as the card has": (80, "GiB", V), "the same number in GB": (80, "GB", B),
    "MiB": (81559, "MiB", V), "the same number in MB": (81559, "MB", B),
}  # fmt: skip


@pytest.mark.parametrize(("number", "unit", "state"), UNITS.values(), ids=UNITS)
def test_memory_in_decimal_units_is_not_read_as_binary(number, unit, state):
    record = inventory(ONE, ["gpu_memory_total"], each_gpu("gpu_memory_total", number, unit))
    assert {found for found, _ in states("gpu_memory", record)} == {state}


def test_a_machine_that_answers_under_another_name_settles_nothing():
    records = [listed(*FIRST), replace(log(*FIRST, minutes=10), hostnames={ONE: "another-host"})]
    context = {"hosts": {ONE: "gpu-node-01"}}
    clause = BODY.clause(making.key_of(BODY, "health_ecc"))
    found = making.scope_verdicts(clause, records, BODY, **context)[ONE]
    assert (found.state, found.reason) == (Q, "other_machine")


def test_a_reboot_between_two_looks_does_not_wash_off_what_was_seen():
    """Volatile counters begin at 0 again: within one round the earlier error stays open."""
    dirty = health(ONE, ["ecc_uncorrected_volatile"], each_gpu("ecc_uncorrected_volatile", 0, gpu2=4))
    clean = health(ONE, minutes=30, id="after-the-reboot")
    assert at_one("health_ecc", dirty, clean)["g1-001/gpu2"] == (Q, "contradiction")
    assert {state for state, _ in states("driver", software(ONE))} == {V}


LISTED = {
    "cut within the first GPU": ({0: 2}, 18, Q, "sources_disagree"),
    "truly fewer, as both say": ({0: 16}, 16, B, "missed"),
    "more in all than to any one": ({0: 18}, 2, V, "met"),
}  # fmt: skip


@pytest.mark.parametrize(("links", "pairs", "state", "reason"), LISTED.values(), ids=LISTED)
def test_a_list_of_links_that_the_matrix_contradicts_was_cut(links, pairs, state, reason):
    record = topology(ONE, links, add=each_gpu("nvlink_links", pairs))
    assert at_one("links_per_gpu", record)["g1-001/gpu0"] == (state, reason)


CONSUMER = inventory(ONE, ["gpu_name", "ecc_enabled"], [
    *each_gpu("gpu_name", "NVIDIA GeForce RTX 4090"),
    *(Reading("ecc_enabled", None, scope=f"gpu{gpu}", why="not_available") for gpu in making.GPUS)])  # fmt: skip


@pytest.mark.parametrize(("model", "state"), [("H100 SXM5 80GB", Q), ("RTX 4090 24GB", State.NOT_APPLICABLE)])
def test_a_card_without_ecc_makes_the_clause_void_only_where_such_cards_were_rented(model, state):
    body = making.body_of(group={"gpu_model": model})
    found = making.scope_verdicts(body.clause(making.key_of(body, "ecc")), [CONSUMER], body)
    assert found["g1-001/gpu0"].state is state


NO_MIG = {
    "a GeForce, as rented": ("RTX 4090 24GB", "NVIDIA GeForce RTX 4090", State.NOT_APPLICABLE),
    "an Ada card, as rented": ("L40S 48GB", "NVIDIA L40S", State.NOT_APPLICABLE),
    "a slice of such a card": ("L40S 48GB", "NVIDIA L40S-48Q", Q),
    "a card that can be split": ("A100 80GB SXM4", "NVIDIA A100-SXM4-80GB", Q),
    "another card than rented": ("H100 SXM5 80GB", "NVIDIA L40S", Q),
    "a model the catalogue lacks": ("Another GPU", "NVIDIA L40S", Q),
}


@pytest.mark.parametrize("name", NO_MIG)
def test_no_answer_about_mig_makes_the_clause_void_only_on_rented_cards_that_have_none(name):
    model, printed, state = NO_MIG[name]
    body = making.body_of(group={"gpu_model": model})
    record = inventory(ONE, ["gpu_name", "mig_enabled"], [
        *each_gpu("gpu_name", printed),
        *(Reading("mig_enabled", None, scope=f"gpu{gpu}", why="not_available") for gpu in making.GPUS)])  # fmt: skip
    found = making.scope_verdicts(body.clause(making.key_of(body, "mig_off")), [record], body)
    assert found["g1-001/gpu0"].state is state


@pytest.mark.parametrize(("contracted", "state"), [(8, Q), (1, State.NOT_APPLICABLE)])
def test_one_gpu_has_no_peers_only_where_one_was_rented(contracted, state):
    single = {"gpus_per_node": contracted, "gpus_promised_in_one_machine": contracted}
    body = making.body_of(group=single)
    record = topology(ONE, drop=["gpu_count", "p2p_supported"], add=[Reading("gpu_count", 1)])
    found = making.scope_verdicts(body.clause(making.key_of(body, "p2p")), [record], body)
    assert found[ONE].state is state
