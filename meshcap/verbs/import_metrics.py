"""`meshcap import-metrics FILES --table T -o DIR`: CloudWatch data that is already there, as metrics.parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meshcap.console import complain, data, say
from meshcap.errors import UserError


def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Answers of aws cloudwatch get-metric-data or get-metric-statistics, queries, console CSV."
        ),
    ],
    table: Annotated[str, typer.Option(help="Whose data they are.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for metrics.parquet; what is there is kept.")],
    index: Annotated[str | None, typer.Option(help="GSI, for files that name no dimensions.")] = None,
    operation: Annotated[str | None, typer.Option(help="Operation, for files that name no dimensions.")] = None,
    statistic: Annotated[str | None, typer.Option(help="Statistic, for files that don't name it: Sum.")] = None,
    period: Annotated[int | None, typer.Option(help="Period in seconds, for files that don't name it.", min=1)] = None,
) -> None:
    """Read saved CloudWatch answers into metrics.parquet, and say what was asked for wrongly. Nothing is sent."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    from capacity.measurement.metric_explanations import explanations
    from capacity.measurement.metric_import import MetricImportError, import_metrics, merged, read_metrics
    from capacity.measurement.metric_import_series import Whose
    from capacity.record import replacing
    from capacity.run_tables import METRICS

    try:
        imported = import_metrics(files, Whose(table, index, operation, statistic, period))
    except MetricImportError as fault:
        raise UserError(str(fault)) from None
    metrics: pd.DataFrame = imported.metrics
    path = out / "metrics.parquet"
    out.mkdir(parents=True, exist_ok=True)
    if path.exists():
        try:
            metrics = merged(read_metrics(out), metrics)
        except ValueError as fault:
            raise UserError(str(fault)) from None
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pandas(metrics, schema=METRICS, preserve_index=False), temporary)
    for note in imported.notes:
        say(note)
    for explanation in explanations(metrics):
        complain(explanation)
    say(f"{int(imported.metrics['value'].notna().sum()):,} points of {len(files)} files")
    data(str(path))
