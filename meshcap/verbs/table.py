"""`meshcap table create`: the Mesh table of a layout, on any endpoint."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated, Any

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data
from meshcap.errors import UserError

app = typer.Typer(help="Make the Mesh table of a layout.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Make the Mesh table of a layout, on the endpoint of AWS_ENDPOINT_URL or in the region of AWS_REGION."""


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the table.")] = "MeshV2Table",
    layout: Annotated[str, typer.Option(help="Table layout: deployed, phase1 or architecture.")] = "deployed",
    i_own_this_account: Annotated[
        bool, typer.Option("--i-own-this-account", help="Allow an endpoint that is not on this machine.")
    ] = False,
) -> None:
    """Create an on-demand table with the layout's keys, indexes and TTL, and wait until it is there."""
    import boto3
    import botocore.exceptions as boto_faults

    from capacity.loopback import is_loopback
    from capacity.workloads.mesh.tables import TABLES

    if layout not in TABLES:
        raise UserError(f"--layout {layout!r} is unknown; choose from {', '.join(TABLES)}")
    table = replace(TABLES[layout], name=name)
    try:
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")  # boto3 knows the second alone
        client: Any = boto3.client("dynamodb", region_name=region)
        if not is_loopback(client.meta.endpoint_url) and not i_own_this_account:
            raise UserError(
                f"{client.meta.endpoint_url} is not on this machine: add --i-own-this-account if the account is yours, "
                "or export AWS_ENDPOINT_URL=http://127.0.0.1:8080 for a sandbox"
            )
        client.create_table(**table.create_table_request())
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
        time_to_live = table.time_to_live_request()
        if time_to_live is not None:
            client.update_time_to_live(**time_to_live)
        data(client.describe_table(TableName=name)["Table"]["TableArn"])
    except (boto_faults.ClientError, boto_faults.BotoCoreError) as fault:
        raise UserError(f"the table was not made: {fault}", ExitCode.TARGET_UNREACHABLE) from None
