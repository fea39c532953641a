"""What a post and a reading cost, on the table and on the index: the calls that the app makes, on its items.

A sharded timeline is read by asking every shard for its newest page and merging; a shard is asked again when its page
is used up and one more of its posts may be next. Posts are taken to be spread evenly over the shards.
"""

from __future__ import annotations

import math

from capacity.dynamodb.consumption import Consumption, Units
from capacity.dynamodb.reads import query_page
from capacity.dynamodb.units import Consistency
from capacity.dynamodb.writes import Write, write_item
from capacity.workloads.timeline.app import INDEX, Timeline


def post_units(timeline: Timeline) -> Consumption:
    """One new post: the table's write, and the index's."""
    return write_item(timeline.table, Write(None, timeline.example()))


def page_units(timeline: Timeline) -> Consumption:
    """One Query of a full page of the index, eventually consistent."""
    items = [timeline.example(number) for number in range(timeline.per_page)]
    return query_page(timeline.table, items, Consistency.EVENTUAL, index=INDEX)


def queries_per_reading(shards: int, pages: float, per_page: int) -> float:
    """Queries of a reader who loads so many full pages: one a page from one shard; from several, all of them for the
    top page and then each again as its posts are used up. A mean number of pages lies between its neighbours.
    """
    whole = math.floor(pages)
    if whole == pages:
        return float(_queries(shards, whole, per_page))
    fewer, more = _queries(shards, whole, per_page), _queries(shards, whole + 1, per_page)
    return fewer + (pages - whole) * (more - fewer)


def _queries(shards: int, pages: int, per_page: int) -> int:
    """Before the last post is chosen, every shard must show its next one: it was asked once, and once more for each
    page of its posts that was used up.
    """
    chosen = pages * per_page - 1
    of_shard = (max(0, -(-(chosen - shard) // shards)) for shard in range(shards))
    return sum(posts // per_page + 1 for posts in of_shard)


def reading_units(timeline: Timeline) -> Consumption:
    """A whole reading of `pages_per_reading` pages."""
    queries = queries_per_reading(timeline.shards, timeline.pages_per_reading, timeline.per_page)
    return Consumption(indexes={INDEX: Units(read=page_units(timeline).indexes[INDEX].read * queries)})
