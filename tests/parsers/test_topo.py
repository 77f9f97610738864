"""nvidia-smi topo -m and -p2p."""

import re

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

FULL = "topo/570-8xh200.txt"
TOOL = "nvidia-smi topo -m"


def test_a_full_mesh_with_one_card_per_gpu():
    parsed = read_gpu(FULL)
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "nvlink_pairs") == "28 of 28"
    assert value(parsed, "nvlink_links_min") == 18
    assert value(parsed, "worst_link") == "NV18"
    assert value(parsed, "nics") == 8
    assert value(parsed, "gpus_with_pix_nic") == 8
    assert value(parsed, "gpus_with_pxb_nic") == 0
    assert value(parsed, "numa_nodes") == 2
    assert value(parsed, "nic_legend") == "NIC0=mlx5_0..NIC7=mlx5_7"
    assert value(parsed, "topo_link", "gpu2+gpu6") == "NV18"
    assert value(parsed, "nic_link", "gpu3+mlx5_3") == "PIX"
    assert value(parsed, "nic_link", "gpu0+mlx5_7") == "SYS"
    assert value(parsed, "nvlink_links", "gpu5") == 18


def test_a_degraded_gpu_shows_in_its_own_row_and_is_named():
    parsed = read_gpu("topo/570-8xh200-gpu5-16-links.txt")
    assert value(parsed, "nvlink_links_min") == 16
    assert value(parsed, "nvlink_links_max") == 18
    assert value(parsed, "degraded_gpu_indexes") == "5"
    assert value(parsed, "nvlink_links", "gpu5") == 16
    assert value(parsed, "nvlink_links", "gpu4") == 18
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("links_degraded", "gpu5")]


def test_a_partial_mesh_is_not_a_full_one():
    parsed = read_gpu("topo/450-4xv100-vm.txt")
    assert value(parsed, "nvlink_pairs") == "3 of 6"
    assert value(parsed, "nvlink_links_min") == 2
    assert value(parsed, "worst_link") == "PHB"
    assert why(parsed, "numa_nodes") == "not_available"
    assert value(parsed, "nics") == 0
    assert why(parsed, "gpus_with_pix_nic") == "no_nic_columns"


def test_old_words_and_columns_are_known():
    parsed = read_gpu("topo/418-2xp100-soc.txt")
    assert value(parsed, "worst_link") == "SOC"
    assert value(parsed, "nvlink_pairs") == "0 of 1"
    assert value(parsed, "nvlink_links", "gpu0") == 0
    assert why(parsed, "nvlink_links_min") == "no_nvlink"
    assert why(parsed, "numa_nodes") == "no_column"


def test_one_gpu_has_no_pairs_but_a_card():
    parsed = read_gpu("topo/550-1xh100.txt")
    assert value(parsed, "gpu_count") == 1
    assert why(parsed, "nvlink_pairs") == "one_gpu"
    assert value(parsed, "nics") == 1
    assert value(parsed, "nic_link", "gpu0+mlx5_0") == "PHB"


def test_numbers_of_gpu_memory_nodes_are_read_on_grace():
    lines = [
        line.rstrip("\n").removesuffix("N/A") + f"{2 + 8 * at}\n" if line.startswith("GPU") else line
        for at, line in enumerate(lines_of(FULL), start=-1)
    ]
    assert value(read_text(TOOL, "".join(lines)), "gpu_numa_ids") == "2,10,18,26,34,42,50,58"


def test_a_pasted_copy_with_blanks_for_tabs_reads_the_same():
    pasted, whole = read_text(TOOL, sample(FULL).expandtabs()), read_gpu(FULL)
    assert {(r.name, r.scope, r.value) for r in pasted.readings} == {(r.name, r.scope, r.value) for r in whole.readings}


