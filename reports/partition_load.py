"""Where the load of a run fell: units per partition over time, by the model of what was sent.

CloudWatch says nothing about partitions and DynamoDB does not publish its hash, so keys are placed by a hash of ours:
which partition is the busy one means nothing, how unevenly the load falls means everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.physics.placement import KEY_SPACE
from capacity.run_tables import read_table
from capacity.workloads.registry import workload_of
from reports.run import Run

MOST_REQUESTS = 300_000
"""Beyond this the model's own arrays would fill the memory that a report may take."""
KINDS = ("read", "write")
_COLUMNS = (
    "operation",
    "node",
    "domain",
    "group",
    "intended_start",
    "start",
    "latency_ms",
    "outcome",
    "error_type",
    "error_message",
    "items",
)


@dataclass(frozen=True)
class PartitionLoad:
    """Units per second of each partition of a table or index, shaped (partitions, steps)."""

    resource: str
    kind: str
    units_per_s: np.ndarray
    keys: int
    """Distinct partition keys that were touched."""


def partition_loads(run: Run, edges_s: np.ndarray) -> list[PartitionLoad] | None:
    """Return the load of every resource and kind that was touched; None where that cannot be told.

    `edges_s` are the edges of the time steps, seconds since the start of the plan, evenly spaced.
    """
    requests, forecast = run.requests, run.forecast
    if requests is None or forecast is None or not 0 < len(requests) <= MOST_REQUESTS:
        return None
    workload = workload_of(run.record.scenario)
    sent = run.file("requests.parquet", lambda path: workload.sent(read_table(path, columns=list(_COLUMNS))))
    if sent is None:
        return None
    charges = workload.charge(sent.requests)
    time_s = sent.requests.start_s - run.start.timestamp() + sent.requests.time_s[charges.request]
    step = np.searchsorted(edges_s, time_s, side="right") - 1
    inside = (step >= 0) & (step < len(edges_s) - 1)
    hashes, key = charges.placed_keys()
    loads = []
    partitions_of = {resource.name: resource.partitions for resource in forecast.resources}
    for number, resource in enumerate(charges.resources):
        if resource not in partitions_of:
            continue
        partitions = partitions_of[resource]
        place = np.array([each * partitions // KEY_SPACE for each in hashes], dtype=np.int64)
        for kind_number, kind in enumerate(KINDS):
            chosen = inside & (charges.resource == number) & (charges.kind == kind_number)
            if not chosen.any():
                continue
            cell = place[key[chosen]] * (len(edges_s) - 1) + step[chosen]
            units = np.bincount(cell, charges.units[chosen], minlength=partitions * (len(edges_s) - 1))
            rate = units.reshape(partitions, -1) / float(edges_s[1] - edges_s[0])
            loads.append(PartitionLoad(resource, kind, rate, len(np.unique(key[chosen]))))
    return loads
