"""What a run against AWS says and refuses beforehand. The target is a sandbox that is taken for AWS."""

from __future__ import annotations

from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode
from capacity.forecasting.forecast import Forecast, forecast
from capacity.record import Target
from capacity.scenario import Scenario, load_scenario
from meshcap.errors import UserError
from meshcap.permit import permit
from meshcap.safety import Safety, abort_faults, safety


@pytest.fixture
def target(separate_sandbox: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Target:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "sandbox")
    return Target(
        kind="aws",
        graphql_url=separate_sandbox["graphql_url"],
        aws_endpoint_url=separate_sandbox["url"],
        region="ap-northeast-1",
        table_name=separate_sandbox["table_name"],
    )


@pytest.fixture
def brief(workplace: Path) -> Scenario:
    return load_scenario(workplace / "scenarios.yaml", "brief")


@pytest.fixture
def plan(brief: Scenario) -> Forecast:
    return forecast(brief)


def test_a_run_is_told_before_it_starts(
    target: Target,
    brief: Scenario,
    plan: Forecast,
    separate_sandbox: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    permit(plan, target, brief, safety(None, (), on_aws=True), separate_sandbox["key"])
    said = capsys.readouterr().err
    reports = next(each.requests for each in plan.operations if each.name == "reportDataByNode")
    assert f"This run will send {plan.requests:,} requests and cost about ${plan.cost.run_usd:.2f}:" in said
    assert f"reportDataByNode: {reports:,} requests" in said
    assert "GroupNameIndex: " in said
    assert (
        "It ends by itself when its spend passes $1.00 (--max-usd), or when errors.rate < 50% breaks (--abort)" in said
    )
    for check in ("GraphQL", "clock", "region", "table", "metrics", "account", "limits"):
        assert f"  ok       {check}" in said
    assert "  unknown  quotas" in said, "a sandbox has no Service Quotas, and nothing is made of that"


def test_a_run_that_would_cost_more_is_refused(
    target: Target, brief: Scenario, plan: Forecast, separate_sandbox: dict[str, str]
) -> None:
    with pytest.raises(UserError, match=r"--max-usd 0\.00 is less than the forecast cost") as told:
        permit(plan, target, brief, Safety(0.0001, ()), separate_sandbox["key"])
    assert told.value.exit_code == ExitCode.BAD_CONFIGURATION


def test_a_run_that_cannot_work_is_refused_with_every_reason(target: Target, brief: Scenario, plan: Forecast) -> None:
    elsewhere = target.model_copy(update={"table_name": "Nowhere"})
    with pytest.raises(UserError) as told:
        permit(plan, elsewhere, brief, safety(None, (), on_aws=True), "da2-not-the-key")
    assert told.value.exit_code == ExitCode.TARGET_UNREACHABLE
    assert "GraphQL: " in str(told.value)
    assert "table: DescribeTable: ResourceNotFoundException" in str(told.value)


@pytest.mark.parametrize(
    ("sentence", "max_usd", "abort", "on_aws", "expected"),
    [
        ("AWS always has limits.", None, (), True, (1.0, 2)),
        ("They may be chosen.", 5.0, ("errors.rate < 1%",), True, (5.0, 1)),
        ("Aborts may be left out on purpose.", None, ("never",), True, (1.0, 0)),
        ("A sandbox costs nothing.", None, (), False, (None, 0)),
        ("Unless it is asked for.", 0.1, ("errors.count == 0",), False, (0.1, 1)),
    ],
)
def test_limits(
    sentence: str, max_usd: float | None, abort: tuple[str, ...], on_aws: bool, expected: tuple[float | None, int]
) -> None:
    limits = safety(max_usd, abort, on_aws=on_aws)
    assert (limits.max_usd, len(limits.abort)) == expected, sentence
    assert abort_faults(abort) == [], sentence
    told = limits.environment()
    assert told.get("MESHCAP_MAX_USD") == (None if expected[0] is None else repr(expected[0])), sentence
