"""A stream of GraphQL requests in the order of their arrival: planned or sent, the model charges both alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from capacity.workloads.stream import Floats, Ints, Outcome

__all__ = ["CODE", "OPERATIONS", "PUBLISHING", "Floats", "Ints", "Outcome", "Requests"]

OPERATIONS: tuple[str, ...] = (
    "createDomain",
    "createGroup",
    "joinGroup",
    "leaveGroup",
    "dissolveGroup",
    "renewHeartbeat",
    "sendMemberHeartbeat",
    "reportDataByNode",
    "fireEventsByNode",
    "recordEventsByNode",
    "listGroupsByDomain",
    "listGroupStatuses",
    "listNodesInGroup",
    "getNodeStatus",
    "getEventsSince",
    "pollGroupData",
    "searchGroupsByNamePrefix",
)
"""The 17 operations of Mesh v2; a request's `operation` is an index into this."""

CODE: Mapping[str, int] = {name: code for code, name in enumerate(OPERATIONS)}
PUBLISHING: frozenset[str] = frozenset({"reportDataByNode", "fireEventsByNode", "dissolveGroup"})
"""Mutations whose result goes to every subscriber of the group, the sender included."""


@dataclass(frozen=True)
class Requests:
    """One row per request, sorted by `time_s`: seconds from `start_s` (epoch seconds) to its arrival at the server.

    `due_s` is when its client meant to send it, in the same seconds.
    `domain`, `group` and `node` count from 0; -1 stands for none. `items` is the number of variables or events sent.
    `bytes_of` gives the byte lengths of what fills the item templates: arrays over domains, groups or nodes for
    `domain`, `group`, `group_name` and `node`, single figures for the rest; `variables` is the number of variables in a
    report. `group_domain[g]` is the domain of group g, `group_host[g]` the node that opened it.
    """

    start_s: float
    time_s: Floats
    due_s: Floats
    operation: Ints
    domain: Ints
    group: Ints
    node: Ints
    items: Ints
    outcome: Ints
    group_domain: Ints
    group_host: Ints
    bytes_of: Mapping[str, Floats | float]

    def __len__(self) -> int:
        return len(self.time_s)

    @property
    def domains(self) -> int:
        return int(max(self.domain.max(initial=-1), self.group_domain.max(initial=-1))) + 1

    @property
    def groups(self) -> int:
        return len(self.group_domain)

    @property
    def nodes(self) -> int:
        return int(self.node.max(initial=-1)) + 1
