"""What a paced request costs the generator in CPU, and whether it holds 3,200 requests a second.

Case "paced request": 100 polling nodes that report eight times a second each, beside as many bare FastHttpUsers that
post the same report; each process reads its own CPU time over the same window. Case "400 nodes x 8/s": the load-test
goal of Mesh v2 with its 12,800 deliveries a second, beside k6 posting at the same rate where k6 is installed. Case
"highest rate", only with --case max: the rate is raised until less than 99 % of the plan is sent, p99 from the intended
start reaches 100 ms, or a delivery is lost.
The sandbox that answers is a process of its own with ample throughput.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import locustfiles
from capacity.record import Generator, read_run
from locustfiles.nodes.operations import body

KEY = "da2-benchmark"
RAMP_S = 5
SCENARIOS = """
version: 1
scenarios:
  paced:
    population: {{groups_per_domain: 1, domains: 25, members_per_group: 3}}
    mode: polling
    settings: {{profile: deployed, data_update_interval: 125ms, polling_interval: 600s}}
    traffic: {{reports: 8/s, event_batches: 0/s, variables_per_report: 2, value: 16B}}
    schedule: {{ramp: {ramp}s, hold: {hold}s, drain: 2s}}
"""
GOAL = """
  at{rate}:
    population: {{domains: 100, groups_per_domain: 1, members_per_group: 3}}
    settings: {{profile: deployed, data_update_interval: 50ms, event_batch_interval: 50ms}}
    traffic: {{reports: {rate}/s, event_batches: {rate}/s, variables_per_report: 2, value: 16B, payload: 64B}}
    schedule: {{ramp: {ramp}s, hold: {hold}s, drain: 5s}}
"""
NODES, GOAL_RATE = 400, 4
"""Nodes of the load-test goal, and its reports, and batches of events, per node and second."""
RATES = (3, 4, 5, 6, 7, 8, 10, 12)


def serve() -> None:
    """The sandbox, until standard input closes."""
    from capacity.dynamodb.table import Throughput
    from sandbox.config import SandboxConfig
    from sandbox.server import Sandbox, run

    def announce(sandbox: Sandbox) -> None:
        print(sandbox.http.port, flush=True)

    run(SandboxConfig(api_keys=(KEY,), throughput=Throughput(200_000, 200_000)), announce, until_stdin_closes=True)


@contextmanager
def sandbox() -> Iterator[str]:
    """The GraphQL URL of a fresh sandbox."""
    # -P: this folder's own graphql.py would hide the library of that name.
    command = [sys.executable, "-P", __file__, "--serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/graphql"
    finally:
        process.stdin.close()
        process.wait(10)


def locust(file: Path, url: str, environment: dict[str, str], *arguments: str) -> str:
    """Run Locust to its end; returns what it printed."""
    command = [sys.executable, "-m", "locust", "-f", str(file), "-H", url, "--headless", "--only-summary"]
    result = subprocess.run(
        [*command, *arguments],
        env=dict(os.environ, MESHCAP_API_KEY=KEY) | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return result.stdout


def ours(url: str, scenario: str, directory: Path) -> tuple[Generator, Path]:
    """One run of our users, and its directory."""
    run_dir = directory / f"{scenario}-{time.monotonic_ns()}"
    mesh = Path(locustfiles.__file__).parent / "mesh.py"
    chosen = {"MESHCAP_SCENARIOS": str(directory / "scenarios.yaml"), "MESHCAP_SCENARIO": scenario}
    locust(mesh, url, chosen | {"MESHCAP_RUN_DIR": str(run_dir)})
    generator = read_run(run_dir).generator
    assert generator is not None
    return generator, run_dir


def bare(url: str, hold_s: int) -> float:
    """Microseconds of CPU per request of bare FastHttpUsers."""
    create = {"name": "benchmark", "hostId": "h", "domain": "benchmark", "useWebSocket": False}
    request = urllib.request.Request(url, body("createGroup", create), {"x-api-key": KEY})
    group = json.load(urllib.request.urlopen(request))["data"]["createGroup"]["id"]
    environment = {
        "BARE_PERIOD_S": "0.125",
        "BARE_RAMP_S": str(RAMP_S),
        "BARE_HOLD_S": str(hold_s),
        "BARE_GROUP": group,
    }
    file = Path(__file__).parent / "peers" / "bare_user.py"
    said = locust(file, url, environment, "-u", "100", "-r", "100", "-t", f"{RAMP_S + hold_s + 2}s")
    window = json.loads(next(line for line in said.splitlines() if line.startswith('{"requests"')))
    return 1e6 * float(window["cpu_s"]) / int(window["requests"])


def k6(url: str, hold_s: int, directory: Path) -> float | None:
    """Share of 3,200 requests/s that k6 holds; None where it is not installed."""
    if shutil.which("k6") is None:
        return None
    script = directory / "k6.js"
    scenario = {"executor": "constant-arrival-rate", "rate": 3200, "timeUnit": "1s", "duration": f"{hold_s}s"}
    options = {"scenarios": {"goal": scenario | {"preAllocatedVUs": 400}}}
    query = json.dumps(body("createDomain", {}).decode())
    script.write_text(
        f'import http from "k6/http"; export const options = {json.dumps(options)};\n'
        f'export default () => http.post("{url}", {query}, {{headers: {{"x-api-key": "{KEY}"}}}});\n'
    )
    summary = directory / "k6.json"
    subprocess.run(["k6", "run", "--quiet", "--summary-export", summary, script], check=True, capture_output=True)
    requests: dict[str, Any] = json.loads(summary.read_text())["metrics"]["http_reqs"]
    return float(requests["count"]) / (3200 * hold_s)


def say(**result: object) -> None:
    """One result: JSON on stdout, a line for people on stderr."""
    print(json.dumps({"benchmark": "generator"} | result), flush=True)
    print("  ".join(f"{name}={value}" for name, value in result.items()), file=sys.stderr, flush=True)


def main() -> None:
    """Run every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="medians over this many rounds")
    parser.add_argument("--hold", type=int, default=10, help="seconds of each measuring window")
    parser.add_argument("--case", choices=("paced", "goal", "max"), help="one case alone")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        scenarios = SCENARIOS + "".join(GOAL.replace("{rate}", str(rate)) for rate in RATES)
        (directory / "scenarios.yaml").write_text(scenarios.format(ramp=RAMP_S, hold=options.hold))
        if options.case in (None, "paced"):
            _paced(directory, options.rounds, options.hold)
        if options.case in (None, "goal"):
            _goal(directory, options.hold)
        if options.case == "max":
            _max(directory)


