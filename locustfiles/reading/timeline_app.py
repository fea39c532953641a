"""What the users of the timeline app in one process share, and what a poster and a reader do."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

from botocore.exceptions import ClientError
from gevent.event import Event

from capacity.workloads.timeline import Timeline, first_limit, page_units, post_units
from capacity.workloads.timeline.app import INDEX
from locustfiles.direct.dynamodb_client import Sender
from locustfiles.direct.dynamodb_consumed import Consumed
from locustfiles.direct.request_rows import Ended, RequestRows
from locustfiles.reading.timeline_check import PostLedger
from locustfiles.reading.timeline_reader import ReadingFailed, TimelineReader
from locustfiles.running.clock import now_s


class TimelineApp:
    """The app under load: its table, what is known of its posts, and what was consumed and found."""

    def __init__(self) -> None:
        self.timeline: Timeline
        self.client: Any
        self.consumed = Consumed()
        self.ledger = PostLedger(0.0)
        self.checks: Counter[str] = Counter()
        self.posts = 0
        self.ready = Event()
        """Set once the table is there: a master may ask for users while a worker is still looking."""
        self.began_s = self.ended_s = 0.0

    def create(self) -> None:
        """Make the app's table unless it is there, and wait until it is. Raises botocore's ClientError."""
        try:
            self.client.create_table(**self.timeline.table.create_table_request())
        except ClientError as refusal:
            if refusal.response.get("Error", {}).get("Code") != "ResourceInUseException":
                raise
        waiter = self.client.get_waiter("table_exists")
        waiter.wait(TableName=self.timeline.table_name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})

    def start(self, settle_s: float) -> None:
        """A run begins."""
        self.consumed, self.ledger, self.checks = Consumed(), PostLedger(settle_s), Counter()
        self.began_s, self.ended_s = now_s(), 0.0

    def post(self, sender: Sender, intended_s: float | None = None) -> None:
        """One post, known to the ledger once it was accepted; its running number chooses its shard."""
        number, self.posts = self.posts, self.posts + 1
        process_at, timeline_id = int(now_s()), str(uuid.uuid4())
        item = self.timeline.post(timeline_id, number, process_at)
        request = {"TableName": self.timeline.table_name, "Item": item, "ReturnConsumedCapacity": "INDEXES"}
        shard = str(self.timeline.shard_of(number))
        if sender.send("PutItem", request, "post", intended_s=intended_s, key=shard) is not None:
            self.ledger.accepted(now_s(), process_at, timeline_id)

    def read(
        self,
        sender: Sender,
        pages: int | None,
        fire: Callable[..., None],
        rows: RequestRows | None = None,
        intended_s: float | None = None,
    ) -> None:
        """One reading of so many pages (None = to the end), checked when it is over; a fault is a failed `reading`."""
        began_s = now_s()
        known = self.ledger.known_at(began_s)
        shown: list[tuple[int, str]] = []

        def ask(request: dict[str, Any]) -> dict[str, Any] | None:
            return sender.send("Query", request, "page", key=request["ExpressionAttributeValues"][":key"]["N"])

        read = 0
        fault: str | None = None
        try:
            for page in islice(TimelineReader(self.timeline, ask).pages(), pages):
                shown += page
                read += 1
        except ReadingFailed:
            self.checks["failed"] += 1
            fault = "a page failed"
        else:
            checked = self.ledger.check(known, shown, to_the_end=pages is None or read < pages)
            self.checks.update({"readings": 1, "pages": read, "posts": checked.posts})
            self.checks.update(
                {"duplicate": checked.duplicates, "out of order": checked.out_of_order, "missing": checked.missing}
            )
            fault = ", ".join(checked.faults) or None
        ended_s = now_s()
        if rows is not None:
            ended = Ended(
                began_s,
                ended_s,
                outcome="refused" if fault else "ok",
                error_type=fault,
                error_message=f"{len(shown)} posts were read: {fault}" if fault else None,
                items=len(shown),
            )
            rows.add("reading", None, began_s if intended_s is None else intended_s, ended)
        if fault == "a page failed":  # which Locust has counted already
            return
        fire(
            request_type="check",
            name="reading",
            response_time=(ended_s - began_s) * 1000,
            response_length=len(shown),
            exception=AssertionError(fault) if fault else None,
            context={},
        )

    def report(self) -> dict[str, Any]:
        """What was found, consumed and expected."""
        most = first_limit(self.timeline)
        names = ("readings", "pages", "posts", "duplicate", "out of order", "missing", "failed")
        return {
            "table": self.timeline.table_name,
            "shards": self.timeline.shards,
            "checks": {name.replace(" ", "_"): self.checks[name] for name in names},
            "model": {
                "write_units_per_post": {
                    "table": post_units(self.timeline).table.write,
                    INDEX: post_units(self.timeline).indexes[INDEX].write,
                },
                "read_units_per_full_page": page_units(self.timeline).indexes[INDEX].read,
                "first_limit": most.name,
                "posts_per_s_at_first_limit": most.reached_at_per_s,
            },
            **self.consumed.report((self.ended_s or now_s()) - self.began_s),
        }
