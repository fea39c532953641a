"""Whether the load generator kept to its plan: if it did not, its run says nothing about the target."""

from __future__ import annotations

from collections import Counter
from typing import Any

from capacity.record import Generator
from locustfiles.nodes.session import Start
from locustfiles.running.lateness import Lateness
from locustfiles.running.run_plan import RunPlan

LATE_S, LATE_SHARE, LATE_STARTS = 0.25, 0.02, 10
"""Not valid: more than one start in fifty, and at least ten, came more than a quarter of a second late. The shortest
timers of the shipped scenarios have that period; less lateness moves a request, not the load, and is in its latency."""
CPU_LIMIT_PERCENT = 90.0
ACHIEVED_LIMIT = 0.99
WAITED_PERCENT = 10.0
REPEATABLE_CPU_PERCENT = 85.0


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
    reasons = _reasons(lateness, achieved, cpu_mean, summaries, workers)
    notes = _notes(achieved, cpu_mean, summaries, punctual=not reasons)
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


def _reasons(
    lateness: Lateness, achieved: float, cpu_mean: float | None, summaries: list[dict[str, Any]], workers: int
) -> list[str]:
    """Why the run says nothing about the target."""
    reasons = []
    late, missing = lateness.later_than(LATE_S), workers - len(summaries)
    if late >= LATE_STARTS and late > LATE_SHARE * lateness.total:
        reasons.append(
            f"{late:,} of {lateness.total:,} starts were more than {LATE_S * 1000:.0f} ms late; "
            f"the limit is {LATE_SHARE:.0%}"
        )
    if achieved < ACHIEVED_LIMIT and cpu_mean is not None and cpu_mean > CPU_LIMIT_PERCENT:
        reasons.append(f"{achieved:.1%} of the plan was sent while the busiest process used {cpu_mean:.0f} % of a core")
    if summaries and not any(summary["entered"] for summary in summaries):
        reasons.append("no node got into its group; the notes say what the target answered")
    if missing > 0:
        reasons.append(
            f"{missing} of {workers} workers did not report at the end; what they wrote, if it is on another machine, "
            "goes into the run's folder `parts`, and `python -m locustfiles.running.merge RUN_DIR` adds it"
        )
    return reasons


def _notes(achieved: float, cpu_mean: float | None, summaries: list[dict[str, Any]], *, punctual: bool) -> list[str]:
    """What else is worth knowing; at the end the processes' own notes, the most frequent first."""
    notes = []
    if achieved < ACHIEVED_LIMIT and punctual:
        notes.append(
            f"{achieved:.1%} of the plan was sent though the generator was punctual: nodes that never got into their "
            "group or lost it, and reports merged while an earlier one was under way"
        )
    if cpu_mean is not None and cpu_mean > REPEATABLE_CPU_PERCENT:
        notes.append(f"at {cpu_mean:.0f} % of a core the upper percentiles are not repeatable")
    waited = max((s["waited_mean_percent"] for s in summaries if s.get("waited_mean_percent") is not None), default=0.0)
    if waited > WAITED_PERCENT:
        notes.append(
            f"the generator waited for a processor {waited:.0f} % of the time: something else keeps this machine busy, "
            "and latencies hold that wait"
        )
    counts: Counter[str] = Counter()
    for summary in summaries:
        counts.update(summary["notes"])
    return notes + [f"{what}: {count:,} times" for what, count in counts.most_common(20)]
