"""p2pBandwidthLatencyTest."""

from decimal import Decimal

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

RUN = "p2p/12.4-3xh200.txt"
TOOL = "p2pBandwidthLatencyTest"


def test_the_worst_pair_decides_and_the_diagonal_does_not():
    parsed = read_gpu(RUN)
    assert value(parsed, "gpu_count") == 3
    assert value(parsed, "p2p_pairs") == "6 of 6"
    assert value(parsed, "p2p_supported") is True
    assert value(parsed, "unidir_p2p_min") == Decimal("388.21")
    assert value(parsed, "bidir_p2p_min") == Decimal("765.21")
    assert value(parsed, "latency_p2p_max") == Decimal("2.97")
    assert [finding.scope for finding in parsed.findings] == ["gpu1+gpu2"] * 3


def test_each_pair_has_its_worse_direction():
    parsed = read_gpu(RUN)
    assert value(parsed, "unidir_p2p", "gpu0+gpu1") == Decimal("391.20")
    assert value(parsed, "latency_p2p", "gpu0+gpu2") == Decimal("2.63")


def test_the_disabled_matrices_and_the_cpu_half_are_not_read():
    values = {reading.value for reading in read_gpu(RUN).readings}
    assert Decimal("38.20") not in values
    assert Decimal("1.70") not in values


def test_pairs_without_access_are_said_although_the_rates_are_printed():
    parsed = read_gpu(RUN, ("     0\t     1     1     1", "     0\t     1     0     1"))
    assert value(parsed, "p2p_pairs") == "5 of 6"
    assert value(parsed, "p2p_supported") is False
    assert value(parsed, "unidir_p2p_min") == Decimal("388.21")
    assert "p2p_impossible" in codes(parsed)


def test_a_cell_of_the_access_matrix_that_is_no_bit_is_unreadable():
    parsed = read_gpu(RUN, ("     0\t     1     1     1", "     0\t     1     ?     1"))
    assert why(parsed, "p2p_pairs") == "unreadable"


@pytest.mark.parametrize("cell", ["  0.00", "   N/A", "388,21"])
def test_a_cell_without_a_rate_leaves_no_minimum(cell):
    parsed = read_gpu(RUN, ("388.21", cell))
    assert why(parsed, "unidir_p2p_min") == "cell_not_measured"
    assert value(parsed, "bidir_p2p_min") == Decimal("765.21")


@pytest.mark.parametrize("title", ["P2P Connectivity", "Unidirectional P2P=Enabled", "P2P=Enabled Latency"])
def test_an_output_cut_in_a_matrix_is_an_error(title):
    text = sample(RUN)
    parsed = read_text(TOOL, text[: text.index(title) + 110])
    assert code(parsed) == "output_truncated"
    assert measured(parsed) == set()


def test_a_lost_row_is_an_error():
    at = sample(RUN).index("Unidirectional P2P=Enabled")
    text = sample(RUN)[:at] + sample(RUN)[at:].replace("     1 391.20 2640.11 393.05 \n", "", 1)
    assert text != sample(RUN)
    assert code(read_text(TOOL, text)) == "output_truncated"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        (sample(RUN) * 2, 0, "two_outputs"),
        (sample(RUN), 1, "exit_status"),
        ("Cuda failure p2pBandwidthLatencyTest.cu:70: 'system not yet initialized'\n", 1, "cuda_error"),
        ("bash: ./p2pBandwidthLatencyTest: command not found\n", 127, "command_not_found"),
        ("hello\n", 0, "no_report"),
    ],
    ids=["twice", "bad exit", "cuda", "not there", "foreign"],
)
def test_a_run_that_failed_measures_nothing(text, status, expected):
    parsed = read_text(TOOL, text, exit_status=status)
    assert code(parsed) == expected
    assert measured(parsed) == set()


def test_one_gpu_has_no_pairs():
    text = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\nP2P Connectivity Matrix\n     D\\D     0\n     0\t     1\n"
    parsed = read_text(TOOL, text)
    assert why(parsed, "p2p_pairs") == "one_gpu"


def test_foreign_lines_between_do_no_harm():
    noise = "Warning: Permanently added 'node-1' to the list of known hosts.\n"
    assert value(read_text(TOOL, noise.join(lines_of(RUN))), "unidir_p2p_min") == Decimal("388.21")
