"""The writes that a stream of requests makes, with the size of each item before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from capacity.workloads.mesh.items import ItemKind, data_bytes, placeholders
from capacity.workloads.mesh.requests import Floats, Ints, Requests
from capacity.workloads.mesh.rows import previous_writes
from capacity.workloads.mesh.steps import Delete, DeleteFound, Layout, Put, PutEvents, Update

Mask = NDArray[np.bool_]

_STEPS = 8  # more than any operation has; keeps the writes of one request in their order


@dataclass(frozen=True)
class Writes:
    """One row per write. `kind` indexes the layout's kinds; `before` and `after` are bytes, 0 = no item.

    `if_found` marks a write that is made only when the row is there: the caller read it first.
    """

    request: Ints
    step: Ints
    kind: Ints
    group: Ints
    node: Ints
    after: Floats
    transactional: Ints
    if_found: Ints
    cause: Ints
    call: Ints
    before: Floats
    same_second: Ints
    """1 where the row was last written within the same second by the server's clock, as an item of the same kind."""

    def __len__(self) -> int:
        return len(self.request)

    @property
    def made(self) -> Mask:
        """Which writes are sent at all."""
        made: Mask = (self.if_found == 0) | (self.before > 0)
        return made

    def where(self, mask: Mask) -> Writes:
        """The writes that `mask` selects."""
        return Writes(*(getattr(self, f.name)[mask] for f in fields(Writes)))

    @staticmethod
    def join(parts: Iterable[Writes]) -> Writes:
        """All writes of several tables of writes."""
        parts = [_none(), *parts]
        return Writes(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Writes)))


class Sizing:
    """Sizes of items and the entities their keys belong to, for the domains, groups and nodes of one stream."""

    def __init__(self, requests: Requests, layout: Layout) -> None:
        self.requests = requests
        self.kinds: tuple[ItemKind, ...] = tuple(layout.kinds.values())
        self.names: tuple[str, ...] = tuple(layout.kinds)

    def size_bytes(self, kind: ItemKind, group: Ints, node: Ints, items: Ints | int) -> Floats:
        """Bytes of one item of this kind per group, node and number of variables."""
        lengths = self.requests.bytes_of
        sizes = dict(lengths)
        domain = self.requests.group_domain[group]
        for name, entity in (("domain", domain), ("group", group), ("group_name", group), ("node", node)):
            length = np.asarray(lengths[name])
            sizes[name] = length[entity] if length.ndim else length
        sizes["data"] = data_bytes(
            np.asarray(items, np.float64), float(lengths["variable_name"]), float(lengths["value"])
        )
        return np.broadcast_to(kind.size_bytes(sizes), group.shape).astype(np.float64)

    def entity(self, template: str, domain: Ints, group: Ints, node: Ints) -> Ints:
        """Which node, group or domain a key made from `template` belongs to; 0 for a constant key."""
        names = placeholders(template)
        for name, entity in (("node", node), ("group", group), ("domain", domain)):
            if name in names:
                return entity
        return np.zeros_like(domain)

    def item(self, kind: Ints, group: Ints, node: Ints) -> Ints:
        """A number for each item, equal for equal keys."""
        number = np.zeros_like(kind)
        nodes, groups = self.requests.nodes + 1, self.requests.groups + 1
        keys = [each.partition + each.sort for each in self.kinds]  # kinds of one key are states of one item
        for index, template in enumerate(keys):
            of = kind == index
            names = placeholders(template)
            key = np.zeros_like(kind[of])
            key = key * groups + (group[of] + 1 if "group" in names else 0)
            key = key * nodes + (node[of] + 1 if "node" in names else 0)
            number[of] = key * len(keys) + keys.index(template)
        return number


