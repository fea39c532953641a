"""What was flushed survives the process, whole batches at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from capacity.run_tables import REQUESTS
from locustfiles.running.parts import CURSORS, PartStream, read_stream


def rows(path: Path) -> list[dict[str, object]]:
    return [row for batch in read_stream(path) for row in batch.to_pylist()]


def test_what_is_flushed_is_read_back_in_order(tmp_path: Path) -> None:
    stream = PartStream(tmp_path / "s", CURSORS)
    for number in range(3):
        stream.append((number, number + 0.5, f"EVENT#{number}"))
        stream.flush()
    stream.close()
    assert rows(tmp_path / "s") == [{"receiver": n, "adopted_s": n + 0.5, "cursor": f"EVENT#{n}"} for n in range(3)]


@pytest.mark.parametrize("lost_bytes", [1, 40, 200])
def test_a_stream_cut_by_the_death_of_its_writer_keeps_its_whole_batches(tmp_path: Path, lost_bytes: int) -> None:
    stream = PartStream(tmp_path / "s", CURSORS)
    for number in range(3):
        stream.append((number, 0.0, "c" * 500))
        stream.flush()
    content = (tmp_path / "s").read_bytes()  # as it stands on disk: the stream was never closed
    (tmp_path / "s").write_bytes(content[:-lost_bytes])
    assert [row["receiver"] for row in rows(tmp_path / "s")] == [0, 1]


def test_a_missing_stream_has_no_rows(tmp_path: Path) -> None:
    assert rows(tmp_path / "none") == []


def test_a_request_keeps_its_times_to_the_microsecond(tmp_path: Path) -> None:
    stream = PartStream(tmp_path / "s", REQUESTS)
    stream.append(
        ("reportDataByNode", "n", None, "g", 1796052452.123456, 1796052452.125, 3.5, 5.044, "refused", "GroupNotFound",
         "gone", 10, 20, 2, "id", None)
    )  # fmt: skip
    stream.close()
    (row,) = rows(tmp_path / "s")
    assert row["intended_start"].timestamp() == pytest.approx(1796052452.123456, abs=1e-6)  # type: ignore[union-attr]
    assert (row["operation"], row["domain"], row["error_type"], row["tokens"]) == (
        "reportDataByNode",
        None,
        "GroupNotFound",
        None,
    )
