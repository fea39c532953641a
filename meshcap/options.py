"""Options that several verbs share, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _language(text: str) -> str:
    """A language of the reports; typer's own choice puts "Value error" before its message."""
    if text not in ("en", "ja"):
        raise typer.BadParameter(f"{text!r} is no language of the reports; there are en and ja, for example --lang ja")
    return text


ScenarioName = Annotated[str, typer.Argument(help="A scenario of the file, such as classroom.")]
ScenarioFile = Annotated[
    Path, typer.Option("--file", "-f", envvar="MESHCAP_SCENARIOS", help="The scenario file.", show_default=True)
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
    list[str] | None, typer.Option("--function", help="A Lambda function behind the target, for its metrics.")
]
PriceRegion = Annotated[str, typer.Option(help="Whose prices: ap-northeast-1 or us-east-1.")]

SCENARIOS = Path("scenarios.yaml")
RUNS = Path("runs")
PATIENCE_S = 300.0
PRICE_REGION = "ap-northeast-1"
