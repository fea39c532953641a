"""The three table layouts of Mesh v2, as DynamoDB table descriptions.

Source: the table design of phase 1 (2025-01), the architecture document (2026-01) and the deployed code (public
repository, read in 2026-04..09). All three are on demand; their TTL attribute is `ttl`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput

Layout = Literal["phase1", "architecture", "deployed"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

_ALL = Projection("ALL", ())


def _table(*indexes: Index) -> Table:
    keys = ("pk", "sk", *(name for i in indexes for name in (i.key.partition, i.key.sort) if name is not None))
    return Table(
        name="MeshV2Table",
        key=Key("pk", "sk"),
        attribute_types=dict.fromkeys(keys, "S"),
        indexes=indexes,
        throughput=None,
        ttl_attribute="ttl",
    )


def _gsi(name: str, partition: str, sort: str) -> Index:
    return Index(name=name, kind="GSI", key=Key(partition, sort), projection=_ALL, throughput=None)


TABLES: dict[str, Table] = {
    "phase1": _table(_gsi("GroupIdIndex", "gsi_pk", "gsi_sk")),
    "architecture": _table(_gsi("GSI1", "GSI1PK", "GSI1SK")),
    "deployed": _table(
        _gsi("GroupIdIndex", "gsi_pk", "gsi_sk"),
        _gsi("GroupNameIndex", "gsi2_pk", "gsi2_sk"),
    ),
}
"""Layout name -> its table, on demand."""


def provisioned(table: Table, throughput: Throughput, indexes: dict[str, Throughput] | None = None) -> Table:
    """The same table with provisioned capacity (units per second).

    An index that `indexes` does not name gets the table's own figures, as the console's default does.
    Raises ValueError when `indexes` names an index that the table does not have.
    """
    indexes = indexes or {}
    known = [index.name for index in table.indexes]
    unknown = sorted(set(indexes) - set(known))
    if unknown:
        raise ValueError(
            f"no index {', '.join(unknown)} on {table.name}; its indexes are {', '.join(known)}, "
            f"for example {{{known[0]!r}: Throughput(read_units=5, write_units=5)}}"
        )
    changed = tuple(replace(index, throughput=indexes.get(index.name, throughput)) for index in table.indexes)
    return replace(table, throughput=throughput, indexes=changed)
