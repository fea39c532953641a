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
from capacity.record import Generator, RunRecord, Target, read_run, update_run, write_run
from capacity.scenario import Scenario
from locustfiles.nodes.session import ClockOffset, Start
from locustfiles.running.lateness import Lateness
from locustfiles.running.run_plan import RunPlan

LATE_S, LATE_SHARE, LATE_STARTS = 0.25, 0.02, 10
"""Not valid: more than one start in fifty, and at least ten, came more than a quarter of a second late. The shortest
timers of the shipped scenarios have that period; less lateness moves a request, not the load, and is in its latency."""
CPU_LIMIT_PERCENT = 90.0
ACHIEVED_LIMIT = 0.99
WAITED_PERCENT = 10.0


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


def judge_generator(
    plan: RunPlan, start: Start, from_s: float, until_s: float, sent: int, summaries: list[dict[str, Any]], workers: int
) -> Generator:
    """Whether the generator kept to its plan, and if not, why the run says nothing about the target."""
    lateness = Lateness()
    for summary in summaries:
        lateness.merge(summary["lateness_counts"], summary["lateness_max_s"])
    p99_s = lateness.quantile_s(0.99)
    planned = plan.planned_ticks(from_s - start.start_s, until_s - start.start_s) if start.planned else sent
    cpu_mean = max((s["cpu_mean_percent"] for s in summaries if s["cpu_mean_percent"] is not None), default=None)
    cpu_max = max((s["cpu_max_percent"] for s in summaries if s["cpu_max_percent"] is not None), default=None)
    achieved = sent / planned if planned > 0 else 1.0
    missing = max(0, workers - len(summaries))
    reasons, notes = [], []
    late = lateness.later_than(LATE_S)
    if late >= LATE_STARTS and late > LATE_SHARE * lateness.total:
        reasons.append(
            f"{late:,} of {lateness.total:,} starts were more than {LATE_S * 1000:.0f} ms late; "
            f"the limit is {LATE_SHARE:.0%}"
        )
    if achieved < ACHIEVED_LIMIT and cpu_mean is not None and cpu_mean > CPU_LIMIT_PERCENT:
        reasons.append(f"{achieved:.1%} of the plan was sent while the busiest process used {cpu_mean:.0f} % of a core")
    if summaries and not any(summary["entered"] for summary in summaries):
        reasons.append("no node got into its group; the notes say what the target answered")
    if missing:
        reasons.append(
            f"{missing} of {workers} workers did not report at the end; what they wrote, if it is on another machine, "
            "goes into the run's folder `parts`, and `python -m locustfiles.running.merge RUN_DIR` adds it"
        )
    if achieved < ACHIEVED_LIMIT and not reasons:
        notes.append(
            f"{achieved:.1%} of the plan was sent though the generator was punctual: nodes that never got into their "
            "group or lost it, and reports merged while an earlier one was under way"
        )
    if cpu_mean is not None and cpu_mean > 85:
        notes.append(f"at {cpu_mean:.0f} % of a core the upper percentiles are not repeatable")
    waited = max((s["waited_mean_percent"] for s in summaries if s.get("waited_mean_percent") is not None), default=0.0)
    if waited > WAITED_PERCENT:
        notes.append(
            f"the generator waited for a processor {waited:.0f} % of the time: something else keeps this machine busy, "
            "and latencies hold that wait"
        )
    counts: dict[str, int] = {}
    for summary in summaries:
        for what, count in summary["notes"].items():
            counts[what] = counts.get(what, 0) + count
    notes += [f"{what}: {count:,} times" for what, count in sorted(counts.items(), key=lambda item: -item[1])[:20]]
    return Generator(
        planned_requests=max(0, planned),
        sent_requests=sent,
        achieved=achieved,
        lateness_p99_ms=None if p99_s is None else p99_s * 1000,
        lateness_max_ms=None if p99_s is None else lateness.max_s * 1000,
        cpu_mean_percent=cpu_mean,
        cpu_max_percent=cpu_max,
        workers=workers,
        missing_workers=missing,
        valid=not reasons,
        reasons=reasons,
        notes=notes,
    )


def _clock(clocks: list[ClockOffset]) -> dict[str, str | float]:
    """What the workers' clocks were corrected by, and how wrong that may be: the error of a delivery's latency."""
    return {
        "workers_offset_max_s": max((abs(clock.offset_s) for clock in clocks), default=0.0),
        "workers_offset_error_s": max((clock.error_s for clock in clocks), default=0.0),
    }
