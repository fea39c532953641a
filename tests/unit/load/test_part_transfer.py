"""Parts that travel from a worker's machine to the master's."""

from __future__ import annotations

from pathlib import Path

import pytest

from locustfiles.running import part_transfer


@pytest.mark.parametrize("size_bytes", [0, 1, part_transfer.CHUNK_BYTES, 3 * part_transfer.CHUNK_BYTES + 7])
def test_a_file_arrives_whole(tmp_path: Path, size_bytes: int) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    content = bytes(range(256)) * (size_bytes // 256) + b"x" * (size_bytes % 256)
    (here / "worker1.requests.arrows").write_bytes(content)
    wanted = part_transfer.sizes(here, "worker1")
    assert part_transfer.missing(there, wanted) == ["worker1.requests.arrows"]
    for chunk in part_transfer.chunks(here, list(wanted)):
        part_transfer.write_chunk(there, chunk)
    assert (there / "worker1.requests.arrows").read_bytes() == content
    assert part_transfer.missing(there, wanted) == []


def test_a_worker_speaks_of_its_own_parts_alone(tmp_path: Path) -> None:
    for name in ("worker1.requests.arrows", "worker10.requests.arrows", "start.json"):
        (tmp_path / name).touch()
    assert list(part_transfer.sizes(tmp_path, "worker1")) == ["worker1.requests.arrows"]


@pytest.mark.parametrize("name", ["../run.json", "/etc/passwd", "a/b", ""])
def test_no_part_leaves_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no name of a part"):
        part_transfer.write_chunk(tmp_path, {"name": name, "offset": 0, "data": b"x"})
