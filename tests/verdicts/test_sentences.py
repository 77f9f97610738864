"""The judge's sentences: read aloud, with numbers, units, margin, machine, rule and what to do next."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from gpucontract.contracts.printing import printed_value
from gpucontract.measurements.parsers.capture import Reading
from gpucontract.verdicts import sentences
from gpucontract.verdicts.admission import ASIDE_ORDER
from gpucontract.verdicts.reasons import ASIDE, REASONS
from gpucontract.verdicts.states import ScopeVerdict, State
from tests.verdicts import making
from tests.verdicts.making import GPUS, collective, fabric, inventory, software, storage, three, topology

ONE, TWO, PAIR = "g1-001", "g1-002", ("g1-001", "g1-002")
BODY = making.body_of()
ROOM = Path(sentences.__file__).parent


def said(key, *records, body=BODY):
    return making.judged(list(records), body)[key].sentence


SPOKEN = {
    "a count that falls short": (
        "g1/links_per_gpu", [topology(TWO, {5: 16})],
        "机器 g1-002（gpu-node-02）的 GPU 5 只有 16 条 NVLink 活动链路，合同要求不少于 18 条，少 2 条（−11.1 %）。",
        "GPU 5 of machine g1-002 (gpu-node-02) shows only 16 active NVLink links; the contract requires at least 18, "
        "2 short (−11.1 %).",
    ),
    "a rate with its runs": (
        "g1/busbw_intra:8GiB", three(TWO, "431.2", "430.8", "432"),
        "机器 g1-002（gpu-node-02）的单机 all_reduce 总线带宽（8 GiB 消息）只有 431.2 GB/s（3 次取中位数：431.2、430.8、432），"
        "合同要求不低于 455 GB/s，低 23.8 GB/s（−5.2 %）。",
        "Machine g1-002 (gpu-node-02): all_reduce bus bandwidth inside one machine (8 GiB messages) is only 431.2 GB/s "
        "(median of 3 runs: 431.2, 430.8, 432); the contract requires at least 455 GB/s, 23.8 GB/s below (−5.2 %).",
    ),
    "a version": (
        "c/driver", [software(ONE, ["driver_version"], [Reading("driver_version", "535.1")])],
        "机器 g1-001（gpu-node-01）的 GPU 驱动版本为 535.1，合同要求不低于 550.54。",
        "Machine g1-001 (gpu-node-01): GPU driver version is 535.1; the contract requires at least 550.54.",
    ),
    "a yes or no": (
        "g1/p2p", [topology(ONE, drop=["p2p_supported"], add=[Reading("p2p_supported", False)])],
        "机器 g1-001（gpu-node-01）的 GPU 间 P2P 直接访问：不可用，合同要求可用。",
        "Machine g1-001 (gpu-node-01): GPU peer-to-peer access is not available; the contract requires it to be available.",
    ),
    "a reduced mark": (
        "g1/ram", [inventory(ONE, ["mem_total"], [Reading("mem_total", 1024 * 2**20, "KiB")])],
        "机器 g1-001（gpu-node-01）的内存容量只有 1,024 GiB，合同要求不低于 1,986.56 GiB（2,048 GiB × 97 %，97 % 为约定的系统占用折扣），"
        "低 962.6 GiB（−48.5 %）。",
        "Machine g1-001 (gpu-node-01): memory is only 1,024 GiB; the contract requires at least 1,986.56 GiB "
        "(2,048 GiB × 97 %, 97 % being the agreed allowance), 962.6 GiB below (−48.5 %).",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("key", "records", "zh", "en"), SPOKEN.values(), ids=SPOKEN)
def test_a_miss_is_said_in_full(key, records, zh, en):
    sentence = said(key, *records)
    assert (sentence.zh, sentence.en) == (zh, en)


def test_how_many_more_share_the_fate_is_said():
    sentence = said("g1/pcie_width", inventory(ONE, ["pcie_width_current"], making.each_gpu("pcie_width_current", 8)))
    assert sentence.zh.endswith("另有 7 处违约。") and sentence.en.endswith("7 more breached.")


def test_a_verified_clause_names_its_closest_scope():
    sentence = said("g1/busbw_intra:8GiB", *three(ONE, 480, 481, 482), *three(TWO, 456, 456, 456))
    assert sentence.zh.startswith("全部 2 处读数都达标，余量最小的一处：机器 g1-002")
    assert "+0.2 %" in sentence.zh and "1 GB/s above" in sentence.en


def test_a_hair_below_never_looks_like_the_mark():
    sentence = said("g1/busbw_intra:8GiB", *three(ONE, "454.9999", "454.9999", "454.9999"))
    assert "only 454.9999 GB/s (median of 3 runs: 454.9999, 454.9999, 454.9999)" in sentence.en
    assert "0.0001 GB/s below (−0.00002 %)" in sentence.en


def test_an_explained_clause_quotes_its_cause():
    sentence = said("g1/busbw_intra:8GiB", topology(TWO, {5: 16}), *three(TWO, 430, 430, 430))
    cited = "Explained by clause 3.3 (“Each GPU has at least 18 active NVLink links”): GPU 5 of machine g1-002"
    assert cited in sentence.en
    assert (
        "原因见条款 3.3“每张 GPU 的 NVLink 活动链路数 ≥ 18”：机器 g1-002（gpu-node-02）的 GPU 5 只有 16 条"
        in sentence.zh
    )
    assert "g1/" not in sentence.en + sentence.zh


def test_an_allowance_is_worked_out_where_the_mark_is_named():
    ram = said("g1/ram", inventory(ONE), inventory(TWO))
    assert "at least 1,986.56 GiB (2,048 GiB × 97 %, 97 % being the agreed allowance)" in ram.en
    assert "不低于 1,986.56 GiB（2,048 GiB × 97 %，97 % 为约定的系统占用折扣）" in ram.zh
    assert "(81,559 MiB × 99 %, 99 % being" in said("g1/gpu_memory", inventory(ONE), inventory(TWO)).en


def test_the_mark_on_paper_and_in_the_list_shows_its_allowance_too():
    assert printed_value(BODY.clause("g1/ram")).en == "≥ 2,048 GiB × 97 % = 1,986.56 GiB"
    assert printed_value(BODY.clause("g1/gpu_memory")).zh == "≥ 80 GB（81,559 MiB × 99 % = 80,743.41 MiB）"
    assert printed_value(BODY.clause("g1/gpu_count")).en == "8 GPUs"


def test_missing_runs_are_counted():
    sentence = said("g1/busbw_intra:8GiB", collective(ONE, 480), *three(TWO, 480, 481, 482))
    assert "只有 1 次有效运行" in sentence.zh and "还要再测 2 次" in sentence.zh
    assert "1 of 3 valid runs (480); 2 more must run." in sentence.en


def test_a_machine_that_has_not_answered_goes_by_its_slot():
    sentence = said("g1/gpu_count", inventory(ONE))
    assert sentence.zh == "机位 g1-002 还没有测：等待测试项 inventory 的结果。"
    assert sentence.en == "Slot g1-002: not measured yet; the job inventory must run."


def test_down_ports_are_listed():
    sentence = said("g1/port_rate", fabric(ONE, down=[2, 6]))
    assert "（未连通：mlx5_2、mlx5_6）" in sentence.zh and "(down: mlx5_2, mlx5_6)" in sentence.en


def test_a_mount_path_with_braces_is_text_and_no_blank():
    body = making.body_of(mount={"path": "/data{0}"})
    key = next(clause.key for clause in body.clauses if clause.name == "present")
    verdict = ScopeVerdict("g1-001/mount:/data{0}", State.BREACHED, "missed", False, hosts={ONE: "h{x}"})
    sentence = sentences.of_scope(body.clause(key), verdict, body)
    assert "/data{0}" in sentence.zh and "h{x}" in sentence.en


FACTS = {
    "port": "mlx5_1", "other": "mlx5_0",
    "nodes": PAIR, "detail": "x: y", "values": (Decimal(1), Decimal(2)), "hosts_seen": 2, "ranks": 16, "cards": 8, "wanted": 3,
    "seen": "a", "size": "8GiB", "names": "X", "wrong": 3, "printed": Decimal("9.5"), "again": Decimal("8.25"),
    "most": Decimal(8), "seconds": Decimal("0.1"), "name": "rw", "earlier": Decimal(1), "later": Decimal(2),
    "first": "a", "second": Decimal(7), "tools": "a, b", "unreadable": 1, "found": 1, "covered": 1, "everyone": 2,
    "active": 6, "ports": 8, "idle": ("mlx5_0",), "uid": "1000", "container": "docker", "rule": "median",
    "file": "a.pdf", "version": "2", "digits": "0a1b", "decided_by": "Li", "decided_on": "2031-01-02",
    "uploaded_on": "2031-01-01", "valid_on": "2031-02-03", "why": "no serials",
    "finding_shown": "900 Gb/s", "count": 2, "path": "/data/x", "mounted": "tmpfs", "at": "/",
    "lanes": "8", "limit": "16", "performance": "P8",
    "where": PAIR, "sure": 1, "open": 2, "hours": Decimal(72), "worked": "3.5",
}  # fmt: skip


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_a_whole_sentence_in_both_languages(reason):
    clause = BODY.clause("g1/busbw_inter:8GiB")
    hosts = {ONE: "gpu-node-01", TWO: "gpu-node-02"}
    verdict = ScopeVerdict("g1-001+g1-002", State.INCONCLUSIVE, reason, Decimal(300), FACTS, hosts=hosts)
    text = sentences.of_scope(clause, verdict, BODY)
    assert text.zh.endswith("。") and text.en.endswith(".")
    assert "{" not in text.zh + text.en and "  " not in text.zh + text.en
    assert text.en[0].isupper() and not re.search(r"[\u4e00-\u9fff]", text.en)
    assert not re.search(r"[\u4e00-\u9fff] [\u4e00-\u9fff]|[,;:]", text.zh.replace("x: y", "").replace("a, b", ""))


def test_every_reason_that_a_rule_gives_has_its_sentence():
    source = "\n".join(path.read_text(encoding="utf-8") for path in ROOM.glob("*.py"))
    given = set(re.findall(r'(?:Answer\(State\.\w+|State\.\w+), "([a-z_0-9]+)"', source))
    given |= set(re.findall(r'(?:why=|return |\(\s*)"([a-z_0-9]+)", \{', source)) | set(ASIDE_ORDER)
    assert given - {"key", "other"} <= set(REASONS)


def test_every_reason_to_set_a_run_aside_has_its_remark():
    remarks = set(ASIDE_ORDER) | {"older_round", "other_machine", "other_parts", "same_bytes", "extra", "not_read"}
    assert remarks <= set(ASIDE)


@pytest.mark.parametrize(
    ("metric", "value", "zh", "en"),
    [
        ("g1/links_per_gpu", Decimal(16), "16 条", "16"),
        ("g1/pcie_width", Decimal(8), "8 条", "8 lanes"),
        ("g1/local_capacity", Decimal("23.044503379968"), "23 TB", "23 TB"),
        ("g1/ecc", True, "已开启", "on"),
        ("g1/fabric_type", "rocev2", "RoCE v2", "RoCE v2"),
        ("g1/gpu_count", None, "—", "—"),
    ],
)
def test_values_are_shown_as_people_read_them(metric, value, zh, en):
    shown = sentences.shown_value(BODY.clause(metric), value)
    assert (shown.zh, shown.en) == (zh, en)


def test_nothing_of_a_healthy_contract_reads_like_a_blank():
    for verdict in making.judged([*making.all_healthy(), storage(ONE, minutes=3)], BODY).values():
        assert "None" not in verdict.sentence.zh + verdict.sentence.en
        assert len(GPUS) == 8


PROFILES = [
    ("rw", "randread", "read", "的测试读写方式为随机读，合同约定顺序读：", "pattern of the test: random read; the contract names sequential read"),
    ("block_size", "4096", "1MiB", "的测试块大小为 4 KiB，合同约定 1 MiB：", "block size of the test: 4 KiB; the contract names 1 MiB"),
    ("block_size", "1536", "1MiB", "的测试块大小为 1,536 B，", "block size of the test: 1,536 B; the contract names 1 MiB"),
    ("iodepth", "1", "32", "的测试队列深度为 1，合同约定 32：", "queue depth of the test: 1; the contract names 32"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "seen", "wanted", "zh", "en"), PROFILES, ids=[f"{row[0]} {row[1]}" for row in PROFILES]
)
def test_a_test_that_differs_from_the_agreed_one_says_how_in_words(name, seen, wanted, zh, en):
    facts = {"name": name, "seen": seen, "wanted": wanted}
    verdict = ScopeVerdict("g1-001", State.INCONCLUSIVE, "other_profile", facts=facts)
    text = sentences.of_scope(BODY.clause("g1/local_read"), verdict, BODY)
    assert zh in text.zh and en in text.en
