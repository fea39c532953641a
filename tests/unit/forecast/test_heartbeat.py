"""Heartbeats: closed forms against enumeration and simulation, and the study as a whole."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import scenario

from capacity.studies import detection, heartbeat
from capacity.studies.heartbeat import DEPLOYED, SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, saving, sweep
from capacity.studies.pareto import pareto_front


@pytest.mark.parametrize(
    ("ttl_s", "interval_s", "beats", "sentence"),
    [
        (150, 60, 2, "the deployed host: beats at 60 and 120 s, both must be lost"),
        (600, 120, 4, "a member: the fifth beat is due as the TTL ends, and comes too late"),
        (75, 15, 4, "the seeds' five times leaves four beats"),
        (61, 60, 1, "one beat"),
        (60, 60, 0, "no beat can save it"),
        (0.3, 0.1, 2, "a ratio that floating point does not meet exactly"),
    ],
)
def test_beats_whose_loss_drops_a_living_node(ttl_s: float, interval_s: float, beats: int, sentence: str) -> None:
    assert int(detection.missed_beats(ttl_s, interval_s)) == beats, sentence


@pytest.mark.parametrize("loss", [0.1, 0.5])
@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("beats", [2, 5, 10])
def test_runs_of_losses_are_as_likely_as_counting_says(loss: float, run: int, beats: int) -> None:
    total = 0.0
    for outcome in itertools.product((True, False), repeat=beats):  # True = lost
        longest = max((len(list(group)) for lost, group in itertools.groupby(outcome) if lost), default=0)
        if longest >= run:
            total += loss ** sum(outcome) * (1 - loss) ** (beats - sum(outcome))
    assert float(detection.false_drop_probability(loss, run, beats)) == pytest.approx(total)


@given(interval=st.floats(1, 300), multiple=st.floats(1.1, 8), look=st.floats(0.1, 300), share=st.floats(0.5, 0.999))
def test_quantiles_rise_and_stay_between_mean_and_worst(
    interval: float, multiple: float, look: float, share: float
) -> None:
    ttl = interval * multiple
    at = float(detection.detection_quantile_s(interval, ttl, look, share))
    more = float(detection.detection_quantile_s(interval, ttl, look, min(1.0, share + 1e-3)))
    worst = float(detection.detection_worst_s(interval, ttl, look))
    assert float(detection.detection_mean_s(interval, ttl, look)) <= at + 1e-6
    assert at <= more <= worst + 1e-9


@pytest.mark.parametrize(("interval", "ttl", "look"), [(60, 150, 0.67), (120, 600, 15), (15, 75, 15), (15, 75, 120)])
def test_detection_times_of_simulated_vanishings(interval: float, ttl: float, look: float) -> None:
    # A node vanishes at any moment between two beats; somebody looks at any phase of the interval of looking.
    rng = np.random.default_rng(20261130)
    vanished_after = rng.uniform(0, interval, 400_000)
    expires_after = ttl - vanished_after
    first_look = rng.uniform(0, look, 400_000)
    noticed = first_look + np.ceil(np.maximum(0, expires_after - first_look) / look) * look
    assert noticed.mean() == pytest.approx(float(detection.detection_mean_s(interval, ttl, look)), rel=0.005)
    assert np.quantile(noticed, 0.95) == pytest.approx(
        float(detection.detection_quantile_s(interval, ttl, look)), rel=0.005
    )
    assert noticed.max() <= float(detection.detection_worst_s(interval, ttl, look))


@pytest.mark.parametrize(
    ("members", "share", "sentence"),
    [
        (0, 0.5, "a host alone saves half"),
        (1, 0.6875, "about 70 % holds for a host with one member"),
        (3, 0.78125, "a group of four saves 78 %"),
        (1_000_000, 0.875, "members alone save 87.5 %"),
    ],
)
def test_the_seeds_claim_of_saving_70_percent_depends_on_the_group(members: int, share: float, sentence: str) -> None:
    # 1 - (1/30 + m/120) / (1/15 + m/15)
    assert saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, members) == pytest.approx(share, abs=1e-6), sentence


def test_most_of_a_heartbeat_is_the_appsync_request() -> None:
    costs = heartbeat.beat_costs(scenario())
    # Tokyo, per million: 4.00 for the request, 0.1425 / 2 for the check, 0.715 for each write.
    assert costs["member"].usd == pytest.approx((4 + 0.07125 + 0.715) / 1e6)
    assert costs["host"].usd == pytest.approx((4 + 0.07125 + 3 * 0.715) / 1e6)
    assert costs["member"].appsync_share == pytest.approx(0.836, abs=0.001)
    assert costs["host"].appsync_share == pytest.approx(0.643, abs=0.001)


def test_a_month_of_heartbeats_by_hand() -> None:
    # One group of a host and 3 members; 2 lessons of 45 minutes on 20 days are 108,000 s.
    found = sweep(scenario())
    row = found.known[DEPLOYED.name]
    host, member = (4 + 0.07125 + 3 * 0.715) / 1e6, (4 + 0.07125 + 0.715) / 1e6
    assert found.usd_per_month[row] == pytest.approx(108_000 * (host / 60 + 3 * member / 120))
    assert found.beats_per_s[row] == pytest.approx(1 / 60 + 3 / 120)
    assert found.units_per_s["GroupNameIndex", "write"][row] == pytest.approx(1 / 60)


def test_the_known_settings_stand_among_ten_thousand_combinations() -> None:
    found = sweep(scenario())
    assert len(found) >= 10_000
    for known in (SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, DEPLOYED):
        setting = found.setting(found.known[known.name])
        assert (setting.host_interval_s, setting.host_ttl_s) == (known.host_interval_s, known.host_ttl_s)
        assert (setting.member_interval_s, setting.member_ttl_s) == (known.member_interval_s, known.member_ttl_s)


def test_the_recommendation_is_the_cheapest_that_fits() -> None:
    found = sweep(scenario())
    row = found.recommend(notice_s=180, false_drop=1e-4)
    assert row is not None
    assert found.detection_95_s[row] <= 180
    assert found.false_drop[row] < 1e-4
    fits = (found.detection_95_s <= 180) & (found.false_drop < 1e-4)
    assert found.usd_per_month[row] == found.usd_per_month[fits].min()


def test_no_recommendation_when_nothing_fits() -> None:
    assert sweep(scenario(), host_intervals_s=[60], member_intervals_s=[120], ttl_multiples=[5]).recommend(1.0) is None


@given(
    points=st.lists(st.tuples(*(st.integers(0, 6) for _ in range(3))), min_size=1, max_size=40),
)
def test_the_front_is_what_comparing_every_pair_finds(points: list[tuple[int, int, int]]) -> None:
    columns = [np.array(column, float) for column in zip(*points, strict=True)]
    front = {points[row] for row in pareto_front(*columns).tolist()}
    beaten = {p for p in points for q in points if q != p and all(a <= b for a, b in zip(q, p, strict=True))}
    assert front == set(points) - beaten
    assert len(pareto_front(*columns)) == len(front)


def test_a_class_that_arrives_at_once_beats_at_once() -> None:
    # 40 nodes within 8 s: 5 beats per second in every interval, however long it is.
    assert float(detection.start_peak_per_s(40, 120, 8)) == 5
    assert float(detection.start_peak_per_s(40, 4, 8)) == 10  # shorter than the ramp: the average rate


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"loss is 1.*host_intervals_s must be positive.*above 1, or every node"):
        sweep(scenario(), host_intervals_s=[0], ttl_multiples=[0.5], loss=1)
