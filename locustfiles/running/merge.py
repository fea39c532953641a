"""From the parts of each process to the files of the run directory: `python -m locustfiles.running.merge RUN_DIR`.

A single process merges its own parts when it ends, a master those of its workers on this machine. Parts from other
machines are copied into `<run dir>/parts` and merged by hand. What a killed process had flushed is merged too.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from capacity.record import read_run, replacing
from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS, REQUESTS
from locustfiles.ledger.deliveries import delivery_rows, fault_rows
from locustfiles.ledger.ledger_columns import Presences, Publications, Receptions
from locustfiles.ledger.settlement import HORIZON_S, Settlement
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import ClockOffset, Start
from locustfiles.running.parts import read_stream
from locustfiles.running.record import end_record
from locustfiles.running.run_plan import RunPlan, run_plan


def merge_run(run_dir: Path, workers: int) -> None:
    """Write requests.parquet, deliveries.parquet, delivery_faults.parquet and the generator's part of run.json.

    `workers` is how many processes took part. The parts are removed when those of all of them were there.
    """
    parts = run_dir / "parts"
    start = Start(**orjson.loads((parts / "start.json").read_bytes()))
    plan = run_plan(read_run(run_dir).scenario, start)
    summaries = [orjson.loads(path.read_bytes()) for path in sorted(parts.glob("*.summary.json"))]
    clocks = {_worker(path): ClockOffset(**orjson.loads(path.read_bytes())) for path in parts.glob("*.clock.json")}
    offsets_s = {worker: clock.offset_s for worker, clock in clocks.items()}
    for summary in summaries:
        summary["ended_s"] += offsets_s.get(summary["worker"], 0.0)
    sent = _merge_requests(run_dir, start, plan, offsets_s)
    notes = _settle(run_dir, plan, offsets_s) if isinstance(plan, Plan) else []
    end_record(run_dir, plan, start, sent, summaries, list(clocks.values()), workers, notes)
    if len(summaries) >= workers:
        shutil.rmtree(parts)


def _paths(run_dir: Path, stream: str) -> list[Path]:
    return sorted((run_dir / "parts").glob(f"*.{stream}.arrows"))


def _in_time_order(paths: list[Path], time_column: str) -> Iterator[tuple[Path, pa.RecordBatch, float]]:
    """Batches of several streams, the one that is furthest behind first, each with the time that all have reached."""
    streams = {path: read_stream(path) for path in paths}
    reached = dict.fromkeys(paths, float("-inf"))
    while streams:
        path = min(streams, key=lambda p: reached[p])
        batch = next(streams[path], None)
        if batch is None:
            del streams[path], reached[path]
            continue
        last = pc.max(batch[time_column])
        if pa.types.is_timestamp(last.type):
            last = pc.divide(last.cast(pa.int64()).cast(pa.float64()), 1e6)
        reached[path] = max(reached[path], last.as_py())
        yield path, batch, min(reached.values())


def _merge_requests(run_dir: Path, start: Start, plan: RunPlan, offsets_s: dict[str, float]) -> int:
    """Requests of all processes by start; returns how many of the timers' were meant for the measuring window."""
    schedule = plan.scenario.schedule
    from_us = int((start.start_s + schedule.measuring_from_s) * 1e6) if start.planned else 0
    until_us = int((start.start_s + schedule.sending_s) * 1e6) if start.planned else 1 << 62
    sent, waiting, timed = 0, [], pa.array(plan.timed_operations)
    with replacing(run_dir / "requests.parquet") as path, pq.ParquetWriter(path, REQUESTS) as writer:
        for part, batch, reached_s in _in_time_order(_paths(run_dir, "requests"), "start"):
            batch = _by_the_masters_clock(batch, offsets_s.get(_worker(part), 0.0))
            waiting.append(pa.Table.from_batches([batch]))
            intended = batch["intended_start"].cast(pa.int64())
            in_window = pc.and_(pc.greater_equal(intended, from_us), pc.less(intended, until_us))
            of_timer = pc.is_in(batch["operation"].cast(pa.string()), timed)
            sent += pc.sum(pc.and_(in_window, of_timer)).as_py() or 0
            if sum(table.num_rows for table in waiting) > 200_000:
                table = pa.concat_tables(waiting).unify_dictionaries().sort_by("start")
                old = pc.less(table["start"].cast(pa.int64()), int((reached_s - HORIZON_S) * 1e6))
                writer.write_table(table.filter(old))
                waiting = [table.filter(pc.invert(old))]
        if waiting:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries().sort_by("start"))
    return sent


def _by_the_masters_clock(batch: pa.RecordBatch, offset_s: float) -> pa.RecordBatch:
    for name in ("intended_start", "start") if offset_s else ():
        kind = batch.schema.field(name)
        moved = pc.add(batch[name].cast(pa.int64()), round(offset_s * 1e6)).cast(kind.type)
        batch = batch.set_column(batch.schema.get_field_index(name), kind, moved)
    return batch


