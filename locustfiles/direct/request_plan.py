"""What a direct load sends: a mix of operations on which keys, of which size. Every fault of the options at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.table import Table
from capacity.loopback import is_loopback
from capacity.scenario import Scenario
from capacity.scenario.quantities import parse_size_bytes
from capacity.workloads.direct.draws import settings_of
from capacity.workloads.direct.keys import chooser

READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
OPERATIONS = (*READS, *WRITES)
MAX_KEYS = 10_000_000


@dataclass(frozen=True)
class RequestPlan:
    """A direct load. `mix`: operation -> weight."""

    table: str
    mix: dict[str, float]
    keys: int
    distribution: str
    item_bytes: int
    rows_per_key: int
    index: str | None
    index_values: int
    limit: int
    batch: int
    consistent: bool
    key_prefix: str
    seed: int


class PlanError(ValueError):
    """Options that make no load; one line per fault."""


def plan_of(options: Any, endpoint: str | None) -> RequestPlan:
    """The plan of parsed options; `endpoint` is where it goes, None = AWS itself. Raises PlanError with every fault."""
    faults: list[str] = []
    mix, item_bytes = _mix_of(options.mix or "", faults), _item_bytes_of(options.item_size, faults)
    if not options.table:
        faults.append("--table is missing: name the table to load, like --table posts")
    for name, least, most in (
        ("keys", 1, MAX_KEYS), ("rows_per_key", 1, MAX_KEYS), ("index_values", 0, MAX_KEYS), ("limit", 1, 10_000),
        ("batch", 1, 25),
    ):  # fmt: skip
        value = getattr(options, name)
        if not least <= value <= most:
            faults.append(f"--{name.replace('_', '-')} {value} is out of range; expected {least:,} to {most:,}")
    try:
        chooser(options.distribution, max(1, min(10, options.keys)), 0)
    except ValueError as fault:
        faults.append(f"--{fault}")
    if not is_loopback(endpoint) and not options.i_own_this_endpoint:
        faults.append(
            f"{endpoint or 'AWS'} is not on this machine: add --i-own-this-endpoint if the table is yours to load, or "
            "give a local one, like -H http://127.0.0.1:8000"
        )
    if faults:
        raise PlanError("\n".join(faults))
    return RequestPlan(
        table=options.table,
        mix=mix,
        keys=options.keys,
        distribution=options.distribution,
        item_bytes=item_bytes,
        rows_per_key=options.rows_per_key,
        index=options.index or None,
        index_values=options.index_values or options.keys,
        limit=options.limit,
        batch=options.batch,
        consistent=options.consistent,
        key_prefix=options.key_prefix,
        seed=options.seed,
    )


def _mix_of(text: str, faults: list[str]) -> dict[str, float]:
    mix: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, weight = part.strip().partition("=")
        try:
            mix[name] = float(weight or 1)
        except ValueError:
            faults.append(f"--mix {part!r}: {weight!r} is no weight; write it like GetItem=80,PutItem=20")
        if name not in OPERATIONS:
            faults.append(f"--mix {part!r}: no operation {name!r}; there are {', '.join(OPERATIONS)}")
    if not mix or not 0 < sum(mix.values()) < 1e12 or min(mix.values(), default=0) < 0:
        faults.append("--mix needs operations with weights above 0, like GetItem=80,PutItem=20")
    return mix


def _item_bytes_of(text: str, faults: list[str]) -> int:
    item_bytes = 0
    try:
        item_bytes = parse_size_bytes(int(text) if text.isdigit() else text)
    except ValueError as fault:
        faults.append(f"--item-size: {fault}")
    if not 0 <= item_bytes <= 409_600:
        faults.append(f"--item-size {text} is more than an item may have, 400KiB")
    return item_bytes


def fit(plan: RequestPlan, table: Table, smallest_item: dict[str, Any]) -> list[str]:
    """What of a plan doesn't fit the table that is really there, in sentences."""
    faults = []
    names = [index.name for index in table.indexes]
    if plan.index is not None and plan.index not in names:
        faults.append(
            f"--index {plan.index}: table {table.name} has no such index; it has {', '.join(names) or 'none'}"
        )
    least = item_size_bytes(smallest_item)
    if plan.item_bytes < least:
        faults.append(f"--item-size {plan.item_bytes}: an empty item takes {least} bytes; give at least that")
    return faults


def plan_of_scenario(scenario: Scenario) -> RequestPlan:
    """The plan of a scenario of workload dynamodb."""
    settings = settings_of(scenario)
    return RequestPlan(
        table=settings.table,
        mix={str(name): weight for name, weight in settings.mix.items()},
        keys=settings.keys,
        distribution=settings.distribution,
        item_bytes=settings.item_bytes,
        rows_per_key=settings.rows,
        index=settings.index,
        index_values=settings.index_values or settings.keys,
        limit=settings.limit,
        batch=1,
        consistent=settings.consistent,
        key_prefix="key-",
        seed=scenario.seed,
    )
