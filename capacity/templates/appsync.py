"""Which DynamoDB calls a template's AppSync resolvers make, read from their inline code or mapping templates.

A resolver is a program; only the operation and the index that it names in plain text are read. Whoever computes them,
or keeps the code in a bucket, counts as a reader whose code is elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from capacity.document import Document
from capacity.templates.description import Call, Place
from capacity.templates.intrinsics import Evaluator, mapping_of
from capacity.templates.resources import DATA_SOURCE, FUNCTION, RESOLVER

OPERATIONS = (
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "Sync",
    "BatchGetItem",
    "BatchPutItem",
    "BatchDeleteItem",
    "TransactGetItems",
    "TransactWriteItems",
)
"""Of a DynamoDB data source (AppSync Developer Guide, read 2026-11-30)."""
_OPERATION = re.compile(r"""["']?\boperation["']?\s*:\s*["'](\w+)["']""")
_INDEX = re.compile(r"""["']?\bindex["']?\s*:\s*["']([^"']+)["']""")
_MODULE = re.compile(
    r"\bddb\.(get|put|update|remove|query|scan|sync|batchGet|batchPut|batchDelete|transactGet|transactWrite)\b"
)
_MODULE_OPERATIONS = {
    "get": "GetItem",
    "put": "PutItem",
    "update": "UpdateItem",
    "remove": "DeleteItem",
    "query": "Query",
    "scan": "Scan",
    "sync": "Sync",
    "batchGet": "BatchGetItem",
    "batchPut": "BatchPutItem",
    "batchDelete": "BatchDeleteItem",
    "transactGet": "TransactGetItems",
    "transactWrite": "TransactWriteItems",
}


def calls_by_table(document: Document, evaluator: Evaluator) -> dict[str, list[Call]]:
    """Table name -> the calls of its resolvers and pipeline functions that can be read."""
    sources = table_by_source(evaluator)
    calls: dict[str, list[Call]] = {}
    for logical_id, properties in _callers(evaluator):
        table = sources.get(str(properties.get("DataSourceName")))
        if table is None:
            continue
        place = Place(document.file, document.line(("Resources", logical_id)))
        operation, index = read_code(_code(properties))
        if operation is not None:
            calls.setdefault(table, []).append(Call(operation, index, _title(logical_id, properties), place))
    return calls


def unread_by_table(evaluator: Evaluator) -> dict[str, list[str]]:
    """Table name -> resolvers and functions whose code the template doesn't hold, or doesn't tell the operation."""
    sources = table_by_source(evaluator)
    unread: dict[str, list[str]] = {}
    for logical_id, properties in _callers(evaluator):
        table = sources.get(str(properties.get("DataSourceName")))
        if table is not None and read_code(_code(properties))[0] is None:
            unread.setdefault(table, []).append(_title(logical_id, properties))
    return unread


def table_by_source(evaluator: Evaluator) -> dict[str, str]:
    """Name of a data source -> name of its table."""
    found = {}
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") == DATA_SOURCE:
            properties = mapping_of(evaluator.properties(logical_id))
            config = properties.get("DynamoDBConfig")
            if isinstance(config, Mapping):
                found[str(properties.get("Name", logical_id))] = str(config.get("TableName"))
    return found


def read_code(code: str | None) -> tuple[str | None, str | None]:
    """Operation and index that a resolver's code or mapping template names; None for what it doesn't tell."""
    if code is None:
        return None, None
    named = [name for name in _OPERATION.findall(code) if name in OPERATIONS]
    named += [_MODULE_OPERATIONS[name] for name in _MODULE.findall(code)]
    indexes = _INDEX.findall(code)
    if len(set(named)) != 1 or len(set(indexes)) > 1:
        return None, None
    computed = not indexes and re.search(r"""["']?\bindex["']?\s*:""", code) is not None
    return (None, None) if computed else (named[0], indexes[0] if indexes else None)


def _callers(evaluator: Evaluator) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") in (RESOLVER, FUNCTION) and evaluator.exists(logical_id) is not False:
            properties = evaluator.properties(logical_id)
            if isinstance(properties, Mapping) and "DataSourceName" in properties:
                yield logical_id, properties


def _code(properties: Mapping[str, Any]) -> str | None:
    code = properties.get("Code", properties.get("RequestMappingTemplate"))
    return code if isinstance(code, str) else None


def _title(logical_id: str, properties: Mapping[str, Any]) -> str:
    if "FieldName" in properties:
        return f"{properties.get('TypeName', '')}.{properties['FieldName']}"
    return str(properties.get("Name", logical_id))
