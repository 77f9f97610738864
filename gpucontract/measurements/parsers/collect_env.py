"""python -m torch.utils.collect_env: 'Could not collect' is not measured; cuDNN files on disk say nothing of use."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Finding, Parsed, Reading
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.keyed_lines import KeyedLine, by_key, is_repeated
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.wording import Text

VERSIONS = {
    "pytorch_version": "PyTorch version",
    "torch_cuda_build": "CUDA used to build PyTorch",
    "cuda_runtime_version": "CUDA runtime version",
    "driver_version": "Nvidia driver version",
}
NAMES = (*VERSIONS, "cuda_available", "gpu_count", "cudnn_version")
ERRORS = (("python_no_module", re.compile(r"^(?:ModuleNotFoundError|ImportError): .*|No module named", re.MULTILINE)),)
NO_CUDA = "No CUDA"
NOTHING = ("", "Could not collect", "N/A", "None", NO_CUDA)
YES_NO = {"True": True, "Yes": True, "False": False, "No": False}
VERSION = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}[\w.+-]{0,60}\Z")
GPU = re.compile(r"^GPU ([0-9]{1,3}): (\S.*)$", re.MULTILINE)
CUDNN_FILES = Finding(
    "cudnn_files_only",
    Text(
        "collect_env 列的是磁盘上的 cuDNN 文件，不是 PyTorch 实际所用。请用 torch.backends.cudnn.version() 读取。",
        "collect_env lists cuDNN files on disk, not the version in use. Read torch.backends.cudnn.version() instead.",
    ),
)


def parse(capture: Capture) -> Parsed:
    """Versions of PyTorch, its CUDA build, CUDA runtime and driver; whether CUDA is available; GPUs listed."""
    text = cleaned(capture.stdout)
    lines = by_key(text)
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    if not error and is_repeated(lines, "PyTorch version"):
        error = "two_outputs: 'PyTorch version' stands there more than once; keep one run per capture"
    if not error and "PyTorch version" not in lines:
        error = "collect_env_unknown: no line 'PyTorch version'"
    if error:
        return failed(error, *NAMES)
    versions = tuple(_version(name, lines.get(key, [])) for name, key in VERSIONS.items())
    cudnn = lines.get("cuDNN version", [])
    findings = (CUDNN_FILES,) if cudnn and cudnn[0].value not in NOTHING else ()
    available = _available(lines.get("Is CUDA available", []))
    return Parsed((*versions, available, _gpu_count(text, lines), _cudnn(cudnn)), findings)


def _version(name: str, lines: list[KeyedLine]) -> Reading:
    if len(lines) != 1:
        return absent("not_printed", name)[0]
    value, line = lines[0].value, lines[0].line
    if value in NOTHING:
        return absent(_why(value), name, line=line)[0]
    return Reading(name, value, line=line) if VERSION.match(value) else absent("unreadable", name, line=line)[0]


def _why(value: str) -> str:
    """Without CUDA torch asks for none of it and prints 'No CUDA' in its place."""
    return "no_cuda" if value == NO_CUDA else "could_not_collect"


def _available(lines: list[KeyedLine]) -> Reading:
    value = YES_NO.get(lines[0].value) if len(lines) == 1 else None
    if value is None:
        return absent("not_printed" if not lines else "unreadable", "cuda_available")[0]
    return Reading("cuda_available", value, line=lines[0].line)


def _gpu_count(text: str, lines: dict[str, list[KeyedLine]]) -> Reading:
    heading = lines.get("GPU models and configuration", [])
    if not heading:
        return absent("not_printed", "gpu_count")[0]
    found, value = GPU.findall(text), heading[0].value
    # One GPU stands in the heading's own line, several follow it line by line.
    if GPU.match(value):
        return Reading("gpu_count", 1, line=heading[0].line)
    if value in NOTHING and not found:
        return absent(_why(value), "gpu_count", line=heading[0].line)[0]
    if value not in NOTHING or [int(index) for index, _ in found] != list(range(len(found))):
        return absent("unreadable", "gpu_count", line=heading[0].line)[0]
    return Reading("gpu_count", len(found), line=f"GPU {found[-1][0]}: {found[-1][1]}")


def _cudnn(lines: list[KeyedLine]) -> Reading:
    value = lines[0].value if lines else ""
    return absent(_why(value) if value in NOTHING else "files_on_disk", "cudnn_version")[0]
