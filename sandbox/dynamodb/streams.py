"""DynamoDB Streams: the ordered record of what writes changed, kept for 24 hours in one shard."""

from __future__ import annotations

from collections import deque
from typing import Any

import orjson

from capacity.dynamodb.item_size import item_size_bytes
from sandbox.dynamodb.keys import KeyReader

RETENTION_S = 86_400.0
FIRST_SEQUENCE = 100_000_000_000_000_000_000


class Stream:
    """One stream of one table. Its only shard holds every record, so the order per key is the order of writes."""

    def __init__(self, arn: str, label: str, view: str, region: str, created_s: float, table: str):
        self.arn = arn
        self.label = label
        self.view = view
        self.region = region
        self.created_s = created_s
        self.table = table
        self.enabled = True
        self.shard_id = f"shardId-{int(created_s * 1000):020d}-{label[-8:].replace(':', '').replace('.', '')}"
        self.records: deque[dict[str, Any]] = deque()
        self.first = 0
        """Number of records already trimmed: position of records[0]."""

    def record(
        self, now_s: float, keys: KeyReader, old_text: bytes | None, new_text: bytes | None, *, expired: bool = False
    ) -> None:
        """Append what one write did; an identical overwrite, and a delete of nothing, leave no record."""
        if old_text == new_text:
            return
        old = orjson.loads(old_text) if old_text is not None else None
        new = orjson.loads(new_text) if new_text is not None else None
        self.trim(now_s)
        number = self.first + len(self.records)
        key = keys.key_of(new if new is not None else old)  # type: ignore[arg-type]
        change: dict[str, Any] = {"ApproximateCreationDateTime": int(now_s), "Keys": key}
        size = item_size_bytes(key)
        if new is not None and self.view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
            change["NewImage"] = new
            size += item_size_bytes(new)
        if old is not None and self.view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
            change["OldImage"] = old
            size += item_size_bytes(old)
        change |= {
            "SequenceNumber": str(FIRST_SEQUENCE + number),
            "SizeBytes": size,
            "StreamViewType": self.view,
        }
        record: dict[str, Any] = {
            "eventID": f"{number:032x}",
            "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self.region,
            "dynamodb": change,
        }
        if expired:
            record["userIdentity"] = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
        self.records.append(record)

    def trim(self, now_s: float) -> None:
        while self.records and self.records[0]["dynamodb"]["ApproximateCreationDateTime"] < now_s - RETENTION_S:
            self.records.popleft()
            self.first += 1

    @property
    def next_position(self) -> int:
        return self.first + len(self.records)
