"""The timeline app as a workload: posts, the pages that readers load, and whole readings, which cost nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.table import Table
from capacity.dynamodb.units import Consistency, read_units_of
from capacity.scenario import Scenario
from capacity.workloads.charge_rows import CALLS, READ, TABLE, WRITE, Charges
from capacity.workloads.protocol import DynamoDBAlone, Services
from capacity.workloads.sent_rows import codes, floats, is_throttle, operation_codes, outcomes, seconds
from capacity.workloads.stream import Floats, Ints, Outcome, Sent
from capacity.workloads.timeline.app import FIRST_SHARD, INDEX
from capacity.workloads.timeline.schedule import app_of, posters, readers, settings_of
from capacity.workloads.timeline.units import post_units

OPERATIONS = ("post", "page", "reading")
"""A PutItem; a Query; all the Queries of a reader together, with what was found wrong with them."""
POST, PAGE, READING = range(3)
CODE: Mapping[str, int] = {name: code for code, name in enumerate(OPERATIONS)}
_POST_KEY = "{timeline_id}"


@dataclass(frozen=True)
class TimelineRequests:
    """Requests of the app. `shard` is the index's partition key; `items` are the posts of a page."""

    start_s: float
    time_s: Floats
    operation: Ints
    shard: Ints
    items: Ints
    outcome: Ints

    def __len__(self) -> int:
        return len(self.time_s)


