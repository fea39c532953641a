"""Locust as a process of its own, started as anyone would start it, with the plan and the key in its environment."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import locustfiles
from capacity.exit_codes import ExitCode
from capacity.record import Target
from meshcap.errors import UserError
from meshcap.interrupts import interrupts_counted, interrupts_held_back

LOCUSTFILES = Path(locustfiles.__file__).parent
"""One for each workload, of its name."""
_LOOK_EVERY_S, _ASK_AGAIN_S = 0.25, 2.0
_WORKERS_LEAVE_S = 15.0
"""What workers have to leave their groups after their master died."""


def run_locust(
    *,
    target: Target,
    scenario_file: Path,
    scenario: str,
    workload: str,
    run_dir: Path,
    api_key: str,
    extra_arguments: list[str],
    options: dict[str, str],
    on_tick: Callable[[float], None],
) -> bool:
    """Run the scenario against the target; everything Locust says goes to locust.log in the run directory.

    `options` are further settings of the generator, by their environment variables. `on_tick` is told the seconds since
    the start, a few times a second. On Ctrl-C the load is asked to stop, which dissolves its groups and writes its
    record; on a second Ctrl-C it is killed. None of its processes is left when this returns. Returns whether it was
    interrupted. Raises UserError when Locust refuses its arguments.
    """
    locustfile = LOCUSTFILES / f"{workload}.py"
    command = [sys.executable, "-m", "locust", "-f", str(locustfile), "--headless", "-H", target.graphql_url]
    environment = dict(
        os.environ,
        MESHCAP_SCENARIOS=str(scenario_file),
        MESHCAP_SCENARIO=scenario,
        MESHCAP_RUN_DIR=str(run_dir),
        MESHCAP_API_KEY=api_key,
        MESHCAP_TABLE=target.table_name,
        MESHCAP_SUPERVISED="1",  # it stops by itself should we die
        MESHCAP_I_OWN_THIS_ENDPOINT="true" if target.kind == "aws" else "false",  # whoever called us has permitted it
        **options,
        **_private_master(extra_arguments),
    )
    log_file = run_dir / "locust.log"
    process: subprocess.Popen[bytes] | None = None
    try:
        with interrupts_held_back(), log_file.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*command, *extra_arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        interrupted = _wait(process, on_tick)
        if not interrupted and process.returncode in (ExitCode.USAGE, ExitCode.BAD_CONFIGURATION):
            raise UserError(f"Locust does not take what follows --: {last_words(log_file)}; all it says: {log_file}")
        return interrupted
    except KeyboardInterrupt:  # it came while the load was being started: nobody has joined a group yet
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        if process is not None:
            _end_group(process.pid)


def last_words(log: Path) -> str:
    """What a process said of its end: the first error of its command line, or its last line."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    refused = (line.partition("error: ")[2] for line in lines if ": error: " in line)
    return next(refused, lines[-1] if lines else "nothing")


def _private_master(arguments: list[str]) -> dict[str, str]:
    """A port of its own on loopback for a master of local workers: two runs at once must not share their workers."""
    if not any(argument.startswith("--processes") for argument in arguments):
        return {}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    return {
        "LOCUST_MASTER_BIND_HOST": "127.0.0.1",
        "LOCUST_MASTER_BIND_PORT": port,
        "LOCUST_MASTER_NODE_PORT": port,
    }


def _end_group(group: int) -> None:
    """Wait for workers that outlive their master to leave, and kill those that do not, or at once on Ctrl-C."""
    deadline_s = time.monotonic() + _WORKERS_LEAVE_S
    with contextlib.suppress(ProcessLookupError, PermissionError):
        try:
            while time.monotonic() < deadline_s:
                os.killpg(group, 0)
                time.sleep(0.1)
        finally:
            os.killpg(group, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], on_tick: Callable[[float], None]) -> bool:
    """Wait for the load to end. It is asked again and again to stop, for one that is just starting may not hear it."""
    started_s, asked_s = time.monotonic(), float("-inf")
    with interrupts_counted() as came:
        while True:
            try:
                process.wait(_LOOK_EVERY_S)
                return bool(came)
            except subprocess.TimeoutExpired:
                now_s = time.monotonic()
            on_tick(now_s - started_s)
            if len(came) > 1:
                os.killpg(process.pid, signal.SIGKILL)
            elif came and now_s - asked_s > _ASK_AGAIN_S:
                os.killpg(process.pid, signal.SIGINT)
                asked_s = now_s
