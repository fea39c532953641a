"""Locust's own `--otel` works with a run: its metrics come to a collector, here one on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pyarrow.parquet as pq
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from tests.loop.conftest import Meshcap


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """An address that takes OTLP over HTTP, and the bodies that came to /v1/metrics."""
    bodies: list[bytes] = []

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/metrics":
                bodies.append(body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Taker) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", bodies
        server.shutdown()


def test_every_request_of_a_run_is_in_locusts_histogram(meshcap: Meshcap, workplace: Path) -> None:
    with collector() as (address, bodies):
        done = meshcap(
            *("run", "brief", "--", "--otel"),
            OTEL_EXPORTER_OTLP_ENDPOINT=address,
            OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
            OTEL_EXPORTER_OTLP_COMPRESSION="none",
            OTEL_METRIC_EXPORT_INTERVAL="1000",
            OTEL_TRACES_EXPORTER="none",
            OTEL_LOGS_EXPORTER="none",
        )
    assert done.returncode == 0, done.stderr
    run_dir = workplace / Path(done.stdout.strip().splitlines()[-1]).parent
    operations = pq.read_table(run_dir / "requests.parquet", columns=["operation"])["operation"].to_pylist()
    last: dict[str, int] = {}
    for body in bodies:
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
                for point in metric.histogram.data_points if metric.name == "locust.client.duration" else ():
                    name = next(each.value.string_value for each in point.attributes if each.key == "name")
                    last[name] = max(last.get(name, 0), point.count)
    assert last.keys() == set(operations)
    assert sum(last.values()) == len(operations)
