"""The published cost estimate: every digit it prints, and the page about it."""

from __future__ import annotations

import importlib.util
from decimal import Decimal
from pathlib import Path

import pytest

from capacity.pricing.prices import load
from capacity.pricing.published_session import (
    corrections,
    document,
    printed_price,
    published_lines,
    real_session,
    total_as_printed,
    unit_price,
)

DOCS = Path(__file__).parents[3] / "docs"
OLD, NEW = load("ap-northeast-1", "2024-10"), load("ap-northeast-1", "2024-11")


@pytest.mark.parametrize("name", [name for name in document()["calls"] if name != "pollGroupData"])
def test_prices_per_call_follow_from_unit_prices(name: str) -> None:
    assert unit_price(name) == printed_price(name)


@pytest.mark.parametrize("variant", ["websocket", "polling"])
def test_every_line_follows_to_its_last_digit_but_for_the_poll(variant: str) -> None:
    assert {row.line for row in published_lines(variant) if not row.follows} == (
        {"pollGroupData"} if variant == "polling" else set()
    )


@pytest.mark.parametrize("variant", ["websocket", "polling", "two_queries"])
def test_totals_are_those_printed(variant: str) -> None:
    assert total_as_printed(variant) == Decimal(document()[variant]["total"])


@pytest.mark.parametrize("who", ["host_heartbeats", "member_heartbeats"])
def test_heartbeats_per_hour_are_those_printed(who: str) -> None:
    row = document()["hourly"][who]
    assert (row["count"] * unit_price(row["price"])).quantize(Decimal("0.00001")) == Decimal(row["printed"])


def test_the_old_prices_are_the_document_s() -> None:
    for key, name in (
        ("dynamodb.on_demand.write_unit", "write"),
        ("dynamodb.on_demand.read_unit", "read"),
        ("appsync.operation", "operation"),
        ("appsync.realtime_message", "message"),
        ("appsync.connection_minute", "connection_minute"),
        ("lambda.request", "lambda_request"),
    ):
        assert OLD.unit_usd(key) == pytest.approx(float(unit_price(name)))


@pytest.mark.parametrize("variant", ["websocket", "polling"])
def test_the_steps_lead_from_the_printed_total_to_the_real_one(variant: str) -> None:
    steps = corrections(variant, OLD, NEW)  # type: ignore[arg-type]
    assert steps[0].usd == pytest.approx(float(document()[variant]["total"]))
    assert sum(step.usd for step in steps) == pytest.approx(real_session(variant, NEW).usd)  # type: ignore[arg-type]
    rest = next(step.usd for step in steps if step.what.startswith("the rest"))
    assert abs(rest) < 5e-6  # what no step names is below the last digit that the document prints


def test_the_real_session_by_hand() -> None:
    # 1,800 reports: a request, half a read unit, two write units, six deliveries each; before November 2024.
    real = real_session("websocket", OLD)
    assert real.calls("reportDataByNode") == 1800
    assert real.usd_of("reportDataByNode") == pytest.approx(1800 * (4 + 0.5 * 0.285 + 2 * 1.425 + 6 * 2) / 1e6)
    assert real.calls("listGroupStatuses") == 5 + 6 * 140
    assert real_session("polling", OLD).calls("pollGroupData") == pytest.approx(6 * 1050, abs=6)


def test_the_page_is_what_the_model_says_today() -> None:
    spec = importlib.util.spec_from_file_location("published_session_page", DOCS / "published_session.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (DOCS / "published_session.md").read_text(encoding="utf-8")