class WriteBook:
    """Collects the writes of operations and works out what each of them found."""

    def __init__(self, requests: Requests, layout: Layout, cause: Callable[[str], int], calls: tuple[str, ...]) -> None:
        self.requests, self.sizing, self.cause, self.calls = requests, Sizing(requests, layout), cause, calls
        self._parts: list[Writes] = []

    def add(self, rows: Ints, position: int, step: Put | Update | Delete | PutEvents) -> None:
        """One write for each of the requests `rows`; `position` is the step's place in its operation."""
        r = self.requests
        kind = self.sizing.kinds[self.sizing.names.index(step.kind)]
        group = r.group[rows]
        # A group item carries its host; every other item carries the node that the request is about.
        node = r.node[rows] if "node" in placeholders(kind.partition + kind.sort) else r.group_host[group]
        after = np.zeros(len(rows))
        if not isinstance(step, Delete):
            after = self.sizing.size_bytes(kind, group, node, r.items[rows])
        transactional = not isinstance(step, Update | PutEvents) and step.transactional
        call = f"{type(step).__name__}Item"
        self._append(rows, position, step.kind, group, node, after, transactional, False, step.cause, call)

    def delete_found(self, rows: Ints, position: int, step: DeleteFound) -> None:
        """A delete of each row that could stand under the step's prefix; those that do not are not made."""
        known = self.all()
        for index, kind in enumerate(self.sizing.kinds):
            if not kind.matches(step.partition, step.prefix):
                continue
            put = (known.kind == index) & (known.after > 0)
            pairs = np.unique(np.stack([known.group[put], known.node[put]]), axis=1)
            request, at = _pairs(self.requests.group[rows], pairs[0])
            group, node, after = pairs[0][at], pairs[1][at], np.zeros(len(at))
            which = rows[request]
            self._append(which, position, kind.name, group, node, after, False, True, step.cause, "DeleteItem")

    def delete_for(self, found: Writes, position: int, kind: str, cause: str) -> None:
        """A delete of the node's item of `kind` for each of the writes `found`."""
        self._append(
            found.request,
            position,
            kind,
            found.group,
            found.node,
            np.zeros(len(found)),
            False,
            False,
            cause,
            "DeleteItem",
        )

    def all(self) -> Writes:
        """Every write so far, each with the size of its item before."""
        writes = Writes.join(self._parts)
        item = self.sizing.item(writes.kind, writes.group, writes.node)
        previous = previous_writes(item, writes.request * _STEPS + writes.step)
        there = previous >= 0
        second = np.floor(self.requests.start_s + self.requests.time_s[writes.request])
        before = np.where(there, writes.after[previous], 0.0)
        same = (before > 0) & (writes.kind == writes.kind[previous]) & (second == second[previous])
        return replace(writes, before=before, same_second=same.astype(np.int64))

    def _append(
        self,
        request: Ints,
        step: int,
        kind: str,
        group: Ints,
        node: Ints,
        after: Floats,
        transactional: bool,
        if_found: bool,
        cause: str,
        call: str,
    ) -> None:
        def constant(value: int) -> Ints:
            return np.full(len(request), value, np.int64)

        self._parts.append(
            Writes(
                request,
                constant(step),
                constant(self.sizing.names.index(kind)),
                group,
                node,
                after,
                constant(transactional),
                constant(if_found),
                constant(self.cause(cause)),
                constant(self.calls.index("TransactWriteItems" if transactional else call)),
                np.zeros(len(request)),
                constant(0),
            )
        )


def _none() -> Writes:
    n, x = np.zeros(0, np.int64), np.zeros(0)
    return Writes(
        request=n,
        step=n,
        kind=n,
        group=n,
        node=n,
        after=x,
        transactional=n,
        if_found=n,
        cause=n,
        call=n,
        before=x,
        same_second=n,
    )


def _pairs(wanted: Ints, have: Ints) -> tuple[Ints, Ints]:
    """Index pairs (i, j) with wanted[i] == have[j]; `have` is sorted."""
    first, last = np.searchsorted(have, wanted), np.searchsorted(have, wanted, side="right")
    counts = last - first
    i = np.repeat(np.arange(len(wanted)), counts)
    j = np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    return i, j
