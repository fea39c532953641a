"""The app as a workload of one's own, so that the forecast of any table tells its limits and its cost."""

from __future__ import annotations

from capacity.dynamodb.attribute_value import from_item
from capacity.workloads.own import CONSTANT, Action, Workload, put, query, uniform
from capacity.workloads.timeline.app import INDEX, Timeline
from capacity.workloads.timeline.units import queries_per_reading


def workload_of(timeline: Timeline) -> Workload:
    """Posting, and the Queries that readers make of however many shards."""
    post = from_item(timeline.example())
    queries = queries_per_reading(timeline.shards, timeline.pages_per_reading, timeline.per_page)
    return Workload(
        table=timeline.table,
        actions=(
            Action("post", (put(post),), timeline.posts_per_s),
            Action("page", (query(post, timeline.per_page, index=INDEX),), timeline.readings_per_s * queries),
        ),
        keys={"sort_hash_key": CONSTANT if timeline.shards == 1 else uniform(timeline.shards)},
    )
