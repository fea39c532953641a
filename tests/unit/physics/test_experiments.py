"""The published experiments of docs/experiments, run and held to the published figures."""

import importlib
import sys
from itertools import pairwise
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[3] / "docs" / "experiments"


@pytest.fixture
def experiment(monkeypatch):
    """Import one of the scripts."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))

    def load(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return load


def test_row_1_slower_ramps_throttle_less_and_none_below_4000(experiment):
    row = experiment("row01_on_demand_ramp")
    results = [row.ramp(minutes) for minutes in row.RAMPS_MIN]
    shares = [row.refused_share(result) for result in results]
    assert shares[0] > 0.1, "60 minutes: heavy throttling"
    assert all(faster > 2 * slower for faster, slower in pairwise(shares))
    for result in results:
        assert result.demand[int(result.first_throttle_s())].sum() == pytest.approx(4000.0, rel=0.005)


def test_row_4_45000_units_last_900_seconds(experiment):
    row = experiment("row04_spiky_workload")
    assert row.saved_after_idling() == 45_000.0
    assert row.lasts_s() == 900.0
    assert row.simulated().first_throttle_s() == 897.0


def test_row_5_the_hot_partition_gets_its_150_today_and_100_in_the_static_world(experiment):
    row = experiment("row05_hot_partition")
    adaptive, static = row.world("adaptive"), row.world("static")
    assert adaptive.throttled.sum() == 0.0
    assert static.first_throttle_s() == pytest.approx(600.0, abs=3.0)
    assert static.consumed[-60:, 3].mean() == 100.0
    assert static.throttled[:, :3].sum() == 0.0


def test_row_6_partitions_double_and_never_merge(experiment):
    steps = experiment("row06_settings_history").history()
    assert [(count, round(share, 6)) for _, count, share in steps[:3]] == [(4, 800), (4, 900), (8, 750)]
    assert [(count, round(share, 6)) for _, count, share in steps[3:]] == [(8, 400), (8, 100)]


def test_row_7_the_workshops_load_times(experiment):
    row = experiment("row07_workshop_load")
    older = row.older_print()
    assert sum(older) == pytest.approx(171.3, rel=0.05)
    assert all(batch < 0.6 for batch in older[:11])
    assert older[11] == pytest.approx(5.445, rel=0.2)
    assert older[12:] == pytest.approx([20.0] * 8, rel=0.01)
    assert sum(row.present_print(48.6)) == pytest.approx(133.8, rel=0.05)
    assert sum(row.raised()) == pytest.approx(17.1, rel=0.05)
    # What is not reproduced: 75.1 s. Should a better rule reach it, docs/experiments/README.md must say so.
    assert sum(row.present_print(1000.0)) == pytest.approx(100.0, rel=0.01)


def test_row_7_a_starved_index_stops_its_table_after_a_few_minutes(experiment):
    row = experiment("row07_index_queue")
    history = row.load(200)
    # Closed form: (300 saved + 30 x 1,000 queued) / (200 asked - 1 worked off).
    assert row.first_refusal_s(history, 200) == pytest.approx(30_300 / 199, abs=1.0)
    assert sum(admitted for admitted, _ in history[-100:]) == pytest.approx(100, abs=1)
    assert max(waiting for _, waiting in history) <= 30_000


def test_row_10_the_alarms_of_2017_react_after_10_to_15_minutes_and_todays_sooner(experiment):
    row = experiment("row10_autoscaling")
    then, today = row.scaled(row.THEN), row.scaled(row.TODAY)
    assert 10 * 60 <= row.reaction_s(then) <= 15 * 60
    assert row.reaction_s(today) == 3 * 60
    assert row.refused_share(then) > 0.05 > row.refused_share(today)
    assert row.refused_share(row.scaled(None)) > row.refused_share(then)


def test_row_15_a_large_put_passes_until_the_burst_is_spent(experiment):
    row = experiment("row15_large_put")
    assert row.puts(5) == [True, True, True, True, False]
    assert row.refused_until_s() == pytest.approx(20.0, abs=0.011)


def test_every_row_has_its_picture_and_its_place_in_the_readme():
    readme = (EXPERIMENTS / "README.md").read_text()
    for script in sorted(EXPERIMENTS.glob("row*.py")):
        assert script.with_suffix(".png").exists(), script
        assert script.name in readme
        assert script.with_suffix(".png").name in readme
