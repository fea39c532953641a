"""Before a run against AWS: what it will send, consume and cost, whether it may, and whether it can."""

from __future__ import annotations

from capacity.exit_codes import ExitCode
from capacity.forecasting.forecast import Forecast
from capacity.record import Target
from capacity.scenario import Scenario
from meshcap.console import say
from meshcap.errors import UserError
from meshcap.safety import Safety

_AHEAD = ("limits", "account", "quotas")
"""Checks whose faults make a run throttled, not impossible: told, and left to --abort."""


def permit(plan: Forecast, target: Target, scenario: Scenario, limits: Safety, api_key: str) -> None:
    """Say what a run against AWS will send, consume and cost, and refuse one that is too dear or cannot work."""
    from meshcap.doctor import examine  # boto3 takes its time to load

    live = plan.deliveries
    say(f"This run will send {plan.requests:,} requests and cost about ${plan.cost.run_usd:.2f}:")
    for operation in sorted(plan.operations, key=lambda each: -each.requests):
        say(f"  {operation.name}: {operation.requests:,} requests")
    for resource in plan.resources:
        say(f"  {resource.name}: {resource.read.units:,.0f} read units, {resource.write.units:,.0f} write units")
    say(f"  {live.deliveries:,} deliveries, {live.connections:,} connections, open {live.connection_minutes:,.1f} min")
    say(limits.sentence())
    if limits.max_usd is not None and plan.cost.run_usd > limits.max_usd:
        raise UserError(
            f"--max-usd {limits.max_usd:.2f} is less than the forecast cost of ${plan.cost.run_usd:.2f}; shorten the "
            f"scenario, or permit it with --max-usd {plan.cost.run_usd * 1.1:.2f}"
        )
    findings = list(examine(target, scenario, plan, api_key))
    for each in findings:
        say(f"  {each.state:8} {each.check:8} {each.message}")
    hard = [f"{each.check}: {each.message}" for each in findings if each.state == "fault" and each.check not in _AHEAD]
    if hard:
        raise UserError("\n".join(hard), ExitCode.TARGET_UNREACHABLE)
