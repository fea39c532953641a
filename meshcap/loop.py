"""The loop behind `meshcap run`: forecast, run, measure, compare, judge, report, in files of one run directory."""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import get_clock_info

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from capacity.exit_codes import ExitCode
from capacity.record import (
    RunDirectoryError,
    RunRecord,
    Target,
    read_run,
    run_id,
    update_run,
    write_json,
    write_run,
)
from capacity.scenario import Scenario, load_scenario
from capacity.workloads.registry import workload_of
from meshcap.console import say, talk
from meshcap.errors import UserError
from meshcap.finished_run import judge_run, measure_run, step
from meshcap.interrupts import interrupts_held_back
from meshcap.live_metrics import exporter_faults, metrics_environment
from meshcap.locust_arguments import check_locust_arguments
from meshcap.locust_process import run_locust
from meshcap.permit import permit
from meshcap.process_watch import ProcessWatch
from meshcap.safety import Safety, abort_faults, safety
from meshcap.sandbox_process import running_sandbox
from meshcap.stack import aws_client
from meshcap.table_creation import create_table
from meshcap.target import SANDBOX, aws_environment, region_of, resolve_target
from meshcap.target_names import TargetNames, resolved

_MEASURE_LATER = (
    "The report shows the rest; `meshcap metrics {run_dir}`, then compare and report, adds the measurement later."
)
_PACKAGES = ("meshcap", "locust", "boto3", "numpy", "pandas", "pyarrow", "gevent")


@dataclass(frozen=True)
class Request:
    """What `meshcap run` was asked to do."""

    scenario: str
    scenario_file: Path
    target_url: str
    table_name: str | None
    api_id: str | None
    runs_dir: Path
    patience_s: float
    lang: str
    owned: bool
    max_usd: float | None
    locust_arguments: list[str]
    rerun_of: Path | None = None
    """The run directory whose record this request was made from."""
    graphql_url: str | None = None
    stack: str | None = None
    function_names: tuple[str, ...] = ()
    abort: tuple[str, ...] = ()
    metrics_port: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    report: Path
    sentence: str
    exit_code: ExitCode


def run_loop(request: Request) -> Outcome:
    """Run the whole loop and return where the report is and what it decided.

    Raises ScenarioError or UserError before anything is started when the request cannot be met.
    """
    check_locust_arguments(request.locust_arguments)
    scenario = load_scenario(request.scenario_file, request.scenario)
    faults = abort_faults(request.abort) + exporter_faults(request.metrics_port)
    if faults:
        raise UserError("\n".join(faults))
    if request.target_url != SANDBOX:
        target = _target(request, scenario)
        if target.aws_endpoint_url is not None:
            os.environ.setdefault("AWS_ENDPOINT_URL", target.aws_endpoint_url)
        return _run(request, scenario, target, os.environ.get("MESHCAP_API_KEY", ""))
    run_dir = new_run_dir(request)
    api_key = "da2-" + secrets.token_hex(13)
    with running_sandbox(request.scenario_file, request.scenario, api_key, run_dir / "sandbox.log") as sandbox:
        os.environ.update(aws_environment(sandbox["url"], scenario.region))
        is_mesh = scenario.workload.name == "mesh"
        target = Target(
            kind="sandbox",
            graphql_url=sandbox["graphql_url"] if is_mesh else sandbox["url"],
            aws_endpoint_url=sandbox["url"],
            region=scenario.region,
            table_name=sandbox["table_name"] if is_mesh else create_table(workload_of(scenario).table),
            api_id=sandbox["api_id"] if is_mesh else None,
            function_names=(sandbox["function_name"],) if is_mesh else (),
        )
        return _run(request, scenario, target, api_key, run_dir)


def _target(request: Request, scenario: Scenario) -> Target:
    environment = dict(os.environ)
    given = TargetNames(
        url=request.target_url,
        graphql_url=request.graphql_url,
        table_name=request.table_name,
        api_id=request.api_id,
        function_names=request.function_names,
        stack=request.stack,
    )
    names = resolved(given, aws_client(region_of(environment, scenario.region)))
    return resolve_target(
        names.url,
        table_name=names.table_name,
        api_id=names.api_id,
        region=scenario.region,
        owned=request.owned,
        environment=environment,
        graphql=scenario.workload.name == "mesh",
        function_names=names.function_names,
    )


def new_run_dir(request: Request) -> Path:
    """Make the folder of a run that begins now. Raises UserError when it cannot be made."""
    run_dir = request.runs_dir / run_id(datetime.now(UTC), request.scenario)
    attempt = run_dir
    number = 1
    while True:  # two runs may begin within one second
        try:
            attempt.mkdir(parents=True)
        except FileExistsError:
            number += 1
            attempt = run_dir.with_name(f"{run_dir.name}-{number}")
        except OSError as fault:
            raise UserError(f"--runs {request.runs_dir}: cannot make a folder there ({fault.strerror})") from None
        else:
            return attempt


