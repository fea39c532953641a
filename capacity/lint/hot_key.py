"""A partition key that takes one value or few: all writes meet in one partition, and an index drags its table along.

Source: Developer Guide, bp-partition-key-design (2023-02-22): one partition takes 1,000 write and 3,000 read units per
second; a GSI that can't follow refuses the table's writes (Developer Guide, GSI, 2023-02-22).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from capacity.dynamodb.partitions import key_ceiling
from capacity.lint.cardinality import Spread, spread_of
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "hot-key"
TITLE = "Constant or low-cardinality partition key of a table or index"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the table's key and for each GSI's."""
    spread = spread_of(subject.table.key.partition, subject.items)
    if spread is not None:
        yield _finding(subject, None, subject.table.key.partition, spread, subject.put_units)
    for index in subject.global_indexes:
        spread = spread_of(index.key.partition, subject.items)
        if spread is not None:
            yield _finding(subject, index.name, index.key.partition, spread, subject.entry_units(index))


def _finding(subject: Subject, index: str | None, attribute: str, spread: Spread, units: float) -> Finding:
    ceiling = key_ceiling()
    share = spread.top_share or 1.0
    writes_per_s = ceiling.write_units / units / share
    shards = math.ceil(subject.writes_per_s / writes_per_s)
    how = {
        "constant": f"{attribute} is the same in every item ({spread.why}), so one partition carries them all: ",
        "few values": f"{attribute} has few values ({spread.why}), and each lives in one partition: ",
        "one value at a time": f"{attribute} has one value at a time ({spread.why}), so one partition has all writes: ",
    }[spread.kind]
    most = f"at most {writes_per_s:,.0f} writes/s" + (
        " per value" if spread.top_share is None and spread.kind == "few values" else ""
    )
    effect = "" if index is None else " Beyond that the index refuses, and the table refuses the same writes with it."
    last = max(2, shards) - 1
    number = subject.table.attribute_types.get(attribute) == "N"
    keys = f"0 to {last}" if number else f"{attribute}#0 to {attribute}#{last}"
    remedy = (
        f"Spread it over {last + 1} keys, {keys}, and read them all."
        if spread.kind != "few values"
        else "Put something with many values first in the key, such as an owner or an id, or add a shard number."
    )
    too_low = spread.kind != "few values" and writes_per_s < subject.writes_per_s
    return subject.finding(
        NAME,
        "error" if too_low else "warning",
        index,
        f"{how}{most} of {subject.sized}, where {subject.takes}.{effect}",
        remedy,
        writes_per_s=writes_per_s,
        reads_per_s=ceiling.read_units,
        table_writes_per_s=subject.writes_per_s,
        shards=last + 1,
    )
