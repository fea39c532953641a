"""The app's table and items. The index's partition key is a constant in the published app; with shards it is a number.

Source: an article on a "load more" button with DynamoDB and Rails: key timeline_id, on demand, GSI
sort_hash_key_process_at_index with the constant 1 as hash key, process_at as range key, projection ALL.
"""

from __future__ import annotations

from dataclasses import dataclass

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.table import Index, Key, Table, Throughput

INDEX = "sort_hash_key_process_at_index"
FIRST_SHARD = 1
"""SORT_HASH_KEY of the article; shards count on from it."""


@dataclass(frozen=True)
class Timeline:
    """How the app is built and used. Rates are per second over all users.

    Raises ValueError with every figure out of range.
    """

    posts_per_s: float = 1.0
    readings_per_s: float = 10.0
    """Readers who open the top page."""
    pages_per_reading: float = 1.0
    """Pages that one of them loads, the top page among them."""
    per_page: int = 20
    body_bytes: int = 280
    shards: int = 1
    """Partition keys of the index; 1 is the app as published."""
    table_name: str = "timelines"
    throughput: Throughput | None = None
    index_throughput: Throughput | None = None

    def __post_init__(self) -> None:
        bounds = (
            ("posts_per_s", 0, 1e6), ("readings_per_s", 0, 1e6), ("pages_per_reading", 1, 1e6), ("per_page", 1, 10_000),
            ("body_bytes", 0, 400_000), ("shards", 1, 10_000),
        )  # fmt: skip
        faults = [
            f"{name} {getattr(self, name)!r} was given; expected {least:,} to {most:,}"
            for name, least, most in bounds
            if not least <= getattr(self, name) <= most
        ]
        if faults:
            raise ValueError("; ".join(faults))

    @property
    def table(self) -> Table:
        """The table, on demand unless throughput is given."""
        index = Index(INDEX, "GSI", Key("sort_hash_key", "process_at"), throughput=self.index_throughput)
        types = {"timeline_id": "S", "sort_hash_key": "N", "process_at": "N"}
        return Table(self.table_name, Key("timeline_id"), types, (index,), self.throughput)  # type: ignore[arg-type]

    def shard_of(self, number: int) -> int:
        """The index's partition key of the app's n-th post."""
        return FIRST_SHARD + number % self.shards

    @property
    def shard_keys(self) -> range:
        """All partition keys of the index."""
        return range(FIRST_SHARD, FIRST_SHARD + self.shards)

    def post(self, timeline_id: str, number: int, process_at: int, user_id: int = 12_345) -> Item:
        """The item of one post in DynamoDB JSON; `process_at` in epoch seconds."""
        return {
            "timeline_id": {"S": timeline_id},
            "body": {"S": "x" * self.body_bytes},
            "created_user_id": {"N": str(user_id)},
            "process_at": {"N": str(process_at)},
            "sort_hash_key": {"N": str(self.shard_of(number))},
        }

    def example(self, number: int = 0) -> Item:
        """A typical post: an id of 36 characters (UUID), a time of ten digits."""
        return self.post(f"{number:036d}", number, 1_796_000_001)
