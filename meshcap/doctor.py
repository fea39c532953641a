"""Is everything there that a run needs? Each check says what it found, and what to do where it found a fault."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import boto3
import botocore.exceptions as boto_faults
from botocore.config import Config

from capacity.dynamodb.table import Table, from_describe_table
from capacity.forecasting.forecast import Forecast
from capacity.record import Target
from capacity.scenario import Scenario
from capacity.workloads.registry import workload_of
from meshcap import account
from meshcap.stack import explained

CLOCK_SKEW_LIMIT_S = 5.0
"""SigV4 refuses five minutes; a few seconds already shift what CloudWatch says against what was sent."""

State = Literal["ok", "fault", "unknown"]


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    state: State
    message: str


def examine(target: Target, scenario: Scenario, forecast: Forecast, api_key: str) -> Iterator[Finding]:
    """Examine a target for a scenario, one finding after the other. Only reads; the table is not touched."""
    if scenario.workload.name == "mesh":
        yield from _graphql(target, api_key)
    session = _Aws(target)
    if target.kind == "aws":
        yield Finding("region", *account.region(target, scenario))
    yield _guarded("table", lambda: _table(session, target, scenario))
    yield _guarded("metrics", lambda: _metrics(session, target))
    yield _guarded("account", lambda: _throughput(session, forecast), needed=False)
    if target.kind == "aws":  # no emulator has Service Quotas
        yield _guarded("quotas", lambda: _appsync_quotas(session, forecast), needed=False)
    yield from _limits(forecast)


def _guarded(check: str, examine_it: Callable[[], Finding], needed: bool = True) -> Finding:
    """A check's finding, or why AWS did not answer: a fault where a run needs the answer, else something unknown."""
    state: State = "fault" if needed else "unknown"
    try:
        return examine_it()
    except (boto_faults.ClientError, boto_faults.BotoCoreError) as fault:
        service = {"metrics": "cloudwatch", "quotas": "servicequotas"}.get(check, "dynamodb")
        return Finding(check, state, explained(fault, service))


class _Aws:
    """boto3 clients of one target that give up soon."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._config = Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 2})

    def client(self, service: str) -> Any:
        target = self._target
        return boto3.client(
            service, region_name=target.region, endpoint_url=target.aws_endpoint_url, config=self._config
        )


def _graphql(target: Target, api_key: str) -> Iterator[Finding]:
    request = urllib.request.Request(
        target.graphql_url,
        json.dumps({"query": "{ __typename }"}).encode(),
        {"Content-Type": "application/json", "x-api-key": api_key},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            date = answer.headers.get("Date")
            answer.read()
    except urllib.error.HTTPError as fault:
        word = "MESHCAP_API_KEY is not accepted" if fault.code == 401 else "the URL is not one of a GraphQL API"
        yield Finding("GraphQL", "fault", f"{target.graphql_url} answers HTTP {fault.code}: {word}")
        return
    except (urllib.error.URLError, OSError, ValueError) as fault:
        reason = getattr(fault, "reason", fault)
        trust = (
            "; SSL_CERT_FILE names a file of certificates to trust"
            if "CERTIFICATE_VERIFY_FAILED" in str(reason)
            else ""
        )
        yield Finding("GraphQL", "fault", f"{target.graphql_url} does not answer: {reason}{trust}")
        return
    yield Finding("GraphQL", "ok", f"{target.graphql_url} answers and accepts the key")
    if date is None:
        yield Finding("clock", "unknown", "the target tells no time")
        return
    skew_s = time.time() - parsedate_to_datetime(date).timestamp()
    state: State = "ok" if abs(skew_s) <= CLOCK_SKEW_LIMIT_S else "fault"
    yield Finding("clock", state, f"{skew_s:+.0f} s against the target; at most {CLOCK_SKEW_LIMIT_S:.0f} s will do")


def _table(session: _Aws, target: Target, scenario: Scenario) -> Finding:
    answer, workload = session.client("dynamodb").describe_table(TableName=target.table_name), workload_of(scenario)
    there, modelled = from_describe_table(answer), workload.table
    faults = list(_differences(there, modelled))
    if faults:
        return Finding("table", "fault", f"{target.table_name} is not the model's: {'; '.join(faults)}")
    return Finding("table", "ok", f"{target.table_name} has the keys and indexes of layout {workload.layout}")


def _differences(there: Table, modelled: Table) -> Iterator[str]:
    if there.key != modelled.key:
        yield f"its key is {there.key}, expected {modelled.key}"
    indexes = {index.name: index for index in there.indexes}
    for index in modelled.indexes:
        found = indexes.pop(index.name, None)
        if found is None:
            yield f"index {index.name} is missing"
        elif (found.key, found.projection) != (index.key, index.projection):
            yield f"index {index.name} has {found.key}, {found.projection}; expected {index.key}, {index.projection}"
    for name in indexes:
        yield f"index {name} is not in the model, so its units are not forecast"
    if (there.throughput is None) != (modelled.throughput is None):
        modes = {True: "on demand", False: "provisioned"}
        yield f"it is billed {modes[there.throughput is None]}, the scenario says {modes[modelled.throughput is None]}"


def _metrics(session: _Aws, target: Target) -> Finding:
    client = session.client("cloudwatch")
    answer = client.list_metrics(
        Namespace="AWS/DynamoDB", Dimensions=[{"Name": "TableName", "Value": target.table_name}]
    )
    account.may_measure(client, target.table_name)
    if not answer["Metrics"]:
        return Finding("metrics", "unknown", f"CloudWatch has nothing of {target.table_name} yet; a new table has none")
    return Finding("metrics", "ok", f"CloudWatch has {len(answer['Metrics'])} metrics of {target.table_name}")


def _throughput(session: _Aws, forecast: Forecast) -> Finding:
    return Finding("account", *account.throughput(session.client("dynamodb").describe_limits(), forecast))


def _appsync_quotas(session: _Aws, forecast: Forecast) -> Finding:
    pages = session.client("service-quotas").get_paginator("list_service_quotas").paginate(ServiceCode="appsync")
    return Finding("quotas", *account.appsync([each for page in pages for each in page["Quotas"]], forecast))


def _limits(forecast: Forecast) -> Iterator[Finding]:
    reached = [limit for limit in forecast.limits if limit.used >= 1]
    for limit in reached:
        where = f"{limit.name} ({limit.resource})"
        yield Finding(
            "limits", "fault", f"{where}: {limit.peak:,.0f} of {limit.limit:,.0f} {limit.unit} ({limit.source})"
        )
    if not reached:
        first = forecast.first_limit
        yield Finding("limits", "ok", f"none is reached; nearest is {first.name} at {first.used:.0%}")
