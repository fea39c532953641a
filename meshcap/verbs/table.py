"""`meshcap table create`: the Mesh table of a layout, or the table of a scenario, on any endpoint."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data
from meshcap.errors import UserError
from meshcap.options import SCENARIOS, ScenarioFile
from meshcap.table_creation import create_table

if TYPE_CHECKING:
    from capacity.dynamodb.table import Table

app = typer.Typer(help="Make the table of a layout or of a scenario.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Make the table of a layout or a scenario, on the endpoint of AWS_ENDPOINT_URL or in the region of AWS_REGION."""


@app.command()
def create(
    name: Annotated[
        str | None, typer.Argument(help="Name of the table; MeshV2Table, or what the scenario's workload calls it.")
    ] = None,
    layout: Annotated[
        str | None, typer.Option(help="Table layout: deployed, phase1 or architecture; deployed unless given.")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option(help="Make the table of this scenario's workload, with its throughput.")
    ] = None,
    file: ScenarioFile = SCENARIOS,
    i_own_this_account: Annotated[
        bool, typer.Option("--i-own-this-account", help="Allow an endpoint that is not on this machine.")
    ] = False,
) -> None:
    """Create an on-demand table with the layout's keys, indexes and TTL, or a scenario's, and wait for it."""
    import boto3
    import botocore.exceptions as boto_faults

    from capacity.loopback import is_loopback

    table = _table(layout, scenario, file)
    table = replace(table, name=name or table.name)
    try:
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")  # boto3 knows the second alone
        client: Any = boto3.client("dynamodb", region_name=region)
        if not is_loopback(client.meta.endpoint_url) and not i_own_this_account:
            raise UserError(
                f"{client.meta.endpoint_url} is not on this machine: add --i-own-this-account if the account is yours, "
                "or export AWS_ENDPOINT_URL=http://127.0.0.1:8080 for a sandbox"
            )
        data(client.describe_table(TableName=create_table(table, client))["Table"]["TableArn"])
    except boto_faults.NoRegionError:
        raise UserError(
            "the table was not made, for no region is named: export AWS_DEFAULT_REGION=ap-northeast-1, say"
        ) from None
    except (boto_faults.ClientError, boto_faults.BotoCoreError) as fault:
        raise UserError(f"the table was not made: {fault}", ExitCode.TARGET_UNREACHABLE) from None


def _table(layout: str | None, scenario: str | None, file: Path) -> Table:
    from capacity.scenario import load_scenario
    from capacity.workloads.mesh.tables import TABLES
    from capacity.workloads.registry import workload_of

    if scenario is not None:
        if layout is not None:
            raise UserError("--layout and --scenario were given; a scenario has a layout of its own: give one of them")
        return workload_of(load_scenario(file, scenario)).table
    layout = layout or "deployed"
    if layout not in TABLES:
        raise UserError(f"--layout {layout!r} is unknown; choose from {', '.join(TABLES)}")
    return TABLES[layout]
