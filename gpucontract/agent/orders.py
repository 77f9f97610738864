"""What the server may order: a fixed set of jobs with typed, bounded parameters; everything else is refused by name."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Tuple

from gpucontract.agent import probe_load, probe_train, protocol, together

MOST_HOURS = 336
COLLECTIVES = ("all_reduce", "all_reduce_ring", "all_gather", "reduce_scatter", "alltoall")
MOST_HOSTS = 128
MOST_PATHS = 64
MOST_TESTS = 8
# So many outputs fit into one result, beside the two that say where the storage is mounted.
MOST_CLIENTS = 190
GIB = 2**30
_LABEL = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_PATH = re.compile(r"/[\w.+@ /-]{0,254}")
# fio reads a colon in a path as a separator, and a blank would need quoting in its job names.
_LOCAL_PATH = re.compile(r"/[A-Za-z0-9_.+@/-]{1,254}")
_RUN = re.compile(r"[0-9A-Fa-f-]{8,64}")
_WORD = re.compile(r"[\x21-\x7e]{1,200}")


class Refused(Exception):
    """An order that is not carried out: a code of protocol.REFUSALS and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Order(NamedTuple):
    """An order as it was signed."""

    agent: str
    run: str
    job: str
    params: Mapping[str, Any]
    nonce: str
    challenge: str


def read(body: bytes) -> Order:
    """The order in a signed body. Raises Refused naming the first thing that is wrong."""
    try:
        document = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("bad_request", "the order is not JSON") from None
    if not isinstance(document, dict) or document.get("protocol") != protocol.VERSION:
        raise Refused("bad_request", f"the order must be a JSON object of protocol {protocol.VERSION}")
    for name in ("agent", "run", "job", "nonce", "challenge"):
        value = document.get(name)
        if not isinstance(value, str) or not _WORD.fullmatch(value):
            raise Refused("bad_request", f"{name} must be 1 to 200 printable ASCII characters without blanks")
    if not _RUN.fullmatch(document["run"]):
        raise Refused("bad_request", "run must be a UUID")
    check(document["job"], document.get("params"))
    return Order(*(document[name] for name in Order._fields))


def check(job: str, params: Any) -> None:
    """Refuse an unknown job, and parameters that are missing, unknown, of the wrong type or out of bounds."""
    if job not in TAKES:
        raise Refused("bad_params", f"job {_shown(job)} is unknown: this agent runs {', '.join(TAKES)}")
    if not isinstance(params, dict):
        raise Refused("bad_params", "params must be a JSON object")
    needed, allowed = TAKES[job]
    for name in sorted(set(params) - allowed):
        raise Refused("bad_params", f"{job} takes no {_shown(name)}, only {', '.join(sorted(allowed))}")
    for name in sorted(needed - set(params)):
        raise Refused("bad_params", f"{job} needs {name}")
    for name, value in params.items():
        complaint = CHECKS[name](value)
        if complaint:
            raise Refused("bad_params", f"{name} is {_shown(value)}: it must be {complaint}")
    _check_together(job, params)


def _check_together(job: str, params: Mapping[str, Any]) -> None:
    if params.get("min_bytes", 0) > params.get("max_bytes", 0):
        raise Refused("bad_params", f"min_bytes {params['min_bytes']} is above max_bytes {params['max_bytes']}")
    hosts = params.get("hosts", [])
    clients = max(len(hosts), 1) * len(params.get("tests", []))
    if clients > MOST_CLIENTS:
        raise Refused("bad_params", f"{clients} clients over all tests, at most {MOST_CLIENTS} fit into one result")
    if job in _OF_TWO and len(hosts) != 2:
        raise Refused("bad_params", f"{job} runs on exactly 2 hosts, got {len(hosts)}")
    if job == "nccl_inter" and len(hosts) < 2:
        raise Refused("bad_params", f"nccl_inter needs at least 2 hosts, got {len(hosts)}")
    if job == "nccl_intra" and len(hosts) > 1:
        raise Refused("bad_params", f"nccl_intra runs on this host alone, got {len(hosts)} hosts")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _whole(least: int, most: int) -> Callable[[Any], str]:
    def complaint(value: Any) -> str:
        return "" if type(value) is int and least <= value <= most else f"a whole number from {least} to {most}"

    return complaint


def _one_of(words: Tuple[str, ...]) -> Callable[[Any], str]:
    def complaint(value: Any) -> str:
        return "" if isinstance(value, str) and value in words else f"one of {', '.join(words)}"

    return complaint


