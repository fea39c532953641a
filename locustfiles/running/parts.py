"""What one process of the generator writes while the run goes: Arrow streams that only grow.

Each stream is flushed every second or so, and whatever is flushed survives the process. `locustfiles.running.merge`
turns the parts of all processes into the files of the run directory.

    <run dir>/parts/<worker>.<stream>.arrows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from capacity.run_tables import REQUESTS

PUBLICATIONS = pa.schema(
    [
        ("sender", pa.int32()),
        ("kind", pa.int8()),  # REPORT, FIRED or RECORDED
        ("sequence", pa.int64()),
        ("group", pa.int32()),
        ("sent_s", pa.float64()),
        ("answered_s", pa.float64()),
        ("fate", pa.int8()),  # ACCEPTED, REFUSED or UNANSWERED
        ("key", pa.string()),  # polling: the event's sort key up to its random tail
    ]
)
RECEPTIONS = pa.schema(
    [
        ("receiver", pa.int32()),
        ("sender", pa.int32()),
        ("kind", pa.int8()),
        ("sequence", pa.int64()),
        ("received_s", pa.float64()),
        ("foreign", pa.bool_()),  # the message names another group than the receiver's
    ]
)
PRESENCES = pa.schema(
    [
        ("receiver", pa.int32()),
        ("group", pa.int32()),
        ("group_id", pa.string()),
        ("polling", pa.bool_()),
        ("since_s", pa.float64()),
        ("until_s", pa.float64()),  # NaN on the row that opens a presence; the row that closes it repeats since_s
    ]
)
CURSORS = pa.schema([("receiver", pa.int32()), ("adopted_s", pa.float64()), ("cursor", pa.string())])

REPORT, FIRED, RECORDED = 0, 1, 2
"""A report; a batch of events to subscribers, numbered by its first event; one event for those who poll."""
ACCEPTED, REFUSED, UNANSWERED = 0, 1, 2

STREAMS = {
    "requests": REQUESTS,
    "publications": PUBLICATIONS,
    "receptions": RECEPTIONS,
    "presences": PRESENCES,
    "cursors": CURSORS,
}


class PartStream:
    """Rows in memory until `flush` appends them to the file. A row is a tuple in the schema's order."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[tuple[Any, ...]] = []
        self._file = path.open("wb")
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer = pa.ipc.new_stream(self._file, schema, options=options)
        self._flushed = 0
        self.on_batch: Callable[[pa.RecordBatch], object] = lambda batch: None
        """Told of every batch that is written."""
        self.append = self._rows.append

    @property
    def count(self) -> int:
        """Rows appended so far."""
        return self._flushed + len(self._rows)

    @property
    def waiting(self) -> int:
        """Rows that are not in the file yet."""
        return len(self._rows)

    def flush(self) -> None:
        """Append what is in memory to the file."""
        if not self._rows:
            return
        self._flushed += len(self._rows)
        columns = list(zip(*self._rows, strict=True))
        self._rows.clear()
        arrays = [_array(values, field.type) for values, field in zip(columns, self._schema, strict=True)]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._writer.write_batch(batch)
        self._file.flush()
        self.on_batch(batch)

    def close(self) -> None:
        """Flush and end the stream."""
        self.flush()
        self._writer.close()
        self._file.close()


def read_stream(path: Path) -> Iterator[pa.RecordBatch]:
    """Every whole batch of a stream, also of one whose writer died in the middle of a batch."""
    try:
        with pa.OSFile(str(path)) as file:
            reader = pa.ipc.open_stream(file)
            while True:
                yield reader.read_next_batch()
    except (StopIteration, pa.ArrowException, MemoryError, OSError):
        return


def _array(values: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array((np.array(values) * 1e6).astype(np.int64)).cast(kind)
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    return pa.array(values, kind)
