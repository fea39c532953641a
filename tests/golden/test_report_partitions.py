"""Load on partitions: nothing is lost on the way, and one school is one key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import reports.partition_load
from reports import render
from reports.partition_load import PartitionLoad, partition_loads
from reports.quantiles import bin_edges
from reports.run import Run


def _on_partitions(run: Path, partitions: int) -> Run:
    path = run / "forecast.json"
    forecast = json.loads(path.read_text())
    for resource in forecast["resources"]:
        resource["partitions"] = partitions
    path.write_text(json.dumps(forecast))
    return Run.open(run)


def _loads(run: Run) -> dict[tuple[str, str], PartitionLoad]:
    loads = partition_loads(run, bin_edges(run.length_s))
    assert loads
    return {(load.resource, load.kind): load for load in loads}


@pytest.mark.parametrize("partitions", [4, 64])
def test_spread_over_more_partitions_the_units_stay_the_same(run_copy: Callable[[], Path], partitions: int) -> None:
    directory = run_copy()
    one, many = (_loads(_on_partitions(directory, count)) for count in (1, partitions))
    assert one.keys() == many.keys()
    for which, load in many.items():
        assert len(load.units_per_s) == partitions
        assert load.units_per_s.sum(axis=0) == pytest.approx(one[which].units_per_s[0])


def test_an_accepted_report_is_one_unit_of_the_index(run_copy: Callable[[], Path]) -> None:
    run = _on_partitions(run_copy(), 1)
    assert run.requests is not None
    reports_sent = (run.requests.operation == run.requests.operations.index("reportDataByNode")) & run.requests.ok
    renewals = (run.requests.operation == run.requests.operations.index("renewHeartbeat")) & run.requests.ok
    units = _loads(run)["GroupIdIndex", "write"].units_per_s.sum() * 2  # steps of 2 s
    assert reports_sent.sum() <= units <= reports_sent.sum() + renewals.sum()


def test_one_school_is_one_key_whatever_the_number_of_partitions(run_copy: Callable[[], Path]) -> None:
    reads = _loads(_on_partitions(run_copy(), 8))["table", "read"]
    assert reads.keys == 1
    assert (reads.units_per_s.sum(axis=1) > 0).sum() == 1


def test_a_run_too_large_for_the_map_says_so(run_copy: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports.partition_load, "MOST_REQUESTS", 100)
    run = run_copy()
    render(run)
    assert "is too large to place every call on its partition" in (run / "report.md").read_text()
