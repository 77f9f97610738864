"""Where a bandwidth chart's lines run."""

from decimal import Decimal

import pytest

from gpucontract.web.charts import HEIGHT, Point, bandwidth_chart, size_text

SWEEP = [Point(2**power, Decimal(power * 10)) for power in (27, 30, 33)]


@pytest.mark.parametrize(
    ("size", "words"),
    ((2**33, "8 GiB"), (3 * 2**29, "1536 MiB"), (1000, "1000 B"), (0, "0 B")),
    ids=("whole", "between", "odd", "nothing"),
)
def test_a_size_is_said_in_its_largest_whole_unit(size, words):
    assert size_text(size) == words


def test_equal_ratios_are_equal_steps():
    first, second, third = (dot.x for dot in bandwidth_chart(SWEEP).dots)
    assert second - first == pytest.approx(third - second, abs=0.2)


def test_more_is_higher_up_and_nothing_leaves_the_box():
    chart = bandwidth_chart(SWEEP, Decimal(455))
    heights = [dot.y for dot in chart.dots]
    assert heights == sorted(heights, reverse=True)
    assert all(0 < y < HEIGHT for y in (*heights, chart.floor_y))


def test_the_floor_stands_where_its_value_would():
    chart = bandwidth_chart([*SWEEP, Point(2**34, Decimal(300))], Decimal(300))
    assert chart.floor_y == chart.dots[2].y or chart.floor_y == min(dot.y for dot in chart.dots if dot.value == "300")


def test_order_of_arrival_changes_nothing():
    assert bandwidth_chart(SWEEP[::-1]) == bandwidth_chart(SWEEP)


def test_without_points_there_is_no_chart():
    assert bandwidth_chart([]) is None


def test_one_point_stands_in_the_middle():
    chart = bandwidth_chart(SWEEP[:1])
    assert chart.left < chart.dots[0].x < chart.right


def test_a_run_of_zeros_still_has_an_axis():
    assert len(bandwidth_chart([Point(8, Decimal(0))]).y_ticks) > 1
