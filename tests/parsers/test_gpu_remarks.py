"""Every finding and every error of the GPU parsers has its sentence in both languages and its test."""

import re
from pathlib import Path

import pytest

from gpucontract.measurements.parsers.failures import SENTENCES
from gpucontract.measurements.parsers.gpu_failures import FAILURES, failure_text
from gpucontract.measurements.parsers.gpu_remarks import REMARKS, remark

HERE = Path(__file__).parent
PARSERS = HERE.parents[1] / "gpucontract" / "measurements" / "parsers"
MODULES = ("nvidia_smi*", "topo*", "nvlink", "nccl_*", "nvbandwidth*", "p2p_latency", "dcgmi", "dmesg", "gpu_*",
           "outcomes", "registry")  # fmt: skip
SOURCES = {path: path.read_text(encoding="utf-8") for name in MODULES for path in PARSERS.glob(f"{name}.py")}
CODE = "\n".join(text for path, text in SOURCES.items() if path.name not in ("gpu_failures.py", "nccl_remarks.py"))
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py") if path != Path(__file__))
BLANK = re.compile(r"\{(\w+)\}")

# Codes stand at the head of an error text or beside the sign of a known failure.
USED = set(re.findall(r'(?:f?"|error = f?")([a-z0-9_]+): [^"]', CODE)) | set(
    re.findall(r'\(\s*"([a-z0-9_]+)",\s*re\.compile', CODE)
)
NO_CODES = {"dmesg", "nvbandwidth", "connectivity", "unidir_p2p", "bidir_p2p", "latency_p2p", "other", "driver_version",
            "cuda_driver_version"}  # fmt: skip


@pytest.mark.parametrize("code", sorted(REMARKS))
def test_each_finding_has_a_sentence_that_fills_and_a_test(code):
    text = REMARKS[code]
    blanks = set(BLANK.findall(text.en))
    assert blanks == set(BLANK.findall(text.zh))
    filled = remark(code, "gpu0", **dict.fromkeys(blanks, "7"))
    assert (filled.code, filled.scope) == (code, "gpu0")
    assert "{" not in filled.text.zh + filled.text.en
    assert f'"{code}"' in CODE or re.search(rf'"{code}"', SOURCES[PARSERS / "gpu_remarks.py"])
    assert f'"{code}"' in TESTS


def test_braces_in_a_tools_line_do_no_harm():
    assert "{x}" in remark("inforom_corrupted", line="{x}").text.en


@pytest.mark.parametrize("code", sorted(USED - NO_CODES))
def test_each_error_code_has_a_sentence(code):
    assert code in SENTENCES


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_each_error_code_is_used_and_tested(code):
    assert code in USED | {"gpu_lost", "gpu_unreadable"}
    assert re.search(rf"\b{code}\b", TESTS)


def test_an_error_finds_its_sentence_by_its_code():
    assert failure_text("gpu_lost: Unable to determine") is FAILURES["gpu_lost"]
    assert failure_text("something_else: x") is None
    assert failure_text("") is None
