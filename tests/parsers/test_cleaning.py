"""What launchers and terminals add is taken off; what tools print is not."""

import pytest

from gpucontract.measurements.parsers.cleaning import cleaned

BODY = "# nThread 1\n#\n   1024   256  float\n\n# done\n"


def with_prefix(*prefixes):
    lines = BODY.splitlines()
    return "".join(f"{prefixes[at % len(prefixes)]}{line}\n" for at, line in enumerate(lines))


@pytest.mark.parametrize(
    "text",
    [
        with_prefix("[1,0]<stdout>:"),
        with_prefix("[1,0]<stdout>:", "[1,3]<stderr>:"),
        with_prefix("[prterun-node-a-4711@1,0]<stdout>: "),
        with_prefix("Wed Feb 11 09:31:02 2026[1,0]<stdout>:"),
        with_prefix("Wed Feb 11 09:31:02 2026<stdout>:"),
        with_prefix("[0] "),
        with_prefix("0: "),
        with_prefix(" 0: ", "11: "),
        with_prefix("node-1: "),
        with_prefix("gpu-node-01.lan: "),
        with_prefix("[pod/train-0/main] "),
        with_prefix("[default0]:"),
        with_prefix("bench-1  | "),
        with_prefix("(RayWorker pid=4711, ip=10.0.0.1) "),
        with_prefix(*(f"2026-02-11T09:31:0{second}.123456789Z " for second in range(5))),
        with_prefix(*(f"2026-02-11T09:31:0{second}.123+08:00 [1,0]<stdout>:" for second in range(5))),
        with_prefix(*(f"2026-02-11T09:31:0{second}.123456789Z stdout F " for second in range(5))),
        with_prefix(*(f"Feb 11 09:31:0{second} gpu-01 nccl[4711]: " for second in range(5))),
        "\ufeff" + BODY,
        BODY.replace("\n", "\r\n"),
        BODY.replace("\n", "\r"),
        BODY.replace("# nThread", "\x1b[4m# nThread\x1b[0m"),
        BODY.replace("float", "\x1b[1;31mfloat\x1b[K"),
        "\x1b]0;title\x07" + BODY,
    ],
)
def test_it_takes_off_what_was_added_and_keeps_every_blank(text):
    assert cleaned(text) == BODY


@pytest.mark.parametrize(
    "text",
    [
        "MemTotal:  1 kB\nMemFree:  2 kB\nBuffers:  3 kB\nCached:  4 kB\n",
        "GPU 0: NVIDIA H100 (UUID: GPU-1)\nGPU 1: NVIDIA H100 (UUID: GPU-2)\nGPU 2: NVIDIA H100 (UUID: GPU-3)\n",
        "[    0.000000] Linux version\n[   18.220117] NVRM: loading\n[   19.2] x\n",
        "0, NVIDIA H100, 81559 MiB\n1, NVIDIA H100, 81559 MiB\n2, NVIDIA H100, 81559 MiB\n",
        "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n",
        " 0     55.21     55.30\n 1     55.21     55.30\n 2     55.21     55.30\n",
        "| a | b |\n| c | d |\n| e | f |\n",
        "2026-02-11T09:31:02,123456+08:00 a: b\n2026-02-11T09:31:03,123456+08:00 c\n2026-02-11T09:31:04,123456+08:00 d\n",
        "Feb 11 09:31:02 gpu-01 kernel: a\nFeb 11 09:31:03 gpu-01 kernel: b\nFeb 11 09:31:04 gpu-01 kernel: c\n",
    ],
)
def test_it_leaves_a_tools_own_text_alone(text):
    assert cleaned(text) == text


def test_a_prefix_on_a_few_lines_only_is_not_a_launchers():
    text = BODY + "node-1: Test CUDA failure\n"
    assert cleaned(text) == text


def test_a_tag_is_taken_off_even_from_one_line():
    assert cleaned("plain\n[1,7]<stderr>:warning\n") == "plain\nwarning\n"


def test_a_stray_escape_character_stays_so_that_no_number_grows_together():
    assert cleaned("Link 5: 2\x1b.562 GB/s\n") == "Link 5: 2\x1b.562 GB/s\n"
