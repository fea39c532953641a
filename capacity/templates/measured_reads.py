"""What CloudWatch counted on each index of a described table: whether anybody reads it, and what its writes cost."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from capacity.measurement.metric_catalogue import total
from capacity.templates.description import Description, IndexUse

_DAY_S = 86_400.0


def add_metrics(description: Description, metrics: pd.DataFrame) -> Description:
    """The description with each GSI's consumption from rows as in metrics.parquet; what has no points stays unknown."""
    tables = []
    for described in description.tables:
        uses = {}
        for index in described.table.indexes:
            if index.kind != "GSI":
                continue
            dimensions = {"TableName": described.table.name, "GlobalSecondaryIndexName": index.name}
            reads, writes = (
                total(metrics, "AWS/DynamoDB", f"Consumed{word}CapacityUnits", dimensions) for word in ("Read", "Write")
            )
            if reads is not None:
                uses[index.name] = IndexUse(reads, writes, _days(metrics, index.name))
        tables.append(replace(described, index_uses=uses))
    return replace(description, tables=tuple(tables))


def _days(metrics: pd.DataFrame, index: str) -> float:
    """From the first to the last point of an index's consumption, whole periods."""
    chosen = metrics["dimensions"].astype(str).str.contains(f"GlobalSecondaryIndexName={index},", regex=False)
    rows = metrics[chosen & metrics["metric"].astype(str).str.startswith("Consumed") & metrics["value"].notna()]
    span = rows["timestamp"].max() - rows["timestamp"].min()
    return float(span.total_seconds() + rows["period_s"].max()) / _DAY_S
