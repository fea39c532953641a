"""The same operations on the engine and on DynamoDB Local, and what counts as a difference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import yaml
from random_operations import Operations

from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError
from tests.oracle.dynamodb_local import RefusedError, WireClient

Json = dict[str, Any]
_SETS = ("SS", "NS", "BS")
RULES = yaml.safe_load(Path(__file__).with_name("oracle_differences.yaml").read_text("utf-8"))["differences"]


@dataclass
class Answer:
    """What one engine answered: `body`, or the `code` and `message` of an error."""

    body: Json | None = None
    code: str | None = None
    message: str = ""
    reasons: list[str] | None = None


@dataclass
class Result:
    """Counts of operations and outcomes, differences left unexplained, and uses of each known difference."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    excused: Counter[str] = field(default_factory=Counter)
    messages_equal: int = 0
    messages_different: dict[str, tuple[str, str, str]] = field(default_factory=dict)


def run(oracle: WireClient, seed: int, operations: int, result: Result) -> None:
    """Run one seed's operations on both; afterwards both must hold the same items."""
    stream = Operations(seed)
    engine = Engine(config=EngineConfig(world="off"))
    for table in stream.tables:
        oracle.call("CreateTable", table)
        engine.call("CreateTable", orjson.loads(orjson.dumps(table)))
    for number in range(operations):
        operation, request = stream.next()
        raw = orjson.dumps(request)
        theirs, ours = ask_oracle(oracle, operation, request), ask_engine(engine, operation, orjson.loads(raw))
        result.outcomes[operation, ours.code or "answered"] += 1
        difference = compare(operation, request, theirs, ours)
        if difference is not None:
            excuse = excuse_of(stream, operation, request, difference, theirs, ours)
            if excuse is not None:
                result.excused[excuse] += 1
                if (theirs.code is None) != (ours.code is None) and operation not in ("Query", "Scan", "GetItem"):
                    _copy_items(oracle, engine, stream)
            else:
                result.differences.append(
                    f"seed {seed} operation {number} {operation}: {difference}\n  request {raw.decode()[:1500]}\n"
                    f"  DynamoDB Local {theirs.code or orjson.dumps(theirs.body).decode()[:1500]} {theirs.message}\n"
                    f"  engine {ours.code or orjson.dumps(ours.body).decode()[:1500]} {ours.message}"
                )
                _copy_items(oracle, engine, stream)
        elif theirs.code is not None:
            if theirs.message == ours.message:
                result.messages_equal += 1
            else:
                result.messages_different.setdefault(
                    f"{operation} {theirs.message[:50]}", (theirs.message, ours.message, raw.decode()[:400])
                )
    for table in stream.tables:
        mine, other = (
            sorted(canonical_text(item) for item in scanned)
            for scanned in (_scan(engine, table["TableName"]), _scan(oracle, table["TableName"]))
        )
        if mine != other:
            result.differences.append(f"seed {seed}: table {table['TableName']} holds other items at the end")
        oracle.call("DeleteTable", {"TableName": table["TableName"]})


def ask_oracle(oracle: WireClient, operation: str, request: Json) -> Answer:
    try:
        return Answer(body=oracle.call(operation, request))
    except RefusedError as error:
        reasons = error.body.get("CancellationReasons")
        return Answer(
            code=error.code,
            message=error.body.get("message") or error.body.get("Message") or "",
            reasons=[reason["Code"] for reason in reasons] if reasons else None,
        )


def ask_engine(engine: Engine, operation: str, request: Json) -> Answer:
    try:
        return Answer(body=engine.call(operation, request))
    except DynamoDBError as error:
        reasons = error.extra.get("CancellationReasons")
        return Answer(
            code=error.code,
            message=error.message or "",
            reasons=[reason["Code"] for reason in reasons] if reasons else None,
        )


def compare(operation: str, request: Json, theirs: Answer, ours: Answer) -> str | None:
    """What differs: outcome, reasons, answer or capacity; None if nothing does."""
    if theirs.code != ours.code:
        return "outcome"
    if theirs.code is not None:
        return "reasons" if theirs.reasons != ours.reasons else None
    assert theirs.body is not None
    assert ours.body is not None
    if _comparable(operation, request, theirs.body) != _comparable(operation, request, ours.body):
        return "answer"
    if request.get("ReturnConsumedCapacity") and capacity(theirs.body) != capacity(ours.body):
        return "capacity"
    return None


def excuse_of(
    stream: Operations, operation: str, request: Json, difference: str, theirs: Answer, ours: Answer
) -> str | None:
    """The known error of DynamoDB Local that explains a difference (oracle_differences.yaml); None if there is none."""
    for rule in RULES:
        if rule["operation"] not in (operation, "any") or rule["difference"] != difference:
            continue
        if "local_message" in rule and not theirs.message.startswith(rule["local_message"]):
            continue
        if "ours" in rule and rule["ours"] != ours.code:
            continue
        if "local" in rule and rule["local"] != theirs.code:
            continue
        if "ours_message" in rule and rule["ours_message"] not in ours.message:
            continue
        if "when" in rule and not _WHEN[rule["when"]](_tables_of(stream, request), request, theirs, ours):
            continue
        return str(rule["says"])
    return None


