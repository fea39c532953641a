"""`meshcap rerun RUN`: run the same scenario again, from the record of a run alone."""

from __future__ import annotations

from typing import Annotated

import typer

from meshcap.options import PATIENCE_S, RUNS, Lang, MaxUsd, OwnEndpoint, Patience, RunDirectory, RunsFolder
from meshcap.run_ending import end_with


def command(
    run_dir: RunDirectory,
    target: Annotated[
        str | None, typer.Option(help="GraphQL URL to load, or sandbox; what the run loaded unless given.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="The DynamoDB table behind the target, if another.")] = None,
    api_id: Annotated[str | None, typer.Option(help="The AppSync API id, if another.")] = None,
    runs: RunsFolder = RUNS,
    patience: Patience = PATIENCE_S,
    max_usd: MaxUsd = None,
    lang: Lang = "en",
    i_own_this_endpoint: OwnEndpoint = False,
) -> None:
    """Run a run's scenario again: the same seed, settings, kind of target and Locust options, from run.json alone."""
    from capacity.record import read_run
    from meshcap.loop import Request, run_loop, versions
    from meshcap.rerun import locust_arguments, scenario_file, stand_in_the_same_place, tell_differences, where

    record = read_run(run_dir)
    at = where(run_dir, record, target, i_own_this_endpoint)
    arguments = locust_arguments(run_dir, record)
    stand_in_the_same_place(record, at)
    tell_differences(record, versions())
    with scenario_file(record.scenario_name, record.scenario) as file:
        outcome = run_loop(
            Request(
                scenario=record.scenario_name,
                scenario_file=file,
                target_url=at.url,
                table_name=table or at.table_name,
                api_id=api_id or at.api_id,
                function_names=record.target.function_names if at.table_name == record.target.table_name else (),
                runs_dir=runs,
                patience_s=patience,
                lang=lang,
                owned=i_own_this_endpoint,
                max_usd=max_usd,
                locust_arguments=arguments,
                rerun_of=run_dir,
            )
        )
    end_with(outcome, None)
