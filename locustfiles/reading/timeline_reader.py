"""Reads a timeline page by page, newest first, from one partition key of the index or from several, merged."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from capacity.workloads.timeline.app import INDEX, Timeline

Ask = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Sends a Query and gives its answer; None when it failed."""


class ReadingFailed(Exception):
    """A page could not be read, so nothing can be said of this reading."""


@dataclass
class _Shard:
    """One partition key of the index: what came and was not shown yet, and where to go on."""

    key: int
    posts: deque[tuple[int, str]] = field(default_factory=deque)
    start: dict[str, Any] | None = None
    ended: bool = False


class TimelineReader:
    """One reading of the timeline. `pages` gives a list of (process_at, timeline_id) for each page."""

    def __init__(self, timeline: Timeline, ask: Ask) -> None:
        self._timeline, self._ask = timeline, ask
        self._shards = [_Shard(key) for key in timeline.shard_keys]

    def pages(self) -> Iterator[list[tuple[int, str]]]:
        """Pages of `per_page` posts, the last one shorter, until the end. Raises ReadingFailed when a Query fails."""
        while True:
            page = [post for post in (self._next() for _ in range(self._timeline.per_page)) if post is not None]
            if page:
                yield page
            if len(page) < self._timeline.per_page:
                return

    def _next(self) -> tuple[int, str] | None:
        """The newest post that was not shown yet. Every shard must show its next one before one can be chosen."""
        for shard in self._shards:
            while not shard.posts and not shard.ended:
                self._load(shard)
        shards = [shard for shard in self._shards if shard.posts]
        if not shards:
            return None
        return max(shards, key=lambda shard: shard.posts[0][0]).posts.popleft()

    def _load(self, shard: _Shard) -> None:
        request: dict[str, Any] = {
            "TableName": self._timeline.table_name,
            "IndexName": INDEX,
            "KeyConditionExpression": "sort_hash_key = :key",
            "ExpressionAttributeValues": {":key": {"N": str(shard.key)}},
            "ScanIndexForward": False,
            "Limit": self._timeline.per_page,
            "ReturnConsumedCapacity": "INDEXES",
        }
        if shard.start is not None:
            request["ExclusiveStartKey"] = shard.start
        answer = self._ask(request)
        if answer is None:
            raise ReadingFailed
        shard.posts.extend((int(item["process_at"]["N"]), item["timeline_id"]["S"]) for item in answer["Items"])
        shard.start = answer.get("LastEvaluatedKey")
        shard.ended = shard.start is None
