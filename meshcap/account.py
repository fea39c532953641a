"""What stands around a target on AWS: its region, the quotas of its account, the permission to measure it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from capacity.forecasting.forecast import Forecast
from capacity.record import Target
from capacity.scenario import Scenario

Found = tuple[Literal["ok", "fault", "unknown"], str]

_APPSYNC_HOST = re.compile(r"https://[\w-]+\.appsync-api\.([a-z0-9-]+)\.amazonaws\.com/")
# Words of a quota's name in Service Quotas -> the forecast's limit. Names: Service Quotas console, AppSync, from
# general knowledge; a name that fits none of them is left out, and a limit without a quota is said to be unknown.
_APPSYNC_QUOTAS = {
    "request tokens": "request tokens, one per request",
    "connection requests": "connects",
    "inbound messages": "inbound messages",
    "outbound messages": "outbound messages",
}


def region(target: Target, scenario: Scenario) -> Found:
    """Whether URL, AWS clients and the scenario's prices mean the same region."""
    in_url = _APPSYNC_HOST.match(target.graphql_url)
    if in_url is not None and in_url[1] != target.region:
        return "fault", (
            f"the target is in {in_url[1]} and AWS is asked in {target.region}: export AWS_REGION={in_url[1]}"
        )
    if target.region != scenario.region:
        return "unknown", (
            f"the target is in {target.region}; prices and quotas of the forecast are those of {scenario.region}, "
            "the scenario's region"
        )
    return "ok", f"{target.region}, as the scenario's prices"


def throughput(limits: Mapping[str, float], forecast: Forecast) -> Found:
    """DescribeLimits' answer against the forecast's peaks: one table with its indexes, and what is provisioned."""
    over, most = [], 0.0
    for kind, name in (("read", "Read"), ("write", "Write")):
        table_limit, account_limit = (limits[f"{scope}Max{name}CapacityUnits"] for scope in ("Table", "Account"))
        each = [getattr(resource, kind) for resource in forecast.resources]
        peak = sum(one.peak_units_per_s for one in each)
        provisioned = sum(one.provisioned_units_per_s or 0.0 for one in each)
        most = max(most, peak / table_limit, provisioned / account_limit)
        if peak > table_limit:
            over.append(f"{peak:,.0f} {kind} units/s of at most {table_limit:,.0f} for a table with its indexes")
        if provisioned > account_limit:
            over.append(f"{provisioned:,.0f} provisioned {kind} units/s of at most {account_limit:,.0f} of the account")
    if over:
        return "fault", "; ".join(over)
    return "ok", f"DynamoDB's quotas of the account are used to {most:.1%} at the peak"


def appsync(quotas: Sequence[Mapping[str, Any]], forecast: Forecast) -> Found:
    """Service Quotas' answer for AppSync against the forecast's peaks."""
    over, unknown, most = [], [], 0.0
    peaks = {limit.name: limit for limit in forecast.limits if limit.resource == "AppSync"}
    for words, name in _APPSYNC_QUOTAS.items():
        limit = peaks.get(name)
        if limit is None:
            continue  # nothing of the kind is sent
        named = [
            each for each in quotas if words in each["QuotaName"].lower() and "event" not in each["QuotaName"].lower()
        ]
        if not named:
            unknown.append(f"{name} (default {limit.limit:,.0f} {limit.unit})")
            continue
        value = min(float(each["Value"]) for each in named)
        most = max(most, limit.peak / value)
        if limit.peak > value:
            over.append(f"{limit.peak:,.0f} of {value:,.0f} {limit.unit}, {named[0]['QuotaName']}")
    if over:
        return "fault", "; ".join(over)
    if unknown:
        return "unknown", f"Service Quotas names none of AppSync for {'; '.join(unknown)}"
    return "ok", f"AppSync's quotas of the account are used to {most:.1%} at the peak"


def may_measure(cloudwatch: Any, table_name: str) -> None:
    """Ask what `meshcap metrics` will ask. Raises botocore's ClientError where the permission is missing."""
    now = time.time()
    dimensions = [{"Name": "TableName", "Value": table_name}]
    metric = {"Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits", "Dimensions": dimensions}
    query = {"Id": "q0", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}}
    cloudwatch.get_metric_data(MetricDataQueries=[query], StartTime=now - 300, EndTime=now)
