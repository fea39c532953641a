"""A whole workload of one's own, as an example: the timeline app, posts listed through an index with a constant key.

Source: the article on a "load more" button with DynamoDB and Rails (table `timelines`, index
`sort_hash_key_process_at_index`). `shards` spreads the constant key over several values; a reader must then ask every
shard for a page and merge them.
"""

from __future__ import annotations

from capacity.dynamodb.table import Index, Key, Projection, Table
from capacity.workloads.own import CONSTANT, Action, Workload, put, query, uniform

INDEX = "sort_hash_key_process_at_index"

TABLE = Table(
    name="timelines",
    key=Key("timeline_id"),
    attribute_types={"timeline_id": "S", "sort_hash_key": "N", "process_at": "N"},
    indexes=(Index(INDEX, "GSI", Key("sort_hash_key", "process_at"), Projection("ALL")),),
)


def post(body_bytes: int = 140) -> dict[str, object]:
    """One post as the app stores it."""
    return {
        "timeline_id": "6f1c8f0e-2f0b-4b63-9a2d-0d8e5f6c7a11",
        "body": "x" * body_bytes,
        "created_user_id": 12345,
        "process_at": 1_796_052_452,
        "sort_hash_key": 1,
    }


def timeline(
    posts_per_s: float,
    readers_per_s: float,
    *,
    per_page: int = 20,
    more_pages: int = 2,
    body_bytes: int = 140,
    shards: int = 1,
) -> Workload:
    """Posters, and readers who open the top page and load more so many times."""
    page = query(post(body_bytes), per_page, index=INDEX)
    return Workload(
        table=TABLE,
        actions=(
            Action("post", (put(post(body_bytes)),), posts_per_s),
            Action("top page", (page,), readers_per_s, times=shards),
            Action("load more", (page,), readers_per_s * more_pages, times=shards),
        ),
        keys={"sort_hash_key": CONSTANT if shards == 1 else uniform(shards)},
    )


WORKLOAD = timeline(posts_per_s=50, readers_per_s=200)
