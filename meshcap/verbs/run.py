"""`meshcap run SCENARIO`: the whole loop, from forecast to report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from meshcap.console import data, say
from meshcap.options import SCENARIOS, Lang, ScenarioFile, ScenarioName

CONTEXT = {"allow_extra_args": True}  # what follows -- is Locust's


def command(
    context: typer.Context,
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    target: Annotated[
        str, typer.Option(help="GraphQL URL to load; without it a local sandbox is started for the run.")
    ] = "sandbox",
    table: Annotated[str | None, typer.Option(help="The DynamoDB table behind the target.")] = None,
    api_id: Annotated[str | None, typer.Option(help="The AppSync API id, for its metrics.")] = None,
    runs: Annotated[Path, typer.Option(help="Where run directories are made.")] = Path("runs"),
    patience: Annotated[float, typer.Option(help="Seconds to wait for late CloudWatch points.", min=0)] = 300.0,
    max_usd: Annotated[float, typer.Option(help="Refuse a run on AWS that would cost more.", min=0)] = 1.00,
    lang: Lang = "en",
    i_own_this_endpoint: Annotated[
        bool, typer.Option("--i-own-this-endpoint", help="Allow a target that is not on this machine.")
    ] = False,
) -> None:
    """Forecast, load, measure, compare and report a scenario. Whatever follows `--` goes to Locust as it is."""
    from meshcap.loop import Request, run_loop

    outcome = run_loop(
        Request(
            scenario=scenario,
            scenario_file=file,
            target_url=target,
            table_name=table,
            api_id=api_id,
            runs_dir=runs,
            patience_s=patience,
            lang=lang,
            owned=i_own_this_endpoint,
            max_usd=max_usd,
            locust_arguments=list(context.args),
        )
    )
    say(outcome.sentence)
    data(str(outcome.report))
    sys.exit(outcome.exit_code)
