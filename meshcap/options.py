"""Options that several verbs share, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import typer

from meshcap.errors import UserError


def _language(text: str) -> str:
    """A language of the reports; typer's own choice puts "Value error" before its message."""
    if text not in ("en", "ja"):
        raise typer.BadParameter(f"{text!r} is no language of the reports; there are en and ja, for example --lang ja")
    return text


_Given = TypeVar("_Given", str, Path)


def _no_python_file(given: _Given) -> _Given:
    """A scenario or its file. Raises UserError for a Python file, which may hold a workload for another verb."""
    if str(given).endswith(".py"):
        raise _scenarios_alone(f"{given} is a Python file", given)
    return given


def _no_workload(given: Path | None) -> None:
    """Raises UserError for an option of `meshcap plan` that one would look for here."""
    if given is not None:
        raise _scenarios_alone(f"--workload {given} was given", given)


def _scenarios_alone(what: str, file: str | Path) -> UserError:
    return UserError(
        f"{what}, and this takes scenarios. The forecast of a workload of your own: meshcap plan --workload {file}. "
        "To send such a load, write its table and its mix of operations as a scenario with workload: dynamodb, or load "
        "the table with locustfiles/dynamodb.py (both docs/any_table.md)"
    )


ScenarioName = Annotated[
    str, typer.Argument(help="A scenario of the file, such as classroom.", callback=_no_python_file)
]
ScenarioFile = Annotated[
    Path,
    typer.Option(
        "--file",
        "-f",
        envvar="MESHCAP_SCENARIOS",
        help="The scenario file.",
        show_default=True,
        callback=_no_python_file,
    ),
]
RunDirectory = Annotated[Path, typer.Argument(help="A run directory, such as runs/2026-11-30T13-30-00Z-classroom.")]
RunsFolder = Annotated[Path, typer.Option(help="Where run directories are made.")]
Patience = Annotated[float, typer.Option(help="Seconds to wait for late CloudWatch points.", min=0)]
MaxUsd = Annotated[
    float | None,
    typer.Option(help="End a run whose spend passes it, refuse one on AWS that would; there 1.00 unless given.", min=0),
]
OwnEndpoint = Annotated[bool, typer.Option("--i-own-this-endpoint", help="Allow a target that is not on this machine.")]
Lang = Annotated[str, typer.Option(parser=_language, metavar="<en|ja>", help="Language of the report.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
GraphqlUrl = Annotated[str | None, typer.Option(help="GraphQL URL of --target aws.")]
StackName = Annotated[
    str | None,
    typer.Option("--stack", help="CloudFormation stack to take URL, API id, table and functions from."),
]
FunctionNames = Annotated[
    list[str] | None,
    typer.Option("--function", metavar="<name>", help="A Lambda function behind the target, for its metrics."),
]
NoWorkloadFile = Annotated[Path | None, typer.Option("--workload", hidden=True, callback=_no_workload)]
PriceRegion = Annotated[str, typer.Option(help="Whose prices: ap-northeast-1 or us-east-1.")]

SCENARIOS = Path("scenarios.yaml")
RUNS = Path("runs")
PATIENCE_S = 300.0
PRICE_REGION = "ap-northeast-1"
