"""Any DynamoDB table under load, by its own API:

    locust -f locustfiles/dynamodb.py -H http://127.0.0.1:8000 --headless -u 20 -r 20 -t 60s \\
        --table posts --mix GetItem=80,PutItem=20 --keys 10000 --distribution zipfian:1.1 --item-size 1KiB

Keys and indexes come from DescribeTable. Retries are off, so every throttle is seen. What the answers say was consumed
is shown at the end, and written to consumed.json of --run-dir.

With --scenario, as `meshcap run` sets it, table, mix, keys and schedule are the scenario's, and the run is recorded.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from gevent import sleep
from gevent.event import Event
from locust import User, constant, constant_throughput, events, task
from locust.runners import WorkerRunner

from capacity.dynamodb.table import Table, from_describe_table
from capacity.exit_codes import ExitCode
from capacity.workloads.direct.draws import Draw, draws
from capacity.workloads.direct.keys import Chooser, chooser
from capacity.workloads.sent_rows import is_throttle
from locustfiles.direct.dynamodb_client import Sender, dynamodb_client, endpoint_of
from locustfiles.direct.dynamodb_consumed import TABLE, Consumed
from locustfiles.direct.dynamodb_requests import RequestMaker
from locustfiles.direct.load_report import ConsumedReport, write_load_report
from locustfiles.direct.request_plan import PlanError, RequestPlan, fit, plan_of, plan_of_scenario
from locustfiles.direct.request_rows import RequestRows
from locustfiles.running.clock import now_s
from locustfiles.running.generator import generator
from locustfiles.running.giving_up import give_up
from locustfiles.running.scenario_options import add_scenario_options
from locustfiles.running.scheduled_user import (
    EverybodyAtOnce,  # noqa: F401  Locust takes the schedule that it finds here
    ScheduledUser,
    Send,
)

logger = logging.getLogger(__name__)

FILL_WAIT_S = 0.1
"""Between two attempts at what a table refused while it was filled: buckets refill every second."""


class DirectLoad:
    """What the users of one process share: the plan, the table, one client, and the sums."""

    def __init__(self) -> None:
        self.plan: RequestPlan
        self.table: Table
        self.client: Any
        self.consumed = Consumed()
        self.began_s = self.ended_s = 0.0
        self.users = 0
        self.worker = 0
        self._sequence: Chooser | None = None
        self.ready = Event()
        """Set once the table is known: a master may ask for users while a worker is still looking."""

    def begin(self, environment: Any) -> None:
        """Read options and table; ends the process with every fault told."""
        options = environment.parsed_options
        endpoint = endpoint_of(environment.host)
        try:
            self.plan = plan_of(options, endpoint)
            if options.scenario:
                scenario = generator.begin(environment, "dynamodb")
                self.plan = replace(plan_of_scenario(scenario), table=options.table)
                environment.user_classes = [DynamoDBScenarioUser]
            else:
                environment.shape_class = None
            self.client = dynamodb_client(endpoint)
            self.table = from_describe_table(self.client.describe_table(TableName=self.plan.table))
        except PlanError as fault:
            give_up(str(fault))
        except (BotoCoreError, ClientError) as fault:
            give_up(f"table {options.table} at {endpoint or 'AWS'}: {fault}", ExitCode.TARGET_UNREACHABLE)
        faults = fit(self.plan, self.table, self.maker(0).smallest_item())
        if faults:
            give_up("\n".join(faults))
        self.ready.set()

    def maker(self, user: int) -> RequestMaker:
        """The requests of one user, with random numbers of its own; all users of a process share one sequence."""
        seed = self.plan.seed * 1_000_003 + self.worker * 10_007 + user
        plan = self.plan
        if plan.distribution == "sequential" and self._sequence is None:
            self._sequence = chooser(plan.distribution, plan.keys, seed, start=self.worker * max(1, plan.keys // 8))
        next_key = self._sequence or chooser(plan.distribution, plan.keys, seed)
        return RequestMaker(plan, self.table, next_key, now_s, seed)

    def fill(self) -> None:
        """Write every item of the plan's keys, patiently."""
        items = self.maker(0).fill()
        for place in range(0, len(items), 25):
            puts = {self.plan.table: [{"PutRequest": {"Item": item}} for item in items[place : place + 25]]}
            while puts:
                try:
                    puts = self.client.batch_write_item(RequestItems=puts).get("UnprocessedItems")
                except ClientError as fault:  # the answer where every item of a batch is refused
                    if not is_throttle(fault.response["Error"]["Code"], None):
                        raise
                if puts:
                    sleep(FILL_WAIT_S)
        logger.info("filled with %d items", len(items))


load = DirectLoad()


