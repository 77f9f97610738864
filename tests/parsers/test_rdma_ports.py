"""ibstat, ibstatus, ibv_devinfo, show_gids: what counts as a port, and at which rate."""

from __future__ import annotations

import pytest

from gpucontract.measurements.parsers.absences import absence_sentence
from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

IBSTAT = "ibstat/mixed.txt"
IBSTATUS = "ibstatus/ndr-hdr-roce.txt"
DEVINFO = "ibv_devinfo/verbose.txt"
GIDS = "show_gids/bond-and-port.txt"


def test_ibstat_counts_active_hardware_ports_by_link_layer():
    parsed = read_sample(IBSTAT)
    expected = {
        "ib_ports_active": 3, "ib_ports_total": 5, "ib_ports_down": 1, "ib_ports_initializing": 1, "ethernet_rdma_ports": 1,
    }  # fmt: skip
    assert {name: value(parsed, name) for name in expected} == expected
    assert amount(parsed, "ib_rate_min_active", "Gb/s") == 56
    assert amount(parsed, "ib_rate_max", "Gb/s") == 400
    assert amount(parsed, "ethernet_rdma_rate_min_active", "Gb/s") == 100
    assert codes(parsed) == ["no_subnet_manager", "software_rdma"]


def test_ibstat_gives_every_port_its_state_and_no_rate_to_one_that_is_down():
    parsed = read_sample(IBSTAT)
    assert (value(parsed, "port_state", "port:mlx5_1"), why(parsed, "port_rate", "port:mlx5_1")) == (
        "Down",
        "port_down",
    )
    assert value(parsed, "port_state", "port:mlx4_0/2") == "Initializing"
    assert value(parsed, "port_link_layer", "port:mlx5_bond_0") == "Ethernet"
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_0") == 400
    assert not any(reading.scope == "port:rxe0" for reading in parsed.readings)


@pytest.mark.parametrize("physical", ["Polling", "Disabled", "LinkErrorRecovery"])
def test_active_without_link_up_is_not_up(physical):
    text = sample(IBSTAT).replace("LinkUp", physical, 1)
    parsed = read_text("ibstat", text)
    assert value(parsed, "ib_ports_active") == 2
    assert why(parsed, "port_rate", "port:mlx5_0") == "port_down"


@pytest.mark.parametrize("key", ["State", "Physical state", "Link layer"])
def test_one_port_that_cannot_be_read_leaves_every_count_unmeasured(key):
    text = sample(IBSTAT).replace(f"\t\t{key}:", "\t\tGarbage:", 1)
    parsed = read_text("ibstat", text)
    assert why(parsed, "ib_ports_active") == "port_unreadable"
    assert why(parsed, "ib_rate_min_active") == "port_unreadable"
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_2") == 200


def test_a_port_that_the_adapter_promises_and_that_is_cut_off_is_unreadable():
    text = sample(IBSTAT).partition("\tPort 2:")[0]
    assert why(read_text("ibstat", text), "ib_ports_total") == "port_unreadable"


ONE_PORT = """CA 'mlx5_0'
\tCA type: MT4123
\tNumber of ports: 1
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 200
\t\tLink layer: {layer}
"""


@pytest.mark.parametrize(
    ("layer", "measured", "none", "reason"),
    [
        ("InfiniBand", "ib_rate_min_active", "ethernet_rdma_rate_min_active", "no_ethernet_port"),
        ("Ethernet", "ethernet_rdma_rate_min_active", "ib_rate_min_active", "no_infiniband_port"),
    ],
)
def test_a_rate_over_ports_of_a_kind_that_is_not_there_never_says_that_no_port_is_up(layer, measured, none, reason):
    parsed = read_text("ibstat", ONE_PORT.format(layer=layer))
    assert amount(parsed, measured, "Gb/s") == 200
    assert why(parsed, none) == reason
    assert "连通状态" not in absence_sentence(reason).zh and "is up" not in absence_sentence(reason).en


def test_no_active_port_has_no_lowest_rate_and_is_a_measured_zero():
    text = sample(IBSTAT).replace("State: Active", "State: Down").replace("LinkUp", "Polling")
    parsed = read_text("ibstat", text)
    assert (value(parsed, "ib_ports_active"), value(parsed, "ethernet_rdma_ports")) == (0, 0)
    assert why(parsed, "ib_rate_min_active") == "no_active_port"


