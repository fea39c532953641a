"""TableDescription: how a table describes itself, kept as DescribeTable answers it."""

from __future__ import annotations

import uuid
from typing import Any

from sandbox.dynamodb.config import EngineConfig

Description = dict[str, Any]


def table_arn(config: EngineConfig, name: str) -> str:
    return f"arn:aws:dynamodb:{config.region}:{config.account_id}:table/{name}"


def table_description(request: dict[str, Any], config: EngineConfig, now_s: float, serial: int) -> Description:
    """The description of a table just asked for."""
    name = request["TableName"]
    on_demand = request.get("BillingMode") == "PAY_PER_REQUEST"
    description: Description = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "TableName": name,
        "KeySchema": request["KeySchema"],
        "TableStatus": "ACTIVE",
        "CreationDateTime": round(now_s, 3),
        "ProvisionedThroughput": throughput_description(request.get("ProvisionedThroughput")),
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": table_arn(config, name),
        "TableId": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{table_arn(config, name)}#{config.seed}#{serial}")),
        "DeletionProtectionEnabled": bool(request.get("DeletionProtectionEnabled")),
    }
    if on_demand:
        set_on_demand(description, now_s)
    if request.get("OnDemandThroughput"):
        description["OnDemandThroughput"] = request["OnDemandThroughput"]
    if request.get("TableClass"):
        description["TableClassSummary"] = {"TableClass": request["TableClass"]}
    if request.get("SSESpecification"):
        description["SSEDescription"] = {"Status": "ENABLED", "SSEType": "KMS"}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(member):
            description[member] = [
                index_description(each, name, config, member == "GlobalSecondaryIndexes") for each in request[member]
            ]
    return description


def set_on_demand(description: Description, now_s: float) -> None:
    description["BillingModeSummary"] = {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": round(now_s, 3),
    }
    description["TableThroughputModeSummary"] = {
        "TableThroughputMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": round(now_s, 3),
    }


def index_description(index: dict[str, Any], table: str, config: EngineConfig, is_global: bool) -> Description:
    description: Description = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
    }
    if is_global:
        description["IndexStatus"] = "ACTIVE"
        description["ProvisionedThroughput"] = throughput_description(index.get("ProvisionedThroughput"))
        if index.get("OnDemandThroughput"):
            description["OnDemandThroughput"] = index["OnDemandThroughput"]
        if index.get("WarmThroughput"):
            description["WarmThroughput"] = index["WarmThroughput"]
    description["IndexSizeBytes"] = 0
    description["ItemCount"] = 0
    description["IndexArn"] = f"{table_arn(config, table)}/index/{index['IndexName']}"
    return description


def throughput_description(throughput: dict[str, Any] | None) -> Description:
    throughput = throughput or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": int(throughput["ReadCapacityUnits"]),
        "WriteCapacityUnits": int(throughput["WriteCapacityUnits"]),
    }