def _tables_of(stream: Operations, request: Json) -> list[Json]:
    names = {request.get("TableName"), *request.get("RequestItems", ())}
    names |= {member["TableName"] for each in request.get("TransactItems", ()) for member in each.values()}
    return [table for table in stream.tables if table["TableName"] in names]


def _units(answer: Answer) -> float:
    consumed = (answer.body or {}).get("ConsumedCapacity", [])
    return float(sum(each["CapacityUnits"] for each in (consumed if isinstance(consumed, list) else [consumed])))


def _reads_nothing(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    return bool((ours.body or {}).get("ScannedCount") == 0)


def _misses_a_key(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    responses = (ours.body or {}).get("Responses", {})
    return any(len(responses[name]) < len(each["Keys"]) for name, each in request["RequestItems"].items())


def _deletes(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    return any("DeleteRequest" in each for writes in request["RequestItems"].values() for each in writes)


def _reads_an_index(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    return "IndexName" in request


def _has_a_local_index(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    return _units(theirs) > _units(ours) and any("LocalSecondaryIndexes" in table for table in tables)


def _has_a_composite_index(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    return _units(theirs) > _units(ours) and any(
        len(index["KeySchema"]) > 1 for table in tables for index in table.get("GlobalSecondaryIndexes", ())
    )


def _stops_at_limit(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    mine = dict(ours.body or {})
    return mine.pop("LastEvaluatedKey", None) is not None and (
        mine["ScannedCount"] == request.get("Limit")
        and _comparable("Query", request, mine) == _comparable("Query", request, theirs.body or {})
    )


def _returns_nested_parts(tables: list[Json], request: Json, theirs: Answer, ours: Answer) -> bool:
    expression = request.get("UpdateExpression", "")
    return request.get("ReturnValues", "").startswith("UPDATED") and ("." in expression or "[" in expression)


_WHEN = {
    "it returns parts of an attribute": _returns_nested_parts,
    "it stops at Limit, and Local sees that nothing can follow": _stops_at_limit,
    "it reads nothing": _reads_nothing,
    "it misses a key": _misses_a_key,
    "it deletes": _deletes,
    "it reads an index": _reads_an_index,
    "its table has a local index, and Local counts more": _has_a_local_index,
    "its table has an index of two attributes, and Local counts more": _has_a_composite_index,
}


def _comparable(operation: str, request: Json, body: Json) -> Any:
    """The answer without capacity, and without orders that DynamoDB does not define."""
    body = {name: value for name, value in body.items() if name != "ConsumedCapacity"}
    if operation == "Scan" or "IndexName" in request:
        body.pop("LastEvaluatedKey", None)
        if "Items" in body:
            body["Items"] = sorted(canonical_text(item) for item in body["Items"])
    if operation == "BatchGetItem":
        body["Responses"] = {
            name: sorted(canonical_text(item) for item in items) for name, items in body["Responses"].items()
        }
    return canonical_text(body)


def capacity(body: Json) -> Any:
    return body.get("ConsumedCapacity")


def canonical_text(value: Any) -> str:
    return orjson.dumps(_canonical(value), option=orjson.OPT_SORT_KEYS).decode()


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        if len(value) == 1:
            ((kind, content),) = value.items()
            if kind in _SETS and isinstance(content, list):
                return {kind: sorted(content)}
            if kind == "N" and isinstance(content, str):
                return {"N": f"{Decimal(content).normalize():f}"}
        return {name: _canonical(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_canonical(each) for each in value]
    return value


def _scan(engine: Any, table: str) -> list[Json]:
    """All items of a table."""
    items: list[Json] = []
    request: Json = {"TableName": table}
    while True:
        answer = engine.call("Scan", request)
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _copy_items(oracle: WireClient, engine: Engine, stream: Operations) -> None:
    """Bring the engine to the oracle's items, so that one difference does not cause others."""
    for table in stream.tables:
        name = table["TableName"]
        keys = [each["AttributeName"] for each in table["KeySchema"]]
        for item in _scan(engine, name):
            engine.call("DeleteItem", {"TableName": name, "Key": {key: item[key] for key in keys}})
        for item in _scan(oracle, name):
            try:
                engine.call("PutItem", {"TableName": name, "Item": item})
            except DynamoDBError:  # DynamoDB Local keeps items that DynamoDB would refuse
                oracle.call("DeleteItem", {"TableName": name, "Key": {key: item[key] for key in keys}})
