"""What a table is: keys, secondary indexes, projections, throughput. The shape shared by model, sandbox and AWS
requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from capacity.dynamodb.attribute_value import AV, Item

AttributeType = Literal["S", "N", "B"]
ProjectionKind = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
IndexKind = Literal["GSI", "LSI"]


@dataclass(frozen=True)
class Key:
    """Partition key and, where there is one, sort key: names of attributes."""

    partition: str
    sort: str | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def of(self, item: Item) -> dict[str, AV]:
        """The key attributes of an item; raises KeyError when one is missing."""
        return {name: item[name] for name in self.attributes}


@dataclass(frozen=True)
class Projection:
    """Which attributes beside the keys an index copies; `attributes` for INCLUDE alone."""

    kind: ProjectionKind = "ALL"
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Throughput:
    """Provisioned read and write units per second."""

    read_units: float
    write_units: float


@dataclass(frozen=True)
class Index:
    """A secondary index. `throughput` is a GSI's own; None on demand, and for an LSI, which lives on its table's."""

    name: str
    kind: IndexKind
    key: Key
    projection: Projection = Projection()
    throughput: Throughput | None = None


@dataclass(frozen=True)
class Table:
    """A table: `attribute_types` of every key attribute; `throughput` None = on demand; `ttl_attribute` holds epoch
    seconds, None = TTL off.

    Raises ValueError with every fault of the description at once.
    """

    name: str
    key: Key
    attribute_types: Mapping[str, AttributeType] = field(hash=False)
    indexes: tuple[Index, ...] = ()
    throughput: Throughput | None = None
    ttl_attribute: str | None = None

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise ValueError(f"table {self.name!r}: " + "; ".join(faults))

    def index(self, name: str) -> Index:
        """The index of this name; raises KeyError with the names there are."""
        for index in self.indexes:
            if index.name == name:
                return index
        raise KeyError(f"table {self.name!r} has no index {name!r}; it has {[index.name for index in self.indexes]}")

    @property
    def has_local_index(self) -> bool:
        """Whether item collections are bound to one partition and 10 GB (an LSI exists)."""
        return any(index.kind == "LSI" for index in self.indexes)

    @cached_property
    def _projected_names(self) -> dict[str, tuple[str, ...] | None]:
        """Attributes an index holds: table keys, index keys, included ones; None = all."""
        return {
            index.name: None
            if index.projection.kind == "ALL"
            else tuple(dict.fromkeys((*self.key.attributes, *index.key.attributes, *index.projection.attributes)))
            for index in self.indexes
        }

    def index_entry(self, index: Index, item: Item) -> Item | None:
        """What `index` stores of `item`: table keys, index keys and projected attributes; None when the item lacks a
        key of the index (sparse).

        With projection ALL the entry is the item itself, not a copy.
        """
        for name in index.key.attributes:
            if name not in item:
                return None
        names = self._projected_names[index.name]
        return item if names is None else {name: item[name] for name in names if name in item}

    def create_table_request(self) -> dict[str, Any]:
        """Keyword arguments of boto3's `create_table`. TTL is a request of its own: `time_to_live_request`."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": self.attribute_types[name]} for name in self._key_attributes
            ],
            "KeySchema": _key_schema(self.key),
            "BillingMode": "PAY_PER_REQUEST" if self.throughput is None else "PROVISIONED",
        }
        if self.throughput is not None:
            request["ProvisionedThroughput"] = _provisioned(self.throughput)
        for kind, member in (("GSI", "GlobalSecondaryIndexes"), ("LSI", "LocalSecondaryIndexes")):
            indexes = [_index_request(index) for index in self.indexes if index.kind == kind]
            if indexes:
                request[member] = indexes
        return request

    def time_to_live_request(self) -> dict[str, Any] | None:
        """Keyword arguments of boto3's `update_time_to_live`; None without a TTL attribute."""
        if self.ttl_attribute is None:
            return None
        return {
            "TableName": self.name,
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": self.ttl_attribute},
        }

    @property
    def _key_attributes(self) -> tuple[str, ...]:
        keys = (self.key, *(index.key for index in self.indexes))
        return tuple(dict.fromkeys(name for key in keys for name in key.attributes))


