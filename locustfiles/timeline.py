"""The timeline app under load: posters write, readers open the top page and load more until the end.

    locust -f locustfiles/timeline.py -H http://127.0.0.1:8000 --headless -u 30 -r 30 -t 60s --create \\
        --posters 10 --post-rate 5 --reading-rate 0.5 --pages 5 --shards 1

Every reading is checked: no post twice, none missing that was there when it began, newest first. What was found and
consumed is shown at the end, beside what the model says, and written to timeline.json of --run-dir.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from gevent.event import Event
from locust import User, constant_throughput, events, task
from locust.runners import WorkerRunner

from capacity.exit_codes import ExitCode
from capacity.loopback import is_loopback
from capacity.record import replacing
from capacity.workloads.timeline import Timeline, first_limit, page_units, post_units
from capacity.workloads.timeline.app import INDEX
from locustfiles.direct.dynamodb_client import Sender, dynamodb_client, endpoint_of
from locustfiles.direct.dynamodb_consumed import Consumed
from locustfiles.reading.timeline_check import PostLedger
from locustfiles.reading.timeline_reader import ReadingFailed, TimelineReader
from locustfiles.running.clock import now_s


class App:
    """What the users of one process share."""

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

    def begin(self, environment: Any) -> None:
        """Read the options, and make the table where asked to; ends the process with every fault told."""
        options, endpoint = environment.parsed_options, endpoint_of(environment.host)
        if not is_loopback(endpoint) and not options.i_own_this_endpoint:
            _give_up(f"{endpoint or 'AWS'} is not on this machine: add --i-own-this-endpoint if it is yours to load")
        try:
            self.timeline = Timeline(
                posts_per_s=options.posters * options.post_rate,
                readings_per_s=options.reading_rate,
                pages_per_reading=max(1, options.pages),
                per_page=options.per_page,
                body_bytes=options.body,
                shards=options.shards,
                table_name=options.table,
            )
        except ValueError as fault:
            _give_up(str(fault))
        try:
            self.client = dynamodb_client(endpoint)
            if options.create and not isinstance(environment.runner, WorkerRunner):
                self._create()
            self.client.describe_table(TableName=options.table)
            self.ready.set()
        except (BotoCoreError, ClientError) as fault:
            _give_up(f"table {options.table} at {endpoint or 'AWS'}: {fault}", ExitCode.TARGET_UNREACHABLE)

    def _create(self) -> None:
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

    def next_post(self) -> int:
        """The number of the next post, which chooses its shard."""
        self.posts += 1
        return self.posts

    def report(self) -> dict[str, Any]:
        """What was found, consumed and expected."""
        most = first_limit(self.timeline)
        return {
            "table": self.timeline.table_name,
            "shards": self.timeline.shards,
            "checks": {
                name: self.checks[name]
                for name in ("readings", "pages", "posts", "duplicate", "out of order", "missing", "failed")
            },
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


app = App()


class TimelinePoster(User):
    """Writes posts at a steady rate."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._pace = constant_throughput(environment.parsed_options.post_rate)

    def on_start(self) -> None:
        app.ready.wait()
        self._sender = Sender(app.client, app.consumed, self.environment.events.request.fire)

    def wait_time(self) -> float:
        """Seconds until the next post."""
        return self._pace(self)

    @task
    def post(self) -> None:
        """One post, known to the ledger once it was accepted."""
        process_at, timeline_id = int(now_s()), str(uuid.uuid4())
        item = app.timeline.post(timeline_id, app.next_post(), process_at)
        request = {"TableName": app.timeline.table_name, "Item": item, "ReturnConsumedCapacity": "INDEXES"}
        if self._sender.send("PutItem", request, "post") is not None:
            app.ledger.accepted(now_s(), process_at, timeline_id)


