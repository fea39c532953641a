"""Load shapes, lessons and recorded arrivals: when timers tick, and where the windows lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.forecasting.forecast import forecast
from capacity.scenario import Scenario, ScenarioError, Ticks, arrivals_s, load_scenarios
from capacity.scenario.load_shape import LoadClock, stages
from capacity.workloads.mesh.plan import planned_requests
from capacity.workloads.mesh.requests import CODE

ONE = {"groups_per_domain": 1, "members_per_group": 0}


def scenario(schedule: dict[str, object], population: dict[str, int] = ONE, **changes: object) -> Scenario:
    return Scenario.model_validate(
        {
            "population": population,
            "settings": {"data_update_interval": 0.1, "event_batch_interval": 0.1},
            "traffic": {"reports": 1, "event_batches": 0},
            "schedule": schedule,
            **changes,
        }
    )


def reports_s(made: Scenario) -> np.ndarray:
    planned = planned_requests(made)
    return planned.time_s[planned.operation == CODE["reportDataByNode"]]


def test_twice_the_traffic_is_twice_as_many_ticks_and_a_silence_has_none() -> None:
    shape = [{"from": 0, "times": 1}, {"from": 10, "times": 3}, {"from": 20, "times": 0}, {"from": 25, "times": 2}]
    made = scenario({"ramp": 0, "hold": 30, "shape": shape})
    counts, _ = np.histogram(reports_s(made), bins=[0, 10, 20, 25, 30])
    assert counts.tolist() == [10, 30, 0, 10]


@pytest.mark.parametrize(
    ("shape", "counts"),
    [
        pytest.param("steady", [25, 25, 25, 25], id="all of it, all the time"),
        pytest.param("steps", [6, 12, 19, 25], id="25, 50, 75 and 100 per cent of 25"),
        pytest.param(
            "bell", [5, 20, 21, 4], id="the integral of (1 - cos)/2 over a quarter: 9.1 or 40.9 per cent of 50"
        ),
        pytest.param("spike", [5, 13, 13, 4], id="a fifth, and all of it for the 20 s in the middle: 5, 13, 13, 5"),
    ],
)
def test_named_shapes(shape: str, counts: list[int]) -> None:
    found, _ = np.histogram(reports_s(scenario({"ramp": 0, "hold": 100, "shape": shape})), bins=[0, 25, 50, 75, 100])
    assert np.abs(found - counts).max() <= 1


@given(
    parts=st.lists(st.tuples(st.floats(0.5, 20), st.just(0.0) | st.floats(1e-3, 5)), min_size=1, max_size=6),
    moment=st.floats(0, 200),
)
def test_time_and_load_time_are_each_others_inverse(parts: list[tuple[float, float]], moment: float) -> None:
    begins = np.concatenate([[0.0], np.cumsum([length for length, _ in parts])[:-1]])
    clock = LoadClock(0.0, [(float(begin), times) for begin, (_, times) in zip(begins, parts, strict=True)])
    load_s = clock.load_s(moment)
    again_s = clock.time_s(load_s)
    assert again_s >= moment - 1e-6  # a silence has one load time from its beginning to its end
    if np.isfinite(again_s):
        assert clock.load_s(again_s) == pytest.approx(load_s, abs=1e-6)


def test_what_follows_a_shape_is_traffic_alone() -> None:
    made = scenario(
        {"ramp": 0, "hold": 100, "shape": [{"from": 0, "times": 0.1}]}, settings={"data_update_interval": 1}
    )
    steady = scenario({"ramp": 0, "hold": 100})
    beats = CODE["renewHeartbeat"]
    assert (planned_requests(made).operation == beats).sum() == (planned_requests(steady).operation == beats).sum()
    assert len(reports_s(made)) == 10


def test_counting_ticks_agrees_with_listing_them() -> None:
    made = scenario(
        {"ramp": 4, "hold": 20, "shape": "bell", "lessons": 3, "break": 10},
        {"groups_per_domain": 5, "members_per_group": 3},
    )
    nodes = np.arange(made.nodes)
    ticks = Ticks(made, "report", 1.0, nodes, arrivals_s(made))
    times_s, whose = ticks.times_s()
    for until_s in (0.0, 13.3, 24.0, 40.0, 55.5, 1e9):
        assert ticks.before(until_s).tolist() == np.bincount(whose[times_s < until_s], minlength=len(nodes)).tolist()


def test_a_school_day_repeats_its_lesson_with_new_groups_in_the_same_domains() -> None:
    population = {"domains": 2, "groups_per_domain": 2, "members_per_group": 1}
    day = scenario({"ramp": 4, "hold": 20, "drain": 2, "lessons": 3, "break": 10}, population)
    lesson = scenario({"ramp": 4, "hold": 20, "drain": 2}, population)
    planned, once = planned_requests(day), planned_requests(lesson)
    assert (day.groups, day.nodes) == (12, 24)
    assert planned.group_domain.tolist() == [0, 0, 1, 1] * 3
    opened = planned.time_s[planned.operation == CODE["createGroup"]]
    begins = np.array([0.0, 36.0, 72.0])  # 4 + 20 + 2 of lesson, 10 of break
    assert opened.tolist() == pytest.approx(np.add.outer(begins, [0, 1, 2, 3]).ravel().tolist())
    reports = planned.time_s[planned.operation == CODE["reportDataByNode"]]
    for begin in begins:
        assert ((reports >= begin) & (reports < begin + 36)).sum() == (
            (reports >= begin) & (reports < begin + 24)
        ).sum()
    assert abs(len(reports) - 3 * (once.operation == CODE["reportDataByNode"]).sum()) <= 3 * 8  # other phases
    assert planned.time_s.max() == pytest.approx(72 + 26 + 1)


def test_windows_are_explicit() -> None:
    schedule = scenario({"ramp": 4, "warm_up": 6, "hold": 20, "drain": 2, "lessons": 2, "break": 10}).schedule
    assert (schedule.measuring_from_s, schedule.lesson_sending_s, schedule.lesson_s) == (10, 30, 32)
    assert (schedule.sending_s, schedule.total_s, schedule.measuring_s) == (72, 74, 62)
    assert [schedule.lesson_at(time_s) for time_s in (-1, 0, 41.9, 42, 1000)] == [0, 0, 0, 1, 1]


def test_the_forecast_follows_the_shape() -> None:
    made = forecast(scenario({"ramp": 0, "hold": 20, "shape": [{"from": 0, "times": 1}, {"from": 10, "times": 5}]}))
    reports = next(each for each in made.operations if each.name == "reportDataByNode").requests_per_s
    assert (sum(reports[:10]), sum(reports[10:20])) == (10, 50)
    steady = forecast(scenario({"ramp": 0, "hold": 20, "shape": [{"from": 0, "times": 3}]}))
    written = [
        next(each for each in plan.resources if each.name == "table").write.hold_units_per_s for plan in (made, steady)
    ]
    assert written[0] == pytest.approx(written[1], rel=0.03)  # three times the traffic on average, either way


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        pytest.param({"shape": [{"from": 1, "times": 1}]}, "the first at 0s", id="a shape begins with the hold"),
        pytest.param(
            {"shape": [{"from": 0, "times": 1}, {"from": 20, "times": 1}]}, "within the hold", id="and ends in it"
        ),
        pytest.param({"shape": [{"from": 0, "times": 0}]}, "silence from beginning to end", id="it is not all silence"),
        pytest.param(
            {"shape": [{"from": 0, "times": 20}]}, "is more than one per", id="its peak fits the client's interval"
        ),
        pytest.param({"lessons": 2}, "write break: 5s or more", id="leaving takes time"),
        pytest.param(
            {"lessons": 100, "hold": 2100, "break": 5}, "a lesson takes 2,?107", id="a lesson fits a group's life"
        ),
    ],
)
def test_schedules_that_cannot_be(schedule: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        scenario({"ramp": 2, "hold": 20, **schedule})


RECORDED = """\
version: 1
scenarios:
  recorded:
    population: {groups_per_domain: 1, members_per_group: 3}
    traffic: {reports: 1/s, event_batches: 0/s}
    schedule: {ramp: 10s, hold: 20s, arrivals: {file: arrivals.txt}}
