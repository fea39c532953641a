"""When the generator, not the target, was the bottleneck, the run must say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from capacity.scenario import Scenario
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import Start
from locustfiles.running.generator_health import judge_generator
from locustfiles.running.lateness import Lateness

SCENARIO = Scenario.model_validate(
    {
        "population": {"groups_per_domain": 10, "members_per_group": 3},
        "traffic": {"reports": "1/s", "event_batches": "1/s"},
        "schedule": {"ramp": "0s", "hold": "60s"},
    }
)
PLAN = Plan(SCENARIO, "run", groups=10)
PLANNED = PLAN.planned_ticks(0.0, 60.0)
SHORT = int(PLANNED * 0.9)


def summary(late_s: list[float] | None = None, cpu_percent: float = 20.0) -> dict[str, Any]:
    lateness = Lateness()
    for late in [0.001] * 2000 if late_s is None else late_s:
        lateness.add(late)
    return {
        "lateness_counts": lateness.counts(),
        "lateness_max_s": lateness.max_s,
        "cpu_mean_percent": cpu_percent,
        "cpu_max_percent": cpu_percent + 5,
        "entered": 1,
        "notes": {"WebSocket lost: closed with 1006": 2},
    }


def judge(sent: int, summaries: list[dict[str, Any]], workers: int = 1) -> Any:
    return judge_generator(PLAN, Start("run", 0.0, 10, True), 0.0, 60.0, sent, summaries, workers)


@pytest.mark.parametrize(
    ("sent", "summaries", "workers", "reason"),
    [
        pytest.param(PLANNED, [summary()], 1, None, id="punctual and complete"),
        pytest.param(PLANNED, [summary([0.001] * 2000 + [5.0] * 39)], 1, None, id="fewer than one in fifty late"),
        pytest.param(PLANNED, [summary([0.001] * 900 + [0.4] * 100)], 1, "100 of 1,000 starts", id="one in ten late"),
        pytest.param(PLANNED, [summary([0.001] * 20 + [0.2] * 5)], 1, None, id="a handful says nothing yet"),
        pytest.param(SHORT, [summary(cpu_percent=97)], 1, "97 % of a core", id="short of the plan, out of CPU"),
        pytest.param(SHORT, [summary()], 1, None, id="short of the plan with CPU to spare"),
        pytest.param(0, [summary() | {"entered": 0}], 1, "no node got into its group", id="nobody ever got in"),
        pytest.param(PLANNED, [summary()], 2, "1 of 2 workers", id="a worker is missing"),
    ],
)  # fmt: skip
def test_validity(sent: int, summaries: list[dict[str, Any]], workers: int, reason: str | None) -> None:
    generator = judge(sent, summaries, workers)
    assert generator.valid == (reason is None)
    assert reason is None or any(reason in text for text in generator.reasons)


def test_a_punctual_generator_that_sent_less_says_why_it_may_be() -> None:
    generator = judge(SHORT, [summary()])
    assert generator.achieved == pytest.approx(0.9, abs=0.001)
    assert any("never got into their group" in note for note in generator.notes)


def test_workers_are_judged_together() -> None:
    generator = judge(PLANNED, [summary([0.001] * 970), summary([0.3] * 30, cpu_percent=60)], workers=2)
    assert not generator.valid
    assert generator.cpu_mean_percent == 60
    assert generator.lateness_max_ms == pytest.approx(300)
    assert "WebSocket lost: closed with 1006: 4 times" in generator.notes


def test_quantiles_of_lateness_are_right_to_a_bin() -> None:
    values = np.random.default_rng(3).lognormal(-6, 1, 10_000)
    lateness = Lateness()
    for value in values.tolist():
        lateness.add(value)
    for share in (0.5, 0.9, 0.99):
        assert lateness.quantile_s(share) == pytest.approx(np.quantile(values, share), rel=0.06)
    assert lateness.max_s == values.max()


def test_a_merged_histogram_is_that_of_all_values() -> None:
    whole, one, other = Lateness(), Lateness(), Lateness()
    for number in range(1000):
        late_s = number / 1000
        whole.add(late_s)
        (one if number % 3 else other).add(late_s)
    one.merge(other.counts(), other.max_s)
    assert one.counts() == whole.counts()
    assert one.max_s == whole.max_s


def test_without_starts_there_is_no_quantile() -> None:
    assert Lateness().quantile_s(0.99) is None
