"""`meshcap lint TEMPLATE`: what in a description of tables will throttle, overflow or cost more than it needs to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data, say
from meshcap.errors import UserError
from meshcap.options import PRICE_REGION, AsJson, PriceRegion


def command(
    template: Annotated[
        Path,
        typer.Argument(help="A CloudFormation or CDK template, an answer of describe-table, or a Workbench model."),
    ],
    items: Annotated[
        Path | None, typer.Option(help="Sample items as JSON: a list, an answer of scan, or {table: [items]}.")
    ] = None,
    metrics: Annotated[
        Path | None, typer.Option(help="Folder with metrics.parquet, as meshcap import-metrics writes it.")
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="<name=value>", help="A template's parameter: Stage=prod.")
    ] = None,
    region: PriceRegion = PRICE_REGION,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 99 when there is an error or warning.")] = False,
    as_json: AsJson = False,
) -> None:
    """Findings on the tables of a file, each with a number from the model and a remedy. Nothing is sent."""
    from capacity.lint import lint
    from capacity.measurement.metric_import import read_metrics
    from capacity.pricing import prices
    from capacity.templates import TemplateError, add_items, add_metrics, read_description

    try:
        price_list = prices.load(region)
        description = read_description(template, dict(map(_parameter, parameter or ())))
        if items is not None:
            description = add_items(description, items)
        if metrics is not None:
            description = add_metrics(description, read_metrics(metrics))
    except (TemplateError, ValueError) as fault:
        raise UserError(str(fault)) from None
    findings = lint(description, price_list)
    if as_json:
        from meshcap.json_documents import LintDocument

        document = LintDocument(
            file=description.file,
            kind=description.kind,
            tables=[each.table.name for each in description.tables],
            notes=list(description.notes),
            findings=list(findings),
        )
        data(document.model_dump_json(indent=2))
    else:
        for finding in findings:
            data(f"{finding}\n")
        for note in description.notes:
            say(note)
        say(f"{description.kind}, tables: {len(description.tables)}, findings: {len(findings)}")
    if strict and any(each.severity != "advice" for each in findings):
        sys.exit(ExitCode.THRESHOLD_FAILED)


def _parameter(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"--parameter {text!r} is none; write name and value, like --parameter Stage=prod")
    return name, value
