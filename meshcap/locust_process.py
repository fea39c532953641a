"""Locust as a process of its own, started as anyone would start it, with the plan and the key in its environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import locustfiles
from capacity.record import Target

LOCUSTFILE = Path(locustfiles.__file__).parent / "mesh.py"


def run_locust(
    *,
    target: Target,
    scenario_file: Path,
    scenario: str,
    run_dir: Path,
    api_key: str,
    extra_arguments: list[str],
    on_tick: Callable[[float], None],
) -> bool:
    """Run the scenario against the target; everything Locust says goes to locust.log in the run directory.

    `on_tick` is told the seconds since the start, a few times a second. On Ctrl-C the load is asked to stop, which
    dissolves its groups and writes its record; on a second Ctrl-C it is killed. Returns whether it was interrupted.
    """
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "-H", target.graphql_url]
    environment = dict(
        os.environ,
        MESHCAP_SCENARIOS=str(scenario_file),
        MESHCAP_SCENARIO=scenario,
        MESHCAP_RUN_DIR=str(run_dir),
        MESHCAP_API_KEY=api_key,
    )
    with (run_dir / "locust.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [*command, *extra_arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    return _wait(process, on_tick)


def _wait(process: subprocess.Popen[bytes], on_tick: Callable[[float], None]) -> bool:
    started, interrupts = time.monotonic(), 0
    while True:
        try:
            process.wait(0.25)
            return interrupts > 0
        except subprocess.TimeoutExpired:
            on_tick(time.monotonic() - started)
        except KeyboardInterrupt:
            interrupts += 1
            os.killpg(process.pid, signal.SIGINT if interrupts == 1 else signal.SIGKILL)
