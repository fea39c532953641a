"""The DynamoDB steps that an operation is made of, as data.

Keys are templates (see `items.py`), so that which rows a Query reads follows from the keys and is not said twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from capacity.workloads.mesh.items import ItemKind


@dataclass(frozen=True)
class Get:
    """GetItem of one item, eventually consistent."""

    kind: str
    cause: str = "get"


@dataclass(frozen=True)
class Put:
    """PutItem, or a put of a transaction: the table's charge doubles, an index's does not."""

    kind: str
    transactional: bool = False
    cause: str = "write"


@dataclass(frozen=True)
class Update:
    """UpdateItem of a few attributes; the whole item is charged."""

    kind: str
    cause: str = "write"


@dataclass(frozen=True)
class Delete:
    """DeleteItem, or a delete of a transaction; deleting nothing costs one unit."""

    kind: str
    transactional: bool = False
    cause: str = "delete"


@dataclass(frozen=True)
class Query:
    """Query of one partition by sort-key prefix, eventually consistent, one page. Filters do not lower its charge.

    An empty partition is a Scan of the table.
    `index` names the index that is read, None the table. `after_cursor` reads only events behind the caller's cursor,
    and then the rows with the prefix `beyond`, which sort behind every event; at most `limit` rows together.
    """

    partition: str
    prefix: str
    index: str | None = None
    after_cursor: bool = False
    beyond: str | None = None
    limit: int | None = None
    cause: str = "query"


@dataclass(frozen=True)
class GetEach:
    """BatchGetItem of the item of kind `kind` of every row of kind `of` that the group has."""

    kind: str
    of: str
    cause: str = "query"


@dataclass(frozen=True)
class DeleteFound:
    """DeleteItem of every row that a Query on `partition` and `prefix` has found, one by one."""

    partition: str
    prefix: str
    cause: str = "delete"


@dataclass(frozen=True)
class DeleteForFound:
    """DeleteItem of the item of kind `kind` once for every row found whose sort key carries `marker`."""

    kind: str
    marker: str
    cause: str = "delete of a record, once per row"


@dataclass(frozen=True)
class PutEvents:
    """BatchWriteItem of the events sent, in slices of 25; every event is charged by itself."""

    kind: str
    cause: str = "write"


Step = Get | Put | Update | Delete | Query | GetEach | DeleteFound | DeleteForFound | PutEvents


@dataclass(frozen=True)
class Operation:
    """The steps of one GraphQL operation.

    `again` replaces them when the operation finds its result already there (createGroup of the same host).
    `resolver` says who runs them: AppSync itself or a Lambda function, which is billed too.
    """

    steps: tuple[Step, ...]
    again: tuple[Step, ...] | None = None
    resolver: Literal["appsync", "lambda"] = "appsync"


@dataclass(frozen=True)
class Layout:
    """Kinds of item and operations of one table layout."""

    name: str
    kinds: Mapping[str, ItemKind]
    operations: Mapping[str, Operation]
