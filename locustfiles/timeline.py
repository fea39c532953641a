"""The timeline app under load: posters write, readers open the top page and load more until the end.

    locust -f locustfiles/timeline.py -H http://127.0.0.1:8000 --headless -u 30 -r 30 -t 60s --create \\
        --posters 10 --post-rate 5 --reading-rate 0.5 --pages 5 --shards 1

Every reading is checked: no post twice, none missing that was there when it began, newest first. What was found and
consumed is shown at the end, beside what the model says, and written to timeline.json of --run-dir.

With --scenario, as `meshcap run` sets it, users, rates and schedule are the scenario's, and the run is recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from locust import User, constant_throughput, events, task
from locust.runners import WorkerRunner

from capacity.exit_codes import ExitCode
from capacity.loopback import is_loopback
from capacity.workloads.timeline import Timeline
from capacity.workloads.timeline.schedule import app_of, settings_of
from locustfiles.direct.dynamodb_client import Sender, dynamodb_client, endpoint_of
from locustfiles.direct.load_report import TimelineReport, write_load_report
from locustfiles.direct.request_rows import RequestRows
from locustfiles.reading.timeline_app import TimelineApp
from locustfiles.reading.timeline_plan import TimelinePlan
from locustfiles.running.clock import now_s
from locustfiles.running.generator import generator
from locustfiles.running.giving_up import give_up
from locustfiles.running.scenario_options import add_scenario_options
from locustfiles.running.scheduled_user import (
    EverybodyAtOnce,  # noqa: F401  Locust takes the schedule that it finds here
    ScheduledUser,
    Send,
)

app = TimelineApp()


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
        """One post."""
        app.post(self._sender)


class TimelineVisitor(User):
    """Opens the top page and loads more."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._pages = environment.parsed_options.pages or None
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
        """One reading."""
        app.read(self._sender, self._pages, self._fire)


class TimelineUser(ScheduledUser):
    """One user of a scenario, poster or reader as its seat says."""

    abstract = True

    def on_start(self) -> None:
        app.ready.wait()
        super().on_start()

    def prepare(self) -> None:
        """Have a sender whose requests are recorded."""
        self._fire = self.environment.events.request.fire
        self._plan = TimelinePlan(self.session.scenario)
        role = "poster" if self._plan.posts(self.index) else "reader"
        self._rows = RequestRows(self.session.requests, self.session.notes, f"{role}-{self.index}")
        self._sender = Sender(app.client, app.consumed, self._fire, self._rows)

    def plan(self) -> Iterator[tuple[float, Send]]:
        """Posts or readings at this user's pace."""
        send = self._post if self._plan.posts(self.index) else self._read
        for moment_s in self._plan.moments_s(self.index):
            yield moment_s, send

    def _post(self, intended_s: float) -> None:
        app.post(self._sender, intended_s)

    def _read(self, intended_s: float) -> None:
        app.read(self._sender, self._plan.settings.pages, self._fire, self._rows, intended_s)


def _begin(environment: Any) -> None:
    """Read the options, and make the table where asked to; ends the process with every fault told."""
    options, endpoint = environment.parsed_options, endpoint_of(environment.host)
    if not is_loopback(endpoint) and not options.i_own_this_endpoint:
        give_up(f"{endpoint or 'AWS'} is not on this machine: add --i-own-this-endpoint if it is yours to load")
    if options.scenario:
        scenario = generator.begin(environment, "timeline")
        app.timeline = app_of(scenario, options.table)
        environment.user_classes = [TimelineUser]
    else:
        app.timeline = _app_of_options(options)
        environment.shape_class = None
        TimelinePoster.fixed_count = options.posters
    try:
        app.client = dynamodb_client(endpoint)
        if options.create and not isinstance(environment.runner, WorkerRunner):
            app.create()
        app.client.describe_table(TableName=options.table)
        app.ready.set()
    except (BotoCoreError, ClientError) as fault:
        give_up(f"table {options.table} at {endpoint or 'AWS'}: {fault}", ExitCode.TARGET_UNREACHABLE)


def _app_of_options(options: Any) -> Timeline:
    try:
        return Timeline(
            posts_per_s=options.posters * options.post_rate,
            readings_per_s=options.reading_rate,
            pages_per_reading=max(1, options.pages),
            per_page=options.per_page,
            body_bytes=options.body,
            shards=options.shards,
            table_name=options.table,
        )
    except ValueError as fault:
        give_up(str(fault))


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def _options(parser: Any) -> None:
    add_scenario_options(parser, "")
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


@events.init.add_listener  # type: ignore[untyped-decorator]
def _init(environment: Any, **_: Any) -> None:
    _begin(environment)


@events.test_start.add_listener  # type: ignore[untyped-decorator]
def _start(environment: Any, **_: Any) -> None:
    scenario = generator.scenario
    app.start(environment.parsed_options.settle if scenario is None else settings_of(scenario).settle_s)


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
        f"{checks['missing']} missing, {checks['out_of_order']} out of order; {checks['failed']} readings failed\n"
        f"first limit: {report['model']['first_limit']}, at {most:,.0f} posts/s\n"
    )
    write_load_report(environment.parsed_options.run_dir, "timeline.json", TimelineReport.model_validate(report))
