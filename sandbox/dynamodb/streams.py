"""DynamoDB Streams: the ordered record of what writes changed, kept for 24 hours in one shard."""

from __future__ import annotations

import datetime
from collections import deque
from typing import Any, NamedTuple

import orjson

from capacity.dynamodb.item_size import item_size_bytes
from sandbox.dynamodb.keys import KeyReader

RETENTION_S = 86_400.0
FIRST_SEQUENCE = 100_000_000_000_000_000_000


class Change(NamedTuple):
    """One write as it is kept: the texts of the item before and after, which its record shares."""

    time_s: float
    old_text: bytes | None
    new_text: bytes | None
    expired: bool


class Stream:
    """One stream of one table. Its only shard holds every record, so the order per key is the order of writes."""

    def __init__(self, arn: str, label: str, view: str, region: str, created_s: float, table: str, keys: KeyReader):
        self.arn = arn
        self.label = label
        self.view = view
        self.region = region
        self.created_s = created_s
        self.table = table
        self.closed_s: float | None = None
        self.shard_id = f"shardId-{int(created_s * 1000):020d}-{label[-8:].replace(':', '').replace('.', '')}"
        self._keys = keys
        self._changes: deque[Change] = deque()
        self.first = 0
        """Number of records already trimmed: position of the oldest one that is there."""

    def record(self, now_s: float, old_text: bytes | None, new_text: bytes | None, *, expired: bool = False) -> None:
        """Append what one write did; an identical overwrite, and a delete of nothing, leave no record."""
        if old_text != new_text:  # equal items have equal texts
            self.trim(now_s)
            self._changes.append(Change(now_s, old_text, new_text, expired))

    def read(self, position: int) -> dict[str, Any]:
        """The record at a position, `first` <= position < `next_position`, as GetRecords answers it."""
        change = self._changes[position - self.first]
        old = orjson.loads(change.old_text) if change.old_text is not None else None
        new = orjson.loads(change.new_text) if change.new_text is not None else None
        key = self._keys.key_of(new if new is not None else old)  # type: ignore[arg-type]
        content: dict[str, Any] = {"ApproximateCreationDateTime": int(change.time_s), "Keys": key}
        size = item_size_bytes(key)
        if new is not None and self.view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
            content["NewImage"] = new
            size += item_size_bytes(new)
        if old is not None and self.view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
            content["OldImage"] = old
            size += item_size_bytes(old)
        content |= {
            "SequenceNumber": str(FIRST_SEQUENCE + position),
            "SizeBytes": size,
            "StreamViewType": self.view,
        }
        record: dict[str, Any] = {
            "eventID": f"{position:032x}",
            "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self.region,
            "dynamodb": content,
        }
        if change.expired:
            record["userIdentity"] = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
        return record

    @property
    def enabled(self) -> bool:
        """Whether it still takes records."""
        return self.closed_s is None

    def __len__(self) -> int:
        """Records held."""
        return len(self._changes)

    def trim(self, now_s: float) -> None:
        """Forget what is older than 24 hours."""
        while self._changes and int(self._changes[0].time_s) < now_s - RETENTION_S:
            self._changes.popleft()
            self.first += 1

    @property
    def next_position(self) -> int:
        return self.first + len(self._changes)


def stream_label(now_s: float) -> str:
    """Time as stream labels write it, to the millisecond."""
    moment = datetime.datetime.fromtimestamp(now_s, datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
