"""No GPU parser is superlinear: ten times the input costs about ten times the time, on good and on hostile text."""

import time

import pytest

from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import read
from tests.parsers.gpu_outputs import QUERY, lines_of
from tests.parsers.host_outputs import sample

# Generous, since other work may share the processor; a quadratic parser would show 100.
MOST = 30
RUN = lines_of("nccl_tests/2.13-all-reduce-8.txt")
ROW = (
    "  {:10d}     268435456     float     sum      -1   4050.6  265.09  463.90      0   4057.5  264.63  463.10      0\n"
)
NOTE = "node-a:5000:5100 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA\n"
XML = sample("nvidia_smi/580-qx-v13-2xb200.xml")
GPU = XML[XML.index("\t<gpu ") : XML.index("\t</gpu>") + 8]
CSV_ROW = lines_of("nvidia_smi/550-csv-8xh200.csv")[1].partition(",")[2]


def nccl(times):
    rows = "".join(ROW.format(1048576 + 1024 * at) for at in range(20 * times))
    return "nccl-tests", "", "".join(RUN[:15]) + NOTE * 200 * times + rows + "".join(RUN[18:])


def xml(times):
    body = XML[: XML.index("\t<gpu ")].replace(">2<", f">{times}<") + GPU * times + "</nvidia_smi_log>\n"
    return "nvidia-smi -q -x", "", body


def csv(times):
    return "nvidia-smi", f"{QUERY},noheader", "".join(f"{at},{CSV_ROW}" for at in range(5 * times))


def dmesg(times):
    return (
        "dmesg",
        "",
        "x\n" + "".join(f"[{at}.0] NVRM: Xid (PCI:0000:1a:00): 31, pid={at}\n" for at in range(40 * times)),
    )


def hostile(unit):
    return lambda times: ("text", "", "# nThread 1 nGpus 1 minBytes 8" + unit * (2000 * times // len(unit)))


CASES = {
    "nccl": nccl,
    "xml": xml,
    "csv": csv,
    "dmesg": dmesg,
    "blanks": hostile(" "),
    "digits": hostile("1"),
    "pairs": hostile("1 "),
    "tags": hostile("[1,0]<stdout>:"),
    "braces": hostile("\n{"),
    "handles": hostile("Unable to determine GPU "),
    "lines": hostile("\n"),
}


def seconds(tool, command, text):
    start = time.process_time()
    read(Capture(tool, command, text))
    return time.process_time() - start


@pytest.mark.parametrize("case", sorted(CASES))
def test_ten_times_the_input_costs_about_ten_times_the_time(case):
    small, large = CASES[case](10), CASES[case](100)
    quick = min(seconds(*small) for _ in range(3))
    slow = min(seconds(*large) for _ in range(2))
    assert slow < MOST * max(quick, 0.002)
