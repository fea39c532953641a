"""The charges of a stream of requests as one flat table of arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.workloads.mesh.requests import Floats, Ints

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
