"""perftest: units old and new, sizes, latency, loopback, JSON, and failures that must never be 0 Gb/s."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.parsers.host_outputs import amount, code, codes, read_sample, read_text, sample, value, why

MIB = "perftest/24.10-write-bw-mib.txt"
SIZES = "perftest/4.5-read-bw-mb-sizes.txt"
LATENCY = "perftest/24.10-send-lat.txt"
LOOPBACK = "perftest/6.11-loopback.txt"
JSON = "perftest/24.10-out.json"
ROW = " 65536      5000             23418.26            23409.71\t\t     0.374555\n"


def test_mib_are_2_to_the_20_bytes():
    parsed = read_sample(MIB)
    assert amount(parsed, "bw_average", "Gb/s") == Decimal("23409.71") * 8 * 1048576 / 10**9
    assert round(value(parsed, "bw_average_GBps"), 3) == Decimal("24.547")
    assert amount(parsed, "bw_peak", "MiB/s") == Decimal("23418.26")
    assert value(parsed, "message_size") == 65536
    assert (value(parsed, "device"), value(parsed, "link_type")) == ("mlx5_1", "IB")
    assert value(parsed, "bidirectional") is False


def test_the_old_mb_is_the_same_number():
    assert value(read_sample(MIB, ("MiB/sec", "MB/sec")), "bw_average_GBps") == value(
        read_sample(MIB), "bw_average_GBps"
    )


def test_several_sizes_give_readings_by_size_and_none_without_one():
    parsed = read_sample(SIZES)
    assert why(parsed, "bw_average") == "several_sizes"
    assert why(parsed, "message_size") == "several_sizes"
    assert value(parsed, "rows") == 4
    assert amount(parsed, "bw_average_at_65536", "MiB/s") == Decimal("11519.90")
    assert amount(parsed, "bw_average_at_largest", "MiB/s") == Decimal("11531.05")
    assert amount(parsed, "bw_average_max", "MiB/s") == Decimal("11532.77")


def test_the_highest_average_counts_sizes_from_one_mebibyte_on():
    parsed = read_sample(SIZES, ("11519.90", "99999.90"))
    assert amount(parsed, "bw_average_max", "MiB/s") == Decimal("11532.77")


def test_a_peak_of_zero_was_not_taken():
    parsed = read_sample(MIB, ("23418.26", "0.00    "))
    assert why(parsed, "bw_peak") == "not_taken"
    assert value(parsed, "bw_average") == Decimal("23409.71")


def test_an_average_of_zero_is_no_measurement_either():
    assert why(read_sample(MIB, ("23409.71", "0.00")), "bw_average") == "not_taken"


def test_latencies_go_by_the_headers_columns():
    parsed = read_sample(LATENCY)
    expected = {
        "t_min": "1.61",
        "t_max": "7.20",
        "t_typical": "1.68",
        "t_avg": "1.71",
        "t_p99": "1.95",
        "t_p999": "3.40",
    }
    assert {name: amount(parsed, name, "us") for name in expected} == {n: Decimal(v) for n, v in expected.items()}
    assert value(parsed, "message_size") == 8


def test_a_latency_run_by_time_has_no_percentiles():
    text = " #bytes        #iterations       t_avg[usec]    tps average\n 2       524288            1.66        602409.64\n"
    parsed = read_text("ib_write_lat", text, command="ib_write_lat -D 2 host")
    assert amount(parsed, "t_avg", "us") == Decimal("1.66")
    assert why(parsed, "t_p99") == "not_printed"


def test_more_columns_do_not_shift_the_ones_that_are_read():
    head = " #bytes    #sl      #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]    CPU_Util[%]\n"
    parsed = read_text(
        "ib_write_bw",
        head + " 65536    0           5000           396.05            395.81                  0.754948   1.30\n",
    )
    assert amount(parsed, "bw_average", "Gb/s") == Decimal("395.81")


def test_a_loopback_shows_two_headers_and_one_result():
    parsed = read_sample(LOOPBACK)
    assert amount(parsed, "bw_average", "Gb/s") == Decimal("209.97")
    assert codes(parsed) == ["perftest_loopback"]


def test_a_loopback_whose_sides_disagree_is_no_measurement():
    text = sample(LOOPBACK).replace("209.97", "209.00", 1)
    assert code(read_text("ib_write_bw", text)) == "rows_disagree"


def test_both_directions_are_said_to_be_a_sum():
    parsed = read_sample(MIB, ("RDMA_Write BW Test", "RDMA_Write Bidirectional BW Test"))
    assert value(parsed, "bidirectional") is True
    assert codes(parsed) == ["perftest_bidirectional"]


def test_a_changing_cpu_clock_is_a_warning_wherever_it_stands():
    line = "Conflicting CPU frequency values detected: 3645.037000 != 4299.667000. CPU Frequency is not max.\n"
    for parsed in (
        read_text("ib_write_bw", sample(MIB).replace(ROW, line + ROW)),
        read_text("ib_write_bw", sample(MIB), stderr=line),
    ):
        assert value(parsed, "warning") == "cpu_frequency"
        assert codes(parsed) == ["cpu_frequency"]
        assert value(parsed, "bw_average") == Decimal("23409.71")


FAILURES = [
    pytest.param("Couldn't connect to 10.0.0.2:18515\n", 1, "perftest_connect_failed", id="no server"),
    pytest.param(" Did not detect devices \n If device exists, check if driver is up\n", 1, "no_rdma_device", id="no device"),
    pytest.param("IB device mlx5_9 not found\n", 1, "no_rdma_device", id="no such device"),
    pytest.param(sample(MIB).replace(ROW, " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\n"), 1,
                 "perftest_failed", id="completion error"),
    pytest.param(sample(MIB) + "Failed to exchange data between server and clients\n", None, "perftest_failed",
                 id="error after the row"),
    pytest.param(sample(MIB).replace(ROW, ""), 0, "perftest_no_result", id="no row"),
    pytest.param(sample(MIB).replace("23409.71", "23409,71"), 0, "perftest_row_unreadable", id="decimal comma"),
    pytest.param(sample(MIB).replace("MiB/sec", "furlong"), 0, "perftest_unknown", id="unknown unit"),
    pytest.param(sample(MIB) * 2, 0, "two_outputs", id="two runs"),
    pytest.param(sample(MIB) + sample(LATENCY), 0, "two_outputs", id="two different runs"),
    pytest.param(sample(MIB), 1, "exit_status", id="non-zero exit"),
    pytest.param(sample(MIB), 124, "timed_out", id="time limit"),
    pytest.param("23409.71\n", 0, "perftest_unknown", id="--output prints a bare number"),
    pytest.param("", 0, "perftest_unknown", id="nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status", "expected"), FAILURES)
def test_a_failed_run_is_an_error_and_never_a_number(text, status, expected):
    parsed = read_text("ib_write_bw", text, exit_status=status)
    assert code(parsed) == expected
    assert why(parsed, "bw_average") == expected
    assert all(reading.value is None for reading in parsed.readings)


def test_json_has_its_unit_from_the_command():
    parsed = read_sample(JSON)
    assert amount(parsed, "bw_average", "Gb/s") == Decimal("196.42")
    assert value(parsed, "link_type") == "IB"
    mebibytes = read_text("ib_write_bw", sample(JSON), command="ib_write_bw --out_json host")
    assert amount(mebibytes, "bw_average", "MiB/s") == Decimal("196.42")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "{\ntest_info: {\ntest: RDMA_Write_BW_Test\n},\nresults: {\nMsgSize: 65536\n}\n}\n",
            "json_broken",
            id="until 2023",
        ),
        pytest.param('{\n"results": {\n"bw_avg": 196.42\n}\n}\n', "perftest_no_size", id="no size"),
        pytest.param(sample(JSON) * 2, "two_outputs", id="two documents"),
    ],
)
def test_json_that_says_too_little_is_an_error(text, expected):
    parsed = read_text("ib_write_bw", text)
    assert code(parsed) == expected
    assert value(parsed, "bw_average") is None


def test_latencies_come_from_json_too():
    text = '{\n"test_info": {\n"Device": "mlx5_0"\n},\n"results": {\n"MsgSize": 2,\n"n_iterations": 1000,\n"t_min": 1.5,\n"t_avg": 1.71,\n"percentile_99": 1.95,\n"percentile_99.9": 3.4\n}\n}\n'
    parsed = read_text("ib_write_lat", text)
    assert (amount(parsed, "t_avg", "us"), amount(parsed, "t_p999", "us")) == (Decimal("1.71"), Decimal("3.4"))


def test_two_machines_without_a_port_between_them_are_no_device_that_is_missing():
    said = "gpucontract-agent: no active Ethernet port on one of gpu-node-01, gpu-node-02: without RDMA nothing was written\n"
    parsed = read_text("ib_write_bw", "", stderr=said, exit_status=125)
    assert code(parsed) == "no_rdma_port" and why(parsed, "bw_average") == "no_rdma_port"


def test_server_and_client_one_after_the_other_are_one_run():
    own, peer = "LID 0x11 QPN 0x0108 PSN 0x63ad7d", "LID 0x12 QPN 0x0076 PSN 0xf3810c"
    server = sample(MIB).replace(own, "OWN").replace(peer, own).replace("OWN", peer)
    parsed = read_text("ib_write_bw", server + sample(MIB))
    assert amount(parsed, "bw_average", "MiB/s") == Decimal("23409.71")
    assert codes(parsed) == ["perftest_loopback"]
    assert code(read_text("ib_write_bw", server.replace("23409.71", "23409.72") + sample(MIB))) == "rows_disagree"
