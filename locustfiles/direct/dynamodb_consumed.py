"""What the answers say was consumed, added up by operation and by table or index; and what was throttled, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from locustfiles.direct.request_plan import READS

TABLE = "table"


class Consumed:
    """Running sums of one process; `take` hands over what came since, for a master to `add`."""

    def __init__(self) -> None:
        self.units: Counter[tuple[str, str, str]] = Counter()
        """(operation, table or index, read or write) -> units."""
        self.requests: Counter[str] = Counter()
        self.throttles: Counter[tuple[str, str]] = Counter()
        """(operation, reason) -> times."""

    def answered(self, operation: str, answer: Mapping[str, Any]) -> None:
        """Count an answer and its ConsumedCapacity: one entry, or a list with one per table."""
        self.requests[operation] += 1
        consumed = answer.get("ConsumedCapacity") or []
        kind = "read" if operation in READS else "write"
        for entry in [consumed] if isinstance(consumed, Mapping) else consumed:
            indexes = entry.get("GlobalSecondaryIndexes") or {}
            for name, arm in indexes.items():
                self.units[operation, name, kind] += arm["CapacityUnits"]
            # an LSI lives on its table's throughput; TOTAL is the sum of all arms
            table = entry["CapacityUnits"] - sum(arm["CapacityUnits"] for arm in indexes.values())
            if table or not indexes:
                self.units[operation, TABLE, kind] += table

    def throttled(self, operation: str, reasons: list[str]) -> None:
        """Count a refusal; `reasons` as in the answer's ThrottlingReasons, empty where it has none."""
        for reason in reasons or ["unexplained"]:
            self.throttles[operation, reason] += 1

    def take(self) -> dict[str, Any]:
        """What was counted since the last time, fit for a message to a master."""
        part = {
            "units": [[*key, value] for key, value in self.units.items()],
            "requests": list(self.requests.items()),
            "throttles": [[*key, value] for key, value in self.throttles.items()],
        }
        self.units.clear()
        self.requests.clear()
        self.throttles.clear()
        return part

    def add(self, part: Mapping[str, Any]) -> None:
        """Count what another process has taken."""
        for operation, resource, kind, value in part["units"]:
            self.units[operation, resource, kind] += value
        for operation, value in part["requests"]:
            self.requests[operation] += value
        for operation, reason, value in part["throttles"]:
            self.throttles[operation, reason] += value

    def _operations(self) -> dict[str, int]:
        """Answered requests of every operation, also of those that were only throttled."""
        return {**dict.fromkeys((name for name, _ in self.throttles), 0), **self.requests}

    def report(self, seconds: float) -> dict[str, Any]:
        """All sums, with units per second and per request."""
        return {
            "seconds": round(seconds, 3),
            "operations": {
                operation: {
                    "requests": count,
                    "consumed": [
                        {
                            "resource": resource,
                            "kind": kind,
                            "units": units,
                            "units_per_request": units / count if count else None,
                            "units_per_s": units / seconds if seconds else None,
                        }
                        for (name, resource, kind), units in sorted(self.units.items())
                        if name == operation
                    ],
                    "throttled": {
                        reason: times for (name, reason), times in sorted(self.throttles.items()) if name == operation
                    },
                }
                for operation, count in sorted(self._operations().items())
            },
        }