class TimelineVisitor(User):
    """Opens the top page and loads more."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._pages = environment.parsed_options.pages
        self._pace = constant_throughput(environment.parsed_options.reading_rate)
        self._fire = environment.events.request.fire

    def on_start(self) -> None:
        app.ready.wait()
        self._sender = Sender(app.client, app.consumed, self._fire)

    def wait_time(self) -> float:
        """Seconds until the next reading."""
        return self._pace(self)

    @task
    def read(self) -> None:
        """One reading, checked when it is over; a fault is a failed request of the name `reading`."""
        began_s = now_s()
        known = app.ledger.known_at(began_s)
        shown: list[tuple[int, str]] = []
        reader = TimelineReader(app.timeline, lambda request: self._sender.send("Query", request, "page"))
        pages = 0
        try:
            for page in islice(reader.pages(), self._pages or None):
                shown += page
                pages += 1
        except ReadingFailed:
            app.checks["failed"] += 1
            return
        to_the_end = not self._pages or pages < self._pages
        checked = app.ledger.check(known, shown, to_the_end=to_the_end)
        app.checks.update({"readings": 1, "pages": pages, "posts": checked.posts})
        app.checks.update(
            {"duplicate": checked.duplicates, "out of order": checked.out_of_order, "missing": checked.missing}
        )
        self._fire(
            request_type="check",
            name="reading",
            response_time=(now_s() - began_s) * 1000,
            response_length=checked.posts,
            exception=AssertionError(", ".join(checked.faults)) if checked.faults else None,
            context={},
        )


def _give_up(message: str, code: ExitCode = ExitCode.BAD_CONFIGURATION) -> None:
    sys.stderr.write(f"{message}\n")
    sys.exit(code)


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def _options(parser: Any) -> None:
    add = parser.add_argument
    add("--table", env_var="MESHCAP_TABLE", default="timelines", help="table of the app")
    add("--create", action="store_true", help="create the table if it is missing")
    add("--shards", type=int, default=1, help="partition keys of the index; 1 is the app as published")
    add("--posters", type=int, default=1, help="users who post; all others read")
    add("--post-rate", type=float, default=1.0, help="posts per second and poster")
    add("--reading-rate", type=float, default=1.0, help="readings per second and reader")
    add("--pages", type=int, default=0, help="pages of a reading, 0 for all until the end")
    add("--per-page", type=int, default=20, help="posts of a page")
    add("--body", type=int, default=280, help="bytes of a post's body")
    add("--settle", type=float, default=1.0, help="seconds in which the index may lag behind its table")
    add("--run-dir", env_var="MESHCAP_RUN_DIR", default="", help="folder for timeline.json")
    add("--i-own-this-endpoint", action="store_true", help="allow a table that is not on this machine")


@events.init.add_listener  # type: ignore[untyped-decorator]
def _init(environment: Any, **_: Any) -> None:
    app.begin(environment)
    TimelinePoster.fixed_count = environment.parsed_options.posters


@events.test_start.add_listener  # type: ignore[untyped-decorator]
def _start(environment: Any, **_: Any) -> None:
    app.start(environment.parsed_options.settle)


@events.test_stop.add_listener  # type: ignore[untyped-decorator]
def _stop(**_: Any) -> None:
    app.ended_s = now_s()


@events.report_to_master.add_listener  # type: ignore[untyped-decorator]
def _to_master(data: dict[str, Any], **_: Any) -> None:
    data["meshcap_timeline"] = {"consumed": app.consumed.take(), "checks": dict(app.checks)}
    app.checks.clear()


@events.worker_report.add_listener  # type: ignore[untyped-decorator]
def _from_worker(data: dict[str, Any], **_: Any) -> None:
    part = data.get("meshcap_timeline")
    if part is not None:
        app.consumed.add(part["consumed"])
        app.checks.update(part["checks"])


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def _end(environment: Any, **_: Any) -> None:
    if isinstance(environment.runner, WorkerRunner) or not app.began_s:
        return
    report = app.report()
    checks, most = report["checks"], report["model"]["posts_per_s_at_first_limit"]
    sys.stderr.write(
        f"{checks['readings']:,} readings of {checks['posts']:,} posts: {checks['duplicate']} twice, "
        f"{checks['missing']} missing, {checks['out of order']} out of order; {checks['failed']} readings failed\n"
        f"first limit: {report['model']['first_limit']}, at {most:,.0f} posts/s\n"
    )
    run_dir = environment.parsed_options.run_dir
    if run_dir:
        Path(run_dir).mkdir(parents=True, exist_ok=True)
        with replacing(Path(run_dir) / "timeline.json") as path:
            path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