def test_cells_that_run_together_spoil_only_the_cards_of_their_row():
    lines = sample(FULL).expandtabs().splitlines(keepends=True)
    lines = [line.replace("NODE    NODE", "NODENODE", 1) if line.startswith("GPU0") else line for line in lines]
    parsed = read_text(TOOL, "".join(lines))
    assert value(parsed, "nvlink_pairs") == "28 of 28"
    assert "gpu0+mlx5_0" not in {reading.scope for reading in parsed.readings}
    assert value(parsed, "nic_link", "gpu1+mlx5_1") == "PIX"
    assert why(parsed, "gpus_with_pix_nic") == "unreadable"
    assert [(finding.code, finding.scope) for finding in parsed.findings] == [("topo_nic_row_unreadable", "gpu0")]


def test_a_shifted_row_is_not_read_but_the_other_rows_tell_its_pairs():
    lines = [line.replace("GPU3\tNV18\tNV18", "GPU3\tNV18") for line in lines_of(FULL)]
    parsed = read_text(TOOL, "".join(lines))
    assert value(parsed, "nvlink_pairs") == "28 of 28"
    assert why(parsed, "gpus_with_pix_nic") == "unreadable"


def test_all_tabs_lost_is_an_error_not_a_guess():
    parsed = read_text(TOOL, sample(FULL).replace("\t", ""))
    assert parsed.error
    assert measured(parsed) == set()


def test_rows_that_disagree_are_an_error():
    lines = [line.replace("NV18", "NV12", 1) if line.startswith("GPU7") else line for line in lines_of(FULL)]
    assert code(read_text(TOOL, "".join(lines))) == "topo_asymmetric"


def test_an_unknown_relation_is_not_guessed():
    text = sample(FULL).replace("NV18", "C2C")
    assert code(read_text(TOOL, text)) == "topo_unreadable"


@pytest.mark.parametrize("rows", [1, 4, 8])
def test_a_matrix_cut_short_measures_nothing(rows):
    parsed = read_text(TOOL, "".join(lines_of(FULL)[:rows]))
    assert code(parsed) == "output_truncated"
    assert measured(parsed) == set()


def test_a_last_row_cut_in_the_middle_is_an_error():
    text = "".join(lines_of(FULL)[:9])
    assert code(read_text(TOOL, text[:-9])) == "output_truncated"


@pytest.mark.parametrize("name", [FULL, "topo/570-p2p-8xh200.txt"])
def test_two_matrices_and_bad_exits_are_errors(name):
    tool = "nvidia-smi topo -p2p r" if "p2p" in name else TOOL
    assert code(read_text(tool, sample(name) * 2)) == "two_outputs"
    assert code(read_gpu(name, exit_status=1)) == "exit_status"


def test_a_sentence_instead_of_a_matrix_is_an_error():
    parsed = read_text(TOOL, "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n")
    assert code(parsed) == "invalid_option"
    assert measured(parsed) == set()


def test_every_pair_may_access_the_other():
    parsed = read_gpu("topo/570-p2p-8xh200.txt")
    assert value(parsed, "p2p_supported") is True
    assert value(parsed, "p2p_pairs") == "28 of 28"
    assert value(parsed, "p2p_status", "gpu0+gpu7") == "OK"


def test_a_refused_pair_is_named_with_the_drivers_word():
    parsed = read_gpu("topo/550-p2p-4x4090.txt")
    assert value(parsed, "p2p_supported") is False
    assert value(parsed, "p2p_pairs") == "1 of 6"
    assert value(parsed, "p2p_status", "gpu0+gpu3") == "CNS"
    assert codes(parsed) == ["p2p_impossible"]


def test_one_direction_refused_is_a_pair_refused():
    parsed = read_gpu("topo/570-p2p-8xh200.txt", (" GPU1\tOK", " GPU1\tNS"))
    assert value(parsed, "p2p_status", "gpu0+gpu1") == "NS"
    assert value(parsed, "p2p_pairs") == "27 of 28"


def test_an_unknown_status_is_not_measured():
    parsed = read_gpu("topo/570-p2p-8xh200.txt", (" GPU1\tOK", " GPU1\tU"))
    assert why(parsed, "p2p_status", "gpu0+gpu1") == "unknown"
    assert why(parsed, "p2p_supported") == "unknown"


