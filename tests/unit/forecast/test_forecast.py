"""The forecast of a scenario against counts and times that can be said beforehand."""

from __future__ import annotations

import pytest
from scenarios import scenario

from capacity.forecasting.forecast import Forecast, forecast
from capacity.pricing import prices
from capacity.scenario import Billing


def sent(found: Forecast) -> dict[str, int]:
    return {operation.name: operation.requests for operation in found.operations}


def test_periodic_requests_come_once_per_period_and_node() -> None:
    # 60 s from arrival: every timer of period p ticks 60 / p times, whatever its phase.
    counts = sent(forecast(scenario(groups=2, members=3)))
    assert counts["reportDataByNode"] == 8 * 60
    assert counts["fireEventsByNode"] == 8 * 30
    assert counts["renewHeartbeat"] == 2  # every 60 s
    assert counts["listGroupStatuses"] == 6 + 8 * 4  # once on joining, then every 15 s
    assert counts["createGroup"] == counts["dissolveGroup"] == 2
    assert counts["joinGroup"] == counts["leaveGroup"] == counts["listGroupsByDomain"] == 6
    assert counts["createDomain"] == 8


def test_polling_replaces_events_and_sync() -> None:
    counts = sent(forecast(scenario(mode="polling")))
    assert counts["pollGroupData"] == 4 * 30
    assert counts["recordEventsByNode"] == 4 * 30
    assert "fireEventsByNode" not in counts
    assert counts["listGroupStatuses"] == 3


def test_every_publication_reaches_every_subscriber_the_sender_included() -> None:
    found = forecast(scenario(groups=2, members=3))
    published = 8 * 60 + 8 * 30 + 2  # reports, events, dissolutions
    assert found.deliveries.publications == published
    # When the host dissolves its group the members have gone and it hears itself alone.
    assert found.deliveries.deliveries == (published - 2) * 4 + 2


def test_polling_delivers_nothing_by_websocket() -> None:
    found = forecast(scenario(mode="polling")).deliveries
    assert (found.publications, found.deliveries, found.connections, found.connection_minutes) == (0, 0, 0, 0)


def test_series_add_up_to_their_sums() -> None:
    found = forecast(scenario(groups=3, mode="polling"))
    for resource in found.resources:
        for kind in ("read", "write"):
            by_operation = sum(
                getattr(each.units[resource.name], kind) for each in found.operations if resource.name in each.units
            )
            throughput = getattr(resource, kind)
            assert sum(throughput.units_per_step) == pytest.approx(throughput.units)
            assert by_operation == pytest.approx(throughput.units)
    assert sum(sum(each.requests_per_s) for each in found.operations) == found.requests


def provisioned(write: int) -> dict[str, object]:
    plenty = {"read": 1000, "write": 1000}
    return {
        "table": {"read": 1000, "write": write},
        "indexes": {"GroupIdIndex": plenty, "GroupNameIndex": plenty},
    }


def test_a_bank_of_300_seconds_is_gone_after_300_r_over_d_minus_r() -> None:
    # 40 nodes reporting once a second, hosts beating every 60 s and members every 120 s, on r = 34 write units; opening
    # the groups takes 10 puts and 30 joins of 4 units from the bank.
    r, demand, opening = 34, 40 + 10 / 60 + 30 / 120, 10 + 30 * 4
    given = scenario(
        groups=10, hold="1800s", traffic={"reports": "1/s", "event_batches": "0/s"}, billing=provisioned(r)
    )
    table = forecast(given).resource("table").write
    assert table.first_throttle_s == pytest.approx((300 * r - opening) / (demand - r), rel=0.01)
    assert table.first_throttle_limit == "ProvisionedThroughput"
    # From then on the table serves what it is provisioned for.
    late = table.units_per_step[-20:-2]
    assert sum(late) / len(late) == pytest.approx(10 * r, rel=0.02)


def test_throttles_are_told_by_the_second_of_which_the_first_is_one() -> None:
    # 10 groups that open with 130 units and report 40 times a second spend a bank of 300 units within seconds.
    found = forecast(scenario(groups=10, billing=provisioned(1)))
    part = found.resource("table").write
    assert part.first_throttle_s is not None
    assert sum(part.throttled_per_s) == sum(part.throttled_per_step) == part.throttled > 0
    assert next(second for second, events in enumerate(part.throttled_per_s) if events) == int(part.first_throttle_s)
    assert [sum(part.throttled_per_s[at : at + 10]) for at in range(0, found.duration_s, 10)] == part.throttled_per_step
    assert found.resource("GroupIdIndex").read.throttled_per_s == []
    assert part.burst_left_units is not None
    assert found.burst_step_s == 1
    assert len(part.burst_left_units) == found.duration_s
    emptied = next(second for second, left in enumerate(part.burst_left_units) if left < 1)
    assert abs(emptied - part.first_throttle_s) <= 1, "the bank is empty when the first request is refused"


