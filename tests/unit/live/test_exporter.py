"""What Prometheus is told of a live run, and that the dashboard asks for nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from capacity.forecasting.forecast import Forecast, forecast
from capacity.scenario import load_scenarios
from locustfiles.live.exporter import RunCollector
from locustfiles.live.state import Health, Live
from tests.unit.live.test_watch import added, answers, refused

ROOT = Path(__file__).parents[3]
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module")
def plan() -> Forecast:
    return forecast(load_scenarios(ROOT / "scenarios.yaml")["smoke"])


def scrape(plan: Forecast | None, **state: Any) -> Samples:
    """What a scrape of a run in this state reads."""
    registry = CollectorRegistry()
    live = SimpleNamespace(state=Live(**state), forecast=plan, max_usd=None)
    registry.register(RunCollector(live))  # type: ignore[arg-type]
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def one(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


def test_requests_are_told_by_what_became_of_them(plan: Forecast) -> None:
    found = scrape(plan, total=added(answers(60), refused(40)))
    operation = "reportDataByNode"
    assert one(found, "meshcap_requests_total", operation=operation, outcome="ok") == 60
    assert one(found, "meshcap_requests_total", operation=operation, outcome="refused") == 40
    assert one(found, "meshcap_requests_total", operation=operation, outcome="error") == 0
    assert one(found, "meshcap_throttles_total", operation=operation) == 40


def test_a_planned_operation_is_there_before_its_first_request(plan: Forecast) -> None:
    found = scrape(plan)
    assert one(found, "meshcap_requests_total", operation="createGroup", outcome="ok") == 0
    assert one(found, "meshcap_request_intended_duration_seconds_count", operation="createGroup") == 0


def test_a_histogram_is_cumulative_and_ends_with_everything(plan: Forecast) -> None:
    found = scrape(plan, total=added(answers(3, latency_ms=2.0), answers(5, latency_ms=700.0)))
    name, of = "meshcap_request_intended_duration_seconds", {"operation": "reportDataByNode"}
    buckets = {
        float(dict(labels)["le"]): value
        for (metric, labels), value in found.items()
        if metric == f"{name}_bucket" and of.items() <= dict(labels).items()
    }
    counts = [buckets[edge] for edge in sorted(buckets)]
    assert counts == sorted(counts)
    assert max(value for edge, value in buckets.items() if edge < 0.1) == 3
    assert buckets[1.0] == 8
    assert buckets[float("inf")] == one(found, f"{name}_count", **of) == 8
    assert one(found, f"{name}_sum", **of) == pytest.approx(3 * 0.002 + 5 * 0.7)
    assert one(found, "meshcap_request_duration_seconds_sum", **of) == pytest.approx((3 * 0.002 + 5 * 0.7) / 2)


def test_the_forecast_is_that_of_the_present_second(plan: Forecast) -> None:
    second = int(plan.hold_from_s) + 2
    found = scrape(plan, elapsed_s=second + 0.9)
    for each in plan.operations:
        sent = one(found, "meshcap_forecast_requests_per_second", operation=each.name)
        assert sent == each.requests_per_s[second], each.name
    assert one(found, "meshcap_forecast_spend_usd") == pytest.approx(plan.cost.run_usd)


def test_what_is_not_known_is_absent_and_not_zero(plan: Forecast) -> None:
    found = scrape(plan)
    names = {name for name, _ in found}
    assert "meshcap_elapsed_seconds" not in names, "no run is on"
    assert "meshcap_forecast_requests_per_second" not in names
    assert "meshcap_max_usd" not in names, "nothing limits the spend"
    found = scrape(plan, health={"worker0": Health(cpu_ratio=0.25)})
    assert one(found, "meshcap_generator_cpu_ratio", worker="worker0") == 0.25
    assert "meshcap_generator_lateness_p99_seconds" not in {name for name, _ in found}


def exported(plan: Forecast) -> set[str]:
    """Every metric name that a scrape may hold, as PromQL writes it."""
    live = SimpleNamespace(state=Live(), forecast=plan, max_usd=None)
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    return {
        family.name + suffix
        for family in RunCollector(live).collect()  # type: ignore[arg-type]
        for suffix in suffixes[family.type]
    }


def test_the_dashboard_asks_for_metrics_that_there_are(plan: Forecast) -> None:
    dashboard = json.loads((ROOT / "deploy" / "grafana" / "meshcap.json").read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\bmeshcap_\w+", target["expr"])
    }
    assert asked <= exported(plan)
    unasked = {name for name in exported(plan) - asked if not name.endswith(("_sum", "_count"))}
    assert unasked == set(), "and shows all of them"


def test_the_compose_files_fit_together() -> None:
    deploy = ROOT / "deploy"
    metrics = yaml.safe_load((deploy / "compose.metrics.yaml").read_text())["services"]
    [scraped] = yaml.safe_load((deploy / "grafana" / "prometheus.yaml").read_text())["scrape_configs"]
    assert scraped["static_configs"][0]["targets"] == [
        f"master:{metrics['master']['environment']['MESHCAP_METRICS_PORT']}"
    ]
    assert (
        metrics.keys() - {"prometheus", "grafana"}
        <= yaml.safe_load((deploy / "compose.yaml").read_text())["services"].keys()
    )
    for service in metrics.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        for volume in service.get("volumes", []):
            assert (deploy / volume.split(":")[0]).exists(), volume
    [source] = yaml.safe_load((deploy / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]
    dashboard = json.loads((deploy / "grafana" / "meshcap.json").read_text())
    assert dashboard["templating"]["list"][0]["current"]["value"] == source["uid"]
    scrape_interval = yaml.safe_load((deploy / "grafana" / "prometheus.yaml").read_text())["global"]["scrape_interval"]
    assert source["jsonData"]["timeInterval"] == scrape_interval, "or a rate spans fewer than two scrapes"


def test_the_page_lists_every_metric(plan: Forecast) -> None:
    live = SimpleNamespace(state=Live(), forecast=plan, max_usd=None)
    page = (ROOT / "docs" / "live.md").read_text()
    for family in RunCollector(live).collect():  # type: ignore[arg-type]
        name = family.name + ("_total" if family.type == "counter" else "")
        labels = ", ".join(family._labelnames)  # type: ignore[attr-defined]
        assert f"| `{name}` | {family.type} | {labels} | {family.documentation} |" in page
