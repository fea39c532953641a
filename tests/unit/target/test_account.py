"""What the doctor says of region and quotas, by answers of the documented shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capacity.forecasting.forecast import Forecast, forecast
from capacity.record import Target
from capacity.scenario import Scenario, load_scenarios
from meshcap import account

SCENARIOS = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")
URL = "https://example.appsync-api.ap-northeast-1.amazonaws.com/graphql"
NEW_ACCOUNT = {
    "AccountMaxReadCapacityUnits": 80_000,
    "AccountMaxWriteCapacityUnits": 80_000,
    "TableMaxReadCapacityUnits": 40_000,
    "TableMaxWriteCapacityUnits": 40_000,
}


@pytest.fixture(scope="module")
def smoke() -> Scenario:
    return SCENARIOS["smoke"]


@pytest.fixture(scope="module")
def plan(smoke: Scenario) -> Forecast:
    return forecast(smoke)


@pytest.mark.parametrize(
    ("sentence", "url", "region", "state", "says"),
    [
        ("All three agree.", URL, "ap-northeast-1", "ok", "ap-northeast-1"),
        ("CloudWatch would be asked elsewhere.", URL, "us-east-1", "fault", "export AWS_REGION=ap-northeast-1"),
        (
            "Prices are of another region.",
            URL.replace("ap-northeast-1", "us-east-1"),
            "us-east-1",
            "unknown",
            "prices and quotas of the forecast are those of ap-northeast-1",
        ),
        ("A domain of one's own tells no region.", "https://mesh.example/graphql", "ap-northeast-1", "ok", ""),
    ],
)
def test_region(sentence: str, url: str, region: str, state: str, says: str, smoke: Scenario) -> None:
    target = Target(kind="aws", graphql_url=url, region=region, table_name="T")
    found, message = account.region(target, smoke)
    assert (found, says in message) == (state, True), sentence


def test_a_new_accounts_throughput_is_enough_for_a_smoke_test(plan: Forecast) -> None:
    assert account.throughput(NEW_ACCOUNT, plan)[0] == "ok"


def test_an_account_that_allows_next_to_nothing_is_told_with_the_figures(plan: Forecast) -> None:
    found, message = account.throughput(NEW_ACCOUNT | {"TableMaxWriteCapacityUnits": 1}, plan)
    assert found == "fault"
    assert "write units/s of at most 1 for a table with its indexes" in message
    assert "read" not in message


def test_provisioned_capacity_counts_against_the_account() -> None:
    provisioned = forecast(SCENARIOS["burst"])
    found, message = account.throughput(NEW_ACCOUNT | {"AccountMaxReadCapacityUnits": 219}, provisioned)
    assert found == "fault"
    assert "220 provisioned read units/s of at most 219 of the account" in message, "200 + 10 + 10 in the scenario"


def quota(name: str, value: float) -> dict[str, Any]:
    return {"ServiceCode": "appsync", "QuotaName": name, "Value": value, "Unit": "None"}


ENOUGH = [
    quota("Rate of request tokens", 10_000),
    quota("Rate of connection requests", 2_000),
    quota("Rate of inbound messages", 10_000),
    quota("Rate of outbound messages", 1_000_000),
    quota("Rate of inbound messages of Event APIs", 1),
]


def test_appsyncs_quotas_are_those_of_graphql(plan: Forecast) -> None:
    found, message = account.appsync(ENOUGH, plan)
    assert found == "ok"
    assert "%" in message


def test_a_quota_below_the_peak_is_told(plan: Forecast) -> None:
    found, message = account.appsync([quota("Rate of request tokens", 1), *ENOUGH[1:]], plan)
    assert found == "fault"
    assert "of 1 tokens/s, Rate of request tokens" in message


def test_a_quota_that_nobody_names_is_unknown_and_not_met(plan: Forecast) -> None:
    found, message = account.appsync(ENOUGH[1:], plan)
    assert found == "unknown"
    assert "request tokens" in message
