"""Lambda functions in a report: counted, refused, and unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_directory import START, build

from capacity.record import read_run, write_run
from capacity.run_tables import METRICS
from reports.document import Section
from reports.run import Run
from reports.sections.functions import section
from reports.wording import Wording


def point(metric: str, statistic: str, value: float | None, name: str = "mesh-leave") -> dict[str, Any]:
    row: dict[str, Any] = {"namespace": "AWS/Lambda", "metric": metric, "dimensions": f"FunctionName={name}"}
    moment = None if value is None else START
    return row | {"statistic": statistic, "period_s": 60, "timestamp": moment, "value": value}


def shown(tmp_path: Path, lang: str, *rows: dict[str, Any], names: tuple[str, ...] = ("mesh-leave",)) -> Section | None:
    run_dir = build(tmp_path / "run")
    record = read_run(run_dir)
    target = record.target.model_copy(update={"function_names": names})
    write_run(run_dir, record.model_copy(update={"target": target}))
    frame = pd.concat([pq.read_table(run_dir / "metrics.parquet").to_pandas(), pd.DataFrame(rows)])
    pq.write_table(pa.Table.from_pandas(frame, METRICS, preserve_index=False), run_dir / "metrics.parquet")
    return section(Run.open(run_dir), Wording(lang))


def cells(found: Section | None) -> list[str]:
    assert found is not None
    [table] = found.blocks
    [row] = table.cells()  # type: ignore[union-attr]
    return [cell.text for cell in row]


COUNTED = (
    point("Invocations", "Sum", 40),
    point("Invocations", "Sum", 60),
    point("Errors", "Sum", None),
    point("Throttles", "Sum", 3),
    point("Duration", "Average", 10),
    point("Duration", "Average", 20),
    point("Duration", "p99", 80),
    point("Duration", "Maximum", 90),
    point("Duration", "Maximum", 250),
)


def test_a_function_shows_what_cloudwatch_counted(tmp_path: Path) -> None:
    found = shown(tmp_path, "en", *COUNTED)
    assert cells(found) == ["mesh-leave", "100", "0", "3", "15", "80", "250"], "no errors point beside invocations is 0"
    assert found is not None
    assert found.lead.startswith("3 invocations failed or were refused.")


def test_a_function_without_points_is_unknown(tmp_path: Path) -> None:
    asked = [point(metric, "Sum", None) for metric in ("Errors", "Throttles")]
    assert cells(shown(tmp_path, "en", *asked)) == ["mesh-leave", "–", "–", "–", "–", "–", "–"]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_run_that_names_no_function_has_no_such_section(tmp_path: Path, lang: str) -> None:
    assert shown(tmp_path, lang, *COUNTED, names=()) is None


def test_it_is_said_in_japanese_too(tmp_path: Path) -> None:
    found = shown(tmp_path, "ja", *COUNTED)
    assert found is not None
    assert found.title == "Lambda 関数"
