"""manage.py read_evidence: readings of a folder of outputs, flat."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.parsers.gpu_outputs import GPU_SAMPLES
from tests.parsers.host_outputs import SAMPLES


def index_of(folder, *rows, columns=("file", "tool", "command_line")):
    with (folder / "INDEX.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return folder / "INDEX.csv"


def read_index(index):
    out = io.StringIO()
    call_command("read_evidence", index=index, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_it_prints_one_object_a_row_in_order(tmp_path):
    names = ["nvidia_smi/550-list-8xh200.txt", "topo/570-8xh200.txt", "dcgmi/4.2-fail.json"]
    for name in names:
        (tmp_path / name.replace("/", "_")).write_bytes((SAMPLES / name).read_bytes())
    rows = read_index(index_of(tmp_path, *((name.replace("/", "_"), *GPU_SAMPLES[name]) for name in names)))
    assert [row["file"] for row in rows] == [name.replace("/", "_") for name in names]
    assert rows[0]["readings"]["gpu_count"] == {"value": "8", "unit": ""}
    assert rows[0]["readings"]["gpu_name_gpu3"]["value"] == "NVIDIA H200"
    assert rows[0]["readings"]["gpu_name_row4"]["value"] == "NVIDIA H200"
    assert rows[1]["readings"]["topo_link_gpu0+gpu1"]["value"] == "NV18"
    assert rows[2]["error"] is None
    assert rows[2]["findings"][0].startswith("dcgm_test_failed: ")


def test_no_value_comes_with_its_reason_and_an_error_with_its_code(tmp_path):
    (tmp_path / "a.txt").write_text("Failed to initialize NVML: Unknown Error\n")
    row = read_index(index_of(tmp_path, ("a.txt", "nvidia-smi", "nvidia-smi")))[0]
    assert row["readings"]["gpu_count"] == {"value": None, "reason": "nvml_failed"}
    assert row["error"].startswith("nvml_failed: ")


def test_numbers_are_plain_and_yes_or_no_is_a_word(tmp_path):
    (tmp_path / "a.txt").write_bytes((SAMPLES / "topo/570-p2p-8xh200.txt").read_bytes())
    (tmp_path / "b.txt").write_text("0, 81559 MiB\n")
    query = "nvidia-smi --query-gpu=index,memory.total --format=csv,noheader"
    rows = read_index(index_of(tmp_path, ("a.txt", "nvidia-smi topo -p2p r", ""), ("b.txt", "nvidia-smi", query)))
    assert rows[0]["readings"]["p2p_supported"]["value"] == "yes"
    assert rows[1]["readings"]["gpu_memory_total_min"] == {"value": "81559", "unit": "MiB"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path, encoding):
    text = (SAMPLES / "nvidia_smi/550-list-8xh200.txt").read_text()
    (tmp_path / "a.txt").write_text(text, encoding=encoding)
    row = read_index(index_of(tmp_path, ("a.txt", "nvidia-smi -L", "nvidia-smi -L")))[0]
    assert row["readings"]["gpu_count"]["value"] == "8"


def test_bytes_that_are_no_text_are_an_error_not_a_crash(tmp_path):
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 4)
    row = read_index(index_of(tmp_path, ("a.txt", "nvidia-smi", "nvidia-smi")))[0]
    assert row["error"]
    assert all(reading["value"] is None for reading in row["readings"].values())


def test_it_says_which_index_or_file_it_cannot_read(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.csv cannot be read"):
        read_index(tmp_path / "nowhere.csv")
    with pytest.raises(CommandError, match=r"gone\.txt, named by .*, cannot be read"):
        read_index(index_of(tmp_path, ("gone.txt", "nvidia-smi", "")))
    with pytest.raises(CommandError, match="has no column command_line"):
        read_index(index_of(tmp_path, ("a.txt", "nvidia-smi"), columns=("file", "tool")))
