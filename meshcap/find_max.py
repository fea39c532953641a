"""`meshcap run --find-max`: the highest rate that a target holds, found by runs at rising rates.

<runs>/<started at>-<scenario>-find-max/
    find-max.json       capacity.studies.highest_rate.HighestRate, written anew after every probe
    <run id>/           one run directory per probe, with the scenario file it was run from
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from capacity.exit_codes import ExitCode
from capacity.forecasting.forecast import Forecast, read_forecast
from capacity.judgement.figures import Figures, load_figures
from capacity.loopback import is_loopback
from capacity.record import read_run, update_run, write_json
from capacity.scenario import Scenario, load_scenario
from capacity.studies.highest_rate import (
    SCHEMA_VERSION,
    HighestRate,
    Limits,
    Probe,
    at_factor,
    highest_factor,
    next_factor,
)
from meshcap.console import say
from meshcap.errors import UserError
from meshcap.loop import Request, new_run_dir, run_loop
from meshcap.safety import safety
from meshcap.served import for_mesh_alone
from meshcap.target import SANDBOX

RECORD = "find-max.json"


@dataclass(frozen=True)
class Search:
    """What `--find-max` was asked to do. `request` says how each probe is run."""

    request: Request
    limits: Limits
    max_probes: int
    probe_hold_s: float
    resume: Path | None = None
    """The folder of an earlier search of the same scenario: what it tried is not tried again."""


def find_max(search: Search, run: Callable[[Request], object] = run_loop) -> tuple[HighestRate, Path, ExitCode]:
    """Search; returns what was found, the search's folder and the exit code. `run` runs one probe.

    What was tried is on disk after each probe, also when the search is interrupted. Raises ScenarioError or UserError
    before the first probe when the search cannot be begun, and what the first probe raises.
    """
    scenario = load_scenario(search.request.scenario_file, search.request.scenario)
    instead = f"meshcap limits {search.request.scenario}: the rate at which each limit is met"
    for_mesh_alone("run --find-max", scenario, search.request.scenario, search.request.scenario_file, instead)
    try:
        ceiling = highest_factor(scenario)
    except ValueError as fault:
        raise UserError(f"{search.request.scenario}: {fault}") from None
    folder, found = _begin(search, scenario)
    try:
        found = _search(search, scenario, ceiling, folder, found, run)
    except KeyboardInterrupt:
        found = _read(folder).model_copy(update={"status": "interrupted"})
    except UserError as fault:
        found = _read(folder).model_copy(update={"status": "stopped", "note": str(fault)})
        if not found.probes:
            raise
    write_json(folder / RECORD, found)
    _tell_the_best_run(folder, found, search.request.lang)
    return found, folder, _exit_code(found)


def sentence(found: HighestRate) -> str:
    """What was found, in one sentence."""
    best, limits = found.highest, found.limits
    if best is None:
        said = "No rate that was tried held."
    else:
        said = (
            f"Highest rate held: {best.requests_per_s:,.0f} requests/s and {best.deliveries_per_s or 0:,.0f} "
            f"deliveries/s, {best.factor:g} times the scenario's traffic, with p99 {best.p99_ms:.0f} ms"
        )
        above = min((p for p in found.probes if p.factor > best.factor), key=lambda p: p.factor, default=None)
        said += "." if above is None else f"; {above.factor:g} times did not hold ({', '.join(above.gave_way)})."
    ends = {
        "out of probes": " The probes are used up before the gap was narrow: raise --max-probes, with --resume.",
        "interrupted": " The search was interrupted; --resume goes on.",
        "stopped": f" The search stopped: {found.note}",
    }
    asked = f" Asked: p99 < {limits.max_p99_ms:g} ms, {limits.min_achieved:.0%} of the plan, nothing lost."
    return said + asked + ends.get(found.status, "")


def _begin(search: Search, scenario: Scenario) -> tuple[Path, HighestRate]:
    fresh = HighestRate(
        scenario_name=search.request.scenario,
        scenario_digest=scenario.digest(),
        target=search.request.target_url,
        limits=search.limits,
        probe_hold_s=search.probe_hold_s,
        status="searching",
    )
    if search.resume is None:
        folder = new_run_dir(replace(search.request, scenario=f"{search.request.scenario}-find-max"))
        write_json(folder / RECORD, fresh)
        return folder, fresh
    earlier = _read(search.resume)
    begun_with = {
        "scenario_digest": f"scenario {earlier.scenario_name} as it was then",
        "target": f"--target {earlier.target}",
        "limits": f"--max-p99 {earlier.limits.max_p99_ms:g}ms --min-achieved {100 * earlier.limits.min_achieved:g}%",
        "probe_hold_s": f"--probe-hold {earlier.probe_hold_s:g}s",
    }
    other = [said for name, said in begun_with.items() if getattr(earlier, name) != getattr(fresh, name)]
    if other:
        raise UserError(
            f"--resume {search.resume}: that search was begun with {', '.join(other)}; give the same, or begin a new "
            "one without --resume"
        )
    return search.resume, earlier.model_copy(update={"status": "searching", "note": None})


def _read(folder: Path) -> HighestRate:
    path = folder / RECORD
    try:
        found = HighestRate.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{folder} holds no search: it has no {RECORD}; give a folder like "
            "runs/2026-11-30T13-30-00Z-hundred-groups-find-max"
        ) from None
    except (OSError, ValueError) as fault:
        raise UserError(f"{path} is not a search of version {SCHEMA_VERSION}: {fault}") from None
    return found


def _search(
    search: Search,
    scenario: Scenario,
    ceiling: float,
    folder: Path,
    found: HighestRate,
    run: Callable[[Request], object],
) -> HighestRate:
    while True:
        factor = next_factor([(probe.factor, probe.held) for probe in found.probes], ceiling)
        if factor is None:
            return found.model_copy(update={"status": "found"})
        if len(found.probes) >= search.max_probes:
            return found.model_copy(update={"status": "out of probes"})
        say(f"Probe {len(found.probes) + 1} of at most {search.max_probes}: {factor:g} times the traffic")
        probe = _probe(search, scenario, factor, folder, found, run)
        found = found.model_copy(update={"probes": [*found.probes, probe]})
        write_json(folder / RECORD, found)
        say(f"  {'held' if probe.held else 'not held: ' + ', '.join(probe.gave_way)}")


def _probe(
    search: Search,
    scenario: Scenario,
    factor: float,
    folder: Path,
    found: HighestRate,
    run: Callable[[Request], object],
) -> Probe:
    """One run. Raises KeyboardInterrupt when it was interrupted, UserError when it could not be made or judged."""
    name = f"{search.request.scenario}-x{factor:.4g}"
    probed = at_factor(scenario, factor, search.probe_hold_s, search.limits)
    file = folder / f"{name}.yaml"
    file.write_text(  # JSON is YAML
        json.dumps({"version": 1, "scenarios": {name: probed.model_dump(mode="json", by_alias=True)}}, indent=2),
        encoding="utf-8",
    )
    spent_usd = sum(probe.forecast_usd for probe in found.probes)
    on_aws = search.request.target_url != SANDBOX and not is_loopback(search.request.target_url)
    budget_usd = safety(search.request.max_usd, (), on_aws=on_aws).max_usd
    before = set(folder.iterdir())
    run(
        replace(
            search.request,
            scenario=name,
            scenario_file=file,
            runs_dir=folder,
            max_usd=None if budget_usd is None else max(0.0, budget_usd - spent_usd),
        )
    )
    made = sorted(path for path in set(folder.iterdir()) - before if path.is_dir())
    return _read_probe(made[-1], factor)


def _read_probe(run_dir: Path, factor: float) -> Probe:
    from reports.thresholds import actual_text

    record, plan = read_run(run_dir), read_forecast(run_dir)
    verdict, generator = record.verdict, record.generator
    if verdict is not None and record.stopped is not None:
        raise UserError(verdict.sentence, ExitCode(verdict.exit_code))
    if verdict is None or verdict.outcome == "interrupted":
        raise KeyboardInterrupt
    if verdict.outcome == "unknown":
        why = "; ".join(each.reason for each in verdict.thresholds if each.reason)
        raise UserError(f"a rate cannot be judged: {why}; hold it longer, like --probe-hold 60s", ExitCode.UNKNOWN)
    actual = {each.expression.split()[0]: each.actual for each in verdict.thresholds}
    figures = load_figures(run_dir, record, None, plan)
    failed = [
        f"{each.expression}: {actual_text(each)}"
        for each in verdict.thresholds
        if each.outcome == "failed" and each.actual is not None
    ]
    reasons = generator.reasons if generator is not None and not generator.valid else []
    return Probe(
        factor=factor,
        run=run_dir.name,
        held=verdict.outcome == "passed",
        outcome=verdict.outcome,
        gave_way=[*reasons, *failed],
        planned_requests_per_s=None if plan is None else _planned_per_s(plan),
        requests_per_s=figures.measured_requests.num_rows / figures.window_s,
        deliveries_per_s=_delivered_per_s(figures),
        achieved=actual.get("generator.achieved"),
        p99_ms=actual.get("latency.p(99)"),
        lost=actual.get("deliveries.lost"),
        generator_cpu_percent=generator.cpu_mean_percent if generator is not None else None,
        forecast_usd=plan.cost.run_usd if plan is not None else 0.0,
    )


def _delivered_per_s(figures: Figures) -> float | None:
    """What came in a second, over the seconds that lie wholly in the measuring window; None where none does.

    Deliveries are kept by whole seconds, and the window begins and ends within one: counted in part, the first and last
    would make a short window's rate too low by up to a second of it.
    """
    begin, end = figures.record.measuring_from, figures.record.measuring_until
    if begin is None or end is None:
        return None
    first_s, end_s = math.ceil(begin.timestamp()), math.floor(end.timestamp())
    if end_s <= first_s:
        return None
    seconds = figures.deliveries["second"]
    since, until = (pa.scalar(datetime.fromtimestamp(each, UTC), seconds.type) for each in (first_s, end_s))
    arrived = figures.deliveries.filter(pc.and_(pc.greater_equal(seconds, since), pc.less(seconds, until)))
    came = sum(int(pc.sum(arrived[name]).as_py() or 0) for name in ("delivered", "late", "out_of_order"))
    return came / (end_s - first_s)


def _planned_per_s(plan: Forecast) -> float:
    begin, end = int(plan.hold_from_s), int(plan.hold_until_s)
    return sum(sum(operation.requests_per_s[begin:end]) for operation in plan.operations) / (end - begin)


def _tell_the_best_run(folder: Path, found: HighestRate, lang: str) -> None:
    """The report of the best run says which search it belongs to."""
    if found.highest is None:
        return
    from reports import render

    run_dir = folder / found.highest.run
    if not (run_dir / "run.json").exists():
        return
    note = f"{sentence(found)} ({len(found.probes)} probes, {RECORD} beside this run)"
    kept = [each for each in read_run(run_dir).notes if RECORD not in each]
    update_run(run_dir, notes=[*kept, note])
    render(run_dir, lang)


def _exit_code(found: HighestRate) -> ExitCode:
    """OK when a rate held; otherwise why none did. An interrupted search says so whatever it had found."""
    if found.status == "interrupted":
        return ExitCode.INTERRUPTED
    if found.highest is not None:
        return ExitCode.OK
    if found.probes and found.probes[-1].outcome == "not valid":
        return ExitCode.NOT_VALID
    return ExitCode.THRESHOLD_FAILED
