"""A real Prometheus on loopback, configured as deploy/ does, for tests that ask it questions."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.free_port import free_port

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
CONFIG = Path(__file__).parents[2] / "deploy/grafana/prometheus.yaml"


@dataclass(frozen=True)
class Prometheus:
    """Where one listens."""

    url: str

    def ask(self, path: str, **parameters: str) -> Any:
        """The data of an answer of the HTTP API; raises AssertionError for an error, with what it says."""
        asked = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:
                content = json.loads(answer.read())
        except urllib.error.HTTPError as fault:
            raise AssertionError(fault.read().decode()) from None
        assert content["status"] == "success"
        return content["data"]

    def series(self, query: str, start_s: float, end_s: float) -> list[dict[str, Any]]:
        """What a panel draws of a query: series with `metric` (labels) and `values` ([time, text])."""
        found = self.ask("query_range", query=query, start=str(start_s), end=str(end_s), step="1")
        assert found["resultType"] == "matrix"
        return list(found["result"])


@contextmanager
def scraping(target: str, folder: Path) -> Iterator[Prometheus]:
    """Prometheus with the configuration of deploy/, scraping another target, until the block ends."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    assert PROMETHEUS
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={folder / 'prometheus.yaml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={address}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        _wait_until_ready(f"http://{address}/-/ready", process, folder / "prometheus.log")
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"Prometheus is not ready: {log.read_text()}")
