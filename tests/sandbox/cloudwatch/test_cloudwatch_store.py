"""The metric store against the definitions of CloudWatch's statistics."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.cloudwatch import store as store_module
from sandbox.cloudwatch.store import MetricStore, Point


class Clock:
    """A clock that the test sets by hand."""

    def __init__(self, now_s: float) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z


def filled(clock: Clock, resolution_s: int = 10):
    store = MetricStore(clock, resolution_s)
    return store, store.series("AWS/DynamoDB", "ConsumedWriteCapacityUnits", (("TableName", "T"),))


def test_values_land_in_the_period_of_the_clock_and_the_open_one_is_readable() -> None:
    clock = Clock(NOON + 3)
    store, series = filled(clock)
    series.add(2.0)
    clock.now_s = NOON + 12
    store.tick()
    series.add(1.0, 3)
    points = store.read(series, NOON, NOON + 60, 10)
    assert [(at_s - NOON, point.total, point.samples) for at_s, point in points] == [(0, 2.0, 1), (10, 3.0, 3)]


@pytest.mark.parametrize(
    ("start", "end", "period_s", "expected"),
    [
        pytest.param(0, 60, 10, [(0, 1), (10, 2), (50, 6)], id="periods without values are absent, not zero"),
        pytest.param(0, 120, 60, [(0, 9), (60, 7)], id="coarser periods add up"),
        pytest.param(0, 60, 60, [(0, 9)], id="the end is exclusive"),
        pytest.param(30, 60, 60, [(0, 9)], id="the start is rounded down to its period"),
        pytest.param(10, 50, 10, [(10, 2)], id="start inclusive, end exclusive"),
        pytest.param(0, 600, 300, [(0, 16)], id="periods are aligned to the clock"),
        pytest.param(90, 690, 300, [(0, 16)], id="also when the query starts in the middle of one"),
        pytest.param(0, 60, 5, [], id="nothing finer than what was published"),
    ],
)
def test_periods(start: int, end: int, period_s: int, expected: list[tuple[int, float]]) -> None:
    clock = Clock(NOON)
    store, series = filled(clock)
    for offset_s, value in ((0, 1), (10, 2), (50, 6), (60, 7)):
        clock.now_s = NOON + offset_s
        store.tick()
        series.add(float(value))
    clock.now_s = NOON + 1000
    points = store.read(series, NOON + start, NOON + end, period_s)
    assert [(at_s - NOON, point.total) for at_s, point in points] == expected


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.floats(0.1, 100))
def test_statistics_are_those_of_the_plain_list(values: list[float], percent: float) -> None:
    clock = Clock(NOON)
    store, series = filled(clock)
    for value in values:
        series.add(value)
    [(_, point)] = store.read(series, NOON, NOON + 10, 10)
    assert point.samples == len(values)
    assert point.total == pytest.approx(sum(values))
    assert (point.minimum, point.maximum) == (min(values), max(values))
    at_most = sum(value <= point.percentile(percent) for value in values)
    below = sum(value < point.percentile(percent) for value in values)
    assert below - 1e-6 <= percent / 100 * len(values) <= at_most + 1e-6


def test_the_median_of_an_odd_number_of_values_is_the_middle_one() -> None:
    values = [12.0, 3.5, 9.0, 3.5, 70.0]
    assert Point.of({3.5: 2, 9.0: 1, 12.0: 1, 70.0: 1}).percentile(50) == statistics.median(values)


def test_many_distinct_values_keep_exact_sums_and_percentiles_within_two_percent() -> None:
    clock = Clock(NOON)
    store, series = filled(clock)
    values = [1 + place / 1000 for place in range(50_000)]
    for value in values:
        series.add(value)
    [(_, point)] = store.read(series, NOON, NOON + 10, 10)
    assert point.samples == 50_000
    assert point.total == pytest.approx(sum(values), rel=1e-12)
    assert (point.minimum, point.maximum) == (values[0], values[-1])
    for percent in (50, 90, 99):
        assert point.percentile(percent) == pytest.approx(values[50_000 * percent // 100 - 1], rel=0.02)
    assert point.distinct <= 300


@pytest.mark.parametrize(
    ("age_s", "served"),
    [
        (3 * 3600 - 60, {10, 60, 300, 3600}),
        (3 * 3600 + 60, {60, 300, 3600}),
        (15 * 86400 + 60, {300, 3600}),
        (63 * 86400 + 300, {3600}),
        (455 * 86400 + 3600, set()),
    ],
)
def test_old_data_are_served_at_the_period_of_their_retention_only(age_s: int, served: set[int]) -> None:
    """CloudWatch, metrics retention: 3 hours below 60 s, 15 days at 60 s, 63 days at 300 s, 455 days at 3,600 s."""
    clock = Clock(NOON)
    store, series = filled(clock)
    series.add(5.0)
    clock.now_s = NOON + age_s
    store.tick()
    for period_s in (10, 60, 300, 3600):
        points = store.read(series, NOON - 3600, NOON + 3600, period_s)
        assert [point.total for _, point in points] == ([5.0] if period_s in served else []), period_s


def test_ageing_bounds_the_number_of_points_and_loses_no_sum() -> None:
    clock = Clock(NOON)
    store, series = filled(clock)
    for step in range(0, 8 * 3600, 10):
        clock.now_s = NOON + step
        store.tick()
        series.add(1.0)
    points = list(series.points(0, 1e12))
    assert len(points) < 3 * 360 + 8 * 60 + 100
    assert sum(point.total for _, point in store.read(series, NOON, clock.now_s + 10, 3600)) == 8 * 360


def test_a_statistic_set_has_no_percentiles_unless_its_values_must_be_equal() -> None:
    """PutMetricData: percentiles need SampleCount 1, or Minimum equal to Maximum."""
    assert Point(10, 4, 1, 4).percentile(50) is None
    assert Point(4, 1, 4, 4).percentile(50) == 4
    assert Point(8, 4, 2, 2).percentile(99) == 2
    assert Point(10, 4, 1, 4).merge(Point.of({1.0: 1})).percentile(50) is None


def test_dimensions_have_no_order_and_must_match_whole() -> None:
    store = MetricStore(Clock(NOON))
    both = (("TableName", "T"), ("Operation", "Query"))
    series = store.series("AWS/DynamoDB", "ThrottledRequests", both)
    assert store.find("AWS/DynamoDB", "ThrottledRequests", both[::-1]) == [series]
    assert store.find("AWS/DynamoDB", "ThrottledRequests", both[:1]) == []


def test_consumption_of_an_idle_table_is_published_as_zero_and_throttles_are_not() -> None:
    """DynamoDB guide, metrics-dimensions (2026-11-30): consumption samples are emitted with zero traffic too."""
    clock = Clock(NOON)
    store = MetricStore(clock, 10, zero_when_idle=frozenset({"ConsumedWriteCapacityUnits"}))
    consumed = store.series("AWS/DynamoDB", "ConsumedWriteCapacityUnits", (("TableName", "T"),))
    throttled = store.series("AWS/DynamoDB", "WriteThrottleEvents", (("TableName", "T"),))
    consumed.add(3.0)
    for offset_s in (10, 20, 30):
        clock.now_s = NOON + offset_s
        store.tick()
    points = store.read(consumed, NOON, NOON + 60, 10)
    assert [(at_s - NOON, point.total, point.samples) for at_s, point in points] == [(0, 3, 1), (10, 0, 1), (20, 0, 1)]
    assert store.read(throttled, NOON, NOON + 60, 10) == []


def test_what_clients_put_is_bounded_and_given_back_when_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_MAX_PUT_VALUES", 10)
    clock = Clock(NOON)
    store = MetricStore(clock, 10)
    point = Point.of({float(value): 1.0 for value in range(5)})
    for number in range(2):
        assert store.has_room([point])
        store.put("Custom", f"m{number}", (), "Count", 60, NOON, point)
    assert not store.has_room([point])
    clock.now_s = NOON + 456 * 86400
    store.tick()
    assert store.has_room([point, point])
    assert list(store.all()) == []


def test_a_clock_that_is_set_back_loses_nothing() -> None:
    clock = Clock(NOON + 25)
    store, series = filled(clock)
    series.add(1.0)
    clock.now_s = NOON + 5
    store.tick()
    series.add(1.0)
    clock.now_s = NOON + 25
    store.tick()
    series.add(1.0)
    points = store.read(series, NOON, NOON + 60, 10)
    assert [(at_s - NOON, point.total) for at_s, point in points] == [(0, 1.0), (20, 2.0)]
