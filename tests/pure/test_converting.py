"""What the text of a cell means for a term: value, unit, assumption, or a clear refusal."""

from datetime import date
from decimal import Decimal

import pytest

from gpucontract.contracts.converting import converted
from gpucontract.contracts.sections.steps import TERMS

READ = [
    ("ram_gb_per_node", "2TB", "", 2048, "2 TB is read as 2048 GiB"),
    ("ram_gb_per_node", "2048 GB", "", 2048, "read as 2048 GiB"),
    ("ram_gb_per_node", "1 TiB", "", 1024, "1 TiB = 1024 GiB"),
    ("ram_gb_per_node", "2048", "", 2048, "No unit is stated; read as GiB"),
    ("ram_gb_per_node", "2048", "GB", 2048, "read as 2048 GiB"),
    ("gpu_memory_gb", "80GB", "", 80, ""),
    ("gpu_memory_gb", "８０ＧＢ", "", 80, ""),
    ("local_nvme_tb", "30720 GB", "", Decimal("30.72"), "30720 GB = 30.72 TB"),
    ("local_nvme_tb", "30.72T", "", Decimal("30.72"), ""),
    ("inter_port_gbps", "400Gbps", "", 400, ""),
    ("inter_port_gbps", "400G", "", 400, ""),
    ("inter_port_gbps", "0.4 Tb/s", "", 400, "0.4 Tb/s = 400 Gb/s"),
    ("inter_node_gbps_stated", "3.2Tbps", "", 3200, "3.2 Tb/s = 3200 Gb/s"),
    ("inter_node_gbps_stated", "400 GB/s", "", 3200, "400 GB/s = 3200 Gb/s"),
    ("public_bw_mbps", "1 Gbps", "", 1000, "1 Gb/s = 1000 Mb/s"),
    ("gpu_power_limit_w", "≥700W", "", 700, ""),
    ("gpu_power_limit_w", "0.7 kW", "", 700, "0.7 kW = 700 W"),
    ("node_count", "2 台", "", 2, ""),
    ("node_count", "≥16 台", "", 16, "“≥” is not taken over: the term states the number itself"),
    ("ram_gb_per_node", "不低于 2048", "GiB", 2048, ""),
    ("ram_gb_per_node", "不少于2048GiB", "", 2048, ""),
    ("ram_gb_per_node", "不小于 2048 GiB", "", 2048, ""),
    ("ram_gb_per_node", "至少 2048 GiB", "", 2048, ""),
    ("ram_gb_per_node", ">= 2048 GiB", "", 2048, ""),
    ("ram_gb_per_node", "＞＝２０４８ GiB", "", 2048, ""),
    ("ram_gb_per_node", "At least 2048 GiB", "", 2048, ""),
    ("rdma_latency_max_us", "≤3 us", "", 3, ""),
    ("rdma_latency_max_us", "不超过 3 µs", "", 3, ""),
    ("rdma_latency_max_us", "<= 0.003 ms", "", 3, "0.003 ms = 3 µs"),
    ("p1_response_min", "不高于15分钟", "", 15, ""),
    ("acceptance_window_days", "10 天", "", 10, ""),
    ("data_export_days", "48 h", "", 2, "48 h = 2 d"),
    ("node_count", "1,000", "台", 1000, ""),
    ("cpu_cores_per_node", "112核", "", 112, ""),
    ("sla_availability_pct", "99.9%", "", Decimal("99.9"), ""),
    ("p1_response_min", "0.5小时", "", 30, "0.5 h = 30 min"),
    ("node_replace_hours", "1 天", "", 24, "1 d = 24 h"),
    ("root_access", "支持", "", True, "“支持” is read as “yes”"),
    ("root_access", "不支持", "", False, "“不支持” is read as “no”"),
    ("inter_fabric_type", "RoCE v2", "", "rocev2", ""),
    ("inter_fabric_type", "InfiniBand NDR 网络", "", "infiniband", "is read as “InfiniBand”"),
    ("inter_fabric_type", "RoCE", "", "rocev2", "“RoCE” is read as “RoCE v2”"),
    ("roce_lossless", "PFC、ECN", "", ("PFC", "ECN"), ""),
    ("delivery_form", "裸金属", "", "bare_metal", ""),
    ("driver_version", "550.90", "", "550.90", ""),
    ("term_start", "2027-01-01", "", date(2027, 1, 1), ""),
]


