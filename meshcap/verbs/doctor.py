"""`meshcap doctor SCENARIO --target URL`: is everything there that the run needs?"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data
from meshcap.options import SCENARIOS, AsJson, ScenarioFile, ScenarioName


def command(
    target: Annotated[str, typer.Option(help="GraphQL URL to examine.")],
    table: Annotated[str, typer.Option(help="The DynamoDB table behind it.")],
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    i_own_this_endpoint: Annotated[bool, typer.Option("--i-own-this-endpoint", help="Allow one elsewhere.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check address, key, clock, table, metrics and limits of a target for a scenario. Nothing is changed."""
    from capacity.forecasting.forecast import forecast
    from capacity.scenario import load_scenario
    from meshcap.doctor import examine
    from meshcap.target import resolve_target

    chosen = load_scenario(file, scenario)
    described = resolve_target(
        target,
        table_name=table,
        api_id=None,
        region=chosen.region,
        owned=i_own_this_endpoint,
        environment=dict(os.environ),
    )
    findings = list(examine(described, chosen, forecast(chosen), os.environ["MESHCAP_API_KEY"]))
    if as_json:
        data(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            data(f"{finding.state:8} {finding.check:8} {finding.message}")
    if any(finding.state == "fault" for finding in findings):
        sys.exit(ExitCode.TARGET_UNREACHABLE)
