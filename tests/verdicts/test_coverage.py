"""Each public report and voice that concerns verdicts has its test: which one, so that none is dropped unseen.

Reports go by repository and number, voices by their number in the collection they were read from. What no clause speaks
of yet (host-to-device copies, N/A cells of a matrix, sums of fio's client mode) is a parser's matter and is tested there.
"""

import pytest

from tests.parsers import test_fio_json, test_nvbandwidth, test_perftest
from tests.verdicts import test_machines, test_network, test_rates, test_reports, test_storage_rates, test_voices

# report -> module, name of the test or of the row of its table
REPORTS = {
    "nccl-tests#112": (test_reports, "ACS left on"),
    "nccl-tests#232": (test_reports, "few NICs near, the rest across sockets"),
    "nccl#2409": (test_reports, "ports at line rate, collective slow"),
    "nccl#307": (test_reports, "200G labels on 100G cables"),
    "nccl#489": (test_reports, "a second port that is Down and prints rate 10"),
    "nccl#1412": (test_reports, "a 40G Ethernet port beside three InfiniBand ones"),
    "nccl-tests#249": (test_reports, "one rank prints 0"),
    "nccl-tests#294": (test_reports, "a run that printed no rows"),
    "nccl-tests#131": (test_reports, "fast and wrong"),
    "nccl-tests#212": (test_reports, "a figure at another message size"),
    "nccl-tests#153": (test_reports, "test_in_network_reduction_may_show_more_than_the_ports_carry"),
    "nccl-tests#178": (test_reports, "a pair's bridge where a bridge was promised"),
    "cortwave multi-gpu": (test_reports, "no peer access although all cards are there"),
    "bluenotebook h100-nanochat": (test_reports, "only bridged pairs sold as a full mesh"),
    "tinker.expert part 2": (test_reports, "one of two identical boxes has no NVLink"),
    "azhpc-diagnostics#73": (test_reports, "two links inactive and nobody noticed"),
    "dcgm-exporter#604": (test_reports, "a card the driver cannot open"),
    "mozilla/translations#1167": (test_reports, "the tool fails after an update"),
    "k8s-device-plugin#234": (test_reports, "listed is verified, usable is another question"),
    "gpud#80": (test_reports, "the same after a reset, in a new round"),
    "eks-node-monitoring-agent#245": (test_reports, "a failed row remap"),
    "fio#383": (test_storage_rates, "through the page cache"),
    "fio#752": (test_fio_json, "client"),
    "fio#1685": (test_storage_rates, "test_a_fio_that_met_errors_measured_nothing"),
    "seaweedfs#5157": (test_storage_rates, "test_more_than_the_ports_can_carry_is_a_cache"),
    "perftest#318": (test_perftest, "size"),
    "nvbandwidth#24": (test_nvbandwidth, "test_"),
    "nccl#949": (test_reports, "slow with ACS on, fast after it was switched off"),
    "superbenchmark#675": (test_nvbandwidth, "N/A"),
}
VOICES = {
    2: (test_voices, "test_a_listing_alone_does_not_verify_that_cards_are_usable"),
    5: (test_rates, "test_gpus_in_use_by_others_give_no_figure"),
    7: (test_voices, "test_a_count_from_one_tool_and_a_list_from_another_must_agree"),
    19: (test_voices, "test_a_fatal_fault_is_a_breach"),
    20: (test_voices, "test_uncorrectable_errors_are_a_breach_from_the_first_one"),
    22: (test_voices, "test_links_and_insides_at_full_rate_do_not_excuse_the_network_between_machines"),
    23: (test_voices, "test_a_joint_run_that_hung_proves_nothing_about_any_machine"),
    25: (test_voices, "test_an_older_nic_driver_explains_nothing_by_itself"),
    26: (test_voices, "test_settings_that_the_contract_does_not_know_make_a_result_inconclusive"),
    29: (test_voices, "test_the_silent_use_of_sockets_breaches_the_transport_clause"),
    37: (test_voices, "test_a_machine_that_computes_wrong_has_no_valid_speed"),
    38: (test_voices, "test_a_library_of_zero_bytes_is_a_software_question_and_leaves_the_hardware_alone"),
    43: (test_voices, "test_one_slow_machine_of_several_is_named_and_not_averaged_away"),
}
# What the collections say more than once, as kinds; each has tests of its own.
KINDS = {
    "more ranks than cards, or ranks on two hosts": (test_machines, "eight ranks on two hosts"),
    "a run that fell back to TCP is charged to nobody alone": (test_network, "fell_back_everywhere"),
}
TESTED = {**REPORTS, **{f"voice {number}": place for number, place in VOICES.items()}, **KINDS}


def said(module):
    """All names of tests and of the rows of their tables in a module, in one text."""
    with open(module.__file__, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize(("module", "name"), TESTED.values(), ids=TESTED)
def test_it_has_its_test(module, name):
    if name.startswith("test_") and name != "test_":
        assert callable(getattr(module, name))
    else:
        assert name in said(module)


def test_no_report_is_left_out():
    assert len(REPORTS) == 29
