"""Units of a stream of requests: the model of Mesh v2 on DynamoDB.

Every request is taken apart into the steps of its operation (`deployed.py` and its neighbours), the rows that stand
in the table are followed through the run, and each step is charged by the rules of `capacity.units`: per table and
index, and per partition key, because a key has limits of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from capacity.table import Table
from capacity.units import Consistency, read_units_of, write_units_of
from capacity.workloads.mesh.event_reads import EventReads
from capacity.workloads.mesh.items import ItemKind
from capacity.workloads.mesh.requests import CODE, Floats, Ints, Outcome, Requests
from capacity.workloads.mesh.rows import Ledger
from capacity.workloads.mesh.steps import (
    DeleteForFound,
    DeleteFound,
    Get,
    GetEach,
    Layout,
    Operation,
    PutEvents,
    Query,
    Step,
)
from capacity.workloads.mesh.writes import WriteBook, Writes

TABLE = "table"
PAGE_BYTES = 1024 * 1024  # a Query reads at most this much per call; Developer Guide, read 2026-11-30
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

_READING = (Get, GetEach, Query)


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


def charge(requests: Requests, layout: Layout, table: Table) -> Charges:
    """What `requests` consume of `table` and its indexes; KeyError for a placeholder whose length is not given."""
    return _Charging(requests, layout, table).charges()


class _Charging:
    def __init__(self, requests: Requests, layout: Layout, table: Table) -> None:
        self.requests, self.layout, self.table = requests, layout, table
        self.resources = (TABLE, *(index.name for index in table.indexes))
        self._causes: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._ledgers: dict[tuple[str, str, bool], Ledger] = {}
        self._charges: list[tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints, Floats]] = []
        self.book = WriteBook(requests, layout, self._cause, CALLS)
        self.sizing = self.book.sizing

    def charges(self) -> Charges:
        reads: list[tuple[Ints, int, Get | GetEach | Query]] = []
        deletes: list[tuple[Ints, int, DeleteFound | DeleteForFound]] = []
        events: list[tuple[Ints, int, PutEvents]] = []
        for rows, position, step in self._steps():
            if isinstance(step, _READING):
                reads.append((rows, position, step))
            elif isinstance(step, DeleteFound | DeleteForFound):
                deletes.append((rows, position, step))
            elif isinstance(step, PutEvents):
                events.append((rows, position, step))
            else:
                self.book.add(rows, position, step)
        self._expand(deletes)
        self.writes = self.book.all()
        self.event_puts = events
        self._charge_writes(self.writes)
        for rows, position, put in events:
            self._charge_events(rows, position, put)
        for rows, position, read in reads:
            self._charge_read(rows, position, read)
        for rows, position, step in deletes:
            if isinstance(step, DeleteFound):
                self._charge_deleted_events(rows, position, step)
        self._charge_failed_conditions()
        columns = [np.concatenate(column) for column in zip(*self._charges, strict=True)] or [np.zeros(0, np.int64)] * 9
        order = np.lexsort((columns[2], columns[1], columns[0]))
        return Charges(self.resources, tuple(self._causes), tuple(self._keys), *(column[order] for column in columns))

    # -- which steps ran

    def _steps(self) -> list[tuple[Ints, int, Step]]:
        steps: list[tuple[Ints, int, Step]] = []
        repeated = self._repeated()
        for name, operation in self.layout.operations.items():
            of = self.requests.operation == CODE[name]
            if not of.any():
                continue
            for outcome in Outcome:
                rows = np.flatnonzero(of & (self.requests.outcome == outcome))
                if len(rows) == 0:
                    continue
                if operation.again is not None and outcome is Outcome.DONE:
                    again = np.isin(rows, repeated)
                    steps += [(rows[again], n, step) for n, step in enumerate(operation.again)]
                    rows = rows[~again]
                steps += [(rows, n, step) for n, step in enumerate(_ran(operation, outcome))]
        return steps

    def _repeated(self) -> Ints:
        """Accepted createGroup requests that found the group there: all but a group's first."""
        r = self.requests
        rows = np.flatnonzero((r.operation == CODE["createGroup"]) & (r.outcome == Outcome.DONE))
        _, first = np.unique(r.group[rows], return_index=True)
        return np.delete(rows, first)

    def _expand(self, deletes: list[tuple[Ints, int, DeleteFound | DeleteForFound]]) -> None:
        for rows, position, step in deletes:
            if isinstance(step, DeleteFound):
                self.book.delete_found(rows, position, step)
        writes = self.book.all()
        for rows, position, step in deletes:
            if isinstance(step, DeleteForFound):
                marked = [n for n, kind in enumerate(self.sizing.kinds) if step.marker in kind.sort]
                found = (writes.if_found == 1) & writes.made & np.isin(writes.kind, marked)
                found &= np.isin(writes.request, rows)
                self.book.delete_for(writes.where(found), position, step.kind, step.cause)

    # -- what they cost

    def _charge_writes(self, writes: Writes) -> None:
        for number, kind in enumerate(self.sizing.kinds):
            w = writes.where((writes.kind == number) & writes.made)
            larger = np.maximum(w.before, w.after).astype(np.int64)
            units = write_units_of(larger) * np.where(w.transactional == 1, 2, 1)
            domain = self.requests.group_domain[w.group]
            self._emit(
                w.request, w.step, TABLE, WRITE, w.cause, kind.partition, (domain, w.group, w.node), units, w.call
            )
            there = larger > 0
            w = w.where(there)
            for index in kind.indexes(self.table):
                self._emit(
                    w.request,
                    w.step,
                    index.name,
                    WRITE,
                    w.cause,
                    str(kind.attributes[index.key.partition]),
                    (domain[there], w.group, w.node),
                    write_units_of(larger[there]),
                    w.call,
                )

    def _charge_events(self, rows: Ints, position: int, step: PutEvents) -> None:
        kind = self.layout.kinds[step.kind]
        at, cause, who = np.full(len(rows), position, np.int64), self._all(rows, step.cause), self._who(rows)
        each = write_units_of(self._event_bytes(rows, kind).astype(np.int64))
        units = each * self.requests.items[rows]
        self._emit(rows, at, TABLE, WRITE, cause, kind.partition, who, units, "BatchWriteItem")
        for index in kind.indexes(self.table):
            template = str(kind.attributes[index.key.partition])
            self._emit(rows, at, index.name, WRITE, cause, template, who, units, "BatchWriteItem")

    def _charge_deleted_events(self, rows: Ints, position: int, step: DeleteFound) -> None:
        """Events that stand under the prefix of a dissolution go one by one, too."""
        kinds = {put.kind for _, _, put in self.event_puts}
        for kind in (self.layout.kinds[name] for name in kinds):
            if not kind.matches(step.partition, step.prefix):
                continue
            there = self._standing(step.partition, "EVENT#", rows, count=True).astype(np.int64)
            each = np.repeat(rows, there)
            units = write_units_of(self._event_bytes(each, kind).astype(np.int64))
            at, cause = np.full(len(each), position, np.int64), self._all(each, step.cause)
            self._emit(each, at, TABLE, WRITE, cause, kind.partition, self._who(each), units, "DeleteItem")

    def _charge_read(self, rows: Ints, position: int, step: Get | GetEach | Query) -> None:
        at, cause, who = np.full(len(rows), position, np.int64), self._all(rows, step.cause), self._who(rows)
        if isinstance(step, Get):
            kind = self.layout.kinds[step.kind]
            node = who[2] if "node" in kind.partition + kind.sort else self._host(who[1])
            size = self.sizing.size_bytes(kind, who[1], node, self._variables)
            units = read_units_of(size.astype(np.int64), Consistency.EVENTUAL)
            self._emit(rows, at, TABLE, READ, cause, kind.partition, who, units, "GetItem")
        elif isinstance(step, GetEach):
            kind, of = self.layout.kinds[step.kind], self.layout.kinds[step.of]
            size = self.sizing.size_bytes(kind, who[1], who[2], self._variables)
            each = read_units_of(size.astype(np.int64), Consistency.EVENTUAL)
            there = self._standing(of.partition, of.sort.split("{node}")[0], rows, count=True)
            some = there > 0
            domain, group, node = (entity[some] for entity in who)
            units = (each * there)[some]
            self._emit(
                rows[some],
                at[some],
                TABLE,
                READ,
                cause[some],
                kind.partition,
                (domain, group, node),
                units,
                "BatchGetItem",
            )
        else:
            units = read_units_of(self._query_bytes(rows, step).astype(np.int64), Consistency.EVENTUAL)
            self._emit(
                rows,
                at,
                step.index or TABLE,
                READ,
                cause,
                step.partition,
                who,
                units,
                "Query" if step.partition else "Scan",
            )

    def _charge_failed_conditions(self) -> None:
        """A write whose condition fails costs a unit, and AppSync then reads the item itself, strongly consistent.

        Sources: Developer Guide, read-write-operations, and AppSync's condition expressions page (2026-11-30).
        """
        rows = np.flatnonzero(self.requests.outcome == Outcome.NO_NODE)
        if len(rows) == 0:
            return
        partition = self.layout.kinds["node"].partition
        cause, one = self._all(rows, "condition failed"), np.ones(len(rows))
        who = self._who(rows)
        self._emit(rows, np.full(len(rows), 1), TABLE, WRITE, cause, partition, who, one, "UpdateItem")
        self._emit(rows, np.full(len(rows), 2), TABLE, READ, cause, partition, who, one, "GetItem")

    # -- what stands in the table

    def _query_bytes(self, rows: Ints, step: Query) -> Floats:
        if not step.after_cursor:
            return np.minimum(self._standing(step.partition, step.prefix, rows, index=step.index), PAGE_BYTES)
        kind = next(kind for kind in self.sizing.kinds if kind.matches(step.partition, step.prefix))
        count = self._event_reads.count(rows)
        if step.limit is not None:
            count = np.minimum(count, step.limit)
        return np.minimum(count * self._event_bytes(rows, kind), PAGE_BYTES)

    def _standing(
        self, partition: str, prefix: str, rows: Ints, *, index: str | None = None, count: bool = False
    ) -> Floats:
        """Bytes (or rows) that a Query of this prefix finds, just before each request."""
        ledger = self._ledger(partition, prefix, index, count)
        return ledger.at(self.sizing.entity(partition + prefix, *self._who(rows)), rows)

    def _ledger(self, partition: str, prefix: str, index: str | None, count: bool) -> Ledger:
        key = (partition, prefix, count)
        if key not in self._ledgers:
            self._ledgers[key] = self._new_ledger(partition, prefix, index, count)
        return self._ledgers[key]

    def _new_ledger(self, partition: str, prefix: str, index: str | None, count: bool) -> Ledger:
        w, template = self.writes, partition + prefix
        matching = [n for n, kind in enumerate(self.sizing.kinds) if self._reads(kind, partition, prefix, index)]
        w = w.where(np.isin(w.kind, matching) & w.made)
        change = (w.after > 0).astype(float) - (w.before > 0) if count else w.after - w.before
        containers = [self.sizing.entity(template, self.requests.group_domain[w.group], w.group, w.node)]
        orders, changes = [w.request], [change]
        for rows, _, put in self.event_puts:
            kind = self.layout.kinds[put.kind]
            if self._reads(kind, partition, prefix, index):
                containers.append(self.sizing.entity(template, *self._who(rows)))
                orders.append(rows)
                size = 1.0 if count else self._event_bytes(rows, kind)
                changes.append(size * self.requests.items[rows])
        places = len(self.requests) + 1
        return Ledger.of(np.concatenate(containers), np.concatenate(orders), np.concatenate(changes), places)

    def _reads(self, kind: ItemKind, partition: str, prefix: str, index: str | None) -> bool:
        if index is None:
            return kind.matches(partition, prefix)
        key = self.table.index(index).key
        return kind.attributes.get(key.partition) == partition and str(kind.attributes.get(key.sort or "")).startswith(
            prefix
        )

    # -- small parts

    @cached_property
    def _event_reads(self) -> EventReads:
        return EventReads(self.requests)

    @property
    def _variables(self) -> int:
        return int(self.requests.bytes_of["variables"])

    def _event_bytes(self, rows: Ints, kind: ItemKind) -> Floats:
        _, group, node = self._who(rows)
        return self.sizing.size_bytes(kind, group, node, 0)

    def _host(self, group: Ints) -> Ints:
        return self.requests.group_host[group]

    def _who(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        return self.requests.domain[rows], self.requests.group[rows], self.requests.node[rows]

    def _cause(self, name: str) -> int:
        return self._causes.setdefault(name, len(self._causes))

    def _all(self, rows: Ints, cause: str) -> Ints:
        return np.full(len(rows), self._cause(cause), np.int64)

    def _emit(
        self,
        request: Ints,
        step: Ints,
        resource: str,
        kind: int,
        cause: Ints,
        key: str,
        who: tuple[Ints, Ints, Ints],
        units: Floats,
        call: Ints | str,
    ) -> None:
        number = self._keys.setdefault(key, len(self._keys))
        self._charges.append(
            (
                request,
                step,
                np.full(len(request), self.resources.index(resource), np.int64),
                np.full(len(request), kind, np.int64),
                cause,
                np.full(len(request), number, np.int64),
                self.sizing.entity(key, *who),
                np.full(len(request), CALLS.index(call), np.int64) if isinstance(call, str) else call,
                units,
            )
        )


def _ran(operation: Operation, outcome: Outcome) -> tuple[Step, ...]:
    """The steps of an operation that a request with this outcome got to."""
    steps = operation.steps
    if outcome is Outcome.DONE:
        return steps
    if outcome is Outcome.INVALID:
        return ()
    writes = [n for n, step in enumerate(steps) if not isinstance(step, _READING)]
    before_write = steps[: writes[0]] if writes else steps
    if outcome is Outcome.NO_GROUP:
        return before_write[:1]
    return before_write