@pytest.mark.parametrize(
    ("change", "expected"),
    [((" GPU1\tOK", " GPU1\tMAYBE"), "p2p_unreadable"), ((" GPU1\tOK\t", " GPU1\t"), "p2p_unreadable")],
)
def test_a_foreign_or_missing_cell_is_an_error(change, expected):
    assert code(read_gpu("topo/570-p2p-8xh200.txt", change)) == expected


def test_a_p2p_matrix_cut_short_is_an_error():
    assert code(read_text("nvidia-smi topo -p2p r", "".join(lines_of("topo/570-p2p-8xh200.txt")[:6]))) == (
        "output_truncated"
    )


def test_a_single_gpu_has_no_peer():
    parsed = read_text("nvidia-smi topo -p2p r", " \tGPU0\t\n GPU0\tX\t\n\nLegend:\n")
    assert why(parsed, "p2p_supported") == "one_gpu"


ESC, END = "\x1b[4m", "\x1b[0m"
# Two cards and one network card as drivers of several years print them: what stands between the cells differs.
LAYOUTS = {
    "escape after the first tab": (
        f"\t{ESC}GPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID{END}\n",
        "\t0-55,112-167\t0\t\tN/A\n", "\n",
    ),
    "escape before the first tab": (
        f"{ESC}\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID{END}\n",
        "\t0-55,112-167\t0\t\tN/A\n", "\t\t\t\t\n",
    ),
    "no numa node, two tabs twice": (
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n", "\t0-55\t\tN/A\t\tN/A\n", "\t\t\n",
    ),
    "the processors as a list": ("\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n", "\t6,14,22,30\t3\n", "\n"),
    "no numa column yet": ("\tGPU0\tGPU1\tNIC0\tCPU Affinity\n", "\t0-23\n", "\n"),
    "an old bond's name": ("\tGPU0\tGPU1\tmlx5_bond_0\tCPU Affinity\tNUMA Affinity\n", "\t0-23\t0\n", "\t\t\n"),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_relations_are_the_same_whatever_stands_around_them(layout):
    head, behind, nic_end = layout
    nic = "mlx5_bond_0" if "bond" in head else "NIC0"
    text = (
        f"{head}GPU0\t X \tNV18\tPXB{behind}GPU1\tNV18\t X \tSYS{behind}{nic}\tPXB\tSYS\t X {nic_end}"
        "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
    )
    parsed = read_text(TOOL, text)
    assert parsed.error == ""
    assert (value(parsed, "gpu_count"), value(parsed, "nics")) == (2, 1)
    assert value(parsed, "nvlink_pairs") == "1 of 1" and value(parsed, "nvlink_links_min") == 18
    assert (value(parsed, "gpus_with_pix_nic"), value(parsed, "gpus_with_pxb_nic")) == (0, 1)
    assert {r.scope: r.value for r in parsed.readings if r.name == "nic_link"} == {
        f"gpu0+{nic}": "PXB", f"gpu1+{nic}": "SYS",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["nvidia-smi topo -mp", "text"])
def test_a_matrix_of_pcie_alone_says_nothing_of_nvlink(command):
    text = re.sub(r"NV[0-9]+", "NODE", sample("topo/570-8xh200.txt"))
    text = "".join(line for line in text.splitlines(keepends=True) if "NV#" not in line)
    parsed = read_text("nvidia-smi topo -m" if command != "text" else command, text, command=command)
    assert {why(parsed, name) for name in ("nvlink_pairs", "nvlink_links_min", "worst_link")} == {"pcie_only"}
    assert not parsed.named("nvlink_links") and not parsed.named("topo_link")
    healthy = read_text("nvidia-smi topo -m", sample("topo/570-8xh200.txt"))
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "gpus_with_pix_nic") == value(healthy, "gpus_with_pix_nic")
