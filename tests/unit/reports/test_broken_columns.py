"""A report of a run whose requests.parquet is broken in a column that only some sections read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from reports import render
from tests.fuzz.run_files import run_directory


@pytest.mark.parametrize("column", ["group", "items"])
def test_the_report_says_that_the_file_is_broken_and_leaves_sections_out(tmp_path: Path, column: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run_directory(), folder)
    path = folder / "requests.parquet"
    with pq.ParquetFile(path) as file:
        chunk = file.metadata.row_group(0).column(file.schema_arrow.names.index(column))
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        end = start + chunk.total_compressed_size
    content = path.read_bytes()
    path.write_bytes(content[:start] + b"\xff" * (end - start) + content[end:])
    render(folder)
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert "requests.parquet cannot be read" in markdown
    assert "Latency" in markdown, "what can be read is shown all the same"
