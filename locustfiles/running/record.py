"""The generator's share of run.json. `meshcap run` has written the rest; a plain Locust run writes a whole one."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from capacity.loopback import is_loopback
from capacity.record import RunRecord, Target, read_run, update_run, write_run
from capacity.scenario import Scenario
from locustfiles.nodes.session import ClockOffset, Start
from locustfiles.running.generator_health import judge_generator
from locustfiles.running.run_plan import RunPlan


def begin_record(run_dir: Path, start: Start, scenario: Scenario, scenario_name: str, graphql_url: str) -> None:
    """Write run.json if nobody has."""
    if (run_dir / "run.json").exists():
        return
    record = RunRecord(
        run_id=start.run_id,
        scenario_name=scenario_name,
        scenario=scenario,
        scenario_digest=scenario.digest(),
        status="started",
        started_at=datetime.now(UTC),
        target=Target(
            kind="endpoint" if is_loopback(graphql_url) else "aws",
            graphql_url=graphql_url,
            aws_endpoint_url=os.environ.get("AWS_ENDPOINT_URL"),
            region=scenario.region,
            table_name=os.environ.get("MESHCAP_TABLE", "unknown"),
        ),
        versions={"python": platform.python_version(), "locust": version("locust"), "meshcap": version("meshcap")},
        host={"system": platform.platform(), "cpus": os.cpu_count() or 0},
        command=without_secrets(sys.argv),
    )
    write_run(run_dir, record)


def without_secrets(arguments: list[str]) -> list[str]:
    """A command line without the value of --api-key, in any way that Locust takes it."""
    told, hide = [], False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        is_key = len(name) > 3 and "--api-key".startswith(name)
        told.append("***" if hide else f"{name}=***" if is_key and equals else argument)
        hide = is_key and not equals
    return told


def unused_run_dir(wanted: Path) -> Path:
    """`wanted`, or its next numbered neighbour where a run has ended already, as with a second start in the browser."""
    candidate, number = wanted, 1
    while (candidate / "run.json").exists() and read_run(candidate).generator is not None:
        number += 1
        candidate = wanted.with_name(f"{wanted.name}-{number}")
    return candidate


def end_record(
    run_dir: Path,
    plan: RunPlan,
    start: Start,
    sent: int,
    summaries: list[dict[str, Any]],
    clocks: list[ClockOffset],
    workers: int,
    notes: list[str],
) -> RunRecord:
    """Write how the generator did: `sent` counts the timers' requests meant for the measuring window."""
    schedule = plan.scenario.schedule
    ended_s = max((summary["ended_s"] for summary in summaries), default=start.start_s)
    from_s, until_s = start.start_s + schedule.measuring_from_s, min(ended_s, start.start_s + schedule.sending_s)
    whole = ended_s >= start.start_s + schedule.sending_s
    if not start.planned:
        from_s, until_s, whole = start.start_s, ended_s, True
    generator = judge_generator(plan, start, from_s, until_s, sent, summaries, workers)
    if not whole:
        generator.valid = False
        generator.reasons.append(f"the run ended {start.start_s + schedule.sending_s - ended_s:.0f} s before its plan")
    generator.notes += notes
    measured = until_s > from_s
    status = "finished" if whole else "interrupted"
    return update_run(
        run_dir,
        status=status if read_run(run_dir).stopped is None else "stopped",
        measuring_from=datetime.fromtimestamp(from_s, UTC) if measured else None,
        measuring_until=datetime.fromtimestamp(until_s, UTC) if measured else None,
        ended_at=datetime.fromtimestamp(ended_s, UTC),
        generator=generator,
        clock=read_run(run_dir).clock | _clock(clocks),
    )


def _clock(clocks: list[ClockOffset]) -> dict[str, str | float]:
    """What the workers' clocks were corrected by, and how wrong that may be: the error of a delivery's latency."""
    return {
        "workers_offset_max_s": max((abs(clock.offset_s) for clock in clocks), default=0.0),
        "workers_offset_error_s": max((clock.error_s for clock in clocks), default=0.0),
    }
