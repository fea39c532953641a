"""Which CloudWatch metrics there are, under which dimensions, and what a series without points means.

The list is data (capacity/data/cloudwatch_metrics.yaml), each entry with its source and date. An empty answer is
unknown until the entry says that absence means zero and its witness proves that somebody was publishing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from capacity.run_tables import dimension_text

_FILE = Path(__file__).parents[1] / "data" / "cloudwatch_metrics.yaml"

Scope = Literal["table", "index", "operation", "account", "api", "function"]
Dimensions = tuple[tuple[str, str], ...]

OPERATIONS = (
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
)
"""Operations asked for by name. Batch statements of PartiQL would need a further dimension, OperationType or Verb."""


class Source(BaseModel):
    """A document, and the day it was published or read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    date: date


class Metric(BaseModel):
    """One metric: what its dimensions name, its unit, which statistics make sense, and what absence means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    namespace: str
    metric: str
    of: tuple[Scope, ...]
    unit: str
    statistics: tuple[str, ...]
    absence: Literal["zero", "unknown"]
    period_s: int
    says: str
    source: Source
    witness: str | None = None
    """A metric that has points whenever this one could have had some."""
    only: tuple[str, ...] = ()
    """The operations it exists for; all when empty."""

    @model_validator(mode="after")
    def _absence_is_provable(self) -> Metric:
        if self.absence == "unknown" and self.witness is not None:
            raise ValueError(f"{self.metric}: a witness makes sense only where absence means zero")
        return self


@dataclass(frozen=True)
class MetricQuery:
    """One series to ask for, with one or more statistics."""

    namespace: str
    metric: str
    dimensions: Dimensions
    statistics: tuple[str, ...]

    @property
    def dimension_text(self) -> str:
        """The dimensions as metrics.parquet writes them."""
        return dimension_text(self.dimensions)


@lru_cache(maxsize=1)
def catalogue() -> dict[tuple[str, str], Metric]:
    """All metrics by namespace and name."""
    data: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    sources = {name: Source(**source) for name, source in data["sources"].items()}
    metrics = [Metric(**{**entry, "source": sources[entry["source"]]}) for entry in data["metrics"]]
    return {(each.namespace, each.metric): each for each in metrics}


def queries_for(
    table_name: str | None = None,
    index_names: Sequence[str] = (),
    api_id: str | None = None,
    function_names: Sequence[str] = (),
) -> list[MetricQuery]:
    """Every series of a table with its global indexes, of an AppSync API and of Lambda functions; what is None or empty
    is left out.
    """
    return [
        MetricQuery(metric.namespace, metric.metric, dimensions, metric.statistics)
        for metric in catalogue().values()
        for scope in metric.of
        for dimensions in _dimensions(metric, scope, table_name, index_names, api_id, function_names)
    ]


def as_markdown() -> str:
    """The catalogue as a table for docs/measuring.md."""
    lines = ["| metric | of | statistics | no points mean | meaning | source |", "|---|---|---|---|---|---|"]
    for each in catalogue().values():
        absence = each.absence if each.witness is None else f"{each.absence}, if `{each.witness}` has some"
        lines.append(
            f"| `{each.namespace} {each.metric}` | {', '.join(each.of)} | {', '.join(each.statistics)} | {absence} "
            f"| {each.says} | {each.source.title}, {each.source.date} |"
        )
    return "\n".join(lines) + "\n"


def _dimensions(
    metric: Metric,
    scope: Scope,
    table_name: str | None,
    index_names: Sequence[str],
    api_id: str | None,
    function_names: Sequence[str],
) -> list[Dimensions]:
    if scope == "api":
        return [(("GraphQLAPIId", api_id),)] if api_id else []
    if scope == "function":
        return [(("FunctionName", name),) for name in function_names]
    if table_name is None:
        return []
    if scope == "account":
        return [()]
    table = ("TableName", table_name)
    if scope == "table":
        return [(table,)]
    if scope == "index":
        return [(table, ("GlobalSecondaryIndexName", name)) for name in index_names]
    return [(table, ("Operation", name)) for name in metric.only or OPERATIONS]


def total(
    metrics: pd.DataFrame, namespace: str, metric: str, dimensions: Mapping[str, str], statistic: str = "Sum"
) -> float | None:
    """Sum of a series over a run, from rows as in metrics.parquet. None: unknown.

    A series without points is 0 only when the catalogue says so of its metric, it was asked for, and its witness has
    points. Raises KeyError for a metric that the catalogue does not hold.
    """
    known = catalogue()
    if (namespace, metric) not in known:
        raise KeyError(f"no metric {namespace} {metric!r} in the catalogue; there are {len(known)}")
    text = dimension_text(dimensions.items())
    rows = _rows(metrics, namespace, metric, statistic)
    rows = rows[rows["dimensions"].astype(str) == text]
    values = rows["value"].dropna()
    if len(values):
        return float(values.sum())
    entry = known[(namespace, metric)]
    if rows.empty or entry.absence == "unknown":
        return None
    return 0.0 if entry.witness is None or _has_points(metrics, namespace, entry.witness, dimensions) else None


def _has_points(metrics: pd.DataFrame, namespace: str, witness: str, dimensions: Mapping[str, str]) -> bool:
    # A witness may have fewer dimensions: consumption is not told apart by operation, and the account has none.
    shared = {name: value for name, value in dimensions.items() if name != "Operation"}
    rows = metrics[(metrics["namespace"].astype(str) == namespace) & (metrics["metric"].astype(str) == witness)]
    rows = rows[rows["value"].notna()]
    if shared:
        rows = rows[rows["dimensions"].astype(str) == dimension_text(shared.items())]
    return not rows.empty


def _rows(metrics: pd.DataFrame, namespace: str, metric: str, statistic: str) -> pd.DataFrame:
    return metrics[
        (metrics["namespace"].astype(str) == namespace)
        & (metrics["metric"].astype(str) == metric)
        & (metrics["statistic"].astype(str) == statistic)
    ]