def _run(request: Request, scenario: Scenario, target: Target, api_key: str, run_dir: Path | None = None) -> Outcome:
    from capacity.forecasting.forecast import forecast

    plan = forecast(scenario)
    if target.kind == "aws":
        permit(plan, target, scenario, _safety(request, target), api_key)
    run_dir = new_run_dir(request) if run_dir is None else run_dir
    with _marking(run_dir):
        with interrupts_held_back():
            write_run(run_dir, _first_record(request, scenario, target, run_dir))
            write_json(run_dir / "forecast.json", plan)
        record = _after_load(run_dir, _load(request, scenario, target, api_key, run_dir))
    unmeasured = _try_to_measure(run_dir, record, request.patience_s)
    verdict = judge_run(run_dir)
    from reports import render

    with step("Reporting"):
        report = render(run_dir, request.lang)
    if unmeasured is None or verdict.exit_code == ExitCode.INTERRUPTED:
        return Outcome(report, verdict.sentence, ExitCode(verdict.exit_code))
    say(verdict.sentence)
    return Outcome(report, f"{unmeasured} {_MEASURE_LATER.format(run_dir=run_dir)}", unmeasured.exit_code)


@contextmanager
def _marking(run_dir: Path) -> Iterator[None]:
    """Mark a run that ends here, before its load is over and recorded."""
    try:
        yield
    except BaseException as fault:
        with suppress(RunDirectoryError, OSError), interrupts_held_back():
            update_run(run_dir, status="interrupted" if isinstance(fault, KeyboardInterrupt) else "failed")
        raise


def _try_to_measure(run_dir: Path, record: RunRecord, patience_s: float) -> UserError | None:
    """Why the run could not be measured, if so: what it sent and what came back is worth a report all the same."""
    try:
        measure_run(run_dir, record, patience_s)
    except UserError as fault:
        return fault
    except KeyboardInterrupt:
        return UserError("Stopped while reading CloudWatch.", ExitCode.INTERRUPTED)
    return None


def versions() -> dict[str, str]:
    """What a run is made with."""
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def _safety(request: Request, target: Target) -> Safety:
    return safety(request.max_usd, request.abort, on_aws=target.kind == "aws")


def _first_record(request: Request, scenario: Scenario, target: Target, run_dir: Path) -> RunRecord:
    again = ["meshcap", "run", request.scenario, "--file", str(request.scenario_file)]
    if request.rerun_of is not None:
        again = ["meshcap", "rerun", str(request.rerun_of)]
    if target.kind != "sandbox":
        again += ["--target", target.graphql_url, "--table", target.table_name]
        again += ["--api-id", target.api_id] if target.api_id else []
        again += [part for name in target.function_names for part in ("--function", name)]
    return RunRecord(
        run_id=run_dir.name,
        scenario_name=request.scenario,
        scenario=scenario,
        scenario_digest=scenario.digest(),
        status="started",
        started_at=datetime.now(UTC),
        target=target,
        versions=versions(),
        host={"system": platform.platform(), "machine": platform.machine(), "cpus": os.cpu_count() or 0},
        clock={"source": "time.time", "resolution_s": get_clock_info("time").resolution},
        command=[*again, *(["--", *request.locust_arguments] if request.locust_arguments else [])],
    )


def _load(request: Request, scenario: Scenario, target: Target, api_key: str, run_dir: Path) -> bool:
    total_s = scenario.schedule.total_s
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    parties = ", ".join(f"{who}: {count}" for who, count in workload_of(scenario).parties.items() if who != "domains")
    say(f"{request.scenario} for {total_s:g} s, {parties} -> {run_dir}")
    watch = ProcessWatch()
    with Progress(*columns, console=talk, transient=True) as progress:
        task = progress.add_task("Running", total=total_s)

        def on_tick(elapsed_s: float) -> None:
            progress.update(task, completed=min(elapsed_s, total_s))
            watch.look(elapsed_s)

        interrupted = run_locust(
            target=target,
            scenario_file=request.scenario_file,
            scenario=request.scenario,
            workload=scenario.workload.name,
            run_dir=run_dir,
            api_key=api_key,
            extra_arguments=request.locust_arguments,
            options=_safety(request, target).environment() | metrics_environment(request.metrics_port),
            on_tick=on_tick,
        )
    with interrupts_held_back():
        watch.write(run_dir)
        record = read_run(run_dir)
        update_run(run_dir, notes=[*record.notes, *watch.notes(record)])
    return interrupted


def _after_load(run_dir: Path, interrupted: bool) -> RunRecord:
    """The record of the load, put together from what its processes had flushed if they did not live to do so."""
    record = read_run(run_dir)
    if record.generator is None and (run_dir / "parts" / "start.json").exists():
        from locustfiles.running.merge import merge_run

        merge_run(run_dir, workers=max(1, len(list((run_dir / "parts").glob("*.requests.arrows")))))
        record = read_run(run_dir)
    if record.generator is None and not interrupted:
        update_run(run_dir, status="failed")
        log = run_dir / "locust.log"
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last_words = f'; its last words: "{said[-1]}"' if said else ""
        raise UserError(
            f"the load generator ended without a record{last_words}; all of them: {log}", ExitCode.TARGET_UNREACHABLE
        )
    if interrupted:
        return update_run(run_dir, status="interrupted")
    if record.status == "interrupted":  # nobody stopped it: processes of its own died, and the record says which
        return update_run(run_dir, status="failed")
    return record
