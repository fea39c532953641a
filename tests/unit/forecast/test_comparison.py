"""Plan, sent and measured side by side: runs made by hand, with every error put there on purpose."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from scenarios import scenario

from capacity.forecasting.forecast import forecast
from capacity.judgement.comparison import Comparison, comparison_of
from capacity.measurement.measure import expected_calls
from capacity.measurement.measured import measured_of
from capacity.record import RunRecord, Target
from capacity.run_tables import METRICS, REQUESTS
from capacity.scenario import Scenario
from capacity.workloads.mesh.plan import planned_requests
from capacity.workloads.mesh.requests import OPERATIONS

BEGIN = datetime(2026, 11, 30, 13, 30, tzinfo=UTC)
RESOURCES = ("table", "GroupIdIndex", "GroupNameIndex")
CALLS = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


def sent_as_planned(given: Scenario) -> list[dict[str, Any]]:
    """Rows of requests.parquet that follow the plan to the letter."""
    plan, rows = planned_requests(given), []
    for place in range(len(plan)):
        at = BEGIN + timedelta(seconds=float(plan.time_s[place]))
        rows.append(
            {
                "operation": OPERATIONS[plan.operation[place]],
                "node": f"n{plan.node[place]}".ljust(33, "-"),
                "domain": f"d{plan.domain[place]}".ljust(33, "-"),
                "group": f"g{plan.group[place]}".ljust(36, "-"),
                "intended_start": at,
                "start": at,
                "latency_ms": 0.0,
                "intended_latency_ms": 0.0,
                "outcome": "ok",
                "error_type": None,
                "error_message": None,
                "request_bytes": 1,
                "response_bytes": 1,
                "items": int(plan.items[place]) or None,
                "request_id": None,
                "tokens": 1,
            }
        )
    return rows


def point(metric: str, value: float | None, statistic: str = "Sum", **dimensions: str) -> dict[str, Any]:
    text = ",".join(f"{name}={each}" for name, each in sorted({"TableName": "MeshV2Table", **dimensions}.items()))
    return {
        "namespace": "AWS/DynamoDB",
        "metric": metric,
        "dimensions": text,
        "statistic": statistic,
        "period_s": 60,
        "timestamp": None if value is None else BEGIN,
        "value": value,
    }


def of_index(resource: str) -> dict[str, str]:
    return {} if resource == "table" else {"GlobalSecondaryIndexName": resource}


def consumed(units: dict[tuple[str, str], float | None]) -> list[dict[str, Any]]:
    return [
        point(f"Consumed{kind.capitalize()}CapacityUnits", value, **of_index(resource))
        for (resource, kind), value in units.items()
    ]


def record_of(given: Scenario) -> RunRecord:
    return RunRecord(
        run_id="by-hand",
        scenario_name="by-hand",
        scenario=given,
        scenario_digest=given.digest(),
        status="finished",
        started_at=BEGIN - timedelta(seconds=5),
        measuring_from=BEGIN,
        target=Target(kind="sandbox", graphql_url="-", region="ap-northeast-1", table_name="MeshV2Table"),
    )


def compared(
    given: Scenario, rows: list[dict[str, Any]], points: list[dict[str, Any]] | None, *, planned: bool = True
) -> Comparison:
    measured = None if points is None else measured_of(pa.Table.from_pylist(points, schema=METRICS), "MeshV2Table")
    requests = pa.Table.from_pylist(rows, schema=REQUESTS)
    return comparison_of(record_of(given), requests, forecast(given) if planned else None, measured)


GIVEN = scenario(groups=2)
ROWS = sent_as_planned(GIVEN)


def true_units(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float | None]:
    """What the model gives to these rows, as the measurement of a run without any error."""
    comparison = compared(GIVEN, rows, None)
    return {(each.resource, each.kind): each.sent or None for each in comparison.units}


def true_calls(rows: list[dict[str, Any]], **changed: int) -> list[dict[str, Any]]:
    counts = {each.name: each.sent for each in compared(GIVEN, rows, None).calls} | changed
    return [
        point("SuccessfulRequestLatency", float(count), "SampleCount", Operation=name) for name, count in counts.items()
    ]


def test_a_run_that_follows_its_plan_has_no_error() -> None:
    comparison = compared(GIVEN, ROWS, consumed(true_units(ROWS)) + true_calls(ROWS))
    for each in comparison.units:
        assert each.traffic_units == pytest.approx(0, abs=1)
        if each.measured is not None:
            assert each.model_error == 0
    assert comparison.largest_error("prediction_error", "write") == 0


def test_requests_that_were_not_sent_are_the_traffics_error() -> None:
    reports = [row for row in ROWS if row["operation"] == "reportDataByNode"]
    dropped = reports[100:148]  # a tenth of 480
    rows = [row for row in ROWS if row not in dropped]
    table = compared(GIVEN, rows, consumed(true_units(rows)) + true_calls(rows)).of("table", "write")
    assert table.traffic_units == -48
    assert table.model_units == 0
    assert table.unexplained_units == 0


def test_calls_that_cost_other_units_are_the_models_error() -> None:
    units = true_units(ROWS)
    units["table", "write"] = (units["table", "write"] or 0) + 30
    table = compared(GIVEN, ROWS, consumed(units) + true_calls(ROWS)).of("table", "write")
    assert (table.traffic_units, table.model_units, table.unexplained_units) == (0, 30, 0)
    assert table.model_error == pytest.approx(30 / table.sent)


def test_calls_that_nobody_sent_are_unexplained() -> None:
    units = true_units(ROWS)
    units["table", "write"] = (units["table", "write"] or 0) + 25
    puts = next(each.sent for each in compared(GIVEN, ROWS, None).calls if each.name == "PutItem")
    points = consumed(units) + true_calls(ROWS, PutItem=puts + 25)
    table = compared(GIVEN, ROWS, points).of("table", "write")
    assert (table.traffic_units, table.model_units, table.unexplained_units) == (0, 0, 25)


def test_without_a_count_of_calls_the_unexplained_part_is_unknown() -> None:
    table = compared(GIVEN, ROWS, consumed(true_units(ROWS))).of("table", "write")
    assert table.unexplained_units is None
    assert table.model_units == 0


def test_a_metric_without_points_is_unknown_and_not_zero() -> None:
    units = true_units(ROWS)
    units["GroupIdIndex", "write"] = None
    comparison = compared(GIVEN, ROWS, consumed(units))
    index = comparison.of("GroupIdIndex", "write")
    assert index.measured is None
    assert index.model_error is None
    assert comparison.largest_error("model_error", "write") is None
    assert comparison.largest_error("model_error", "write", "table") == 0


def test_throttle_metrics_without_points_say_that_nothing_was_throttled() -> None:
    asked = [
        point(f"{kind}ThrottleEvents", None, **of_index(resource))
        for resource in RESOURCES
        for kind in ("Read", "Write")
    ]
    assert compared(GIVEN, ROWS, consumed(true_units(ROWS)) + asked).throttle_events() == 0


def test_throttles_nobody_asked_for_are_unknown() -> None:
    assert compared(GIVEN, ROWS, consumed(true_units(ROWS))).throttle_events() is None


def test_without_metrics_nothing_is_measured_and_the_notes_say_so() -> None:
    comparison = compared(GIVEN, ROWS, None)
    assert all(each.measured is None for each in comparison.units)
    assert any("metrics.parquet" in note for note in comparison.notes)


def test_without_a_forecast_nothing_was_planned() -> None:
    comparison = compared(GIVEN, ROWS, consumed(true_units(ROWS)), planned=False)
    assert comparison.of("table", "write").prediction_error is None
    assert comparison.of("table", "write").model_error == 0


def test_a_refused_report_costs_its_group_check_alone() -> None:
    rows = [dict(row) for row in ROWS]
    refused = [row for row in rows if row["operation"] == "reportDataByNode"][200:210]
    for row in refused:
        row.update(outcome="refused", error_type="DynamoDB:ProvisionedThroughputExceededException", error_message="-")
    before, after = compared(GIVEN, ROWS, None), compared(GIVEN, rows, None)
    assert before.of("table", "write").sent - after.of("table", "write").sent == 10
    assert before.of("table", "read").sent == after.of("table", "read").sent
    reports = next(each for each in after.operations if each.name == "reportDataByNode")
    assert (reports.sent, reports.accepted, reports.refused) == (480, 470, 10)


def test_the_first_throttle_is_found_within_its_period_by_the_first_refused_answer() -> None:
    rows = [dict(row) for row in ROWS]
    late = next(
        row for row in rows if row["operation"] == "reportDataByNode" and row["start"] > BEGIN + timedelta(seconds=33)
    )
    late.update(
        outcome="refused", error_type="Lambda:Unhandled", error_message="Throughput exceeds the current capacity"
    )
    points = [*consumed(true_units(rows)), point("WriteThrottleEvents", 1.0)]
    table = next(
        each for each in compared(GIVEN, rows, points).throttles if (each.resource, each.kind) == ("table", "write")
    )
    assert table.measured == 1
    assert table.measured_first_s == pytest.approx((late["start"] - BEGIN).total_seconds())


def test_answers_that_never_came_are_named() -> None:
    rows = [dict(row) for row in ROWS]
    rows[-3].update(outcome="error", error_type="ConnectionRefusedError")
    assert any("1 requests without an answer" in note for note in compared(GIVEN, rows, None).notes)


def throttled_at_its_end(operation: str) -> list[dict[str, Any]]:
    rows = [dict(row) for row in ROWS]
    last = [row for row in rows if row["operation"] == operation][-1]
    last.update(
        outcome="refused", error_type="Lambda:Unhandled", error_message="Throughput exceeds the current capacity"
    )
    return rows


def measured_beside(rows: list[dict[str, Any]], more: float) -> Comparison:
    """Everything as the model says, and so many write units of the table more."""
    units = true_units(rows)
    units["table", "write"] = (units["table", "write"] or 0) + more
    return compared(GIVEN, rows, consumed(units))


def test_what_a_throttled_function_wrote_before_the_throttle_is_no_error_of_the_model() -> None:
    """A host that dissolves its group of three nodes deletes items one by one: any of them may have been the last."""
    rows = throttled_at_its_end("dissolveGroup")
    done = compared(GIVEN, ROWS, None).of("table", "write").sent
    open_units = done - compared(GIVEN, rows, None).of("table", "write").sent
    assert open_units >= 2
    for more, error in ((0, 0.0), (1, 0.0), (open_units, 0.0), (open_units + 3, 3.0)):
        table = measured_beside(rows, more).of("table", "write")
        assert table.model_error == pytest.approx(error / table.sent)
    assert measured_beside(rows, -1).of("table", "write").model_error is not None
    assert (measured_beside(rows, -1).of("table", "write").model_error or 0) < 0
    assert any("1 throttled requests make several calls" in note for note in measured_beside(rows, 0).notes)


THROTTLED = {"error_type": "DynamoDB:ProvisionedThroughputExceededException"}
NO_GROUP = {"error_type": "GroupNotFound"}


@pytest.mark.parametrize(
    ("kinds", "answer", "charged", "open_below"),
    [
        # one report in a run whose table throttled these kinds; half a unit is its read of the group
        (["Write"], THROTTLED, 0.5, 0.0),  # stopped at its write: the group was read
        (["Read"], THROTTLED, 0.0, 0.0),  # stopped at its read
        (["Read", "Write"], THROTTLED, 0.5, 0.5),  # at either
        (["Write"], NO_GROUP, 0.5, 0.0),  # the group is gone, which a read told
        (["Read"], NO_GROUP, 0.5, 0.5),  # or its read was throttled, which the deployed check answers alike
    ],
)
def test_a_refused_report_may_not_have_read_where_reads_were_throttled(
    kinds: list[str], answer: dict[str, str], charged: float, open_below: float
) -> None:
    rows = [dict(row) for row in ROWS]
    report = [row for row in rows if row["operation"] == "reportDataByNode"][-1]
    without = compared(GIVEN, [row for row in rows if row is not report], None).of("table", "read").sent
    report.update(outcome="refused", error_message="-", **answer)
    points = [point(f"{kind}ThrottleEvents", 1.0) for kind in kinds]
    table = compared(GIVEN, rows, [*consumed(true_units(rows)), *points]).of("table", "read")
    assert table.sent - without == charged
    assert (table.open_below_units, table.open_above_units) == (open_below, 0.0)


def test_a_throttled_single_write_leaves_nothing_open() -> None:
    rows = throttled_at_its_end("reportDataByNode")
    table = measured_beside(rows, 1).of("table", "write")
    assert (table.open_above_units, table.open_below_units) == (0, 0)
    assert table.model_error == pytest.approx(1 / table.sent)


def test_a_request_without_an_answer_may_have_cost_nothing() -> None:
    rows = [dict(row) for row in ROWS]
    report = [row for row in rows if row["operation"] == "reportDataByNode"][-1]
    report.update(outcome="error", error_type="ConnectionRefusedError")
    assert measured_beside(rows, -1).of("table", "write").model_error == 0
    assert measured_beside(rows, -2).of("table", "write").model_error == pytest.approx(
        -1 / compared(GIVEN, rows, None).of("table", "write").sent
    )


def test_planned_units_lie_on_the_periods_of_the_measurement() -> None:
    comparison = compared(GIVEN, ROWS, consumed(true_units(ROWS)))
    series = next(each for each in comparison.series if (each.resource, each.kind) == ("table", "write"))
    table = comparison.of("table", "write")
    assert series.planned is not None
    assert sum(series.planned) == pytest.approx(table.planned or 0, abs=0.01)
    assert sum(series.sent) == pytest.approx(table.sent)
    assert series.start_s[0] == BEGIN.timestamp()
    assert Comparison.model_validate_json(comparison.model_dump_json()) == comparison


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_run_that_ended_before_it_began_is_compared_all_the_same(kept: int) -> None:
    comparison = compared(GIVEN, ROWS[:kept], consumed({("table", "read"): 5.0}))
    table = comparison.of("table", "read")
    assert table.measured == 5.0
    assert table.sent <= 1
    assert comparison.of("GroupIdIndex", "write").measured is None
    assert Comparison.model_validate_json(comparison.model_dump_json()) == comparison


def test_rows_of_nodes_that_never_found_their_group_cost_nothing() -> None:
    lost = {
        **ROWS[0], "operation": "reportDataByNode", "node": "stray".ljust(33, "-"), "group": None, "domain": None,
        "outcome": "refused", "error_type": "GroupNotFound", "error_message": "Group not found",
    }  # fmt: skip
    before, after = compared(GIVEN, ROWS, None), compared(GIVEN, [*ROWS, lost], None)
    assert after.of("table", "write").sent == before.of("table", "write").sent
    assert after.of("table", "read").sent == before.of("table", "read").sent


def test_operations_that_touch_no_table_are_left_out() -> None:
    subscribed = {**ROWS[0], "operation": "onMessageInGroup"}
    before, after = compared(GIVEN, ROWS, None), compared(GIVEN, [*ROWS, subscribed], None)
    assert after.units == before.units


def test_cloudwatch_is_expected_to_have_counted_the_calls_that_could_succeed() -> None:
    # A throttled call has no SuccessfulRequestLatency: of a refused report neither check nor put is waited for.
    def counts(rows: list[dict[str, Any]]) -> dict[str, float]:
        found = expected_calls(record_of(GIVEN), pa.Table.from_pylist(rows, schema=REQUESTS))
        return {dict(each.dimensions)["Operation"]: each.at_least for each in found}

    refused = [
        row
        | ({"outcome": "refused", "error_type": "DynamoDB:ProvisionedThroughputExceededException"} if reports else {})
        for row in ROWS
        for reports in [row["operation"] == "reportDataByNode"]
    ]
    reports = sum(row["operation"] == "reportDataByNode" for row in ROWS)
    whole, served = counts(ROWS), counts(refused)
    assert whole["PutItem"] - served["PutItem"] == reports
    assert whole["GetItem"] - served["GetItem"] == reports