def _list_of(fits: Callable[[str], bool], most: int, what: str) -> Callable[[Any], str]:
    def complaint(value: Any) -> str:
        is_list = isinstance(value, list) and len(value) <= most and all(isinstance(item, str) for item in value)
        good = is_list and all(fits(item) for item in value) and len(set(value)) == len(value)
        return "" if good else f"a list of at most {most} different {what}"

    return complaint


def is_host(text: str) -> bool:
    """Whether a text is a host name or IPv4 address and nothing a program could take for an option."""
    return len(text) <= 253 and bool(_HOST.fullmatch(text))


def _is_path(text: str) -> bool:
    return bool(_PATH.fullmatch(text)) and ".." not in text.split("/")


def _local_path(value: Any) -> str:
    is_path = isinstance(value, str) and (value == "" or (bool(_LOCAL_PATH.fullmatch(value)) and _is_path(value)))
    return "" if is_path else "empty or an absolute path of letters, digits and _.+@/- without .."


def _tests(value: Any) -> str:
    is_list = isinstance(value, list) and 1 <= len(value) <= MOST_TESTS
    good = is_list and all(_is_test(item) for item in value)
    return "" if good else f"1 to {MOST_TESTS} tests of {', '.join(_OF_A_TEST)} within their bounds"


def _is_test(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(_OF_A_TEST) and not any(
        check(value[name]) for name, check in _OF_A_TEST.items()
    )  # fmt: skip


_OF_A_TEST: Dict[str, Callable[[Any], str]] = {
    "path": lambda value: _local_path(value) if value else "an absolute path",
    "rw": _one_of(("read", "randread")),
    "block_size": _one_of(tuple(together.BLOCK_SIZES)),
    "iodepth": _whole(1, 4096),
    "numjobs": _whole(1, 64),
    "runtime_s": _whole(1, 600),
}
CHECKS: Dict[str, Callable[[Any], str]] = {
    "repeat": _whole(1, 100),
    "gpus_per_node": _whole(1, 72),
    "iterations": _whole(1, 1000),
    "size_bytes": _whole(2, GIB),
    "link_layer": _one_of(("InfiniBand", "Ethernet")),
    "bidirectional": lambda value: "" if isinstance(value, bool) else "true or false",
    "min_bytes": _whole(8, 64 * GIB),
    "max_bytes": _whole(8, 64 * GIB),
    "runtime_s": _whole(1, 600),
    "steps": _whole(10, probe_train.MOST_STEPS),
    "hours": _whole(1, MOST_HOURS),
    "dtype": _one_of(tuple(probe_load.DTYPES)),
    "collective": _one_of(COLLECTIVES),
    "hosts": _list_of(is_host, MOST_HOSTS, "host names"),
    "paths": _list_of(_is_path, MOST_PATHS, "absolute paths without .."),
    "local_path": _local_path,
    "tests": _tests,
}
_NCCL_NEEDS = frozenset({"collective", "min_bytes", "max_bytes", "gpus_per_node"})
_NCCL_TAKES = _NCCL_NEEDS | {"iterations", "hosts", "repeat"}
_RDMA_NEEDS = frozenset({"hosts", "size_bytes", "runtime_s"})
_OF_TWO = ("nccl_pairs", "rdma_pairs")
_PLAIN: List[str] = ["inventory", "topology", "software", "health", "fabric"]
# What each job needs, and everything it takes.
TAKES: Dict[str, Tuple[FrozenSet[str], FrozenSet[str]]] = {
    **{job: (frozenset(), frozenset({"repeat"})) for job in _PLAIN},
    "storage": (frozenset(), frozenset({"paths", "local_path", "runtime_s", "repeat"})),
    "shared_load": (frozenset({"tests"}), frozenset({"tests", "hosts", "repeat"})),
    "rdma_pairs": (_RDMA_NEEDS, _RDMA_NEEDS | {"link_layer", "bidirectional", "repeat"}),
    "gemm": (frozenset({"dtype", "runtime_s"}), frozenset({"dtype", "runtime_s", "repeat"})),
    "training": (frozenset({"steps"}), frozenset({"steps", "repeat"})),
    "burn_in": (frozenset({"hours"}), frozenset({"hours", "dtype", "repeat"})),
    "nccl_intra": (_NCCL_NEEDS, _NCCL_TAKES),
    "nccl_pairs": (_NCCL_NEEDS | {"hosts"}, _NCCL_TAKES),
    "nccl_inter": (_NCCL_NEEDS | {"hosts"}, _NCCL_TAKES),
}
