"""The bandwidth chart's geometry: sizes on a log2 axis, the floor at its height, nothing drawn of nothing."""

from decimal import Decimal

import pytest

from gpucontract.web.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, bandwidth_chart, nice_top, size_text

D = Decimal


def test_equal_factors_of_size_stand_equally_far_apart():
    first, second, third = bandwidth_chart({2**27: D(100), 2**30: D(300), 2**33: D(480)}).points
    assert (first.x, third.x) == (LEFT, WIDTH - RIGHT)
    assert second.x - first.x == third.x - second.x


def test_the_floor_and_the_values_share_one_scale():
    chart = bandwidth_chart({1024: D(0), 2048: D(455)}, floor=D(455))
    assert chart.points[0].y == HEIGHT - BOTTOM
    assert chart.points[1].y == chart.floor_y > TOP


@pytest.mark.parametrize("values", [{}, {1024: D(3)}, {0: D(3), 1024: D(3)}], ids=["none", "one", "one and size 0"])
def test_there_is_no_line_of_fewer_than_two_sizes(values):
    assert bandwidth_chart(values) is None


@pytest.mark.parametrize(
    ("value", "top"), [("0", "1"), ("0.3", "0.4"), ("1", "1"), ("455", "500"), ("501", "1000"), ("3000", "4000")]
)
def test_the_axis_ends_at_a_round_number(value, top):
    assert nice_top(D(value)) == D(top)


@pytest.mark.parametrize(
    ("size", "text"), [(8, "8 B"), (1024, "1 KiB"), (2**27, "128 MiB"), (2**33, "8 GiB"), (1000, "1000 B")]
)
def test_sizes_are_said_in_their_largest_whole_unit(size, text):
    assert size_text(size) == text
