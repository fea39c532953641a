"""Units of a stream of requests: the model of Mesh v2 on DynamoDB.

Every request is taken apart into the steps of its operation (`deployed.py` and its neighbours), the rows that stand
in the table are followed through the run, and each step is charged by the rules of `capacity.dynamodb.units`: per table
and index, and per partition key, because a key has limits of its own.
"""

from __future__ import annotations

import numpy as np

from capacity.dynamodb.table import Index, Table
from capacity.dynamodb.units import Consistency, read_units_of, write_units_of
from capacity.workloads.charge_rows import CALLS, READ, TABLE, WRITE, Charges
from capacity.workloads.mesh.items import ItemKind
from capacity.workloads.mesh.requests import CODE, Floats, Ints, Outcome, Requests
from capacity.workloads.mesh.standing import Standing
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

__all__ = ["CALLS", "READ", "TABLE", "WRITE", "Charges", "charge"]

_READING = (Get, GetEach, Query)


def charge(requests: Requests, layout: Layout, table: Table) -> Charges:
    """What `requests` consume of `table` and its indexes; KeyError for a placeholder whose length is not given."""
    return _Charging(requests, layout, table).charges()


class _Charging:
    def __init__(self, requests: Requests, layout: Layout, table: Table) -> None:
        self.requests, self.layout, self.table = requests, layout, table
        self.resources = (TABLE, *(index.name for index in table.indexes))
        self._causes: dict[str, int] = {}
        self._keys: dict[str, int] = {}
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
        writes = self.book.all()
        self.standing = Standing(self.sizing, self.table, writes, [(rows, put) for rows, _, put in events])
        self._charge_writes(writes)
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
            for index in kind.indexes(self.table):
                self._charge_index(w.where(larger > 0), kind, index)

    def _charge_index(self, w: Writes, kind: ItemKind, index: Index) -> None:
        """Index keys never change here. Whatever else changes is projected by ALL, and by KEYS_ONLY is not.

        An update sets times in whole seconds: within the second of the last write it changes nothing, and costs an
        index nothing.
        """
        entry = kind.entry(self.table, index)
        w = w.where((w.call != CALLS.index("UpdateItem")) | (w.same_second == 0))
        if index.projection.kind == "KEYS_ONLY":
            w = w.where((w.before > 0) != (w.after > 0))
        larger = np.maximum(w.before, w.after)
        if entry is not kind:
            larger = self.sizing.size_bytes(entry, w.group, w.node, self._variables)
        who = (self.requests.group_domain[w.group], w.group, w.node)
        key, units = str(kind.attributes[index.key.partition]), write_units_of(larger.astype(np.int64))
        self._emit(w.request, w.step, index.name, WRITE, w.cause, key, who, units, w.call)

    def _charge_events(self, rows: Ints, position: int, step: PutEvents) -> None:
        kind = self.layout.kinds[step.kind]
        at, cause, who = np.full(len(rows), position, np.int64), self._all(rows, step.cause), self._who(rows)
        each = write_units_of(self.standing.event_bytes(rows, kind).astype(np.int64))
        units = each * self.requests.items[rows]
        self._emit(rows, at, TABLE, WRITE, cause, kind.partition, who, units, "BatchWriteItem")
        for index in kind.indexes(self.table):
            template = str(kind.attributes[index.key.partition])
            self._emit(rows, at, index.name, WRITE, cause, template, who, units, "BatchWriteItem")

    def _charge_deleted_events(self, rows: Ints, position: int, step: DeleteFound) -> None:
        """Events that stand under the prefix of a dissolution go one by one, too."""
        kinds = {put.kind for _, put in self.standing.event_puts}
        for kind in (self.layout.kinds[name] for name in kinds):
            if not kind.matches(step.partition, step.prefix):
                continue
            there = self.standing.of(step.partition, "EVENT#", rows, count=True).astype(np.int64)
            each = np.repeat(rows, there)
            units = write_units_of(self.standing.event_bytes(each, kind).astype(np.int64))
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
            there = self.standing.of(of.partition, of.sort.split("{node}")[0], rows, count=True)
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
            units = read_units_of(self.standing.query_bytes(rows, step).astype(np.int64), Consistency.EVENTUAL)
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

    # -- small parts

    @property
    def _variables(self) -> int:
        return int(self.requests.bytes_of["variables"])

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
    if outcome in (Outcome.INVALID, Outcome.READ_THROTTLED):
        return ()
    writes = [n for n, step in enumerate(steps) if not isinstance(step, _READING)]
    before_write = steps[: writes[0]] if writes else steps
    if outcome is Outcome.NO_GROUP:
        return before_write[:1]
    return () if outcome is Outcome.THROTTLED and not writes else before_write