def _settle(run_dir: Path, plan: Plan, offsets_s: dict[str, float]) -> list[str]:
    """Settle the ledger into its two files; returns what is worth a note."""
    presences, group_ids = _presences(run_dir, offsets_s)
    ledger = Settlement(presences, _cursors(run_dir), plan.scenario.settings.polling_interval_s + 1)
    receptions = _in_time_order(_paths(run_dir, "receptions"), "received_s")
    heard_until_s = float("-inf")
    with ExitStack() as stack:
        deliveries = _writer(stack, run_dir / "deliveries.parquet", DELIVERIES)
        faults = _writer(stack, run_dir / "delivery_faults.parquet", DELIVERY_FAULTS)

        def settle(until_s: float) -> None:
            settled = ledger.settle(until_s)
            if len(settled):
                deliveries.write_table(delivery_rows(settled, group_ids, plan))
                faults.write_table(fault_rows(settled, group_ids, plan))

        settled_until_s = float("-inf")
        for path, batch, sent_until_s in _in_time_order(_paths(run_dir, "publications"), "sent_s"):
            ledger.publish(_publications(batch, offsets_s.get(_worker(path), 0.0)))
            while heard_until_s < sent_until_s:
                heard = next(receptions, None)
                if heard is None:
                    heard_until_s = float("inf")
                    break
                heard_path, heard_batch, heard_until_s = heard
                ledger.receive(_receptions(heard_batch, offsets_s.get(_worker(heard_path), 0.0)))
            old_s = np.floor(sent_until_s - HORIZON_S)  # whole seconds, so that no row of a second is written twice
            if old_s > settled_until_s + 5:
                settle(old_s)
                settled_until_s = old_s
        for heard_path, heard_batch, _ in receptions:
            ledger.receive(_receptions(heard_batch, offsets_s.get(_worker(heard_path), 0.0)))
        settle(float("inf"))
    unknown = ledger.unknown_receptions
    return [f"{unknown:,} messages were received that no sender's record tells of"] if unknown else []


def _writer(stack: ExitStack, path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return stack.enter_context(pq.ParquetWriter(stack.enter_context(replacing(path)), schema))


def _worker(path: Path) -> str:
    return path.name.split(".")[0]


def _column(batch: pa.RecordBatch, name: str, kind: Any = np.int64) -> Any:
    return np.asarray(batch[name].to_numpy(zero_copy_only=False)).astype(kind)


def _publications(batch: pa.RecordBatch, offset_s: float) -> Publications:
    return Publications(
        sender=_column(batch, "sender"),
        kind=_column(batch, "kind"),
        sequence=_column(batch, "sequence"),
        group=_column(batch, "group"),
        sent_s=_column(batch, "sent_s", float) + offset_s,
        answered_s=_column(batch, "answered_s", float) + offset_s,
        fate=_column(batch, "fate"),
        key=_column(batch, "key", object),
    )


def _receptions(batch: pa.RecordBatch, offset_s: float) -> Receptions:
    return Receptions(
        receiver=_column(batch, "receiver"),
        sender=_column(batch, "sender"),
        kind=_column(batch, "kind"),
        sequence=_column(batch, "sequence"),
        received_s=_column(batch, "received_s", float) + offset_s,
        foreign=_column(batch, "foreign", bool),
    )


def _presences(run_dir: Path, offsets_s: dict[str, float]) -> tuple[Presences, dict[int, str]]:
    """Every presence, by group, and the id of each group. One that was never closed lasts to the end of its process."""
    found: dict[tuple[int, float], tuple[int, int, bool, float, float]] = {}
    group_ids: dict[int, str] = {}
    for path in _paths(run_dir, "presences"):
        offset_s, died_s = offsets_s.get(_worker(path), 0.0), None
        for batch in read_stream(path):
            for row in batch.to_pylist():
                until_s = row["until_s"]
                if np.isnan(until_s):
                    died_s = _last_sign(run_dir, _worker(path)) if died_s is None else died_s
                    until_s = died_s
                group_ids[row["group"]] = row["group_id"]
                found[row["receiver"], row["since_s"]] = (
                    row["receiver"],
                    row["group"],
                    row["polling"],
                    row["since_s"] + offset_s,
                    until_s + offset_s,
                )
    rows = sorted(found.values(), key=lambda row: row[1])
    columns = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    kinds = (np.int64, np.int64, bool, float, float)
    return Presences(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True))), group_ids


def _last_sign(run_dir: Path, worker: str) -> float:
    """When a process last wrote down that it heard something; minus infinity when it never did."""
    last = float("-inf")
    for batch in read_stream(run_dir / "parts" / f"{worker}.receptions.arrows"):
        last = max(last, pc.max(batch["received_s"]).as_py())
    return last


def _cursors(run_dir: Path) -> dict[int, str]:
    """The last cursor of each polling node. Cursors that are not event keys, as a first timestamp, skip nothing."""
    last: dict[int, str] = {}
    for path in _paths(run_dir, "cursors"):
        for batch in read_stream(path):
            for receiver, cursor in zip(batch["receiver"].to_pylist(), batch["cursor"].to_pylist(), strict=True):
                if cursor.startswith("EVENT#"):
                    last[receiver] = max(cursor, last.get(receiver, ""))
    return last


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "parts" / "start.json").is_file():
        sys.exit(
            "give a run directory with parts, like: python -m locustfiles.running.merge runs/2026-11-30T13-30-00Z-smoke"
        )
    _run_dir = Path(sys.argv[1])
    merge_run(_run_dir, workers=len({_worker(path) for path in _paths(_run_dir, "requests")}))
