"""What Python printed about PyTorch, cuDNN and NCCL: the command says which value stands where."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gpucontract.measurements.parsers.capture import Capture, Parsed, Reading, ReadingValue
from gpucontract.measurements.parsers.cleaning import cleaned
from gpucontract.measurements.parsers.outcomes import absent, failed, known_error, printed, run_error
from gpucontract.measurements.parsers.versions import cudnn_version, nccl_version

# Expression in the command -> reading. The longer ones of a common beginning stand first.
EXPRESSIONS: Mapping[str, str] = {
    "torch.backends.cudnn.version()": "cudnn_version",
    "torch.cuda.nccl.version()": "nccl_version",
    "torch.cuda.is_available()": "cuda_available",
    "torch.cuda.device_count()": "torch_gpu_count",
    "torch.version.cuda": "torch_cuda_build",
    "torch.__version__": "pytorch_version",
}
IN_COMMAND = re.compile("|".join(re.escape(expression) for expression in EXPRESSIONS))
USUAL_ORDER = ("pytorch_version", "torch_cuda_build", "cudnn_version", "nccl_version")
ERRORS = (
    ("python_no_module", re.compile(r"^(?:ModuleNotFoundError|ImportError): .*", re.MULTILINE)),
    ("python_error", re.compile(r"^(?:Traceback \(most recent call last\):|\w{1,60}Error: ).*", re.MULTILINE)),
)
VALUE = re.compile(r"\([^()\n]{1,80}\)|[^\s()]{1,80}")
DOTTED = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}(?:(?:a|b|rc|\.dev|\.post|\+|-)[\w.+-]{1,60})?\Z")
CUDA_BUILD = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\Z")
TUPLE = re.compile(r"\(([0-9]{1,3}), ([0-9]{1,3})(?:, ([0-9]{1,3}))?(?:, '[^']{0,40}')?\)\Z")


def parse(capture: Capture) -> Parsed:
    """pytorch_version, torch_cuda_build, cudnn_version, nccl_version and what else the command's prints name."""
    names = _names(capture.command)
    error = known_error(printed(capture), ERRORS) or run_error(capture)
    values = _values(cleaned(capture.stdout))
    if not error and len(values) != len(names):
        error = f"python_print_unknown: expected {len(names)} values ({', '.join(names)}), found {len(values)}"
    if error:
        return failed(error, *names)
    return Parsed(tuple(_read(name, value) for name, value in zip(names, values, strict=True)))


def _names(command: str) -> tuple[str, ...]:
    return tuple(EXPRESSIONS[found] for found in IN_COMMAND.findall(command)) or USUAL_ORDER


def _values(text: str) -> list[str]:
    """The printed values: warnings before them are lines of prose, so only the lines that hold nothing else count."""
    lines = [VALUE.findall(line) for line in text.splitlines()]
    return [value for values in lines if all(_is_value(value) for value in values) for value in values]


def _is_value(text: str) -> bool:
    return text in ("None", "True", "False") or text.isdecimal() or bool(DOTTED.match(text) or TUPLE.match(text))


def _read(name: str, text: str) -> Reading:
    if text == "None":
        return absent("none_printed", name, line=text)[0]
    value = READ[name](text)
    return absent("unreadable", name, line=text)[0] if value is None else Reading(name, value, line=text)


def _dotted(text: str) -> str | None:
    return text if DOTTED.match(text) else None


def _cudnn(text: str) -> str | None:
    return cudnn_version(int(text)) if re.fullmatch("[0-9]{4,6}", text) else None


def _nccl(text: str) -> str | None:
    found = TUPLE.match(text)
    if found:
        return ".".join(part for part in found.groups() if part)
    return nccl_version(int(text)) if re.fullmatch("[0-9]{4,5}", text) else None


READ: Mapping[str, Callable[[str], ReadingValue | None]] = {
    "pytorch_version": _dotted,
    "torch_cuda_build": lambda text: text if CUDA_BUILD.match(text) else None,
    "cudnn_version": _cudnn,
    "nccl_version": _nccl,
    "cuda_available": lambda text: {"True": True, "False": False}.get(text),
    "torch_gpu_count": lambda text: int(text) if re.fullmatch("[0-9]{1,3}", text) else None,
}
