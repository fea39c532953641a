"""The network between generator and target fails; the run goes on, counts what it lost, and says so."""

from __future__ import annotations

import json
import time
import urllib.request

import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Sandbox, Start
from tests.faults.proxy import Proxy, proxy_to


def reset(proxy: Proxy) -> None:
    assert proxy.reset_all() >= 6


def refuse(proxy: Proxy) -> None:
    proxy.refuse()
    time.sleep(1)
    proxy.accept()


def swallow(proxy: Proxy) -> None:
    """Everything vanishes for two seconds, then the connections break."""
    proxy.swallow(2)
    time.sleep(1.9)
    proxy.reset_all()


def wait_for_websockets(sandbox: Sandbox, number: int) -> None:
    """Until so many nodes listen: on a busy machine the last ones come late."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"{sandbox.info['url']}/_sandbox/health", timeout=10) as answer:
            if json.load(answer)["websockets"] == number:
                return
        time.sleep(0.05)
    pytest.fail(f"{number} WebSockets were not there within 60 s")


@pytest.mark.parametrize("fault", [reset, refuse, swallow])
def test_a_broken_network_costs_what_was_under_way_and_the_nodes_come_back(
    start: Start, sandbox: Sandbox, fault
) -> None:
    with proxy_to(sandbox.info["graphql_url"]) as (proxy, url):
        run = start("brief", *sandbox.options(url), **sandbox.environment())
        run.wait_for_load()
        wait_for_websockets(sandbox, 6)
        before = proxy.accepted
        fault(proxy)
        outcome = run.over()
        assert proxy.accepted > before, "they connected again"
    outcome.assert_in_order(ExitCode.THRESHOLD_FAILED, ExitCode.OK)
    generator = outcome.record.generator
    assert generator is not None
    assert any(note.startswith("WebSocket lost") for note in generator.notes), generator.notes
    assert outcome.outcomes()[-1] == "ok"


def test_a_slow_network_shows_in_latency_and_in_nothing_else(start: Start, sandbox: Sandbox) -> None:
    with proxy_to(sandbox.info["graphql_url"]) as (proxy, url):
        run = start("brief", *sandbox.options(url), **sandbox.environment())
        run.wait_for_load()
        proxy.slow_down(0.15)
        outcome = run.over()
    outcome.assert_in_order(ExitCode.OK)
    assert set(outcome.outcomes()) == {"ok"}
    import pyarrow.parquet as pq

    latency_ms = pq.read_table(outcome.run_dir / "requests.parquet")["latency_ms"].to_pylist()
    assert max(latency_ms) > 300, "150 ms there and 150 ms back"


def test_nobody_at_the_target_from_the_start(start: Start, sandbox: Sandbox) -> None:
    run = start("brief", *sandbox.options("http://127.0.0.1:9/graphql"), **sandbox.environment())
    outcome = run.over()
    outcome.assert_in_order(ExitCode.NOT_VALID)
    assert "no node got into its group" in outcome.stderr
    assert set(outcome.outcomes()) == {"error"}


def test_half_of_the_websockets_are_cut_at_once(start: Start, sandbox: Sandbox) -> None:
    run = start("brief", *sandbox.options(), **sandbox.environment())
    run.wait_for_load()
    wait_for_websockets(sandbox, 6)
    assert switch(sandbox, {"cut_websockets": 0.5})["cut_websockets"] == 3
    outcome = run.over()
    outcome.assert_in_order(ExitCode.OK, ExitCode.THRESHOLD_FAILED)
    generator = outcome.record.generator
    assert generator is not None
    assert any(note.startswith("WebSocket lost") and note.endswith(": 3 times") for note in generator.notes)
    assert set(outcome.outcomes()) == {"ok"}, "mutations do not travel by WebSocket"


def switch(sandbox: Sandbox, faults: dict[str, object]) -> dict[str, int]:
    request = urllib.request.Request(
        f"{sandbox.info['url']}/_sandbox/faults",
        json.dumps(faults).encode(),
        {"x-api-key": sandbox.environment()["MESHCAP_API_KEY"]},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return dict(json.load(answer))


def test_cloudwatch_refuses_and_the_run_is_reported_without_it(start: Start, sandbox: Sandbox) -> None:
    switch(sandbox, {"cloudwatch": {"denied": True}})
    try:
        outcome = start("brief", *sandbox.options(), **sandbox.environment()).over()
    finally:
        switch(sandbox, {"cloudwatch": {}})
    outcome.assert_in_order(ExitCode.TARGET_UNREACHABLE)
    assert "cloudwatch:GetMetricData" in outcome.stderr
    assert "meshcap metrics" in outcome.stderr, "how to measure it later"


def test_dynamodb_throttles_nearly_everything(start: Start) -> None:
    outcome = start("starved").over()
    outcome.assert_in_order(ExitCode.THRESHOLD_FAILED)
    generator = outcome.record.generator
    assert generator is not None
    assert any("ProvisionedThroughputExceededException" in note for note in generator.notes)
    outcomes = outcome.outcomes()
    assert outcomes.count("refused") > len(outcomes) / 4
    assert "error" not in outcomes, "a throttle is an answer"
