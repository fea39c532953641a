"""A data model of NoSQL Workbench for DynamoDB: tables with their sample items.

Source: models published by AWS's samples and by users of the tool (read 2026-11-30); the format has no public schema.
"""

from __future__ import annotations

from typing import Any, cast, get_args

from capacity.document import Document, Fault
from capacity.dynamodb.attribute_value import Item, is_item
from capacity.dynamodb.table import AttributeType, Index, IndexKind, Key, Table
from capacity.physics.autoscaling import TargetTracking
from capacity.templates.description import DescribedTable, Description, Dimension, Place
from capacity.templates.keys import projection_of, throughput_of
from capacity.templates.parts import Part
from capacity.templates.scaling import policy


def read_workbench(document: Document, faults: list[Fault]) -> Description:
    """Every table of a model. Faults are added to `faults`; a table with one is left out."""
    root = Part(document, (), document.content, faults)
    tables = [table for each in root.parts("DataModel") if (table := _table(each)) is not None]
    notes = ("a model says nothing of TTL nor of who reads; those rules are left out",)
    return Description(document.file, "NoSQL Workbench model", tuple(tables), (), notes)


def _table(part: Part) -> DescribedTable | None:
    name = part.text("TableName", "posts")
    types: dict[str, AttributeType] = {}
    key = _key(part.part("KeyAttributes"), types)
    settings = part.part("ProvisionedCapacitySettings")
    provisioned = part.text("BillingMode") == "PROVISIONED"
    throughput = throughput_of(settings.part("ProvisionedThroughput")) if provisioned else None
    indexes: list[Index] = []
    places: dict[str, Place] = {}
    kinds: tuple[tuple[IndexKind, str], ...] = (("GSI", "GlobalSecondaryIndexes"), ("LSI", "LocalSecondaryIndexes"))
    for kind, member in kinds:
        for each in part.parts(member):
            own = throughput if kind == "GSI" else None  # the tool sets an index as its table, unless it says otherwise
            if own is not None and each.part("ProvisionedCapacitySettings").has("ProvisionedThroughput"):
                own = throughput_of(each.part("ProvisionedCapacitySettings").part("ProvisionedThroughput"))
            index_name, index_key = each.text("IndexName", "by_owner"), _key(each.part("KeyAttributes"), types)
            projection = projection_of(each)
            if index_name is not None and index_key is not None and projection is not None:
                indexes.append(Index(index_name, kind, index_key, projection, own))
                places[index_name] = each.place
    if name is None or key is None or (provisioned and throughput is None):
        return None
    try:
        table = Table(name, key, types, tuple(indexes), throughput)
    except ValueError as fault:
        part.fault(None, str(fault))
        return None
    return DescribedTable(
        table,
        part.place,
        places,
        knows=frozenset(("auto scaling",)) if provisioned else frozenset(),
        scaling=_scaling(settings, table) if provisioned else {},
        items=_items(part),
    )


def _key(part: Part, types: dict[str, AttributeType]) -> Key | None:
    partition = _attribute(part.part("PartitionKey"), types)
    sort = _attribute(part.part("SortKey"), types) if part.has("SortKey") else None
    return None if partition is None or (part.has("SortKey") and sort is None) else Key(partition, sort)


def _attribute(part: Part, types: dict[str, AttributeType]) -> str | None:
    name, kind = part.text("AttributeName", "pk"), part.text("AttributeType", "S")
    if kind is not None and kind not in get_args(AttributeType):
        part.fault("AttributeType", f"{kind!r} was given; expected S, N or B")
        return None
    if name is not None and kind is not None:
        types[name] = cast(AttributeType, kind)
    return name


def _scaling(settings: Part, table: Table) -> dict[Dimension, TargetTracking]:
    found: dict[Dimension, TargetTracking] = {}
    for word, kind in (("AutoScalingRead", "read"), ("AutoScalingWrite", "write")):
        part = settings.part(word)
        bounds, target = part.part("ScalableTargetRequest"), part.part("ScalingPolicyConfiguration")
        if not bounds.content:
            continue
        lowest, highest = bounds.number("MinCapacity", "1"), bounds.number("MaxCapacity", "10")
        percent = target.number("TargetValue", "70")
        if lowest is not None and highest is not None and percent is not None:
            made = policy(part, lowest, highest, percent)
            names: tuple[str | None, ...] = (None, *(index.name for index in table.indexes if index.kind == "GSI"))
            if made is not None:
                found.update({(name, kind): made for name in names})  # type: ignore[misc]
    return found


def _items(part: Part) -> tuple[Item, ...]:
    items: list[Any] = []
    content = part.content.get("TableData")
    for place, each in enumerate(content if isinstance(content, list) else ()):
        if is_item(each):
            items.append(each)
        else:
            Part(part.document, (*part.steps, "TableData", place), {}, part.faults).fault(
                None, 'no item in DynamoDB JSON; write it like {"pk": {"S": "a"}}'
            )
    return tuple(items)
