"""A run tells Prometheus how it goes, and the last word agrees with its record."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.free_port import free_port


def sums(text: str) -> dict[str, float]:
    """Counters and gauges, each summed over its labels."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[sample.name] = found.get(sample.name, 0.0) + sample.value
    return found


@pytest.mark.parametrize("workers", [(), ("--", "--processes", "2")], ids=["one process", "two workers"])
def test_what_is_scraped_grows_to_what_is_recorded(workplace: Path, workers: tuple[str, ...]) -> None:
    port = free_port()
    clean = {name: value for name, value in os.environ.items() if name not in ("AWS_ENDPOINT_URL", "MESHCAP_API_KEY")}
    run = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "run", "brief", "--metrics-port", str(port), *workers],
        cwd=workplace,
        env=clean,
        stdout=subprocess.PIPE,
        text=True,
    )
    scrapes: list[dict[str, float]] = []
    while run.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                scrapes.append(sums(answer.read().decode()))
        except (urllib.error.URLError, OSError):
            pass  # not there yet, or not any more
        time.sleep(0.3)
    assert run.stdout
    run_dir = workplace / Path(run.stdout.read().strip().splitlines()[-1]).parent
    recorded = pq.read_metadata(run_dir / "requests.parquet").num_rows
    sent = [each["meshcap_requests_total"] for each in scrapes if each.get("meshcap_requests_total")]
    assert sent, "something was scraped while the run went"
    assert sent == sorted(sent)
    assert 0 < sent[-1] <= recorded
    last = [each for each in scrapes if each.get("meshcap_requests_total")][-1]
    assert last["meshcap_request_intended_duration_seconds_count"] == sent[-1]
    assert last["meshcap_spend_usd"] > 0
    assert last["meshcap_consumed_units_total"] > 0
    assert last["meshcap_deliveries_total"] > 0


def test_a_port_that_is_taken_is_told(workplace: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run(
            [sys.executable, "-m", "meshcap", "run", "brief", "--metrics-port", str(taken.getsockname()[1])],
            cwd=workplace,
            capture_output=True,
            text=True,
            timeout=100,
        )
    assert done.returncode == 104
    assert "--metrics-port" in done.stderr
