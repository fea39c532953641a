"""The charges of a stream of requests as one flat table of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from capacity.physics.placement import key_hash
from capacity.workloads.stream import Floats, Ints

TABLE = "table"
READ, WRITE = 0, 1
CALLS = (
    "GetItem",
    "BatchGetItem",
    "Query",
    "Scan",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "TransactWriteItems",
    "BatchWriteItem",
)
BATCH = 25  # items per BatchWriteItem; Developer Guide, read 2026-11-30


@dataclass(frozen=True)
class Charges:
    """One row per request, step and resource, in the order of requests and steps.

    `step` tells the steps of one request apart; the table's and the indexes' charges of one write share it.
    `resource` indexes `resources` ("table" and the index names), `kind` is READ or WRITE, `cause` indexes `causes`,
    `key` indexes `keys`, the templates of partition keys, and `key_entity` says which domain, group or node fills it.
    `call` indexes CALLS, the DynamoDB operation that CloudWatch counts.
    """

    resources: tuple[str, ...]
    causes: tuple[str, ...]
    keys: tuple[str, ...]
    request: Ints
    step: Ints
    resource: Ints
    kind: Ints
    cause: Ints
    key: Ints
    key_entity: Ints
    call: Ints
    units: Floats
    values: Mapping[str, Callable[[int], Mapping[str, Any]]] = field(default_factory=dict, kw_only=True)
    """Of keys whose value decides where they live: the template, and the value for an entity in DynamoDB JSON."""

    def placed_keys(self) -> tuple[list[int], Ints]:
        """The hash of every distinct partition key, and which of them each row has.

        Where a template has no `values`, names are made up: the spread of their hashes is what matters.
        """
        entities = int(self.key_entity.max(initial=0)) + 1
        distinct, key = np.unique(self.key * entities + self.key_entity, return_inverse=True)
        hashes = []
        for number in distinct.tolist():
            value = self.values.get(self.keys[number // entities])
            hashes.append(key_hash(value(number % entities) if value else {"S": f"key {number}"}))
        return hashes, key

    def total(self, resource: str, kind: int) -> float:
        """All units of one resource."""
        return float(self.units[(self.resource == self.resources.index(resource)) & (self.kind == kind)].sum())

    def calls(self, items: Ints) -> dict[str, int]:
        """Calls by DynamoDB operation, as CloudWatch counts them; `items` are those of each request.

        A transaction is one call, a batch one per 25 items; every other step on the table is a call of its own.
        """
        counts = {}
        on_table = self.resource == 0
        for number, name in enumerate(CALLS):
            request = self.request[(self.call == number) & (on_table | (self.kind == READ))]
            if name == "TransactWriteItems":
                counts[name] = len(np.unique(request))
            elif name == "BatchWriteItem":
                counts[name] = int((-(-items[request] // BATCH)).sum())
            else:
                counts[name] = len(request)
        return counts

    def per_request(self, requests: int) -> Floats:
        """Units by request, resource and kind; shape (requests, resources, 2)."""
        shape = (requests, len(self.resources), 2)
        index = (self.request * len(self.resources) + self.resource) * 2 + self.kind
        units: Floats = np.bincount(index, self.units, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
        return units