class DynamoDBUser(User):
    """Sends one operation after the other, each drawn from the mix."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        rate = environment.parsed_options.user_rate
        self._pace = constant_throughput(rate) if rate else constant(0)

    def wait_time(self) -> float:
        """Seconds until the next request."""
        return self._pace(self)

    def on_start(self) -> None:
        load.ready.wait()
        self._maker = load.maker(load.users)
        load.users += 1
        self._operations = list(load.plan.mix)
        self._weights = list(load.plan.mix.values())
        self._sender = Sender(load.client, load.consumed, self.environment.events.request.fire)

    @task
    def send(self) -> None:
        """One request, written down with what it consumed."""
        operation = self._maker.random.choices(self._operations, self._weights)[0]
        self._sender.send(operation, self._maker.request(operation))


class DynamoDBScenarioUser(ScheduledUser):
    """One user of a scenario; sends what the plan draws."""

    abstract = True

    def on_start(self) -> None:
        load.ready.wait()
        super().on_start()

    def prepare(self) -> None:
        """Have a sender whose requests are recorded."""
        rows = RequestRows(self.session.requests, self.session.notes, f"user-{self.index}")
        self._sender = Sender(load.client, load.consumed, self.environment.events.request.fire, rows)

    def plan(self) -> Iterator[tuple[float, Send]]:
        """The draws of this user."""
        for draw in draws(self.session.scenario, self.index):
            yield draw.time_s, partial(self._send, draw)

    def _send(self, draw: Draw, intended_s: float) -> None:
        maker = RequestMaker(load.plan, load.table, lambda: draw.number, now_s, 0, row=draw.row)
        request = maker.request(draw.operation)
        self._sender.send(draw.operation, request, intended_s=intended_s, key=f"{draw.number}/{draw.row}")


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def _options(parser: Any) -> None:
    add_scenario_options(parser, "")
    add = parser.add_argument
    add("--table", env_var="MESHCAP_TABLE", default="", help="table to load")
    add("--mix", default="GetItem=80,PutItem=20", help="operations and weights")
    add("--keys", type=int, default=1000, help="partition keys")
    add("--rows-per-key", type=int, default=1, help="sort keys under each, where the table has a sort key")
    add("--distribution", default="uniform", help="uniform, zipfian, zipfian:1.2, hot:0.9 or sequential")
    add("--item-size", default="1KiB", help="size of an item, exact to the byte")
    add("--index", default="", help="index that Query and Scan read")
    add("--index-values", type=int, default=0, help="different partition keys in each index; 0 for as many as keys")
    add("--limit", type=int, default=20, help="rows of a Query or Scan")
    add("--batch", type=int, default=10, help="items of a batch or transaction")
    add("--consistent", action="store_true", help="strong reads")
    add("--user-rate", type=float, default=0.0, help="requests per second and user; 0 for one after the other")
    add("--key-prefix", default="key-", help="of key values of type S and B")
    add("--seed", type=int, default=1, help="of all random choices")
    add("--fill", action="store_true", help="write every item first")


@events.init.add_listener  # type: ignore[untyped-decorator]
def _init(environment: Any, **_: Any) -> None:
    load.begin(environment)


@events.test_start.add_listener  # type: ignore[untyped-decorator]
def _start(environment: Any, **_: Any) -> None:
    load.consumed, load.users, load.ended_s = Consumed(), 0, 0.0
    if isinstance(environment.runner, WorkerRunner):
        load.worker = environment.runner.worker_index
    elif environment.parsed_options.fill:
        load.fill()
    load.began_s = now_s()


@events.report_to_master.add_listener  # type: ignore[untyped-decorator]
def _to_master(data: dict[str, Any], **_: Any) -> None:
    data["meshcap_consumed"] = load.consumed.take()


@events.worker_report.add_listener  # type: ignore[untyped-decorator]
def _from_worker(data: dict[str, Any], **_: Any) -> None:
    if "meshcap_consumed" in data:
        load.consumed.add(data["meshcap_consumed"])


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def _end(environment: Any, **_: Any) -> None:
    if isinstance(environment.runner, WorkerRunner) or not load.began_s:
        return
    seconds = (load.ended_s or now_s()) - load.began_s
    report = {"table": load.plan.table, **load.consumed.report(seconds)}
    for operation, sums in report["operations"].items():
        for each in sums["consumed"]:
            where = load.plan.table if each["resource"] == TABLE else f"{load.plan.table}/{each['resource']}"
            sys.stderr.write(
                f"{operation}: {each['units']:,.1f} {each['kind']} units on {where}, "
                f"{each['units_per_request']:.3g} a request, {each['units_per_s']:,.1f} a second\n"
            )
        for reason, times in sums["throttled"].items():
            sys.stderr.write(f"{operation}: throttled {times:,} times, {reason}\n")
    write_load_report(environment.parsed_options.run_dir, "consumed.json", ConsumedReport.model_validate(report))


@events.test_stop.add_listener  # type: ignore[untyped-decorator]
def _stop(**_: Any) -> None:
    load.ended_s = now_s()