def test_enough_capacity_throttles_nothing_and_keeps_its_bank() -> None:
    found = forecast(scenario(groups=10, hold="120s", billing=provisioned(60)))
    table = found.resource("table").write
    assert table.throttled == 0
    assert table.first_throttle_s is None
    assert table.burst_left_units is not None
    assert table.burst_left_units[-3] == pytest.approx(300 * 60, rel=0.02)


def test_on_demand_keeps_no_bank_and_starts_with_four_partitions() -> None:
    table = forecast(scenario()).resource("table")
    assert table.write.burst_left_units is None
    assert table.write.provisioned_units_per_s is None
    assert table.partitions == 4


def test_the_first_limit_of_one_school_is_its_partition_key() -> None:
    first = forecast(scenario(groups=100)).first_limit
    assert "DOMAIN#{domain}" in first.name
    assert (first.resource, first.kind, first.limit) == ("table", "write", 1000)


def test_many_schools_meet_the_table_before_the_key() -> None:
    given = scenario(
        population={"domains": 100, "groups_per_domain": 1, "members_per_group": 3},
        hold="20s",
    )
    first = forecast(given).first_limit
    assert first.name == "throughput of a new on-demand table"


def test_the_run_is_priced_by_hand() -> None:
    # One node, one minute, Tokyo: 60 reports. Each is an operation, half a read unit, 1 + 1 write units, one delivery.
    found = forecast(scenario(members=0, traffic={"reports": "1/s", "event_batches": "0/s"}))
    lines = [line for line in found.cost.run if line.operation == "reportDataByNode"]
    by_hand = 60 * (4 + 0.5 * 0.1425 + 2 * 0.715 + 2) / 1e6
    assert sum(line.usd for line in lines) == pytest.approx(by_hand)
    assert sum(line.usd for line in found.cost.run) == pytest.approx(found.cost.run_usd)


def test_a_month_is_730_hours_at_the_rate_of_the_hold() -> None:
    found = forecast(scenario(members=0, traffic={"reports": "1/s", "event_batches": "0/s"}))
    reports = sum(line.quantity for line in found.cost.month if line.operation == "reportDataByNode")
    per_report = 1 + 0.5 + 2 + 1  # operation, read, writes, delivery
    assert reports == pytest.approx(730 * 3600 * per_report)


def test_provisioned_capacity_is_paid_by_the_hour_and_requests_are_not() -> None:
    found = forecast(scenario(billing=provisioned(100)))
    dynamodb = [line for line in found.cost.month if line.service == "DynamoDB"]
    by_hand = 730 * (3000 * 0.0001484 + 2100 * 0.000742)
    assert sum(line.usd for line in dynamodb) == pytest.approx(by_hand)


def test_older_prices_can_be_asked_for() -> None:
    given = scenario()
    old = forecast(given, prices=prices.load("ap-northeast-1", "2024-10"))
    new = forecast(given)
    assert old.cost.run_usd > new.cost.run_usd
    assert new.cost.prices_in_force_from == "2024-11-01"
    # The oldest source of a price in use: requests and AppSync, not the provisioned prices that were read earlier.
    assert new.cost.prices_as_of == "2026-09-23"
    assert forecast(scenario(billing=provisioned(10))).cost.prices_as_of == "2026-01-14"


def test_the_same_scenario_gives_the_same_forecast_and_survives_json() -> None:
    given = scenario(groups=2)
    found = forecast(given)
    assert forecast(given) == found
    assert Forecast.model_validate_json(found.model_dump_json()) == found


def test_an_unknown_resource_says_which_there_are() -> None:
    with pytest.raises(KeyError, match="there are table, GroupIdIndex, GroupNameIndex"):
        forecast(scenario()).resource("GSI1")


def test_nobody_hears_of_a_refused_report() -> None:
    given = scenario(groups=10, hold="60s", traffic={"reports": "1/s", "event_batches": "0/s"})
    plenty = forecast(given)
    scarce = forecast(given.model_copy(update={"billing": Billing.model_validate(provisioned(2))}))
    refused = scarce.resource("table").write.throttled
    assert refused > 1000
    # A refused report is heard by none of four nodes; leaves and dissolutions that are refused change little.
    assert plenty.deliveries.deliveries - scarce.deliveries.deliveries == pytest.approx(4 * refused, rel=0.05)
