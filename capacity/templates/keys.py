"""Key schemas, projections and indexes, as CloudFormation and the API write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, get_args

from capacity.dynamodb.table import AttributeType, Index, IndexKind, Key, Projection, ProjectionKind, Throughput
from capacity.templates.description import Place
from capacity.templates.parts import Part


def key_of(part: Part) -> Key | None:
    """The key of KeySchema; None, with faults, when it is none."""
    by_kind: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for each in part.parts("KeySchema"):
        name, kind = each.text("AttributeName", "pk"), each.text("KeyType", "HASH")
        if kind is not None and kind not in by_kind:
            each.fault("KeyType", f"{kind!r} was given; expected HASH or RANGE")
        elif name is not None and kind is not None:
            by_kind[kind].append(name)
    partition, sort = by_kind["HASH"], by_kind["RANGE"]
    if len(partition) > 1 or len(sort) > 1:
        part.fault("KeySchema", "keys of several attributes are not modelled; expected one HASH and at most one RANGE")
        return None
    if not partition:
        part.fault(None, "KeySchema has no HASH; for example KeySchema: [{AttributeName: pk, KeyType: HASH}]")
        return None
    return Key(partition[0], sort[0] if sort else None)


def attribute_types_of(part: Part) -> dict[str, AttributeType]:
    """Types of the key attributes, from AttributeDefinitions."""
    types: dict[str, AttributeType] = {}
    for each in part.parts("AttributeDefinitions"):
        name, kind = each.text("AttributeName", "pk"), each.text("AttributeType", "S")
        if kind is not None and kind not in get_args(AttributeType):
            each.fault("AttributeType", f"{kind!r} was given; expected S, N or B")
        elif name is not None and kind is not None:
            types[name] = cast(AttributeType, kind)
    return types


def projection_of(part: Part) -> Projection | None:
    """An index's Projection; None, with a fault, when it is none."""
    projection = part.part("Projection")
    kind: Any = projection.text("ProjectionType", "ALL")
    if kind is None:
        return None
    if kind not in get_args(ProjectionKind):
        projection.fault("ProjectionType", f"{kind!r} was given; expected ALL, KEYS_ONLY or INCLUDE")
        return None
    return Projection(kind, projection.texts("NonKeyAttributes"))


def throughput_of(part: Part) -> Throughput | None:
    """ReadCapacityUnits and WriteCapacityUnits of a part; None, with faults, when they are not both there."""
    read, write = part.number("ReadCapacityUnits", "5"), part.number("WriteCapacityUnits", "5")
    return None if read is None or write is None else Throughput(read, write)


def indexes_of(
    part: Part, throughput: Callable[[Part], Throughput | None]
) -> tuple[tuple[Index, ...], dict[str, Place]]:
    """Global, then local indexes of a table, and where each is written; those with faults are left out.

    `throughput` gives that of a global index from its part.
    """
    indexes: list[Index] = []
    places: dict[str, Place] = {}
    kinds: tuple[tuple[str, IndexKind], ...] = (("GlobalSecondaryIndexes", "GSI"), ("LocalSecondaryIndexes", "LSI"))
    for name, kind in kinds:
        for each in part.parts(name):
            index = _index_of(each, kind, throughput(each) if kind == "GSI" else None)
            if index is not None:
                indexes.append(index)
                places[index.name] = each.place
    return tuple(indexes), places


def _index_of(part: Part, kind: IndexKind, throughput: Throughput | None) -> Index | None:
    """One index; None, with faults, when something is missing."""
    name, key, projection = part.text("IndexName", "by_owner"), key_of(part), projection_of(part)
    if name is None or key is None or projection is None:
        return None
    return Index(name, kind, key, projection, throughput)
