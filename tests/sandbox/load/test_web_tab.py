"""The tab in Locust's web interface, in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.parse
import urllib.request

import pytest
from load_run import Load, Sandbox

from tests.free_port import free_port


def call(url: str, form: dict[str, str] | None = None) -> dict[str, object]:
    data = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(url, data, timeout=10) as answer:
        content: dict[str, object] = json.load(answer)
    return content


@pytest.mark.browser
def test_forecast_and_measured_stand_side_by_side_while_a_run_is_on(load: Load, sandbox: Sandbox) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    port = str(free_port())
    address = f"http://127.0.0.1:{port}"
    process = load.start(
        "long", "--web-host", "127.0.0.1", "--web-port", port, headless=False, MESHCAP_TABLE=sandbox.table_name,
        AWS_ENDPOINT_URL=sandbox.url, AWS_ACCESS_KEY_ID="sandbox", AWS_SECRET_ACCESS_KEY="sandbox",
    )  # fmt: skip
    try:
        _wait_for(f"{address}/stats/requests")
        call(f"{address}/swarm", {"host": sandbox.graphql_url})
        load.wait_until_busy(25)  # CloudWatch's first whole period of ten seconds has been read by then
        (tab,) = call(f"{address}/stats/requests")["extended_stats"]  # type: ignore[misc]
        rows = {row["name"]: row for row in tab["data"]}
        assert float(rows["reportDataByNode"]["measured"]) == pytest.approx(30, abs=10)
        assert float(rows["reportDataByNode"]["forecast"]) == pytest.approx(30, abs=3)
        assert float(rows["deliveries"]["measured"]) > 100
        # Each report writes one unit to the table: what CloudWatch says is near what was forecast.
        written = rows["table, write"]
        assert float(written["measured"]) == pytest.approx(float(written["forecast"]), rel=0.3)
        page = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--dump-dom",
             f"{address}/?tab=mesh"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout  # fmt: skip
        for text in ("Mesh v2", "Forecast now", "GroupIdIndex, write", "reportDataByNode"):
            assert text in page
    finally:
        os.killpg(process.pid, signal.SIGINT)
        load.end(process)
    assert sandbox.items() == []


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            call(url)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{url} did not answer")
