"""Who else may read a table, by the permissions in a template: functions and roles whose code it doesn't hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from capacity.templates.appsync import unread_by_table
from capacity.templates.intrinsics import Evaluator, Unresolved, mapping_of
from capacity.templates.resources import DATA_SOURCE, POLICIES, TABLE_TYPES

_READS = ("dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQLSelect", "dynamodb:*", "*")
_SAM_READS = ("DynamoDBReadPolicy", "DynamoDBCrudPolicy")


def readers_by_table(evaluator: Evaluator) -> dict[str, list[str]]:
    """Table name -> roles that may Query or Scan it beside AppSync's data sources, and resolvers that can't be read."""
    readers = unread_by_table(evaluator)
    tables = [evaluator.name(name) for name, each in evaluator.resources.items() if each.get("Type") in TABLE_TYPES]
    appsync = _data_source_roles(evaluator)
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") not in POLICIES or evaluator.exists(logical_id) is False:
            continue
        properties = evaluator.properties(logical_id)
        holders = _holders(logical_id, properties)
        if holders and holders <= appsync:
            continue
        for named in _readable(properties):
            for table in tables:
                if named in ("*", table) or named.endswith("table/*") or f":table/{table}/" in f"{named}/":
                    readers.setdefault(table, []).append(", ".join(sorted(holders)) or logical_id)
    return {table: list(dict.fromkeys(names)) for table, names in readers.items()}


def _readable(properties: Any) -> Iterator[str]:
    """Resources that the statements anywhere below let be read."""
    if isinstance(properties, Mapping):
        actions, resources = properties.get("Action"), properties.get("Resource")
        if actions is not None and resources is not None and properties.get("Effect", "Allow") == "Allow":
            if any(str(action) in _READS for action in _list(actions)):
                yield from (str(resource) for resource in _list(resources))
            return
        for key, value in properties.items():
            if key in _SAM_READS and isinstance(value, Mapping):
                yield str(value.get("TableName"))
            else:
                yield from _readable(value)
    elif isinstance(properties, list):
        for each in properties:
            yield from _readable(each)


def _holders(logical_id: str, properties: Any) -> frozenset[str]:
    """The roles that a policy belongs to; a role's or function's own policies belong to itself."""
    given = properties.get("Roles") if isinstance(properties, Mapping) else None
    return frozenset(map(str, given)) if isinstance(given, list) and given else frozenset((logical_id,))


def _data_source_roles(evaluator: Evaluator) -> frozenset[str]:
    roles = set()
    for logical_id, resource in evaluator.resources.items():
        if resource.get("Type") == DATA_SOURCE:
            role = mapping_of(evaluator.properties(logical_id)).get("ServiceRoleArn")
            if isinstance(role, Unresolved):
                roles.add(role.text.removesuffix(".Arn"))
    return frozenset(roles)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
