"""Mesh v2's deployed layout charged one request after the other on real items in a dictionary.

Slow and plain on purpose: the vectorised model must agree with it. It builds whole items and measures them with
`capacity.dynamodb.item_size`, and finds what a Query reads by looking at every key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.units import Consistency, delete_units, index_write_units, put_units, query_units, read_units
from capacity.workloads.mesh.requests import OPERATIONS, Outcome, Requests

NOW_S = 1796052452
Row = dict[str, Any]


class SequentialModel:
    """A table and the units that requests take from it: Counter of (resource, "read" or "write")."""

    def __init__(self, requests: Requests) -> None:
        self.r = requests
        self.rows: dict[tuple[str, str], Row] = {}
        self.units: Counter[tuple[str, str]] = Counter()
        self.cursor: dict[int, str] = {}
        self.recorded: Counter[int] = Counter()
        self.event_log: dict[int, list[tuple[str, Row]]] = {}

    def run(self) -> Counter[tuple[str, str]]:
        for place in range(len(self.r)):
            getattr(self, "_" + OPERATIONS[self.r.operation[place]])(place)
        return self.units

    # names of the length that the stream says

    def _text(self, what: str, number: int, prefix: str) -> str:
        length = self.r.bytes_of[what]
        size = int(length if isinstance(length, float | int) else length[number])
        return f"{prefix}{number}".ljust(size, "x")[-size:] if size else ""

    def _names(self, place: int) -> tuple[str, str, str]:
        r = self.r
        domain = self._text("domain", int(r.domain[place]), "d")
        return domain, self._text("group", int(r.group[place]), "g"), self._text("node", int(r.node[place]), "n")

    # rows

    def _group(self, place: int) -> Row:
        domain, group, _ = self._names(place)
        host = self._text("node", int(self.r.group_host[self.r.group[place]]), "n")
        name, now_s = (
            self._text("group_name", int(self.r.group[place]), "G"),
            int(self.r.start_s + self.r.time_s[place]),
        )
        return {
            "pk": f"DOMAIN#{domain}", "sk": f"GROUP#{group}#METADATA", "id": group, "domain": domain,
            "fullId": f"{group}@{domain}", "name": name, "hostId": host, "createdAt": "i" * 24, "expiresAt": "i" * 24,
            "heartbeatAt": now_s, "ttl": now_s + 150, "useWebSocket": True, "pollingIntervalSeconds": 2,
            "gsi_pk": f"GROUP#{group}", "gsi_sk": f"DOMAIN#{domain}", "gsi2_pk": "ALL_GROUPS", "gsi2_sk": name,
        }  # fmt: skip

    def _node(self, place: int, pk: str, sk: str) -> Row:
        domain, group, node = self._names(place)
        return {
            "pk": pk, "sk": sk, "id": node, "nodeId": node, "groupId": group, "domain": domain, "name": f"Node {node}",
            "joinedAt": "i" * 24, "ttl": NOW_S,
        }  # fmt: skip

    def _status(self, place: int) -> Row:
        domain, group, node = self._names(place)
        value, name = "v" * int(self.r.bytes_of["value"]), "k" * int(self.r.bytes_of["variable_name"])
        return {
            "pk": f"DOMAIN#{domain}", "sk": f"GROUP#{group}#NODE#{node}#STATUS", "nodeId": node, "groupId": group,
            "domain": domain, "data": [{"key": name, "value": value}] * int(self.r.items[place]),
            "timestamp": f"{place:024d}", "ttl": NOW_S, "gsi_pk": f"NODE#{node}", "gsi_sk": "STATUS",
        }  # fmt: skip

    def _event(self, place: int) -> Row:
        domain, group, node = self._names(place)
        return {
            "pk": f"GROUP#{group}@{domain}", "sk": f"EVENT#{'s' * 20}#{'o' * 22}#{'u' * 8}", "eventName": "e" * 6,
            "firedByNodeId": node, "groupId": group, "domain": domain,
            "payload": "p" * int(self.r.bytes_of["payload"]), "timestamp": "s" * 20, "orderKey": "o" * 22, "ttl": NOW_S,
        }  # fmt: skip

    # steps

    def _put(self, row: Row, transactional: bool = False) -> None:
        key = (row["pk"], row["sk"])
        old, new = self.rows.get(key), row
        old_size = None if old is None else size_bytes(old)
        self.units["table", "write"] += put_units(old_size, size_bytes(new), transactional)
        self._index(old, new)
        self.rows[key] = row

    def _delete(self, pk: str, sk: str, transactional: bool = False) -> None:
        old = self.rows.pop((pk, sk), None)
        self.units["table", "write"] += delete_units(None if old is None else size_bytes(old), transactional)
        self._index(old, None)

    def _index(self, old: Row | None, new: Row | None) -> None:
        for index, key in (("GroupIdIndex", "gsi_pk"), ("GroupNameIndex", "gsi2_pk")):
            sizes = [None if row is None or key not in row else size_bytes(row) for row in (old, new)]
            self.units[index, "write"] += index_write_units(*sizes, key_changed=False, changed=old != new)

    def _get(self, size: int | None) -> None:
        self.units["table", "read"] += read_units(size, Consistency.EVENTUAL)

    def _query(self, rows: Iterable[Row]) -> None:
        self.units["table", "read"] += query_units(sum(map(size_bytes, rows)), Consistency.EVENTUAL)

    def _under(self, pk: str, prefix: str) -> list[Row]:
        return [row for (p, s), row in self.rows.items() if p == pk and s.startswith(prefix)]

    def _check(self, place: int) -> bool:
        self._get(size_bytes(self._group(place)))
        return bool(self.r.outcome[place] == Outcome.DONE)

    # operations

    def _createDomain(self, place: int) -> None: ...

    def _createGroup(self, place: int) -> None:
        domain, group, _ = self._names(place)
        self._query(self._under(f"DOMAIN#{domain}", "GROUP#"))
        if (f"DOMAIN#{domain}", f"GROUP#{group}#METADATA") in self.rows:
            self._get(size_bytes(self._group(place)))
        else:
            self._put(self._group(place))
        self._enter(place)

    def _joinGroup(self, place: int) -> None:
        if self._check(place):
            domain, group, node = self._names(place)
            self._put(self._node(place, f"DOMAIN#{domain}", f"GROUP#{group}#NODE#{node}"), transactional=True)
            self._put(self._node(place, f"NODE#{node}", "METADATA"), transactional=True)
            self._enter(place)

    def _leaveGroup(self, place: int) -> None:
        domain, group, node = self._names(place)
        self._delete(f"DOMAIN#{domain}", f"GROUP#{group}#NODE#{node}", transactional=True)
        self._delete(f"NODE#{node}", "METADATA", transactional=True)
        self._delete(f"DOMAIN#{domain}", f"GROUP#{group}#NODE#{node}#STATUS")

    def _dissolveGroup(self, place: int) -> None:
        if self._check(place):
            domain, group, _ = self._names(place)
            found = self._under(f"DOMAIN#{domain}", f"GROUP#{group}")
            self._query(found)
            for row in found:
                self._delete(row["pk"], row["sk"])
            for row in found:
                if "#NODE#" in row["sk"]:
                    self._delete(f"NODE#{row['nodeId']}", "METADATA")

    def _renewHeartbeat(self, place: int) -> None:
        if self._check(place):
            self._put(self._group(place))

    def _sendMemberHeartbeat(self, place: int) -> None:
        if self._check(place):
            domain, group, node = self._names(place)
            self._put(self._node(place, f"DOMAIN#{domain}", f"GROUP#{group}#NODE#{node}"))

    def _reportDataByNode(self, place: int) -> None:
        if self._check(place):
            self._put(self._status(place))

    def _fireEventsByNode(self, place: int) -> None:
        self._check(place)

    def _recordEventsByNode(self, place: int) -> None:
        if self._check(place):
            event, node = self._event(place), int(self.r.node[place])
            log = self.event_log.setdefault(int(self.r.group[place]), [])
            for _ in range(int(self.r.items[place])):
                self.units["table", "write"] += put_units(None, size_bytes(event))
                self.recorded[node] += 1
                second = f"{self.r.start_s + self.r.time_s[place]:.6f}".split(".")[0]
                self.cursor[node] = f"{second}Z#{second}-{self.recorded[node]:07d}"
                log.append((self.cursor[node], event))

    def _listGroupsByDomain(self, place: int) -> None:
        self._query(self._under(f"DOMAIN#{self._names(place)[0]}", "GROUP#"))

    def _listGroupStatuses(self, place: int) -> None:
        domain, group, _ = self._names(place)
        self._query(self._under(f"DOMAIN#{domain}", f"GROUP#{group}#NODE#"))

    def _pollGroupData(self, place: int) -> None:
        node, group = int(self.r.node[place]), int(self.r.group[place])
        since = self.cursor.get(node, "")
        found = sorted((row for row in self.event_log.get(group, []) if row[0] > since), key=lambda row: row[0])[:100]
        self._query([event for _, event in found])
        self._listGroupStatuses(place)
        if found:
            self.cursor[node] = found[-1][0]

    def _enter(self, place: int) -> None:
        self.cursor[int(self.r.node[place])] = f"{self.r.start_s + self.r.time_s[place]:.3f}Z"


def size_bytes(row: Row) -> int:
    """Size of a row as DynamoDB counts it."""
    return item_size_bytes(to_item(row))
