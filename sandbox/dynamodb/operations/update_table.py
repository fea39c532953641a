"""UpdateTable: throughput, billing, indexes, stream, deletion protection."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from capacity.physics.decreases import DAY_S, DecreaseAllowance
from sandbox.dynamodb.description import index_description, set_on_demand, throughput_description
from sandbox.dynamodb.errors import DynamoDBError, invalid, validation
from sandbox.dynamodb.schema import MOST_GLOBAL, check_global_index, check_quotas
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import IndexState, TableState, attribute_kinds

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

NO_UNITS = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"

_CHANGES = (
    "AttributeDefinitions",
    "BillingMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexUpdates",
    "StreamSpecification",
    "SSESpecification",
    "ReplicaUpdates",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)


def update_table(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("UpdateTable").check(request)
    if not any(request.get(name) is not None for name in _CHANGES):
        raise validation(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required"
        )
    table = engine.named_table(request["TableName"])
    if engine.status(table) != "ACTIVE":
        raise DynamoDBError(
            "ResourceInUseException",
            f"Attempt to change a resource which is still in use: Table is being updated: {table.name}",
        )
    now_s = engine.clock()
    updates = request.get("GlobalSecondaryIndexUpdates") or []
    _check(table, request, updates)
    check_quotas(request, engine.config.most_units)
    _take_decreases(table, request, updates, now_s)
    _set_billing(table, request, now_s)
    _set_details(table, request, now_s)
    _set_stream(engine, table, request.get("StreamSpecification"), now_s)
    for update in updates:
        _apply(engine, table, update, now_s)
    _drop_unused_definitions(table)
    engine.set_throughput(table, now_s)
    engine.change_status(table, "UPDATING", now_s)
    for update in updates:
        if update.get("Create") is not None:
            engine.start_backfill(table, table.index_by_name[update["Create"]["IndexName"]], now_s)
    return {"TableDescription": engine.describe(table)}


def _set_billing(table: TableState, request: dict[str, Any], now_s: float) -> None:
    description, throughput = table.description, request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST" and not table.is_on_demand():
        set_on_demand(description, now_s)
        description["ProvisionedThroughput"] = throughput_description(None)
        for index in table.global_indexes():
            index.description["ProvisionedThroughput"] = throughput_description(None)
    elif request.get("BillingMode") == "PROVISIONED" and table.is_on_demand():
        description["BillingModeSummary"] = {**description["BillingModeSummary"], "BillingMode": "PROVISIONED"}
        description.pop("TableThroughputModeSummary", None)
        for each in (description, *(index.description for index in table.global_indexes())):
            each.pop("OnDemandThroughput", None)
    if throughput is not None:
        _set_throughput(description, throughput, now_s)


def _set_details(table: TableState, request: dict[str, Any], now_s: float) -> None:
    description = table.description
    for name in ("OnDemandThroughput", "DeletionProtectionEnabled"):
        if request.get(name) is not None:
            description[name] = request[name]
    if request.get("WarmThroughput") is not None:
        table.warm = {**table.warm, **request["WarmThroughput"]}
    if request.get("TableClass") is not None:
        description["TableClassSummary"] = {
            "TableClass": request["TableClass"],
            "LastUpdateDateTime": round(now_s, 3),
        }
    if request.get("AttributeDefinitions") is not None:
        known = {each["AttributeName"]: each for each in description["AttributeDefinitions"]}
        known.update({each["AttributeName"]: each for each in request["AttributeDefinitions"]})
        description["AttributeDefinitions"] = list(known.values())


def _set_stream(engine: Engine, table: TableState, stream: dict[str, Any] | None, now_s: float) -> None:
    if stream is None:
        return
    if stream["StreamEnabled"]:
        engine.open_stream(table, stream["StreamViewType"], now_s)
    else:
        engine.close_stream(table)


def _check(table: TableState, request: dict[str, Any], updates: list[dict[str, Any]]) -> None:
    billing = request.get("BillingMode")
    throughput = request.get("ProvisionedThroughput")
    on_demand = table.is_on_demand() if billing is None else billing == "PAY_PER_REQUEST"
    if on_demand and throughput is not None:
        raise invalid(NO_UNITS)
    if billing == "PROVISIONED" and table.is_on_demand():
        if throughput is None:
            raise invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
        given = [update.get("Update") or update.get("Delete") or {} for update in updates]
        names = {each["IndexName"] for each in given if each}
        for index in table.global_indexes():
            if index.name not in names:
                raise invalid(f"ProvisionedThroughput must be specified for index: {index.name}")
    if throughput is not None and not on_demand and billing is None:
        current = table.description["ProvisionedThroughput"]
        if all(current[name] == throughput[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits")):
            raise validation(
                "The provisioned throughput for the table will not change. The requested value equals the current "
                f"value. Current ReadCapacityUnits provisioned for the table: {current['ReadCapacityUnits']}. "
                f"Requested ReadCapacityUnits: {throughput['ReadCapacityUnits']}. Current WriteCapacityUnits "
                f"provisioned for the table: {current['WriteCapacityUnits']}. Requested WriteCapacityUnits: "
                f"{throughput['WriteCapacityUnits']}. Refer to the Amazon DynamoDB Developer Guide for current limits "
                "and how to request higher limits."
            )
    stream = request.get("StreamSpecification")
    if stream is not None:
        if stream["StreamEnabled"] and table.stream is not None:
            raise validation("Table already has an enabled stream: TableName: " + table.name)
        if not stream["StreamEnabled"] and table.stream is None:
            raise validation("Table is not using streams: TableName: " + table.name)
        if stream["StreamEnabled"] and not stream.get("StreamViewType"):
            raise invalid("StreamViewType must be specified when StreamEnabled is true")
    _check_indexes(table, request, updates, on_demand)


def _check_indexes(table: TableState, request: dict[str, Any], updates: list[dict[str, Any]], on_demand: bool) -> None:
    changing = 0
    for update in updates:
        given = [kind for kind in ("Create", "Update", "Delete") if update.get(kind) is not None]
        if len(given) != 1:
            raise invalid("One of GlobalSecondaryIndexUpdate's Create, Update or Delete must be specified")
        change = update[given[0]]
        name = change["IndexName"]
        index = table.index_by_name.get(name)
        if given[0] == "Create":
            changing += 1
            if index is not None:
                raise validation(f"Attempting to create an index which already exists: {name}")
            definitions = {each["AttributeName"] for each in request.get("AttributeDefinitions") or ()}
            definitions |= {each["AttributeName"] for each in table.description["AttributeDefinitions"]}
            check_global_index(change, sorted(definitions), "PAY_PER_REQUEST" if on_demand else None)
        else:
            if index is None or not index.is_global:
                raise DynamoDBError("ResourceNotFoundException", "Requested resource not found")
            if given[0] == "Delete":
                changing += 1
            elif not on_demand and table.is_on_demand() and change.get("ProvisionedThroughput") is None:
                raise invalid(f"ProvisionedThroughput must be specified for index: {name}")
            elif on_demand and change.get("ProvisionedThroughput") is not None:
                raise invalid(NO_UNITS)
    if changing > 1:
        raise DynamoDBError(
            "LimitExceededException",
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        )
    if changing and sum(1 for _ in table.global_indexes()) >= MOST_GLOBAL and any(u.get("Create") for u in updates):
        raise invalid(f"GlobalSecondaryIndex count exceeds the per-table limit of {MOST_GLOBAL}")


def _take_decreases(table: TableState, request: dict[str, Any], updates: list[dict[str, Any]], now_s: float) -> None:
    """Use up an allowance for each resource that is lowered; a request that lowers too much is refused whole."""
    lowered: list[TableState | IndexState] = []
    changes: list[tuple[TableState | IndexState, Any]] = [(table, request.get("ProvisionedThroughput"))]
    for update in updates:
        change = update.get("Update")
        if change is not None:
            changes.append((table.index_by_name[change["IndexName"]], change.get("ProvisionedThroughput")))
    for resource, throughput in changes:
        if throughput is not None and _lowers(resource.description, throughput):
            resource.decreases = resource.decreases or DecreaseAllowance(now_s)
            lowered.append(resource)
    for resource in lowered:
        assert resource.decreases is not None
        if not resource.decreases.at_hand(now_s):
            name = table.name if resource is table else f"{table.name}:{resource.name}"
            settled = resource.description["ProvisionedThroughput"].get("LastDecreaseDateTime", now_s)
            raise DynamoDBError(
                "LimitExceededException",
                "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After "
                "the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once "
                f"every 3600 seconds. Number of decreases today: "
                f"{resource.description['ProvisionedThroughput']['NumberOfDecreasesToday']}. Last decrease at "
                f"{moment(settled)}. Next decrease can be made at {moment(settled + 3600.0)}. Resource: {name}",
            )
    for resource in lowered:
        assert resource.decreases is not None
        resource.decreases.take(now_s)


def _lowers(description: dict[str, Any], throughput: dict[str, Any]) -> bool:
    before = description["ProvisionedThroughput"]
    return any(throughput[name] < before[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits"))


def moment(epoch_s: float) -> str:
    """A time as DynamoDB's messages write it."""
    return datetime.datetime.fromtimestamp(epoch_s, datetime.UTC).strftime("%A, %B %-d, %Y at %-I:%M:%S %p UTC")