def from_describe_table(answer: Mapping[str, Any], time_to_live: Mapping[str, Any] | None = None) -> Table:
    """The table behind an answer of DescribeTable and, if given, one of DescribeTimeToLive (as boto3 returns them)."""
    table = answer.get("Table", answer)
    on_demand = table.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST"
    ttl = (time_to_live or {}).get("TimeToLiveDescription", {})
    return Table(
        name=table["TableName"],
        key=_key(table["KeySchema"]),
        attribute_types={each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]},
        indexes=tuple(
            Index(
                name=index["IndexName"],
                kind=kind,
                key=_key(index["KeySchema"]),
                projection=Projection(
                    index["Projection"]["ProjectionType"], tuple(index["Projection"].get("NonKeyAttributes", ()))
                ),
                throughput=None if on_demand or kind == "LSI" else _throughput(index["ProvisionedThroughput"]),
            )
            for kind, member in _INDEX_MEMBERS
            for index in table.get(member, ())
        ),
        throughput=None if on_demand else _throughput(table["ProvisionedThroughput"]),
        ttl_attribute=ttl.get("AttributeName") if ttl.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None,
    )


_INDEX_MEMBERS: tuple[tuple[IndexKind, str], ...] = (
    ("GSI", "GlobalSecondaryIndexes"),
    ("LSI", "LocalSecondaryIndexes"),
)


def _faults(table: Table) -> list[str]:
    faults = [
        f"key attribute {name!r} needs a type, S, N or B; example: attribute_types={{{name!r}: 'S'}}"
        for name in table._key_attributes
        if table.attribute_types.get(name) not in get_args(AttributeType)
    ]
    names = [index.name for index in table.indexes]
    faults += [
        f"index name {name!r} is used {names.count(name)} times"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    for index in table.indexes:
        if index.kind == "LSI":
            if index.key.partition != table.key.partition:
                faults.append(
                    f"LSI {index.name!r} must have the table's partition key {table.key.partition!r}, "
                    f"got {index.key.partition!r}"
                )
            if table.key.sort is None or index.key.sort is None:
                faults.append(f"LSI {index.name!r} needs a sort key, and so does its table")
            if index.throughput is not None:
                faults.append(f"LSI {index.name!r} lives on its table's throughput and has none of its own")
        elif table.throughput is None and index.throughput is not None:
            faults.append(f"GSI {index.name!r} has throughput, but the table is on demand")
        elif table.throughput is not None and index.throughput is None:
            faults.append(
                f"GSI {index.name!r} needs throughput of its own, as its table has; "
                "example: throughput=Throughput(5, 5)"
            )
        if (index.projection.kind == "INCLUDE") != bool(index.projection.attributes):
            faults.append(f"index {index.name!r}: attributes are named for INCLUDE, and for INCLUDE alone")
    return faults


def _key_schema(key: Key) -> list[dict[str, str]]:
    kinds = zip(key.attributes, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]


def _key(schema: list[dict[str, str]]) -> Key:
    by_kind = {each["KeyType"]: each["AttributeName"] for each in schema}
    return Key(by_kind["HASH"], by_kind.get("RANGE"))


def _index_request(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection.kind}
    if index.projection.attributes:
        projection["NonKeyAttributes"] = list(index.projection.attributes)
    request: dict[str, Any] = {"IndexName": index.name, "KeySchema": _key_schema(index.key), "Projection": projection}
    if index.throughput is not None:
        request["ProvisionedThroughput"] = _provisioned(index.throughput)
    return request


def _provisioned(throughput: Throughput) -> dict[str, int]:
    return {"ReadCapacityUnits": int(throughput.read_units), "WriteCapacityUnits": int(throughput.write_units)}


def _throughput(description: Mapping[str, Any]) -> Throughput:
    return Throughput(float(description["ReadCapacityUnits"]), float(description["WriteCapacityUnits"]))
