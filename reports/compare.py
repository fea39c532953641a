"""Two runs of one scenario: what became worse, what became better, and in which operation.

`compare(before, after)` reads two run directories and returns a `Comparison`, whose `markdown` fits a pull request.
Tolerances are for runs on a machine that does other things too: a figure must move beyond what two runs of the same
system differ by.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from capacity.exit_codes import ExitCode
from capacity.run_tables import DELIVERY_COUNTS
from capacity.workloads.registry import workload_of
from reports.bootstrap import ratio_interval
from reports.changes import Change, judge
from reports.operation_units import units_per_request
from reports.quantiles import quantiles
from reports.run import Requests, Run
from reports.sections.latency import by_operation, in_window

UNITS_LEAST = 0.25
"""Units per request: half a unit is the smallest real change; the rest is which groups a list happened to find."""
UNITS_SHARE = 0.1
LATENCY_SHARE = 0.3
LATENCY_LEAST_MS = 5.0
LATENESS_LEAST_MS = 1.0
ERRORS_LEAST = 0.001
COST_SHARE = 0.01
DELIVERY_LEAST = {
    "lost": 0.0,
    "crosstalk": 0.0,
    "lost_by_cursor": 0.05,
    "late": 0.001,
    "duplicate": 0.001,
    "out_of_order": 0.001,
}
"""Outcome -> share of the expected deliveries by which two runs of the same system may differ."""
BUSIEST = 5
PERCENTILES = (0.5, 0.95, 0.99)


class RunsDiffer(Exception):
    """Two runs that are not of the same thing; `differences` names each (what, before, after)."""

    def __init__(self, differences: list[tuple[str, str, str]]):
        self.differences = differences
        lines = [f"{what}: {before} before, {after} after" for what, before, after in differences]
        super().__init__(
            "these runs are not comparable:\n  "
            + "\n  ".join(lines)
            + "\nRun the same scenario for both, or compare them all the same with --force."
        )


class Difference(BaseModel):
    """Something that must be equal in two runs, and is not."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    before: str
    after: str


class ComparedRuns(BaseModel):
    """What `meshcap compare BEFORE AFTER --json` prints; unknown values are null."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    before: str
    """Run id."""
    after: str
    exit_code: int
    forced: list[Difference]
    """What --force passed over."""
    changes: list[Change]


@dataclass(frozen=True)
class Comparison:
    """Every change between two runs, and the differences that `force` passed over."""

    before: Run
    after: Run
    changes: list[Change]
    differences: list[tuple[str, str, str]]

    @property
    def worse(self) -> list[Change]:
        """Return what became worse beyond its tolerance."""
        return [change for change in self.changes if change.outcome == "worse"]

    @property
    def exit_code(self) -> ExitCode:
        """THRESHOLD_FAILED when anything became worse, UNKNOWN when something could not be told, else OK."""
        outcomes = {change.outcome for change in self.changes}
        if "worse" in outcomes:
            return ExitCode.THRESHOLD_FAILED
        return ExitCode.UNKNOWN if "unknown" in outcomes else ExitCode.OK

    def for_machines(self) -> ComparedRuns:
        """Return the comparison in its published form."""
        return ComparedRuns(
            before=self.before.record.run_id,
            after=self.after.record.run_id,
            exit_code=int(self.exit_code),
            forced=[Difference(what=what, before=one, after=other) for what, one, other in self.differences],
            changes=self.changes,
        )

    def markdown(self, lang: str = "en") -> str:
        """Write the comparison as Markdown."""
        from reports.comparison_markdown import markdown

        return markdown(self, lang)


def compare(before_dir: Path, after_dir: Path, *, force: bool = False) -> Comparison:
    """Compare two run directories.

    Raises RunDirectoryError for a folder that is no run, and RunsDiffer when scenario, layout, region or prices differ,
    unless forced.
    """
    before, after = Run.open(before_dir), Run.open(after_dir)
    differences = differing(before, after)
    if differences and not force:
        raise RunsDiffer(differences)
    changes = [
        *_units(before, after),
        *_latency(before, after),
        *_errors(before, after),
        *_throttles(before, after),
        *_deliveries(before, after),
        *_cost(before, after),
    ]
    return Comparison(before, after, changes, differences)


def differing(before: Run, after: Run) -> list[tuple[str, str, str]]:
    """Return what must be equal for a comparison to mean anything, and is not."""

    def facts(run: Run) -> dict[str, str]:
        forecast = run.forecast
        return {
            "scenario": f"{run.record.scenario_name} ({run.record.scenario_digest})",
            "layout": workload_of(run.record.scenario).layout,
            "region": run.record.scenario.region,
            "target": run.record.target.kind,
            "prices as of": "unknown" if forecast is None else forecast.cost.prices_as_of,
        }

    one, other = facts(before), facts(after)
    found = [(name, one[name], other[name]) for name in one if one[name] != other[name]]
    if invalid(before) or invalid(after):
        words = ["not valid" if invalid(run) else "valid" for run in (before, after)]
        found.append(("generator", words[0], words[1]))
    return found


def invalid(run: Run) -> bool:
    """Tell whether a run's generator fell behind, so that it says nothing about its target."""
    return run.record.generator is not None and not run.record.generator.valid


