"""Makes the table of a workload at the endpoint of the environment."""

from __future__ import annotations

from typing import Any

from capacity.dynamodb.table import Table


def create_table(table: Table, client: Any = None) -> str:
    """Create a table with its indexes and TTL, wait until it is there, and return its name.

    Raises botocore's ClientError and BotoCoreError.
    """
    import boto3

    client = client or boto3.client("dynamodb")
    client.create_table(**table.create_table_request())
    client.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    time_to_live = table.time_to_live_request()
    if time_to_live is not None:
        client.update_time_to_live(**time_to_live)
    return table.name
