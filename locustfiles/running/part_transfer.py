"""Brings a worker's parts to the master through Locust's own channel, when they are not on one file system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHUNK_BYTES = 1 << 20


def sizes(parts: Path, worker: str) -> dict[str, int]:
    """The parts of a worker as they stand: file name -> bytes."""
    return {path.name: path.stat().st_size for path in sorted(parts.glob(f"{worker}.*"))}


def missing(parts: Path, wanted: dict[str, int]) -> list[str]:
    """Which of a worker's files are not here, or not whole."""
    return [
        name
        for name, size_bytes in wanted.items()
        if not (parts / name).is_file() or (parts / name).stat().st_size != size_bytes
    ]


def chunks(parts: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    """Files as messages, in order."""
    for name in names:
        with (parts / name).open("rb") as file:
            offset = 0
            while True:
                data = file.read(CHUNK_BYTES)
                yield {"name": name, "offset": offset, "data": data}
                offset += len(data)
                if len(data) < CHUNK_BYTES:
                    break


def write_chunk(parts: Path, chunk: dict[str, Any]) -> None:
    """Take in one message. Raises ValueError for a name that would leave the folder."""
    name = chunk["name"]
    if not name or Path(name).name != name:
        raise ValueError(f"{name!r} is no name of a part; expected one like worker0.requests.arrows")
    with (parts / name).open("wb" if chunk["offset"] == 0 else "ab") as file:
        file.write(chunk["data"])