class TimelineWorkload:
    """The traffic of posters and readers against the app's table."""

    operations = OPERATIONS
    layout = "timeline"
    assumptions = (
        "every request is answered at once, and a refused post is not repeated",
        "the table is empty at the start, and a post is in the index as soon as it is in the table",
        "pages are read eventually consistent, as an index is",
    )

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.app = app_of(scenario)

    @cached_property
    def table(self) -> Table:
        """The app's table."""
        return self.app.table

    @property
    def parties(self) -> Mapping[str, int]:
        """Posters and readers."""
        settings = settings_of(self._scenario)
        return {"posters": settings.posters, "readers": settings.readers}

    def planned(self) -> TimelineRequests:
        """Every post, page and reading of the schedule."""
        post_s, reading_s = posters(self._scenario).times_s(), readers(self._scenario).times_s()
        reading, shard, items = self._pages(np.searchsorted(post_s, reading_s))
        parts = (
            (post_s, POST, np.arange(len(post_s)) % self.app.shards, np.ones(len(post_s), np.int64)),
            (reading_s[reading], PAGE, shard, items),
            (reading_s, READING, np.zeros(len(reading_s), np.int64), np.zeros(len(reading_s), np.int64)),
        )
        time_s = np.concatenate([part[0] for part in parts])
        order = np.argsort(time_s, kind="stable")
        return TimelineRequests(
            start_s=0.0,
            time_s=time_s[order],
            operation=np.concatenate([np.full(len(part[0]), part[1]) for part in parts])[order],
            shard=FIRST_SHARD + np.concatenate([part[2] for part in parts])[order],
            items=np.concatenate([part[3] for part in parts])[order],
            outcome=np.full(len(order), int(Outcome.DONE)),
        )

    def _pages(self, posts: Ints) -> tuple[Ints, Ints, Ints]:
        """The Queries of readings that begin when so many posts are there: whose each is, of which shard (from 0), and
        how many posts it gives.

        Before a reader shows a post, every shard must have shown its next one, so a shard is asked again when its page
        is used up; and where the posts run out, until it has no more.
        """
        app, per_page = self.app, self.app.per_page
        shards = np.arange(app.shards)
        wanted = round(app.pages_per_reading) * per_page
        there = _of_shard(posts[:, None], shards, app.shards)
        before_last = np.maximum(0, np.minimum(posts, wanted) - 1)
        chosen = there - _of_shard((posts - before_last)[:, None], shards, app.shards)
        queries = np.where((posts < wanted)[:, None], there, chosen) // per_page + 1
        cell = np.repeat(np.arange(queries.size), queries.ravel())
        number = np.arange(len(cell)) - np.repeat(np.cumsum(queries) - queries.ravel(), queries.ravel())
        items = np.clip(there.ravel()[cell] - number * per_page, 0, per_page)
        return cell // app.shards, cell % app.shards, items

    def sent(self, requests: pa.Table, *, only_reads_throttled: bool = False) -> Sent[TimelineRequests]:
        """The requests that a run sent, by the middle of each request's time."""
        code = operation_codes(requests["operation"], CODE)
        middle_s = seconds(requests["start"]) + np.nan_to_num(floats(requests["latency_ms"])) / 2000.0
        rows = np.flatnonzero(code >= 0)
        rows = rows[np.argsort(middle_s[rows], kind="stable")]
        outcome, uncertain = outcomes(requests, rows, _refusal)
        shard, names = codes(requests["group"], rows)
        number = np.array([*(int(name) if name.isdecimal() else FIRST_SHARD for name in names), FIRST_SHARD], np.int64)
        zero_s = float(middle_s[rows[0]]) if len(rows) else 0.0
        stream = TimelineRequests(
            start_s=zero_s,
            time_s=middle_s[rows] - zero_s,
            operation=code[rows],
            shard=number[shard],
            items=np.nan_to_num(floats(requests["items"])[rows]).astype(np.int64),
            outcome=outcome,
        )
        return Sent(stream, rows, uncertain[stream.operation[uncertain] != READING], int((code < 0).sum()))

    def charge(self, requests: TimelineRequests) -> Charges:
        """Units of the requests: a post on table and index, a page on the index."""
        app, done = self.app, requests.outcome == Outcome.DONE
        post = np.flatnonzero(done & (requests.operation == POST))
        page = np.flatnonzero(done & (requests.operation == PAGE))
        each = post_units(app)
        entry_bytes = item_size_bytes(app.example())
        page_bytes = np.maximum(1, requests.items[page] * entry_bytes)
        rows = (
            (post, TABLE, WRITE, np.full(len(post), each.table.write), post, "PutItem"),
            (post, INDEX, WRITE, np.full(len(post), each.indexes[INDEX].write), requests.shard[post], "PutItem"),
            (page, INDEX, READ, read_units_of(page_bytes, Consistency.EVENTUAL), requests.shard[page], "Query"),
        )
        resources = (TABLE, INDEX)
        shard_key = f"sort_hash_key = {FIRST_SHARD}" if app.shards == 1 else "{sort_hash_key}"
        request = np.concatenate([row[0] for row in rows])
        columns = {
            "resource": [resources.index(row[1]) for row in rows],
            "kind": [row[2] for row in rows],
            "cause": [row[2] for row in rows],
            "key": [resources.index(row[1]) for row in rows],
            "call": [CALLS.index(row[5]) for row in rows],
        }
        resource = _spread(columns["resource"], rows)
        order = np.lexsort((resource, request))
        return Charges(
            resources=resources,
            causes=("read the newest", "write the post"),
            keys=(_POST_KEY, shard_key),
            request=request[order],
            step=np.zeros(len(order), np.int64),
            **{name: _spread(values, rows)[order] for name, values in columns.items()},
            key_entity=np.concatenate([row[4] for row in rows])[order],
            units=np.concatenate([row[3] for row in rows])[order].astype(np.float64),
            values={shard_key: lambda shard: {"N": str(shard)}},
        )

    def services(self, answered: TimelineRequests) -> Services:
        """Nothing but DynamoDB."""
        return DynamoDBAlone()


def _of_shard(posts: Any, shard: Ints, shards: int) -> Any:
    """How many of the first posts went to a shard (from 0); the n-th goes to n modulo shards."""
    return (posts - shard + shards - 1) // shards


def _spread(values: list[int], rows: tuple[tuple[Any, ...], ...]) -> Ints:
    return np.concatenate([np.full(len(row[0]), value, np.int64) for value, row in zip(values, rows, strict=True)])


def _refusal(error: str, message: str) -> Outcome:
    return Outcome.THROTTLED if is_throttle(error, message) else Outcome.INVALID
