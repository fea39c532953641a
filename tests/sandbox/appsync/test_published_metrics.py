"""What the sandbox publishes is what a run asks for: AWS's names, dimensions and units."""

from __future__ import annotations

from typing import Any

from capacity.measurement.metric_catalogue import catalogue
from sandbox.appsync.metrics import AppSyncMetrics, LambdaMetrics

# AppSync developer guide, "Monitoring", GraphQL metrics (read 2026-11): those of them that a sandbox has a reason for.
REAL_TIME = {
    "ConnectRequests", "ConnectSuccess", "ConnectClientError", "DisconnectSuccess", "SubscribeSuccess",
    "SubscribeClientError", "UnsubscribeSuccess", "UnsubscribeClientError", "PublishDataMessageSuccess",
    "PublishDataMessageClientError", "PublishDataMessageSize", "ActiveConnections", "ActiveSubscriptions",
    "ConnectionDuration", "InboundMessageSuccess", "InboundMessageDelayed", "InboundMessageDropped",
    "OutboundMessages",
}  # fmt: skip
HTTP = {"4XXError", "5XXError", "Latency", "Requests", "TokensConsumed"}
UNITS = {"Latency": "Milliseconds", "ConnectionDuration": "Milliseconds", "PublishDataMessageSize": "Bytes"}


class Sink:
    """Notes which series are asked for."""

    def __init__(self) -> None:
        self.units: dict[tuple[str, str], str] = {}

    def series(self, namespace: str, metric: str, dimensions: tuple[tuple[str, str], ...], unit: str) -> Any:
        assert [name for name, _ in dimensions] == ["GraphQLAPIId" if namespace == "AWS/AppSync" else "FunctionName"]
        self.units[namespace, metric] = unit


def test_every_metric_of_the_sandbox_has_its_name_and_unit_on_aws_and_is_asked_for_by_a_run() -> None:
    sink = Sink()
    AppSyncMetrics(sink, "api")
    LambdaMetrics(sink, "function")
    api = {metric: unit for (namespace, metric), unit in sink.units.items() if namespace == "AWS/AppSync"}
    assert api == {metric: UNITS.get(metric, "Count") for metric in REAL_TIME | HTTP}
    known = catalogue()
    assert {key: known[key].unit for key in sink.units} == sink.units
