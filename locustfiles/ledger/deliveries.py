"""Settled pairs as the rows of deliveries.parquet and delivery_faults.parquet."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS
from locustfiles.ledger.histogram import encode
from locustfiles.ledger.ledger_columns import CROSSTALK, DELIVERED, OUTCOMES, SUPERSEDED, UNSETTLED, Ints, Settled
from locustfiles.nodes.plan import Plan
from locustfiles.running.parts import REPORT

_MIN_P99_SAMPLES = 100


def delivery_rows(settled: Settled, group_ids: dict[int, str], plan: Plan) -> pa.Table:
    """Counts and latencies per second of publication, group, kind of message and mode."""
    second = np.floor(settled.sent_s).astype(np.int64)
    is_report = (settled.kind == REPORT).astype(np.int64)
    keys = np.stack([second, settled.group, is_report, settled.polling.astype(np.int64)], axis=1)
    rows, row = np.unique(keys, axis=0, return_inverse=True)
    row = row.reshape(-1)
    counts = np.bincount(row * len(OUTCOMES) + settled.outcome, minlength=len(rows) * len(OUTCOMES))
    counts = counts.reshape(len(rows), len(OUTCOMES))
    p50, p99, largest, histograms = _latencies(settled.latency_s, row, len(rows))
    columns = {
        "second": pa.array(rows[:, 0]).cast(pa.timestamp("s", tz="UTC")).cast(DELIVERIES.field("second").type),
        "group": [group_ids.get(group) or plan.group_name(group) for group in rows[:, 1].tolist()],
        "message": np.where(rows[:, 2] == 1, "report", "event"),
        "mode": np.where(rows[:, 3] == 1, "polling", "websocket"),
        "expected": counts.sum(axis=1) - counts[:, CROSSTALK],
        **{name: counts[:, outcome] for outcome, name in enumerate(OUTCOMES)},
        "latency_p50_ms": p50,
        "latency_p99_ms": p99,
        "latency_max_ms": largest,
        "latency_histogram": histograms,
    }
    return _table(columns, DELIVERIES)


def fault_rows(settled: Settled, group_ids: dict[int, str], plan: Plan) -> pa.Table:
    """One row per delivery that went wrong."""
    s = settled[~np.isin(settled.outcome, (DELIVERED, SUPERSEDED, UNSETTLED))]
    columns = {
        "published": pa.array((s.answered_s * 1e6).astype(np.int64)).cast(pa.timestamp("us", tz="UTC")),
        "group": [group_ids.get(group) or plan.group_name(group) for group in s.group.tolist()],
        "message": np.where(s.kind == REPORT, "report", "event"),
        "sender": _names(s.sender, plan),
        "receiver": _names(s.receiver, plan),
        "sequence": s.sequence,
        "outcome": [OUTCOMES[outcome] for outcome in s.outcome.tolist()],
        "latency_ms": [None if np.isnan(latency) else latency * 1000 for latency in s.latency_s.tolist()],
    }
    return _table(columns, DELIVERY_FAULTS)


def _names(nodes: Ints, plan: Plan) -> list[str]:
    return [plan.node_name(node) if node >= 0 else "unknown" for node in nodes.tolist()]


def _latencies(
    latency_s: NDArray[np.float64], row: Ints, rows: int
) -> tuple[list[float | None], list[float | None], list[float | None], list[str | None]]:
    came = ~np.isnan(latency_s)
    order = np.lexsort((latency_s[came], row[came]))
    sorted_ms = latency_s[came][order] * 1000
    ends = np.cumsum(np.bincount(row[came], minlength=rows))
    p50: list[float | None] = []
    p99: list[float | None] = []
    largest: list[float | None] = []
    histograms: list[str | None] = []
    start = 0
    for end in ends.tolist():
        part = sorted_ms[start:end]
        start = end
        size = len(part)
        p50.append(float(part[(size - 1) // 2]) if size else None)
        p99.append(float(part[int(np.ceil(0.99 * size)) - 1]) if size >= _MIN_P99_SAMPLES else None)
        largest.append(float(part[-1]) if size else None)
        histograms.append(encode(part * 1000) if size else None)
    return p50, p99, largest, histograms


def _table(columns: dict[str, object], schema: pa.Schema) -> pa.Table:
    arrays = []
    for field in schema:
        values = columns[field.name]
        if isinstance(values, pa.Array):
            arrays.append(values)
        elif pa.types.is_dictionary(field.type):
            arrays.append(pa.array(values, field.type.value_type).dictionary_encode())
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)
