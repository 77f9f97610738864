"""nvidia-smi -L."""

import pytest

from tests.parsers.gpu_outputs import lines_of, measured, read_gpu
from tests.parsers.host_outputs import code, codes, read_text, sample, value, why

LIST = "nvidia_smi/550-list-8xh200.txt"


def test_it_counts_gpus_and_distinct_uuids_and_names_each():
    parsed = read_gpu(LIST)
    assert value(parsed, "gpu_count") == 8
    assert value(parsed, "distinct_uuids") == 8
    assert value(parsed, "gpu_name") == "NVIDIA H200"
    assert value(parsed, "gpu_uuid", "gpu7").startswith("GPU-")
    assert value(parsed, "mig_devices") == 0


@pytest.mark.parametrize(("name", "gpus"), [("nvidia_smi/460-list-mig.txt", 2), ("nvidia_smi/550-list-mig.txt", 1)])
def test_slices_old_and_new_are_counted_apart(name, gpus):
    parsed = read_gpu(name)
    assert value(parsed, "gpu_count") == gpus
    assert value(parsed, "distinct_uuids") == gpus
    assert value(parsed, "mig_devices") == 2


def test_a_line_in_place_of_a_gpu_is_an_unreadable_one():
    parsed = read_gpu("nvidia_smi/535-list-one-lost.txt")
    assert value(parsed, "gpu_count") == 2
    assert value(parsed, "gpu_unreadable") == 1
    assert value(parsed, "error_bus_id") == "0000:3B:00.0"


def test_a_number_left_out_without_a_word_is_a_finding():
    lines = lines_of(LIST)
    parsed = read_text("nvidia-smi -L", "".join(lines[:3] + lines[4:]))
    assert value(parsed, "gpu_count") == 7
    assert codes(parsed) == ["gpu_index_gap"]


def test_different_names_have_no_common_one():
    parsed = read_gpu(LIST, ("GPU 3: NVIDIA H200", "GPU 3: NVIDIA H20-3e"))
    assert why(parsed, "gpu_name") == "gpus_differ"
    assert value(parsed, "gpu_name", "gpu3") == "NVIDIA H20-3e"


def test_equal_uuids_show():
    lines = lines_of(LIST)
    copied = lines[1].replace("GPU 1:", "GPU 8:")
    assert value(read_text("nvidia-smi -L", "".join([*lines, copied])), "distinct_uuids") == 8


def test_a_line_that_breaks_off_is_an_error():
    parsed = read_text("nvidia-smi -L", sample(LIST)[:-20])
    assert code(parsed) == "output_truncated"
    assert measured(parsed) == set()


def test_the_same_list_twice_is_an_error():
    assert code(read_text("nvidia-smi -L", sample(LIST) * 2)) == "two_outputs"


def test_a_bad_exit_status_without_a_dead_gpu_is_an_error():
    assert code(read_gpu(LIST, exit_status=3)) == "exit_status"
