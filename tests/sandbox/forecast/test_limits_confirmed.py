"""What `limits` forecasts for one domain, tried on the sandbox: below it nothing is throttled, above it that key is."""

from __future__ import annotations

from collections import Counter

import pytest
from replay import Replay

from capacity.scenario import Scenario
from capacity.studies.limits import study

GROUPS, NODES = 25, 100


def school(reports_per_s: float) -> Scenario:
    return Scenario.model_validate(
        {
            "population": {"groups_per_domain": GROUPS, "members_per_group": 3},
            "settings": {"data_update_interval": "50ms"},
            "traffic": {"reports": reports_per_s, "event_batches": "0/s"},
            "schedule": {"ramp": "4s", "hold": "10s", "drain": "1s"},
        }
    )


def limit_of_reports() -> float:
    """Reports per second and node at which the first limit of the school is reached, by the model."""
    found = study(school(5), "reports_per_s")
    assert found.first == "one partition key DOMAIN#{domain} (table, writes)"
    assert found.first_size is not None
    return found.first_size


@pytest.mark.parametrize(("share", "throttled"), [(0.9, False), (1.2, True)])
def test_one_domain_at_a_share_of_its_limit(share: float, throttled: bool) -> None:
    replay = Replay(school(round(limit_of_reports() * share, 2))).run()
    refused = Counter(row[9] for row in replay.rows if row[8] != "ok" and row[0] == "reportDataByNode")
    events = {
        (metric, dimensions): value
        for (_, metric, dimensions, _), value in replay.points.sums.items()
        if "ThrottleEvents" in metric
    }
    if not throttled:
        assert not refused
        assert not events
        return
    assert set(refused) == {"DynamoDB:ThrottlingException"}
    assert {metric for metric, _ in events} == {"WriteThrottleEvents", "WriteKeyRangeThroughputThrottleEvents"}
    assert {dimensions for _, dimensions in events} == {"TableName=MeshV2Table"}
