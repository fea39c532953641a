"""How much memory and processor the processes of a run use while it goes: what a soak is run to see."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from capacity.record import RunRecord, replacing
from capacity.run_tables import PROCESSES

LOOK_EVERY_S = 5.0


@dataclass(frozen=True)
class Look:
    """One process at one moment."""

    time: datetime
    process: str
    """sandbox, or generator."""
    pid: int
    rss_bytes: int
    cpu_s: float
    """Processor time since the process began."""


@dataclass
class ProcessWatch:
    """Looks at the children of this process, and at theirs, from time to time. A process that is gone is left out."""

    looks: list[Look] = field(default_factory=list)
    _next_s: float = 0.0

    def look(self, elapsed_s: float) -> None:
        """Look, unless the last time was less than LOOK_EVERY_S ago."""
        if elapsed_s < self._next_s:
            return
        self._next_s = elapsed_s + LOOK_EVERY_S
        now = datetime.now(UTC)
        for child in psutil.Process().children(recursive=True):
            try:
                arguments, cpu = child.cmdline(), child.cpu_times()
                name = "generator" if "locust" in arguments else "sandbox" if "sandbox" in arguments else None
                if name is not None:
                    self.looks.append(Look(now, name, child.pid, child.memory_info().rss, cpu.user + cpu.system))
            except psutil.Error:
                continue

    def write(self, run_dir: Path) -> None:
        """Write processes.parquet."""
        columns = {column.name: [getattr(look, column.name) for look in self.looks] for column in PROCESSES}
        arrays = []
        for column in PROCESSES:
            is_name = pa.types.is_dictionary(column.type)
            values = pa.array(columns[column.name], column.type.value_type if is_name else column.type)
            arrays.append(values.dictionary_encode() if is_name else values)
        with replacing(run_dir / "processes.parquet") as path:
            pq.write_table(pa.Table.from_arrays(arrays, schema=PROCESSES), path)

    def notes(self, record: RunRecord) -> list[str]:
        """What each process held at the beginning and at the end of the measuring window."""
        begin, end = record.measuring_from, record.measuring_until
        if begin is None or end is None:
            return []
        said = []
        for pid in dict.fromkeys(look.pid for look in self.looks):
            within = [look for look in self.looks if look.pid == pid and begin <= look.time <= end]
            if len(within) > 1:
                first, last = within[0], within[-1]
                said.append(
                    f"memory of the {first.process} (process {pid}): {first.rss_bytes / 1e6:,.0f} MB at the beginning "
                    f"of the measuring window, {last.rss_bytes / 1e6:,.0f} MB at its end "
                    f"{(last.time - first.time).total_seconds():,.0f} s later"
                )
        return said
