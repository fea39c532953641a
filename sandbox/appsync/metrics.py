"""CloudWatch metrics of AWS/AppSync and AWS/Lambda, with AWS's names, dimensions and units.

Source: AppSync developer guide, "Monitoring" (read 2026-11); Lambda developer guide, "Types of metrics" (read 2026-11).
"""

from __future__ import annotations

from typing import Any, Protocol

METERED_MESSAGE_BYTES = 5_000  # one metered message is 5 kB delivered


class SeriesLike(Protocol):
    """One metric with its dimensions."""

    def add(self, value: float, count: float = 1) -> None: ...


class MetricSink(Protocol):
    """Where series come from."""

    def series(self, namespace: str, metric: str, dimensions: tuple[tuple[str, str], ...], unit: str) -> Any: ...


class AppSyncMetrics:
    """The series of one API, as attributes in Python spelling."""

    def __init__(self, sink: MetricSink, api_id: str) -> None:
        dimensions = (("GraphQLAPIId", api_id),)

        def series(metric: str, unit: str = "Count") -> SeriesLike:
            handle: SeriesLike = sink.series("AWS/AppSync", metric, dimensions, unit)
            return handle

        self.requests = series("Requests")
        self.tokens_consumed = series("TokensConsumed")
        self.latency = series("Latency", "Milliseconds")
        self.client_error = series("4XXError")
        self.server_error = series("5XXError")
        self.connect_requests = series("ConnectRequests")
        self.connect_success = series("ConnectSuccess")
        self.connect_client_error = series("ConnectClientError")
        self.disconnect_success = series("DisconnectSuccess")
        self.subscribe_success = series("SubscribeSuccess")
        self.subscribe_client_error = series("SubscribeClientError")
        self.unsubscribe_success = series("UnsubscribeSuccess")
        self.unsubscribe_client_error = series("UnsubscribeClientError")
        self.publish_success = series("PublishDataMessageSuccess")
        self.publish_client_error = series("PublishDataMessageClientError")
        self.publish_size = series("PublishDataMessageSize", "Bytes")
        self.inbound_success = series("InboundMessageSuccess")
        self.inbound_delayed = series("InboundMessageDelayed")
        self.inbound_dropped = series("InboundMessageDropped")
        self.outbound_messages = series("OutboundMessages")
        self.active_connections = series("ActiveConnections")
        self.active_subscriptions = series("ActiveSubscriptions")
        self.connection_duration = series("ConnectionDuration", "Milliseconds")


class LambdaMetrics:
    """Invocations and errors of one function."""

    def __init__(self, sink: MetricSink, function_name: str) -> None:
        dimensions = (("FunctionName", function_name),)
        self._invocations = sink.series("AWS/Lambda", "Invocations", dimensions, "Count")
        self._errors = sink.series("AWS/Lambda", "Errors", dimensions, "Count")
        self._throttles = sink.series("AWS/Lambda", "Throttles", dimensions, "Count")
        self._concurrent = sink.series("AWS/Lambda", "ConcurrentExecutions", dimensions, "Count")
        self._duration = sink.series("AWS/Lambda", "Duration", dimensions, "Milliseconds")

    def invoked(self, duration_ms: float, failed: bool) -> None:
        """Count one invocation; Lambda writes 0 errors for a success."""
        self._invocations.add(1)
        self._errors.add(1 if failed else 0)
        self._duration.add(round(duration_ms, 2))

    def throttled(self) -> None:
        """Count one refusal; it is not an invocation."""
        self._throttles.add(1)

    def concurrent(self, executions: int) -> None:
        """Record how many run at this moment."""
        self._concurrent.add(executions)