def _units(before: Run, after: Run) -> list[Change]:
    if before.comparison is None or after.comparison is None:
        return [judge("units", "", "units_per_request", None, 0.0)]
    one, other = units_per_request(before), units_per_request(after)
    sent = {operation.name for operation in after.comparison.operations if operation.sent}
    sent &= {operation.name for operation in before.comparison.operations if operation.sent}
    changes = [
        judge(
            "units",
            operation,
            "units_per_request",
            one.get((operation, resource, kind), 0.0),
            other.get((operation, resource, kind), 0.0),
            detail=f"{resource} {kind}",
            share=UNITS_SHARE,
            least=UNITS_LEAST,
        )
        for operation, resource, kind in sorted(one.keys() | other.keys())
        if operation in sent
    ]
    explained = {change.detail for change in changes if change.outcome in ("worse", "better")}
    return changes + _surplus(before, after, explained)


def _surplus(before: Run, after: Run, explained: set[str]) -> list[Change]:
    """Compare measured units with the model of what was sent, for surpluses that no single operation accounts for."""
    assert before.comparison is not None
    assert after.comparison is not None
    changes = []
    for part in after.comparison.units:
        detail = f"{part.resource} {part.kind}"
        earlier = next((u for u in before.comparison.units if (u.resource, u.kind) == (part.resource, part.kind)), None)
        if (
            earlier is None
            or not (part.sent or earlier.sent or part.measured or earlier.measured)
            or detail in explained
        ):
            continue
        ratios = [u.measured / u.sent if u.measured is not None and u.sent else None for u in (earlier, part)]
        few = min(earlier.sent, part.sent) < 200
        changes.append(judge("units", "", "measured_per_sent", *ratios, detail=detail, share=0.2 if few else 0.02))
    return changes


def _latency(before: Run, after: Run) -> list[Change]:
    if before.requests is None or after.requests is None:
        return [judge("latency", "", "latency_ms", None, 0.0)]
    samples = [_samples(run, run.requests) for run in (before, after) if run.requests is not None]
    names = [name for name in samples[1] if name in samples[0]][: BUSIEST + 1]
    return [
        _percentile(name, samples[0][name], samples[1][name], quantile) for name in names for quantile in PERCENTILES
    ]


def _percentile(name: str, one: Sample, other: Sample, quantile: float) -> Change:
    [was], [now] = quantiles(one.latency_ms, [quantile]), quantiles(other.latency_ms, [quantile])
    interval = None
    if was is not None and now is not None:
        found = ratio_interval((one.time_s, one.latency_ms), (other.time_s, other.latency_ms), quantile)
        interval = (found.low, found.high)
    change = judge(
        "latency",
        name,
        "latency_ms",
        was,
        now,
        detail=f"p{quantile * 100:g}",
        share=LATENCY_SHARE,
        least=LATENCY_LEAST_MS,
        interval=interval,
    )
    if change.outcome in ("worse", "better") and one.busier(other, quantile) == change.outcome:
        return replace(change, outcome="noise")
    return change


@dataclass(frozen=True)
class Sample:
    """Requests of one operation: when they were due, how long they took, and how late the generator sent them."""

    time_s: np.ndarray
    latency_ms: np.ndarray
    lateness_ms: np.ndarray

    def busier(self, other: Sample, quantile: float) -> str | None:
        """Tell whether the generator itself was later (`worse`) or less late (`better`) in the other run.

        The generator waits for nobody but its own machine. When its lateness moves, the machine was busier or idler,
        and latency moved for that reason as well; the system under test cannot be told apart from it.
        """
        was, now = (float(np.quantile(sample.lateness_ms, quantile)) for sample in (self, other))
        if abs(now - was) <= max(LATENESS_LEAST_MS, LATENCY_SHARE * was):
            return None
        return "worse" if now > was else "better"


def _samples(run: Run, requests: Requests) -> dict[str, Sample]:
    """Return the answered requests, all (under an empty name) and of each operation, busiest first."""
    window = in_window(requests, run) & requests.answered
    groups = [("", np.flatnonzero(window)), *by_operation(requests, window)]
    late_ms = (requests.start_s - requests.intended_s) * 1000
    return {
        name: Sample(requests.intended_s[rows], requests.intended_ms[rows], late_ms[rows])
        for name, rows in groups
        if len(rows)
    }


def _errors(before: Run, after: Run) -> list[Change]:
    shares = []
    for run in (before, after):
        requests = run.requests
        shares.append(None if requests is None or not len(requests) else float(1 - requests.ok.mean()))
    return [judge("errors", "", "error_share", *shares, least=ERRORS_LEAST)]


def _throttles(before: Run, after: Run) -> list[Change]:
    counts = [None if run.comparison is None else run.comparison.throttle_events() for run in (before, after)]
    return [judge("throttles", "", "throttle_events", *counts, share=0.1, least=2)]


def _deliveries(before: Run, after: Run) -> list[Change]:
    shares: list[dict[str, float] | None] = []
    for run in (before, after):
        frame = run.deliveries
        if frame is None or not frame["expected"].sum():
            shares.append(None)
            continue
        sums = frame[list(DELIVERY_COUNTS)].sum()
        share = {name: float(sums[name] / sums["expected"]) for name in DELIVERY_COUNTS}
        shares.append(share | {"lost": share["lost"] + share["lost_after_ack"]})
    if shares == [None, None]:
        return []
    return [
        judge("deliveries", name, "delivery_share", *(None if s is None else s[name] for s in shares), least=least)
        for name, least in DELIVERY_LEAST.items()
    ]


def _cost(before: Run, after: Run) -> list[Change]:
    costs = [None if run.forecast is None else run.forecast.cost.monthly_usd for run in (before, after)]
    return [judge("cost", "", "monthly_usd", *costs, share=COST_SHARE)]
