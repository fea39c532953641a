"""Every query of the Grafana dashboard, asked of a real Prometheus that scrapes a real run."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

import pytest

from capacity.exit_codes import ExitCode
from tests.free_port import free_port
from tests.loop.prometheus_server import CONFIG, PROMETHEUS, PROMTOOL, scraping

DASHBOARD = json.loads((CONFIG.parent / "meshcap.json").read_text(encoding="utf-8"))
QUERIES = [
    (f"{panel['title']}: {target['refId']}", target) for panel in DASHBOARD["panels"] for target in panel["targets"]
]
pytestmark = pytest.mark.skipif(
    PROMETHEUS is None or PROMTOOL is None,
    reason="prometheus and promtool are not installed (apt-get install prometheus)",
)

# Hosts arrive within eight seconds, several scrapes long, so that what each sends once falls between two of them.
SCENARIO = """\
version: 1
scenarios:
  small-table:
    description: Two groups on a table that refuses
    population: {groups_per_domain: 4, members_per_group: 3}
    traffic: {reports: 4/s, event_batches: 1/s}
    settings: {data_update_interval: 250ms}
    schedule: {ramp: 8s, hold: 12s, drain: 1s}
    billing:
      table: {read: 1, write: 1}
      indexes: {GroupIdIndex: {read: 1, write: 1}, GroupNameIndex: {read: 1, write: 1}}
"""


@dataclass(frozen=True)
class Watched:
    """What is left of a run that was watched: each query's series, and the last scrape."""

    series: dict[str, list[dict[str, Any]]]
    exposition: str


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    folder = tmp_path_factory.mktemp("watched")
    (folder / "scenarios.yaml").write_text(SCENARIO, encoding="utf-8")
    port, text = free_port(), ""
    clean = {name: value for name, value in os.environ.items() if name not in ("AWS_ENDPOINT_URL", "MESHCAP_API_KEY")}
    with scraping(f"127.0.0.1:{port}", folder) as prometheus, (folder / "talk.txt").open("w") as talk:
        start_s = time.time()
        run = subprocess.Popen(
            [sys.executable, "-m", "meshcap", "run", "small-table", "--metrics-port", str(port), "--max-usd", "1"],
            cwd=folder,
            env=clean,
            stdout=subprocess.DEVNULL,
            stderr=talk,
        )
        while run.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                    text = answer.read().decode()
            except (urllib.error.URLError, OSError):
                pass  # not there yet, or not any more
            time.sleep(1)
        end_s = time.time()
        if run.returncode not in (ExitCode.OK, ExitCode.NOT_VALID):  # which a busy machine makes of a run
            pytest.fail((folder / "talk.txt").read_text())
        series = {name: prometheus.series(_query(target), start_s, end_s) for name, target in QUERIES}
    return Watched(series, text)


def _query(target: dict[str, Any]) -> str:
    """A panel's query as Grafana sends it: with the window in place of its variable, here four scrapes."""
    return str(target["expr"]).replace("$__rate_interval", "8s")


@pytest.mark.parametrize(("name", "target"), QUERIES, ids=[name for name, _ in QUERIES])
def test_a_query_of_the_dashboard_draws_something(watched: Watched, name: str, target: dict[str, Any]) -> None:
    found = watched.series[name]
    assert found, "no series"
    wanted = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
    for each in found:
        assert wanted <= each["metric"].keys(), "the legend names labels that the series have"
    legends = [tuple(each["metric"].get(label) for label in sorted(wanted)) for each in found]
    assert len(set(legends)) == len(legends), "each series has a legend of its own"
    numbers = [float(value) for each in found for _, value in each["values"]]
    assert any(map(math.isfinite, numbers)), "nothing but NaN"


def test_what_flows_is_more_than_nothing(watched: Watched) -> None:
    for name in ("Requests, sent and planned: A", "Throttles and errors: A", "Deliveries: A"):
        assert max(float(value) for each in watched.series[name] for _, value in each["values"]) > 0, name
    operations = watched.series["Requests by operation: A"]
    created = next(each for each in operations if each["metric"]["operation"] == "createGroup")
    assert max(float(value) for _, value in created["values"]) > 0, "what is sent once shows, too"


def test_promtool_finds_nothing_wrong_with_the_exposition(watched: Watched) -> None:
    assert PROMTOOL
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=watched.exposition, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_promtool_takes_the_configuration() -> None:
    assert PROMTOOL
    done = subprocess.run([PROMTOOL, "check", "config", str(CONFIG)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