@pytest.mark.parametrize(("term", "text", "unit", "value", "note"), READ, ids=[f"{row[0]} {row[1]}" for row in READ])
def test_a_cell_is_read_in_the_unit_of_its_term(term, text, unit, value, note):
    found = converted(TERMS[term], text, unit)
    assert found.fault is None
    assert found.value == value
    assert note in " ".join(each.en for each in found.notes)


@pytest.mark.parametrize(("unit", "value"), [("GB/s", None), ("Gbps", 400), ("Gb/s", 400), ("", 400)])
def test_a_rate_with_fixed_choices_heeds_the_unit_beside_it(unit, value):
    found = converted(TERMS["inter_port_gbps"], "400", unit)
    assert found.value == value
    assert value or "“3200” is no choice. Choose from: 10 Gb/s" in found.fault.en


REFUSED = [
    ("ram_gb_per_node", "约 2TB", "no single number"),
    ("ram_gb_per_node", "16 × 128GB", "no single number"),
    ("node_count", "2-4", "no single number"),
    ("ram_gb_per_node", "少于 2048", "“少于 2048” states a maximum, while “RAM per machine” is a minimum"),
    ("ram_gb_per_node", "低于 2048 GiB", "states a maximum"),
    ("ram_gb_per_node", "≤2048", "states a maximum"),
    ("ram_gb_per_node", "不超过 2048", "states a maximum"),
    ("rdma_latency_max_us", "≥3 us", "“≥3 us” states a minimum, while “RDMA latency, at most” is a maximum"),
    ("rdma_latency_max_us", "不少于 3 us", "states a minimum"),
    ("p1_response_min", "至少 15 分钟", "states a minimum"),
    ("ram_gb_per_node", "少 2048", "no single number"),
    ("ram_gb_per_node", "低少 2048", "no single number"),
    ("node_count", "10²", "“10²” holds no single number"),
    ("inter_port_gbps", "10⁰", "no single number"),
    ("acceptance_window_days", "48 h", "48 h” cannot be turned into days: they may be working days"),
    ("deemed_acceptance_days", "4320分钟", "Enter the number of days, from 1 to 365 days"),
    ("node_count", "若干", "no single number"),
    ("node_count", "1,2", "no single number"),
    ("node_count", "2 GB", "The unit “GB” is not known"),
    ("gpu_memory_gb", "80GiB", "not a whole number"),
    ("gpu_memory_gb", "80 W", "The unit “W” cannot be converted to GB"),
    ("inter_node_gbps_stated", "400GBPS", "The unit “GBPS” is not known"),
    ("inter_node_gbps_stated", "400 gb/s", "The unit “gb/s” is not known"),
    ("inter_port_gbps", "300G", "is no choice"),
    ("sla_availability_pct", "100.5%", "out of range"),
    ("p1_response_min", "尽快", "no single number"),
    ("root_access", "按需", "neither yes nor no"),
    ("inter_fabric_type", "无损网络", "fits none of the choices"),
    ("inter_fabric_type", "高速网络", "fits none of the choices"),
    ("inter_fabric_type", "InfiniBand 或 RoCE v2", "fits none of the choices"),
    ("term_start", "2027年初", "not a date"),
    ("gpu_model", "H" * 81, "81 characters, at most 80"),
    ("gpu_model", "H100\u202e", "turn the reading direction"),
]


@pytest.mark.parametrize(("term", "text", "said"), REFUSED, ids=[f"{row[0]} {row[1][:12]}" for row in REFUSED])
def test_what_is_not_clear_is_refused_with_its_reason(term, text, said):
    found = converted(TERMS[term], text)
    assert found.value is None
    assert said in found.fault.en


def test_hostile_text_takes_no_time():
    assert converted(TERMS["ram_gb_per_node"], "1," * 250).fault
    assert converted(TERMS["ram_gb_per_node"], ">" * 500).fault
