"""Metrics of a live run for Prometheus: whether they can be served, and how the load generator is told to."""

from __future__ import annotations

from importlib.util import find_spec


def exporter_faults(port: int | None) -> list[str]:
    """Why metrics cannot be served, if they are wanted."""
    if port is None or find_spec("prometheus_client") is not None:
        return []
    return ["--metrics-port needs the package prometheus-client: pip install prometheus-client"]


def metrics_environment(port: int | None) -> dict[str, str]:
    """The generator's settings; the address stays loopback unless MESHCAP_METRICS_HOST says otherwise."""
    return {} if port is None else {"MESHCAP_METRICS_PORT": str(port)}