"""


def load(folder: Path, content: str | None) -> Scenario:
    (folder / "scenarios.yaml").write_text(RECORDED)
    if content is not None:
        (folder / "arrivals.txt").write_text(content)
    return load_scenarios(folder / "scenarios.yaml")["recorded"]


@pytest.mark.parametrize(
    ("content", "moments"),
    [
        pytest.param("0\n2.5\n\n9\n", (0, 2.5, 9), id="seconds, with a blank line"),
        pytest.param("0s\n500ms # the second\n", (0, 0.5), id="durations, with a comment"),
        pytest.param("2026-11-30T09:00:01Z\n2026-11-30T09:00:03.5Z\n", (0, 2.5), id="times, from the first"),
        pytest.param("2026-11-30T09:00:01+09:00\n2026-11-30T00:00:02Z\n", (0, 1), id="times of two zones"),
    ],
)
def test_arrivals_are_replayed_from_a_file(tmp_path: Path, content: str, moments: tuple[float, ...]) -> None:
    recorded = load(tmp_path, content)
    assert recorded.schedule.arrivals == moments
    assert set(arrivals_s(recorded)) == set(moments)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(None, "arrivals.txt:1: cannot be read: No such file", id="there is no file"),
        pytest.param("", "has no moments; write one a line, like 12.5", id="it is empty"),
        pytest.param("1\nsoon\n", "line 2: 'soon'; a line is seconds or a time", id="a line is neither"),
        pytest.param("5\n1\n", "moments in rising order within the ramp of 10 s", id="moments go back"),
        pytest.param("2026-11-30T09:00:01Z\n2026-11-30T09:00:02\n", "line 2", id="one time without its zone"),
    ],
)
def test_a_file_of_arrivals_that_cannot_be_read(tmp_path: Path, content: str | None, words: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        load(tmp_path, content)
    assert words in str(raised.value)
    assert len(raised.value.faults) == 1
    assert raised.value.faults[0].line == 6


def test_stages_of_a_name_begin_with_the_hold() -> None:
    assert [stages(name, 60.0)[0][0] for name in ("steady", "steps", "spike", "bell")] == [0, 0, 0, 0]
