"""`meshcap run SCENARIO`: the whole loop, from forecast to report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from meshcap.errors import UserError
from meshcap.options import (
    PATIENCE_S,
    RUNS,
    SCENARIOS,
    FunctionNames,
    GraphqlUrl,
    Lang,
    MaxUsd,
    NoWorkloadFile,
    OwnEndpoint,
    Patience,
    RunsFolder,
    ScenarioFile,
    ScenarioName,
    StackName,
)
from meshcap.run_ending import end_with

CONTEXT = {"allow_extra_args": True}  # what follows -- is Locust's
_OF_A_SEARCH = {
    "max_p99": "--max-p99",
    "min_achieved": "--min-achieved",
    "max_probes": "--max-probes",
    "probe_hold": "--probe-hold",
    "resume": "--resume",
    "as_json": "--json",
}


def command(
    context: typer.Context,
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    workload: NoWorkloadFile = None,
    target: Annotated[
        str,
        typer.Option(help="GraphQL URL to load, or aws with --graphql-url or --stack; a local sandbox unless given."),
    ] = "sandbox",
    table: Annotated[str | None, typer.Option(help="The DynamoDB table behind the target.")] = None,
    api_id: Annotated[str | None, typer.Option(help="The AppSync API id, for its metrics.")] = None,
    graphql_url: GraphqlUrl = None,
    stack: StackName = None,
    function: FunctionNames = None,
    runs: RunsFolder = RUNS,
    patience: Patience = PATIENCE_S,
    max_usd: MaxUsd = None,
    abort: Annotated[
        list[str] | None,
        typer.Option(
            help="End the run when this threshold breaks, like 'errors.rate < 50%'; `never` for none on AWS.",
            metavar="<threshold>",
        ),
    ] = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Serve live metrics for Prometheus on loopback at this port.", min=0, max=65535)
    ] = None,
    lang: Lang = "en",
    i_own_this_endpoint: OwnEndpoint = False,
    find_max: Annotated[
        bool, typer.Option("--find-max", help="Search for the highest rate that is held, by runs at rising rates.")
    ] = False,
    max_p99: Annotated[str, typer.Option(help="--find-max: p99 from the intended start stays below this.")] = "100ms",
    min_achieved: Annotated[str, typer.Option(help="--find-max: this share of the plan is sent.")] = "99%",
    max_probes: Annotated[int, typer.Option(help="--find-max: runs at most.", min=1)] = 8,
    probe_hold: Annotated[str, typer.Option(help="--find-max: measuring window of each run.")] = "20s",
    resume: Annotated[Path | None, typer.Option(help="--find-max: go on with the search in this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="--find-max: print the result as JSON on stdout.")] = False,
) -> None:
    """Forecast, load, measure, compare and report a scenario. Whatever follows `--` goes to Locust as it is."""
    from meshcap.loop import Request, run_loop

    if not find_max:
        _refuse_what_only_a_search_heeds(context)
    request = Request(
        scenario=scenario,
        scenario_file=file,
        target_url=target,
        table_name=table,
        api_id=api_id,
        graphql_url=graphql_url,
        stack=stack,
        function_names=tuple(function or ()),
        runs_dir=runs,
        patience_s=patience,
        lang=lang,
        owned=i_own_this_endpoint,
        max_usd=max_usd,
        abort=tuple(abort or ()),
        metrics_port=metrics_port,
        locust_arguments=list(context.args),
    )
    if find_max:
        from meshcap.find_max_output import run_search

        sys.exit(run_search(request, max_p99, min_achieved, max_probes, probe_hold, resume, as_json))
    end_with(run_loop(request), file)


def _refuse_what_only_a_search_heeds(context: typer.Context) -> None:
    """Without --find-max its options would be ignored, and a single run made instead of the search that was meant."""
    given = [
        option
        for name, option in _OF_A_SEARCH.items()
        if (source := context.get_parameter_source(name)) is not None and source.name != "DEFAULT"
    ]
    if given:
        it = "it" if len(given) == 1 else "them"
        raise UserError(
            f"{', '.join(given)} without --find-max: add --find-max to search, or leave {it} out for one run"
        )
