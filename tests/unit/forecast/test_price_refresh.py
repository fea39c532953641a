"""Refreshing prices from documents of the shape that AWS's price list has; the figures in them are made up."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from capacity.exit_codes import ExitCode
from capacity.pricing import price_offers, price_refresh, prices
from capacity.pricing.price_offers import offers_of_bulk, offers_of_products, price_file, refresh
from capacity.pricing.price_refresh import fetch_api, fetch_bulk, refresh_from
from meshcap.cli import app
from meshcap.errors import UserError

DOCUMENTS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "price_list_get_products.json").read_text(encoding="utf-8")
)
TODAY = date(2026, 11, 30)
TOKYO = prices.load("ap-northeast-1")


class PricingClient:
    """Answers get_products as boto3 does: JSON texts, two to a page."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def get_products(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(dict(asked))
        of_service = [each for each in DOCUMENTS if each["serviceCode"] == asked["ServiceCode"]]
        start = int(asked.get("NextToken", 0))
        answer: dict[str, Any] = {"PriceList": [json.dumps(each) for each in of_service[start : start + 2]]}
        if start + 2 < len(of_service):
            answer["NextToken"] = str(start + 2)
        return answer


def test_a_free_first_tier_is_no_price() -> None:
    storage = offers_of_products(DOCUMENTS)["APN1-TimedStorage-ByteHrs"]
    assert storage.first_usd == 0.285
    assert storage.effective == date(2026, 11, 1)


def test_tiers_come_in_order() -> None:
    tiers = offers_of_products(DOCUMENTS)["APN1-Lambda-GB-Second"].tiers
    assert [(tier.up_to, tier.usd) for tier in tiers] == [
        (6e9, 0.0000166667),
        (15e9, 0.000015),
        (None, 0.0000133334),
    ]


def test_bulk_files_and_the_api_say_the_same() -> None:
    bulk = {
        "products": {each["product"]["sku"]: each["product"] for each in DOCUMENTS},
        "terms": {"OnDemand": {each["product"]["sku"]: each["terms"]["OnDemand"] for each in DOCUMENTS}},
    }
    assert offers_of_bulk(bulk) == offers_of_products(DOCUMENTS)


def test_a_refresh_says_what_it_changed_confirmed_and_missed() -> None:
    found = refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY)
    assert {(change.key, round(change.new_unit_usd * 1e6, 4)) for change in found.changed} == {
        ("dynamodb.on_demand.read_unit", 0.13),
        ("dynamodb.infrequent.write_unit", 0.895),
    }
    assert set(found.confirmed) == {
        "dynamodb.on_demand.write_unit",
        "dynamodb.storage.standard_gb_month",
        "lambda.x86_gb_second",
    }
    assert "appsync.operation" in found.missing
    read = next(change for change in found.changed if change.key == "dynamodb.on_demand.read_unit")
    assert read.share == pytest.approx(0.13 / 0.1425 - 1)


def test_a_refreshed_figure_keeps_its_form_and_names_its_new_source() -> None:
    found = refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY).prices
    price = found.price("dynamodb.infrequent.write_unit")
    assert (price.usd, price.per, price.confidence) == (0.895, 1_000_000, "price_list")
    assert found.sources[price.source].date == TODAY
    assert "dynamodb.infrequent.write_unit" not in found.unverified
    assert found.price("appsync.operation") == TOKYO.price("appsync.operation")


def test_the_standard_class_is_never_taken_for_the_infrequent_one() -> None:
    found = refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY).prices
    assert found.unit_usd("dynamodb.on_demand.write_unit") == pytest.approx(0.715e-6)


def test_a_refreshed_list_survives_its_file(tmp_path: Path) -> None:
    found = refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY).prices
    path = tmp_path / "ap-northeast-1_2026-11.yaml"
    path.write_text(price_file(found), encoding="utf-8")
    assert prices.read(path) == found


def test_the_api_is_asked_page_by_page_for_every_service() -> None:
    client = PricingClient()
    found = refresh_from(fetch_api(client), TOKYO, TODAY)
    assert found.changed == refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY).changed
    assert [asked.get("NextToken") for asked in client.asked if asked["ServiceCode"] == "AmazonDynamoDB"] == [None, "2"]
    assert client.asked[0]["Filters"] == [{"Type": "TERM_MATCH", "Field": "regionCode", "Value": "ap-northeast-1"}]


def test_something_else_than_an_offer_file_is_said_to_be_that() -> None:
    with pytest.raises(ValueError, match="this is no AWS offer file: it has no products"):
        offers_of_bulk({"message": "Forbidden"})
    with pytest.raises(ValueError, match="no product of AWS's price list"):
        offers_of_products([{"message": "Forbidden"}])


@pytest.fixture
def bulk_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The recorded answers as AWS lays its offer files out: one index.json for each service and region."""
    for service in price_offers.SERVICES:
        mine = [each for each in DOCUMENTS if each["serviceCode"] == service]
        folder = tmp_path / service / "current" / "ap-northeast-1"
        folder.mkdir(parents=True)
        offer = {
            "offerCode": service,
            "products": {each["product"]["sku"]: each["product"] for each in mine},
            "terms": {"OnDemand": {each["product"]["sku"]: each["terms"]["OnDemand"] for each in mine}},
        }
        (folder / "index.json").write_text(json.dumps(offer), encoding="utf-8")
    url = tmp_path.as_uri() + "/{service}/current/{region}/index.json"
    monkeypatch.setattr(price_refresh, "OFFERS_URL", url)
    return tmp_path


def test_bulk_files_are_read_service_by_service(bulk_files: Path) -> None:
    found = refresh_from(fetch_bulk, TOKYO, TODAY)
    assert found == refresh(TOKYO, offers_of_products(DOCUMENTS), TODAY)


def test_the_command_says_what_changed_and_writes_the_list(bulk_files: Path) -> None:
    written = bulk_files / "new.yaml"
    answer = CliRunner().invoke(app, ["prices", "refresh", "--write", str(written)])
    assert answer.exit_code == 0, answer.output
    assert "dynamodb.on_demand.read_unit: 1.425e-07 -> 1.3e-07 (-8.8%)" in answer.output
    assert "2 changed, 3 confirmed" in answer.output
    assert prices.read(written).unit_usd("dynamodb.on_demand.read_unit") == pytest.approx(0.13e-6)


def test_files_that_are_not_there_end_with_the_code_of_an_unreachable_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(price_refresh, "OFFERS_URL", tmp_path.as_uri() + "/{service}/{region}/none.json")
    with pytest.raises(UserError, match="AWS's price list cannot be read") as told:
        CliRunner().invoke(app, ["prices", "refresh"], catch_exceptions=False)
    assert told.value.exit_code == ExitCode.TARGET_UNREACHABLE
