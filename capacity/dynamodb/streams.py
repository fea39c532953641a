"""DynamoDB Streams: records, how fast they can be read, how long they last, and what reading them costs.

Sources: AWS's deck of 2015-08-05, slides 53-64; Developer Guide, Streams (2023-02-22); prices' unit: one GetRecords
call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from capacity.dynamodb.attribute_value import Item, equal
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Table
from capacity.dynamodb.writes import Write


class StreamView(StrEnum):
    """What a record carries beside the keys (deck, slide 58)."""

    KEYS_ONLY = "KEYS_ONLY"
    NEW_IMAGE = "NEW_IMAGE"
    OLD_IMAGE = "OLD_IMAGE"
    NEW_AND_OLD_IMAGES = "NEW_AND_OLD_IMAGES"


def record_bytes(table: Table, write: Write, view: StreamView) -> int:
    """Item bytes in the record of one write: keys and the images of the view; 0 = no record, because nothing changed.

    Reported by AWS as SizeBytes of a record (Streams API reference).
    """
    item = write.new if write.new is not None else write.old
    if item is None:
        return 0
    if write.old is not None and write.new is not None and equal({"M": write.old}, {"M": write.new}):
        return 0
    size = item_size_bytes(table.key.of(item))
    if view in (StreamView.NEW_IMAGE, StreamView.NEW_AND_OLD_IMAGES):
        size += _size(write.new)
    if view in (StreamView.OLD_IMAGE, StreamView.NEW_AND_OLD_IMAGES):
        size += _size(write.old)
    return size


def readable_per_second(written_per_second: float) -> float:
    """Records that can be read per second: twice the write rate that the table is provisioned for (deck, slide 56)."""
    return limit("dynamodb.streams_read_factor") * written_per_second


def catch_up_s(records_behind: float, written_per_second: float) -> float:
    """Time until a reader that is behind has caught up while writes go on at the provisioned rate, in seconds."""
    spare = readable_per_second(written_per_second) - written_per_second
    return math.inf if spare <= 0 else records_behind / spare


def longest_outage_s() -> float:
    """How long a reader may be away before records are lost: their retention, in seconds (deck, slide 54: 24 hours)."""
    return limit("dynamodb.streams_retention_s")


@dataclass(frozen=True)
class StreamReading:
    """Reading one stream for a while.

    `shards`: one open shard per partition of the table (a heuristic of Neptune's engineering blog, confidence low; the
    deck's slide 60 draws fewer). `polls_per_second` per shard: Lambda polls 4 times (Lambda guide, Streams, confidence
    middle).
    """

    records: float
    bytes_in_all: float
    duration_s: float
    shards: int = 1
    polls_per_second: float = 4.0
    consumers: int = 1

    @property
    def calls(self) -> float:
        """GetRecords calls: at least one per poll, and enough for 1,000 records and 1 MB a call."""
        polls = self.shards * self.polls_per_second * self.duration_s
        full = max(
            self.records / limit("dynamodb.streams_records"), self.bytes_in_all / limit("dynamodb.streams_bytes")
        )
        return self.consumers * max(polls, math.ceil(full))

    def paid_calls(self, *, by_lambda: bool) -> float:
        """Stream read units that are billed: every call, except those of Lambda triggers and global tables.

        Source: billing guide, read 2026-11-30.
        """
        return 0.0 if by_lambda else self.calls


def _size(item: Item | None) -> int:
    return 0 if item is None else item_size_bytes(item)