def _paced(directory: Path, rounds: int, hold_s: int) -> None:
    measured: list[float] = []
    peers: list[float] = []
    for _ in range(rounds):
        with sandbox() as url:
            generator, _ = ours(url, "paced", directory)
            assert generator.cpu_mean_percent is not None
            measured.append(generator.cpu_mean_percent / 100 * hold_s / generator.sent_requests * 1e6)
            peers.append(bare(url, hold_s))
    mine, peer = statistics.median(measured), statistics.median(peers)
    say(
        case="paced request",
        unit="us CPU per request",
        ours=round(mine, 1),
        peer="bare FastHttpUser",
        peers=round(peer, 1),
        ratio=round(mine / peer, 2),
        goal=1.3,
        met=mine / peer <= 1.3,
    )


def _goal(directory: Path, hold_s: int) -> None:
    with sandbox() as url:
        generator, _ = ours(url, f"at{GOAL_RATE}", directory)
        peer = k6(url, hold_s, directory)
    achieved, lateness_ms = generator.achieved, generator.lateness_p99_ms
    say(
        case="400 nodes x 8/s, achieved",
        unit="share of the plan",
        ours=round(achieved, 4),
        peer="k6" if peer is not None else "k6 is not installed",
        peers=peer,
        ratio=round(achieved / peer, 3) if peer else None,
        goal=0.99,
        met=achieved >= 0.99,
    )
    say(
        case="400 nodes x 8/s, lateness p99",
        unit="ms",
        ours=lateness_ms,
        peer=None,
        peers=None,
        ratio=None,
        goal=50.0,
        met=lateness_ms is not None and lateness_ms < 50,
    )


def _max(directory: Path) -> None:
    held = 0
    for rate in RATES:
        with sandbox() as url:
            generator, run_dir = ours(url, f"at{rate}", directory)
        p99_ms, lost = _judged(run_dir)
        print(f"{2 * rate * NODES}/s: {generator.achieved:.1%}, p99 {p99_ms:.0f} ms, {lost} lost", file=sys.stderr)
        if generator.achieved < 0.99 or p99_ms >= 100 or lost:
            break
        held = 2 * rate * NODES
    say(
        case="highest rate held",
        unit="requests/s, each to four receivers",
        ours=held,
        peer=None,
        peers=None,
        ratio=None,
        goal=4800,
        met=held >= 4800,
    )


def _judged(run_dir: Path) -> tuple[float, int]:
    """p99 from the intended start within the window, in ms, and how many deliveries were lost."""
    record, requests = read_run(run_dir), pq.read_table(run_dir / "requests.parquet").to_pandas()
    window = requests["intended_start"].between(record.measuring_from, record.measuring_until)
    deliveries = pq.read_table(run_dir / "deliveries.parquet", columns=["lost", "lost_after_ack"]).to_pandas()
    return float(requests.loc[window, "intended_latency_ms"].quantile(0.99)), int(deliveries.to_numpy().sum())


if __name__ == "__main__":
    main()