def test_ibstatus_reads_the_numbers_out_of_its_lines():
    parsed = read_sample(IBSTATUS)
    assert (value(parsed, "ib_ports_active"), value(parsed, "ib_ports_initializing")) == (2, 1)
    assert amount(parsed, "ib_rate_min_active", "Gb/s") == 200
    assert value(parsed, "port_state", "port:mlx5_2") == "Initializing"
    assert value(parsed, "port_state", "port:mlx5_3") == "Down"
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_4") == 100


@pytest.mark.parametrize("rate", ["400 Mb/sec", "400", "four hundred", "400,5 Gb/sec"])
def test_a_rate_that_cannot_be_read_leaves_the_rates_out_and_not_the_counts(rate):
    parsed = read_sample(IBSTATUS, ("rate:\t\t 200 Gb/sec (4X HDR)", f"rate:\t\t {rate}"))
    assert why(parsed, "port_rate", "port:mlx5_1") == "unreadable"
    assert why(parsed, "ib_rate_min_active") == "unreadable"
    assert value(parsed, "ib_ports_active") == 2


def test_devinfo_goes_by_link_layer_and_not_by_transport():
    parsed = read_sample(DEVINFO)
    assert (value(parsed, "ib_ports_active"), value(parsed, "ethernet_rdma_ports")) == (1, 1)
    assert (value(parsed, "active_mtu_min"), value(parsed, "max_mtu")) == (1024, 4096)
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_0") == 400
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_1") == 100
    assert amount(parsed, "active_mtu", "B", "port:mlx5_1") == 1024
    assert codes(parsed) == ["software_rdma", "roce_mtu_small"]


def test_devinfo_without_v_has_no_rates():
    lines = [line for line in sample(DEVINFO).splitlines() if "active_width" not in line and "active_speed" not in line]
    parsed = read_text("ibv_devinfo", "\n".join(line for line in lines if "phys_state" not in line))
    assert value(parsed, "ethernet_rdma_ports") == 1
    assert not parsed.named("port_rate") and not parsed.named("ib_rate_min_active")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("status", [255, 0, None])
def test_no_devices_is_a_measured_zero(stream, status):
    said = {"stdout": "", "stderr": ""} | {stream: "No IB devices found\n"}
    parsed = read_text("ibv_devinfo", **said, exit_status=status)
    assert (parsed.error, value(parsed, "ib_ports_active"), value(parsed, "ethernet_rdma_ports")) == ("", 0, 0)


@pytest.mark.parametrize(
    ("tool", "text", "status", "expected"),
    [
        pytest.param(
            "ibv_devinfo",
            "Failed to get IB devices list: Function not implemented\n",
            255,
            "rdma_module_missing",
            id="module",
        ),
        pytest.param("ibv_devinfo", "No IB devices found\n", 1, "exit_status", id="another exit status"),
        pytest.param("ibv_devinfo", sample(DEVINFO) * 2, 0, "two_outputs", id="devinfo twice"),
        pytest.param("ibv_devinfo", "", 127, "command_not_found", id="devinfo missing"),
        pytest.param(
            "ibstat",
            "ibpanic: [77] main: can't list IB device names: (No such file or directory)\n",
            255,
            "ibstat_failed",
            id="panic",
        ),
        pytest.param("ibstat", sample(IBSTAT) * 2, 0, "two_outputs", id="ibstat twice"),
        pytest.param("ibstat", "", 0, "ibstat_unknown", id="ibstat nothing"),
        pytest.param(
            "ibstatus",
            "Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)\n",
            1,
            "ibstatus_failed",
            id="no sysfs",
        ),
        pytest.param("ibstatus", sample(IBSTATUS) * 2, 0, "two_outputs", id="ibstatus twice"),
        pytest.param("show_gids", sample(GIDS) * 2, 0, "two_outputs", id="gids twice"),
        pytest.param("show_gids", "n_gids_found=0\n", 0, "show_gids_unknown", id="no header"),
    ],
)
def test_a_failed_run_counts_no_port(tool, text, status, expected):
    parsed = read_text(tool, text, exit_status=status)
    assert code(parsed) == expected
    assert all(reading.value is None for reading in parsed.readings)


