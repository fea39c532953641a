"""`meshcap doctor SCENARIO --target URL`: is everything there that the run needs?"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data
from meshcap.options import SCENARIOS, AsJson, GraphqlUrl, OwnEndpoint, ScenarioFile, ScenarioName, StackName


def command(
    target: Annotated[str, typer.Option(help="GraphQL URL to examine, or aws with --graphql-url or --stack.")],
    table: Annotated[str | None, typer.Option(help="The DynamoDB table behind it.")] = None,
    scenario: ScenarioName = "classroom",
    graphql_url: GraphqlUrl = None,
    stack: StackName = None,
    file: ScenarioFile = SCENARIOS,
    i_own_this_endpoint: OwnEndpoint = False,
    as_json: AsJson = False,
) -> None:
    """Check address, key, clock, region, table, metrics, quotas and limits of a target. Nothing is changed."""
    from capacity.forecasting.forecast import forecast
    from capacity.scenario import load_scenario
    from meshcap.doctor import examine
    from meshcap.stack import aws_client
    from meshcap.target import region_of, resolve_target
    from meshcap.target_names import TargetNames, resolved

    chosen = load_scenario(file, scenario)
    given = TargetNames(url=target, graphql_url=graphql_url, table_name=table, stack=stack)
    names = resolved(given, aws_client(region_of(os.environ, chosen.region)))
    described = resolve_target(
        names.url,
        table_name=names.table_name,
        api_id=names.api_id,
        region=chosen.region,
        owned=i_own_this_endpoint,
        environment=dict(os.environ),
        graphql=chosen.workload.name == "mesh",
    )
    findings = list(examine(described, chosen, forecast(chosen), os.environ.get("MESHCAP_API_KEY", "")))
    if as_json:
        from meshcap.json_documents import DoctorDocument, DoctorRow

        rows = [DoctorRow(**asdict(finding)) for finding in findings]
        data(DoctorDocument(findings=rows).model_dump_json(indent=2))
    else:
        for finding in findings:
            data(f"{finding.state:8} {finding.check:8} {finding.message}")
    if any(finding.state == "fault" for finding in findings):
        sys.exit(ExitCode.TARGET_UNREACHABLE)
