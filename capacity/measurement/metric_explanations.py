"""Metrics that were asked for wrongly, recognised and explained: the usual statistics and dimensions that mislead.

Source: DynamoDB Developer Guide, Metrics and dimensions (read 2026-11-30); answers of GetMetricData for a throttled
table (2026-09-18).
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

_MINUTE_S = 60


def explanations(metrics: pd.DataFrame) -> list[str]:
    """A sentence for each thing wrong with rows as in metrics.parquet, and what to ask for instead."""
    return list(dict.fromkeys(_explanations(metrics)))


def _explanations(metrics: pd.DataFrame) -> Iterator[str]:
    names = ["metric", "dimensions"]
    plain = metrics.astype(dict.fromkeys([*names, "statistic"], "str"))
    for (metric, dimensions), rows in plain.groupby(names, sort=True):
        statistics = set(rows["statistic"])
        given = dict(pair.split("=", 1) for pair in str(dimensions).split(",") if "=" in pair)
        whose = given.get("GlobalSecondaryIndexName", given.get("TableName", "the account"))
        title = f"{metric} of {whose}"
        if str(metric).startswith("Consumed"):
            if "Sum" not in statistics:
                found = ", ".join(sorted(statistics))
                yield (
                    f"{title} is given as {found}, which speaks of single requests: it is not units per second, and "
                    "idle minutes pull an average to zero. Ask for Sum, and divide it by the period."
                    + (
                        " Average and SampleCount together give it back."
                        if {"Average", "SampleCount"} <= statistics
                        else ""
                    )
                )
            if "Operation" in given:
                yield f"{title} with Operation is an empty series: consumption is kept by table and index alone."
            if rows["period_s"].max() > _MINUTE_S:
                yield (
                    f"{title} comes in periods of {rows['period_s'].max():,} s: peaks inside them don't show, and "
                    "burst capacity lasts 300 s. Ask for 60 s, which CloudWatch keeps for 15 days."
                )
        if str(metric).startswith("Provisioned") and str(metric).endswith("CapacityUnits") and "Sum" in statistics:
            yield f"{title} is given as Sum, which adds up one setting several times; ask for Maximum or Average."
        if "Throttle" in str(metric) and not statistics & {"Sum", "SampleCount"}:
            yield f"{title} is given as {', '.join(sorted(statistics))}; throttles are counted by Sum."
        if metric == "ThrottledRequests" and "Operation" not in given:
            yield (
                f"{title} without Operation is an empty series, not a quiet table: ask for each operation, or for "
                "ReadThrottleEvents and WriteThrottleEvents, which table and index have."
            )
        if metric == "SuccessfulRequestLatency" and "Operation" not in given:
            yield f"{title} without Operation is an empty series; ask for each operation."


def with_sums(metrics: pd.DataFrame) -> pd.DataFrame:
    """The rows, with the Sum of consumption given back where only Average and SampleCount are there."""
    plain = metrics.astype(dict.fromkeys(["namespace", "metric", "dimensions", "statistic"], "str"))
    key = ["namespace", "metric", "dimensions", "period_s", "timestamp"]
    consumed = plain[plain["metric"].str.startswith("Consumed") & plain["value"].notna()]
    averages = consumed[consumed["statistic"] == "Average"].merge(
        consumed[consumed["statistic"] == "SampleCount"], on=key, suffixes=("", "_count")
    )
    sums = averages.assign(statistic="Sum", value=averages["value"] * averages["value_count"])[list(plain.columns)]
    there = plain[plain["statistic"] == "Sum"].set_index(key).index
    return pd.concat([plain, sums[~sums.set_index(key).index.isin(there)]], ignore_index=True)