def test_gids_go_by_port_because_the_index_is_not_always_3():
    parsed = read_sample(GIDS)
    assert (value(parsed, "gids"), value(parsed, "roce_devices")) == (6, 2)
    assert value(parsed, "roce_v2_ipv4_gid_index", "port:mlx5_bond_0") == 1
    assert value(parsed, "roce_v2_ipv4_gid_index", "port:mlx5_1") == 3
    assert why(parsed, "roce_v2_ipv4_gid_index") == "differs"
    assert value(parsed, "netdev", "port:mlx5_1") == "ens2np0"


def test_gids_are_read_when_tabs_became_blanks():
    parsed = read_text("show_gids", sample(GIDS).expandtabs(8))
    assert value(parsed, "roce_v2_ipv4_gid_index", "port:mlx5_1") == 3


def test_a_table_with_a_row_missing_is_not_measured():
    lines = sample(GIDS).splitlines()
    parsed = read_text("show_gids", "\n".join(lines[:4] + lines[5:]))
    assert why(parsed, "gids") == "rows_missing"
    assert why(read_text("show_gids", "\n".join(lines[:-1])), "roce_devices") == "rows_missing"


@pytest.mark.parametrize("name", ["rxe1", "rxe_1", "siw0", "siw_1"])
def test_a_port_made_in_software_is_no_port(name):
    parsed = read_text("ibstat", sample(IBSTAT).replace("CA 'mlx5_0'", f"CA '{name}'"))
    assert value(parsed, "ib_ports_active") == 2
    assert not any(name in reading.scope for reading in parsed.readings)
    assert "software_rdma" in codes(parsed)


@pytest.mark.parametrize("rate", ["10", "40", "400"])
def test_the_rate_that_a_port_keeps_while_it_is_down_is_never_the_lowest(rate):
    text = sample(IBSTAT)
    head, mark, tail = text.partition("CA 'mlx5_1'")
    lines = [f"\t\tRate: {rate}" if "Rate:" in line else line for line in tail.partition("CA '")[0].split("\n")]
    changed = head + mark + "\n".join(lines) + "".join(tail.partition("CA '")[1:])
    parsed = read_text("ibstat", changed)
    assert amount(parsed, "ib_rate_min_active", "Gb/s") == 56 and amount(parsed, "ib_rate_max", "Gb/s") == 400
    assert why(parsed, "port_rate", "port:mlx5_1") == "port_down"


@pytest.mark.parametrize(("label", "speed"), [("8X NDR", 800), ("4X XDR", 800), ("4X NDR", 400), ("2X HDR", 100)])
def test_the_rate_is_the_number_and_not_its_label(label, speed):
    parsed = read_sample(IBSTATUS, ("rate:\t\t 200 Gb/sec (4X HDR)", f"rate:\t\t {speed} Gb/sec ({label})"))
    assert amount(parsed, "port_rate", "Gb/s", "port:mlx5_1") == speed


@pytest.mark.parametrize("layer", ["Unspecified", "InfiniBand"], ids=["now", "until rdma-core 33"])
def test_a_clouds_own_transport_is_neither_infiniband_nor_ethernet(layer):
    text = (
        "hca_id:\trdmap16s27\n\ttransport:\t\t\tunspecified (4)\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"
        "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 (5)\n"
        f"\t\t\tlink_layer:\t\t{layer}\n\n"
    )
    parsed = read_text("ibv_devinfo", text)
    assert [value(parsed, name) for name in ("ib_ports_total", "ib_ports_active", "ethernet_rdma_ports")] == [0, 0, 0]
    assert value(parsed, "port_link_layer", "port:rdmap16s27") == "Unspecified"


def test_guids_are_told_alike_by_both_tools():
    ibstat, devinfo = read_sample(IBSTAT), read_sample(DEVINFO)
    names = ("node_guid", "sys_image_guid", "port_guid")
    assert {value(ibstat, name, "port:mlx5_1") for name in names} == {"0xb83fd20300010016"}
    assert [value(devinfo, name, "port:mlx5_1") for name in names[:2]] == ["0xb83fd20300010021"] * 2
    assert not any(reading.name == "port_guid" for reading in devinfo.readings)


def test_a_guid_that_is_none_is_not_read():
    text = sample(IBSTAT).replace("Node GUID: 0xb83fd20300010015", "Node GUID: 0xb83f", 1)
    assert why(read_text("ibstat", text), "node_guid", "port:mlx5_0") == "unreadable"
