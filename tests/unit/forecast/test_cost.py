"""Costs over a calendar and in every billing mode, against sums and break-even points worked out by hand."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import scenario

from capacity.dynamodb.item_size import item_size_bytes
from capacity.forecasting.forecast import forecast
from capacity.pricing import prices
from capacity.pricing.billing_modes import (
    TARGET,
    break_even_utilisation,
    compare_modes,
    on_demand_usd,
    planned_units,
    provisioned_usd,
    reserved_unit_usd,
    reserved_usd,
    scaled_day,
)
from capacity.pricing.cost import Use, breakdown, cost_lines, total_usd
from capacity.pricing.cost_study import CostStudy, cost_study, demand_of, infracost_usage
from capacity.pricing.school_calendar import SchoolCalendar

TOKYO, VIRGINIA = prices.load("ap-northeast-1"), prices.load("us-east-1")


def test_lines_are_quantities_times_prices_dearest_first() -> None:
    uses = [Use("dynamodb.on_demand.read_unit", 1e6, "a", "x"), Use("appsync.operation", 1e6, "b", "y")]
    lines = cost_lines(uses, TOKYO)
    assert [(line.service, line.usd) for line in lines] == [
        ("AppSync", pytest.approx(4.0)),
        ("DynamoDB", pytest.approx(0.1425)),
    ]
    assert total_usd(lines) == pytest.approx(4.1425)
    assert breakdown(lines, lambda line: line.operation) == {"b": pytest.approx(4.0), "a": pytest.approx(0.1425)}


def test_the_deck_s_thousand_reads_and_hundred_writes_for_a_month() -> None:
    # The Black Belt deck (2015-08-05), pages 8 and 12: 1,000 RCU and 100 WCU; $0.00742 an hour for 50 and for 10.
    deck = prices.load("ap-northeast-1", "2015-08")
    reads = deck.cost_usd("dynamodb.provisioned.read_unit_hour", 1000 * 730)
    writes = deck.cost_usd("dynamodb.provisioned.write_unit_hour", 100 * 730)
    assert reads == pytest.approx(20 * 0.00742 * 730)
    assert writes == pytest.approx(10 * 0.00742 * 730)


@pytest.mark.parametrize(
    ("found", "kind", "utilisation"),
    [
        # hour of a unit / (3,600 requests of a unit)
        (TOKYO, "write", 0.000742 / (3600 * 0.715e-6)),
        (TOKYO, "read", 0.0001484 / (3600 * 0.1425e-6)),
        (VIRGINIA, "write", 0.00065 / (3600 * 0.625e-6)),
        (VIRGINIA, "read", 0.00013 / (3600 * 0.125e-6)),
    ],
)
def test_provisioned_capacity_breaks_even_at_under_a_third_of_its_use(
    found: prices.PriceList, kind: str, utilisation: float
) -> None:
    unit_month = found.unit_usd(f"dynamodb.provisioned.{kind}_unit_hour") * 730
    assert break_even_utilisation(unit_month, kind, found) == pytest.approx(utilisation)
    assert 0.28 < utilisation < 0.30


def test_a_reserved_unit_by_hand() -> None:
    # N. Virginia, one year, writes: 150 in advance and 0.0128 an hour for 100 units.
    assert reserved_unit_usd("write", "one_year", VIRGINIA) == pytest.approx((150 / 12 + 0.0128 * 730) / 100)
    # Three years, reads: 36 and 0.0016.
    assert reserved_unit_usd("read", "three_year", VIRGINIA) == pytest.approx((36 / 36 + 0.0016 * 730) / 100)


def test_reserved_capacity_is_bought_in_hundreds_for_all_resources_together() -> None:
    demand = {("table", "write"): 70 * TARGET, ("GroupIdIndex", "write"): 60 * TARGET}
    unit = reserved_unit_usd("write", "one_year", TOKYO)
    assert reserved_usd(demand, "one_year", TOKYO) == pytest.approx(200 * unit)


@settings(max_examples=20)
@given(rate=st.floats(0.5, 5_000), kind=st.sampled_from(["read", "write"]))
def test_at_the_break_even_hours_both_modes_cost_the_same(rate: float, kind: str) -> None:
    calendar = SchoolCalendar()
    demand = {("table", kind): planned_units(rate) * TARGET}  # a rate that fills its plan exactly
    row = next(
        each
        for each in compare_modes(demand, calendar, TOKYO).break_even
        if (each.mode, each.kind) == ("provisioned", kind)
    )
    assert row.lesson_hours_per_day is not None
    hours = row.lesson_hours_per_day * calendar.days_per_month
    assert on_demand_usd(demand, hours, TOKYO) == pytest.approx(provisioned_usd(demand, TOKYO), rel=1e-6)


def test_modes_are_ranked_and_their_curve_is_drawn_from_nought_to_twenty_four_hours() -> None:
    found = compare_modes({("table", "write"): 700.0}, SchoolCalendar(), TOKYO)
    costs = [mode.usd_per_month for mode in found.modes]
    assert costs == sorted(costs)
    assert found.hours_per_day == [float(hour) for hour in range(25)]
    assert found.curve["on demand"][0] == 0
    assert found.curve["on demand"][24] == pytest.approx(24 * found.curve["on demand"][1])


def test_scaling_from_one_unit_is_late_and_from_the_planned_setting_is_not() -> None:
    calendar = SchoolCalendar(lesson_minutes=50, lessons_per_day=1)
    late, ready = scaled_day(100, calendar), scaled_day(100, calendar, minimum_units=planned_units(100))
    assert late.short_minutes > 10
    assert ready.short_minutes == 0
    assert max(late.units) <= 2 * planned_units(100)
    assert late.units[0] == late.units[-1] == 1  # back at the minimum by night


def test_a_month_of_lessons_by_hand() -> None:
    # One node reports once a second: a request, half a read unit, two write units and a delivery to itself.
    given_ = scenario(members=0, traffic={"reports": "1/s", "event_batches": "0/s"})
    calendar = SchoolCalendar(lesson_minutes=30, lessons_per_day=3, days_per_month=10, months_per_year=10)
    study = cost_study(given_, calendar)
    reports = 30 * 60 * 30  # seconds of 30 lessons
    by_hand = reports * (4 + 0.5 * 0.1425 + 2 * 0.715 + 2) / 1e6
    of_reports = next(each for each in study.by_operation if each.name == "reportDataByNode")
    assert of_reports.usd_per_month == pytest.approx(by_hand, rel=1e-6)
    assert study.month_usd == pytest.approx(study.lesson_usd * 30)
    assert study.school_year_usd == pytest.approx(study.month_usd * 10)
    assert study.lesson_hour_usd == pytest.approx(study.month_usd / 15)


def test_every_breakdown_adds_up_to_the_month() -> None:
    study = cost_study(scenario(groups=3, mode="polling"))
    for parts in (study.by_service, study.by_operation, study.by_cause):
        assert sum(part.usd_per_month for part in parts) == pytest.approx(study.month_usd)
        assert sum(part.share for part in parts) == pytest.approx(1)


def test_a_lesson_longer_than_a_group_lives_opens_its_groups_again() -> None:
    def opened(lifetime: str) -> float:
        given_ = scenario(settings={"max_connection_time": lifetime})
        lines = cost_study(given_, SchoolCalendar(lesson_minutes=45)).lines
        return sum(line.quantity for line in lines if line.operation == "createGroup" and line.cause == "request")

    assert opened("20m") == pytest.approx(3 * opened("45m"))


def test_provisioned_capacity_is_paid_between_lessons_too() -> None:
    plenty = {"read": 10, "write": 10}
    given_ = scenario(billing={"table": plenty, "indexes": {"GroupIdIndex": plenty, "GroupNameIndex": plenty}})
    study = cost_study(given_)
    hours = [line for line in study.lines if line.price.startswith("dynamodb.provisioned")]
    assert sum(line.quantity for line in hours) == pytest.approx(6 * 10 * 730)
    assert {tier.price for tier in study.free_tier} >= {"dynamodb.provisioned.write_unit_hour"}


def test_yen_by_a_given_rate() -> None:
    study = cost_study(scenario(), yen_per_usd=150)
    assert study.yen(2.0) == 300
    assert cost_study(scenario()).yen(2.0) is None
    with pytest.raises(ValueError, match=r"yen_per_usd is -1; it must be positive, for example 150"):
        cost_study(scenario(), yen_per_usd=-1)


def test_the_demand_is_the_mean_of_the_hold() -> None:
    demand = demand_of(forecast(scenario(members=3, traffic={"reports": "1/s", "event_batches": "0/s"})))
    assert demand["table", "write"] == pytest.approx(4 + 1 / 60 + 3 / 120, rel=0.02)
    assert demand["GroupNameIndex", "read"] == 0


def test_the_infracost_file_is_yaml_with_the_month_s_units() -> None:
    study = cost_study(scenario())
    usage = yaml.safe_load(infracost_usage(study))["resource_usage"]["aws_dynamodb_table.mesh_v2"]
    writes = sum(line.quantity for line in study.lines if line.price == "dynamodb.on_demand.write_unit")
    assert usage["monthly_write_request_units"] == pytest.approx(writes, abs=1)


@pytest.mark.parametrize(
    ("month", "hours"),
    [
        (None, 730),  # 8,760 hours of an ordinary year, by twelve
        ("2027-02", 672),
        ("2028-02", 696),  # a leap year
        ("2027-04", 720),
        ("2027-01", 744),
    ],
)
def test_hours_of_a_month(month: str | None, hours: float) -> None:
    assert SchoolCalendar(month=month).hours_per_month == hours


def test_more_school_days_than_a_month_has_are_refused() -> None:
    with pytest.raises(ValueError, match=r"29 school days do not fit 2027-02, which has 28 days"):
        SchoolCalendar(month="2027-02", days_per_month=29)


def test_february_costs_fewer_hours_of_capacity_and_the_same_lessons() -> None:
    plenty = {"read": 10, "write": 10}
    given_ = scenario(billing={"table": plenty, "indexes": {"GroupIdIndex": plenty, "GroupNameIndex": plenty}})
    mean, february = cost_study(given_), cost_study(given_, SchoolCalendar(month="2027-02"))

    def hourly(study: CostStudy) -> float:
        return sum(line.quantity for line in study.lines if line.price.startswith("dynamodb.provisioned"))

    assert (hourly(mean), hourly(february)) == (6 * 10 * 730, 6 * 10 * 672)
    appsync = [next(each for each in study.by_service if each.name == "AppSync") for study in (mean, february)]
    assert appsync[0].usd_per_month == appsync[1].usd_per_month
    assert february.school_year_usd == pytest.approx(mean.school_year_usd)


def test_capacity_is_paid_in_the_holidays_too() -> None:
    plenty = {"read": 10, "write": 10}
    given_ = scenario(billing={"table": plenty, "indexes": {"GroupIdIndex": plenty, "GroupNameIndex": plenty}})
    study = cost_study(given_, SchoolCalendar(months_per_year=10))
    hourly = sum(line.usd for line in study.lines if line.price.startswith("dynamodb.provisioned"))
    assert study.school_year_usd == pytest.approx(12 * hourly + 10 * (study.month_usd - hourly))


def test_a_reserved_unit_in_a_short_month_by_hand() -> None:
    # N. Virginia, one year, writes: a twelfth of the advance in every month, and 672 hours in February.
    found = reserved_unit_usd("write", "one_year", VIRGINIA, 672)
    assert found == pytest.approx((150 / 12 + 0.0128 * 672) / 100)
    modes = {
        mode.mode: mode.usd_per_month
        for mode in compare_modes({("table", "write"): 70.0}, SchoolCalendar(month="2027-02"), VIRGINIA).modes
    }
    assert modes["provisioned"] == pytest.approx(100 * 0.00065 * 672)
    assert modes["reserved, one year"] == pytest.approx(150 / 12 + 0.0128 * 672)


def test_storage_of_one_group_by_hand() -> None:
    # A host alone that reports nothing keeps one row, which both indexes project whole.
    given_ = scenario(groups=1, members=0, traffic={"reports": "0/s", "event_batches": "0/s"})
    domain, host, uuid, instant = "d" * 33, "n" * 33, "u" * 36, "2026-11-30T09:00:00.000Z"
    row = {
        "pk": f"DOMAIN#{domain}", "sk": f"GROUP#{uuid}#METADATA", "id": uuid, "domain": domain,
        "fullId": f"{uuid}@{domain}", "name": "g" * 33, "hostId": host, "createdAt": instant, "expiresAt": instant,
        "gsi_pk": f"GROUP#{uuid}", "gsi_sk": f"DOMAIN#{domain}", "gsi2_pk": "ALL_GROUPS", "gsi2_sk": "g" * 33,
    }  # fmt: skip
    item = {
        **{name: {"S": value} for name, value in row.items()},
        **{name: {"N": "1796052452"} for name in ("heartbeatAt", "ttl")},
        "useWebSocket": {"BOOL": True},
        "pollingIntervalSeconds": {"N": "2"},
    }
    held = 3 * (item_size_bytes(item) + 100)
    study = cost_study(given_, SchoolCalendar(lesson_minutes=60, lessons_per_day=1, days_per_month=20))
    stored = next(line for line in study.lines if line.cause == "storage")
    assert stored.quantity == pytest.approx(held / 1e9 * 20 / 730)


def test_every_key_of_the_infracost_file_is_one_that_infracost_knows() -> None:
    # Usage schema of infracost's own resources (2026-08): True where it wants a whole number.
    known = {
        "aws_dynamodb_table": {
            "monthly_read_request_units": True, "monthly_write_request_units": True, "storage_gb": True,
        },
        "aws_lambda_function": {"monthly_requests": True, "request_duration_ms": True},
        "aws_cloudwatch_log_group": {"monthly_data_ingested_gb": False},
    }  # fmt: skip
    usage = yaml.safe_load(infracost_usage(cost_study(scenario(groups=3, mode="polling"))))
    assert usage["version"] == 0.1
    for address, figures in usage["resource_usage"].items():
        whole = known[address.split(".")[0]]
        assert set(figures) <= set(whole)
        assert all(isinstance(figures[key], int) for key in figures if whole[key])
