"""List prices: provenance of every figure, published bills, and errors that say what to do."""

from __future__ import annotations

from datetime import date

import pytest

from capacity.pricing import prices


@pytest.mark.parametrize(("region", "vintage"), prices.vintages())
def test_every_figure_names_a_dated_source_and_a_confidence(region: str, vintage: str) -> None:
    found = prices.load(region, vintage)
    for row in (*found.prices.values(), *found.free_tier.values()):
        assert found.sources[row.source].date <= date(2026, 11, 30)
        assert row.confidence in ("price_list", "quoted", "unverified")


@pytest.mark.parametrize(
    ("key", "quantity", "usd", "source"),
    [
        ("dynamodb.provisioned.write_unit_hour", 20 * 730, 9.49, "infracost golden file: 20 WCU a month"),
        ("dynamodb.provisioned.read_unit_hour", 30 * 730, 2.85, "infracost golden file: 30 RCU a month"),
        ("dynamodb.on_demand.write_unit", 3_000_000, 1.88, "infracost golden file: 3 M write requests"),
        ("dynamodb.on_demand.read_unit", 8_000_000, 1.00, "infracost golden file: 8 M read requests"),
        ("dynamodb.storage.standard_gb_month", 230, 57.50, "infracost golden file: 230 GB"),
    ],
)
def test_monthly_bills_of_north_virginia_as_others_print_them(
    key: str, quantity: float, usd: float, source: str
) -> None:
    assert prices.load("us-east-1").cost_usd(key, quantity) == pytest.approx(usd, abs=0.005), source


def test_the_deck_of_2015_and_today_agree_on_provisioned_units_and_storage_in_tokyo() -> None:
    deck, today = prices.load("ap-northeast-1", "2015-08"), prices.load("ap-northeast-1")
    for key in (
        "dynamodb.provisioned.write_unit_hour",
        "dynamodb.provisioned.read_unit_hour",
        "dynamodb.storage.standard_gb_month",
    ):
        assert deck.unit_usd(key) == pytest.approx(today.unit_usd(key)), key


def test_the_deck_prints_seventy_four_hundredths_of_a_cent_for_ten_writes_or_fifty_reads() -> None:
    deck = prices.load("ap-northeast-1", "2015-08")
    assert deck.cost_usd("dynamodb.provisioned.write_unit_hour", 10) == pytest.approx(0.00742)
    assert deck.cost_usd("dynamodb.provisioned.read_unit_hour", 50) == pytest.approx(0.00742)


@pytest.mark.parametrize("region", ["ap-northeast-1", "us-east-1"])
def test_november_2024_halved_on_demand_requests(region: str) -> None:
    before, after = prices.load(region, "2024-10"), prices.load(region, "2024-11")
    for key in ("dynamodb.on_demand.write_unit", "dynamodb.on_demand.read_unit"):
        assert after.unit_usd(key) / before.unit_usd(key) == pytest.approx(0.5, abs=0.002), key


def test_a_tier_begins_where_the_one_before_ends() -> None:
    # 6e9 GB-s at 0.0000166667, 9e9 at 0.000015, 5e9 at 0.0000133334
    assert prices.load("us-east-1").cost_usd("lambda.x86_gb_second", 20e9) == pytest.approx(
        100_000.2 + 135_000 + 66_667, rel=1e-9
    )


def test_figures_are_stale_after_ninety_days() -> None:
    found = prices.load("ap-northeast-1")
    assert found.stale(date(2026, 1, 20)) == {}
    stale = found.stale(date(2026, 12, 25))
    assert stale["dynamodb.on_demand.write_unit"] == 93
    assert "appsync.operation" not in stale


def test_an_unknown_price_says_which_there_are() -> None:
    with pytest.raises(prices.UnknownPrice, match=r"no price lambda\.minute in us-east-1 2024-11; it has in lambda: "):
        prices.load("us-east-1").price("lambda.minute")


def test_an_unknown_region_says_what_is_shipped() -> None:
    with pytest.raises(ValueError, match=r"no prices for eu-west-1; shipped are ap-northeast-1 2015-08, "):
        prices.load("eu-west-1")
