"""Whether the keys, indexes and billing of a table fit together (CreateTable, and parts of UpdateTable)."""

from __future__ import annotations

from typing import Any

from sandbox.dynamodb.errors import DynamoDBError, invalid, validation

MOST_ON_DEMAND = 40_000
"""Units per second of an on-demand table or index (ServiceQuotas, 2023-02)."""
MOST_GLOBAL = 20
MOST_LOCAL = 5
MOST_PROJECTED = 100


def check_create_table(request: dict[str, Any]) -> None:
    """ValidationException for the first thing that does not fit."""
    check_billing(request)
    definitions = [each["AttributeName"] for each in request["AttributeDefinitions"]]
    keys = request["KeySchema"]
    _check_keys(keys, definitions)
    local = request.get("LocalSecondaryIndexes")
    global_ = request.get("GlobalSecondaryIndexes")
    names: set[str] = set()
    if local is not None:
        if not local:
            raise invalid("List of LocalSecondaryIndexes is empty")
        if len(keys) < 2:
            raise invalid(
                "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
            )
        for index in local:
            _check_keys(index["KeySchema"], definitions)
            if len(index["KeySchema"]) < 2:
                raise invalid(f"Index KeySchema does not have a range key for index: {index['IndexName']}")
            if index["KeySchema"][0]["AttributeName"] != keys[0]["AttributeName"]:
                raise invalid(
                    "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
                    f"{index['IndexName']}. index hash key: {index['KeySchema'][0]['AttributeName']}, "
                    f"table hash key: {keys[0]['AttributeName']}"
                )
            _check_projection(index)
            _check_name(index["IndexName"], names)
        if len(local) > MOST_LOCAL:
            raise invalid(f"Number of LocalSecondaryIndexes exceeds per-table limit of {MOST_LOCAL}")
    if global_ is not None:
        if not global_:
            raise invalid("List of GlobalSecondaryIndexes is empty")
        for index in global_:
            check_global_index(index, definitions, request.get("BillingMode"))
            _check_name(index["IndexName"], names)
        if len(global_) > MOST_GLOBAL:
            raise invalid(f"GlobalSecondaryIndex count exceeds the per-table limit of {MOST_GLOBAL}")
    used = {each["AttributeName"] for each in keys}
    for index in [*(local or ()), *(global_ or ())]:
        used |= {each["AttributeName"] for each in index["KeySchema"]}
    if used != set(definitions) or len(set(definitions)) != len(definitions):
        if not local and not global_:
            raise invalid(
                "Number of attributes in KeySchema does not exactly match number of attributes "
                "defined in AttributeDefinitions"
            )
        raise invalid(
            "Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"[{', '.join(definitions)}], keys used: [{', '.join(sorted(used))}]"
        )
    projected = sum(
        len(index["Projection"].get("NonKeyAttributes") or ()) for index in [*(local or ()), *(global_ or ())]
    )
    if projected > MOST_PROJECTED:
        raise invalid("Too many attributes projected: the sum over all indexes must not exceed 100")


def check_quotas(request: dict[str, Any], most_units: int) -> None:
    """LimitExceededException where a table or index is to have more throughput than one may have."""
    changes = [request, *(request.get("GlobalSecondaryIndexes") or ())]
    for update in request.get("GlobalSecondaryIndexUpdates") or ():
        changes += [change for change in (update.get("Create"), update.get("Update")) if change]
    for change in changes:
        for parameter, most in (
            ("ProvisionedThroughput", most_units),
            ("WarmThroughput", most_units),
            ("OnDemandThroughput", MOST_ON_DEMAND),
        ):
            for name, units in (change.get(parameter) or {}).items():
                if units is not None and units > most:
                    raise DynamoDBError(
                        "LimitExceededException",
                        f"Subscriber limit exceeded: {name} of a table or index can be at most {most}, given {units}",
                    )


def check_billing(request: dict[str, Any]) -> None:
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        if throughput is not None:
            raise invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
        return
    if request.get("OnDemandThroughput") is not None and throughput is None:
        raise invalid("OnDemandThroughput can only be specified when BillingMode is PAY_PER_REQUEST")
    if throughput is None:
        raise invalid("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
    for name in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if throughput[name] > 1_000_000_000_000:
            raise validation(f"Given value {throughput[name]} for {name} is out of bounds")


def check_global_index(index: dict[str, Any], definitions: list[str], billing: str | None) -> None:
    """Keys, projection and throughput of one global index."""
    _check_keys(index["KeySchema"], definitions)
    _check_projection(index)
    name = index["IndexName"]
    if billing == "PAY_PER_REQUEST":
        if index.get("ProvisionedThroughput") is not None:
            raise invalid(
                f"ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
            )
    elif index.get("ProvisionedThroughput") is None:
        raise invalid(f"ProvisionedThroughput must be specified for index: {name}")


def _check_keys(keys: list[dict[str, str]], definitions: list[str]) -> None:
    names = [each["AttributeName"] for each in keys]
    if keys[0]["KeyType"] != "HASH":
        raise validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if len(keys) > 1 and keys[1]["KeyType"] != "RANGE":
        raise validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
    if len(names) > 1 and names[0] == names[1]:
        raise validation(
            "Invalid KeySchema: Both the Hash Key and the Range Key element in the KeySchema have the same name"
        )
    if any(name not in definitions for name in names):
        raise invalid(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(definitions)}]"
        )


def _check_projection(index: dict[str, Any]) -> None:
    projection = index["Projection"]
    kind = projection.get("ProjectionType")
    attributes = projection.get("NonKeyAttributes")
    if kind is None:
        raise invalid("Unknown ProjectionType: null")
    if attributes is not None and kind != "INCLUDE":
        raise invalid(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if attributes is None and kind == "INCLUDE":
        raise invalid(f"ProjectionType is {kind}, but NonKeyAttributes is not specified")


def _check_name(name: str, names: set[str]) -> None:
    if name in names:
        raise invalid(f"Duplicate index name: {name}")
    names.add(name)
