"""What the page shows, as plain JSON; reading it is neither metered nor counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import orjson

from capacity.dynamodb.attribute_value import from_av
from sandbox.cloudwatch.store import MetricStore

_MOST_ROWS = 2_000
_MOST_GROUPS = 100
_PERIODS = 30


def mesh_groups(rows: Iterable[bytes]) -> list[dict[str, Any]]:
    """Groups with their nodes, from a table's first rows, in any layout: a group has a hostId, a node a nodeId."""
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    nodes: dict[tuple[str, str], dict[str, Any]] = {}
    for text in islice(rows, _MOST_ROWS):
        item = {name: from_av(value) for name, value in orjson.loads(text).items()}
        domain = str(item.get("domain", ""))
        if "hostId" in item:
            group_id = str(item.get("id") or item.get("groupId"))
            groups[domain, group_id] = {
                "name": item.get("name"),
                "id": group_id,
                "domain": domain,
                "host": item.get("hostId"),
                "websocket": item.get("useWebSocket"),
                "expires_at": item.get("expiresAt"),
                "nodes": [],
            }
        elif "nodeId" in item and "groupId" in item:
            key = (domain, str(item["groupId"]))
            node = nodes.setdefault(key, {}).setdefault(str(item["nodeId"]), {"id": item["nodeId"], "data": []})
            if isinstance(item.get("data"), list):
                node["data"] = [
                    f"{each.get('key')}={each.get('value')}" for each in item["data"] if isinstance(each, dict)
                ]
    for key, group in groups.items():
        group["nodes"] = list(nodes.get(key, {}).values())
    return list(islice(groups.values(), _MOST_GROUPS))


def consumption(store: MetricStore, table_name: str) -> dict[str, Any]:
    """Units per second of the table and each index over the last periods, oldest first; None where nothing is known."""
    period_s = store.resolution_s
    end_s = int(store.clock() // period_s) * period_s
    times_s = [end_s - period_s * back for back in range(_PERIODS, 0, -1)]
    lines: dict[str, dict[str, list[float | None]]] = {}
    for series in store.all():
        dimensions = dict(series.dimensions)
        if not series.metric.startswith("Consumed") or dimensions.get("TableName") != table_name:
            continue
        kind = "read" if "Read" in series.metric else "write"
        points = {time_s: point.total / period_s for time_s, point in store.read(series, times_s[0], end_s, period_s)}
        resource = dimensions.get("GlobalSecondaryIndexName", table_name)
        lines.setdefault(resource, {})[kind] = [points.get(time_s) for time_s in times_s]
    return {"period_s": period_s, "units_per_s": lines}


class State:
    """Gathers the page's data from the parts of a sandbox."""

    def __init__(
        self,
        info: Callable[[], dict[str, Any]],
        health: Callable[[], dict[str, Any]],
        rows: Callable[[], Iterable[bytes]],
        partitions: Callable[[], dict[str, Any]],
        store: MetricStore,
        table_name: str,
        requests: Callable[[], list[dict[str, Any]]],
    ) -> None:
        self._info = info
        self._health = health
        self._rows = rows
        self._partitions = partitions
        self._store = store
        self._table_name = table_name
        self._requests = requests

    def __call__(self) -> dict[str, Any]:
        """All of it."""
        return {
            "info": self._info(),
            "health": self._health(),
            "groups": mesh_groups(self._rows()),
            "partitions": self._partitions().get(self._table_name),
            "consumption": consumption(self._store, self._table_name),
            "requests": self._requests(),
        }