def _set_throughput(description: dict[str, Any], throughput: dict[str, Any], now_s: float) -> None:
    """New provisioned units; a decrease is counted and dated, as DescribeTable shows it."""
    before = description["ProvisionedThroughput"]
    after = throughput_description(throughput)
    names = ("ReadCapacityUnits", "WriteCapacityUnits")
    decreases = any(after[name] < before[name] for name in names)
    increases = any(after[name] > before[name] for name in names)
    today = before.get("LastDecreaseDateTime", 0.0) // DAY_S == now_s // DAY_S
    after["NumberOfDecreasesToday"] = (before["NumberOfDecreasesToday"] if today else 0) + (1 if decreases else 0)
    for name, happened in (("LastDecreaseDateTime", decreases), ("LastIncreaseDateTime", increases)):
        if happened:
            after[name] = round(now_s, 3)
        elif name in before:
            after[name] = before[name]
    description["ProvisionedThroughput"] = after


def _apply(engine: Engine, table: TableState, update: dict[str, Any], now_s: float) -> None:
    if update.get("Create") is not None:
        description = index_description(update["Create"], table.name, engine.config, True)
        description["IndexStatus"] = "CREATING"
        description["Backfilling"] = True
        index = engine.make_index(table, description, attribute_kinds(table.description), True)
        for record in table.rows.values():
            record.entries = [*(record.entries or ()), None]
        table.set_indexes([*table.indexes, index])
    elif update.get("Update") is not None:
        change = update["Update"]
        index = table.index_by_name[change["IndexName"]]
        if change.get("ProvisionedThroughput") is not None:
            _set_throughput(index.description, change["ProvisionedThroughput"], now_s)
        for name in ("OnDemandThroughput", "WarmThroughput"):
            if change.get(name) is not None:
                index.description[name] = change[name]
    else:
        gone = table.index_by_name[update["Delete"]["IndexName"]]
        position = table.indexes.index(gone)
        left = [index for index in table.indexes if index is not gone]
        for record in table.rows.values():
            if record.entries is not None:
                entries = record.entries[:position] + record.entries[position + 1 :]
                record.entries = entries if left else None
        table.set_indexes(left)


def _drop_unused_definitions(table: TableState) -> None:
    used = set(table.keys.attributes)
    for index in table.indexes:
        used |= set(index.keys.attributes)
    table.description["AttributeDefinitions"] = [
        each for each in table.description["AttributeDefinitions"] if each["AttributeName"] in used
    ]
