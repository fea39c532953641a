"""Direct load: key distributions against their closed forms, items to the byte, and a run against the sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import jsonschema
import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.table import Index, Key, Table
from capacity.workloads.direct.keys import chooser
from locustfiles.direct.dynamodb_client import Sender
from locustfiles.direct.dynamodb_consumed import Consumed
from locustfiles.direct.dynamodb_requests import RequestMaker
from locustfiles.direct.request_plan import PlanError, RequestPlan, plan_of

ROOT = Path(__file__).resolve().parents[3]
MANY = 50_000


def drawn(distribution: str, keys: int, seed: int = 1) -> Counter[int]:
    draw = chooser(distribution, keys, seed)
    return Counter(draw() for _ in range(MANY))


@given(
    distribution=st.sampled_from(["uniform", "zipfian", "zipfian:0.5", "hot:0.9", "hot:0", "hot:1", "sequential"]),
    keys=st.integers(1, 500),
    seed=st.integers(0, 100),
)
def test_every_drawn_key_is_one_of_them_and_a_seed_draws_the_same(distribution: str, keys: int, seed: int) -> None:
    one, again = chooser(distribution, keys, seed), chooser(distribution, keys, seed)
    first = [one() for _ in range(50)]
    assert first == [again() for _ in range(50)]
    assert all(0 <= key < keys for key in first)


def test_zipfian_keys_follow_the_harmonic_numbers() -> None:
    # with s = 1 and 100 keys, key 0 has 1 / H(100) = 1 / 5.1874 of the draws, key 9 a tenth of that
    counts = drawn("zipfian", 100)
    assert counts[0] / MANY == pytest.approx(0.1928, abs=0.008)
    assert counts[9] / MANY == pytest.approx(0.01928, abs=0.003)


def test_a_hot_key_has_its_share_and_the_rest_is_even() -> None:
    counts = drawn("hot:0.9", 11)
    assert counts[0] / MANY == pytest.approx(0.9, abs=0.01)
    assert max(counts[key] for key in range(1, 11)) / min(counts[key] for key in range(1, 11)) < 1.5


def test_sequential_keys_go_round() -> None:
    draw = chooser("sequential", 3, 0, start=2)
    assert [draw() for _ in range(5)] == [2, 0, 1, 2, 0]


OPTIONS = {
    "table": "posts", "mix": "GetItem=80,PutItem=20", "keys": 100, "distribution": "uniform", "item_size": "1KiB",
    "rows_per_key": 1, "index": "", "index_values": 0, "limit": 20, "batch": 10, "consistent": False,
    "key_prefix": "k", "seed": 1, "i_own_this_endpoint": False,
}  # fmt: skip
LOCAL = "http://127.0.0.1:8000"


def planned(**more: Any) -> RequestPlan:
    return plan_of(SimpleNamespace(**{**OPTIONS, **more}), LOCAL)


def test_every_fault_of_the_options_is_told_at_once() -> None:
    wrong = {"mix": "Get=1,PutItem=x", "table": "", "keys": 0, "distribution": "normal", "item_size": "500KiB"}
    with pytest.raises(PlanError) as caught:
        plan_of(SimpleNamespace(**{**OPTIONS, **wrong}), "https://dynamodb.us-east-1.amazonaws.com")
    text = str(caught.value)
    for part in (
        "no operation 'Get'; there are GetItem",
        "'x' is no weight",
        "--table is missing",
        "--keys 0 is out of range",
        "write uniform, zipfian, zipfian:1.2, hot:0.9 or sequential",
        "more than an item may have",
        "add --i-own-this-endpoint",
    ):
        assert part in text


TABLE = Table(
    "posts",
    Key("pk", "sk"),
    {"pk": "S", "sk": "N", "kind": "B", "at": "N"},
    (Index("by_kind", "GSI", Key("kind", "at")),),
)


def maker(**more: Any) -> RequestMaker:
    numbers = iter(range(10_000))
    return RequestMaker(planned(**more), TABLE, lambda: next(numbers) % 50, lambda: 1_800_000_000.0, 1)


@given(size=st.integers(100, 20_000), number=st.integers(0, 10**6), row=st.integers(0, 10**6))
def test_an_item_has_its_size_to_the_byte_whatever_its_keys(size: int, number: int, row: int) -> None:
    assert item_size_bytes(maker(item_size=str(size)).item(number, row)) == size


def test_few_index_values_put_everything_into_few_index_keys() -> None:
    made = maker(index_values=1)
    assert {made.item(number, 0)["kind"]["B"] for number in range(20)} == {b"k00000000"}


def test_a_batch_never_names_a_key_twice() -> None:
    made = maker(batch=25)
    (puts,) = made.request("BatchWriteItem")["RequestItems"].values()
    assert len({put["PutRequest"]["Item"]["pk"]["S"] for put in puts}) == len(puts) == 25


def test_consumption_is_parted_by_table_and_index_as_the_answers_say() -> None:
    consumed, merged = Consumed(), Consumed()
    consumed.answered(
        "PutItem",
        {"ConsumedCapacity": {
            "TableName": "t", "CapacityUnits": 7.0, "Table": {"CapacityUnits": 2.0},
            "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 4.0}},
            "LocalSecondaryIndexes": {"l": {"CapacityUnits": 1.0}},
        }},
    )  # fmt: skip
    consumed.answered("BatchGetItem", {"ConsumedCapacity": [{"TableName": "t", "CapacityUnits": 1.5}]})
    consumed.throttled("Query", [])
    merged.add(json.loads(json.dumps(consumed.take())))  # as a worker sends it to its master
    report = merged.report(10)["operations"]
    assert [(e["resource"], e["kind"], e["units"]) for e in report["PutItem"]["consumed"]] == [
        ("g", "write", 4.0),
        ("table", "write", 3.0),  # an LSI is paid by its table
    ]
    assert report["BatchGetItem"]["consumed"][0]["units_per_s"] == 0.15
    assert report["Query"] == {"requests": 0, "consumed": [], "throttled": {"unexplained": 1}}
    assert consumed.report(1)["operations"] == {}


@dataclass
class Sandbox:
    url: str
    client: Any


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    command = [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"]
    environment = dict(os.environ, MESHCAP_API_KEY="da2-test")
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    )
    assert process.stdin is not None
    assert process.stdout is not None
    url = json.loads(process.stdout.readline())["url"]
    client = boto3.client(
        "dynamodb", endpoint_url=url, region_name="ap-northeast-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    yield Sandbox(url, client)
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


def locust(tmp_path: Path, url: str, *arguments: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "locust", "-f", str(ROOT / "locustfiles" / "dynamodb.py"), "-H", url, "--headless",
         "-t", "2s", "--run-dir", str(tmp_path / "run"), *arguments],
        capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=dict(os.environ, PYTHONPATH=str(ROOT)),
    )  # fmt: skip
    path = tmp_path / "run" / "consumed.json"
    return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def create(client: Any, **more: Any) -> None:
    client.create_table(**{**Table(
        "posts", Key("id"), {"id": "S", "all": "N", "at": "N"}, (Index("newest", "GSI", Key("all", "at")),),
    ).create_table_request(), **more})  # fmt: skip


def test_a_run_consumes_what_the_sizes_say(tmp_path: Path, sandbox: Sandbox) -> None:
    create(sandbox.client)
    done, report = locust(
        tmp_path, sandbox.url, "-u", "3", "-r", "3", "--table", "posts", "--keys", "40", "--item-size", "1500B",
        "--mix", "PutItem=1,GetItem=1,Query=1", "--index", "newest", "--index-values", "1", "--limit", "4", "--fill",
        "--user-rate", "20",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    jsonschema.validate(report, json.loads((ROOT / "schemas/consumed.schema.json").read_text(encoding="utf-8")))
    operations = report["operations"]
    per_request = {
        (operation, each["resource"]): each["units_per_request"]
        for operation, sums in operations.items()
        for each in sums["consumed"]
    }
    assert per_request["PutItem", "table"] == 2  # 1,500 bytes
    assert per_request["PutItem", "newest"] == 4  # the index key carries the time: old and new entry, 2 units each
    assert per_request["GetItem", "table"] == 0.5
    assert per_request["Query", "newest"] == 1  # 4 entries of 1,500 bytes, eventual
    total = sum(sums["requests"] for sums in operations.values())
    assert 10 <= total <= 140  # 3 users at 20 a second for 2 s, fewer on a busy machine
    assert "PutItem: " in done.stderr


def test_filling_waits_where_the_table_refuses(tmp_path: Path, sandbox: Sandbox) -> None:
    """600 items of 8 units under one key of the index, which takes 1,000 units a second: whole batches are refused."""
    create(sandbox.client)
    done, report = locust(
        tmp_path, sandbox.url, "-u", "1", "-r", "1", "--table", "posts", "--keys", "600", "--item-size", "8KiB",
        "--mix", "GetItem=1", "--index-values", "1", "--index", "newest", "--fill", "--user-rate", "5",
        "-t", "8s",
    )  # fmt: skip
    assert "filled with 600 items" in done.stderr
    assert "Traceback" not in done.stderr
    assert report["operations"]["GetItem"]["requests"] > 0


def test_two_workers_add_up(tmp_path: Path, sandbox: Sandbox) -> None:
    create(sandbox.client)
    done, report = locust(
        tmp_path, sandbox.url, "-u", "4", "-r", "4", "--table", "posts", "--mix", "PutItem=1,BatchWriteItem=1",
        "--batch", "5", "--user-rate", "10", "--processes", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    batches = report["operations"]["BatchWriteItem"]
    table = next(each for each in batches["consumed"] if each["resource"] == "table")
    assert table["units"] == pytest.approx(5 * batches["requests"], rel=0.1)  # fewer where a batch drew a key twice
    assert "AttributeError" not in done.stderr


def test_throttles_are_seen_with_their_reason(tmp_path: Path, sandbox: Sandbox) -> None:
    provisioned = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    request = Table("posts", Key("id"), {"id": "S"}, ()).create_table_request()
    sandbox.client.create_table(**{**request, "BillingMode": "PROVISIONED", "ProvisionedThroughput": provisioned})
    done, report = locust(
        tmp_path, sandbox.url, "-u", "4", "-r", "4", "--table", "posts", "--mix", "PutItem", "--item-size", "100KiB"
    )
    assert done.returncode == 1  # Locust's own: there were failures
    puts = report["operations"]["PutItem"]
    (reason,) = puts["throttled"]
    assert "WriteProvisionedThroughputExceeded" in reason
    # a bank of 300 units admits 100-unit items until it is in debt: 4 of them, and few more in two seconds
    assert 3 <= puts["requests"] <= 6


def test_what_does_not_fit_the_table_is_told(tmp_path: Path, sandbox: Sandbox) -> None:
    create(sandbox.client)
    done, _ = locust(tmp_path, sandbox.url, "--table", "posts", "--index", "oldest", "--item-size", "10B")
    assert done.returncode == 104
    assert "it has newest" in done.stderr
    assert "an empty item takes" in done.stderr
    done, _ = locust(tmp_path, sandbox.url, "--table", "nothing")
    assert done.returncode == 107
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("code", "member"),
    [("ProvisionedThroughputExceededException", "ThrottlingReasons"), ("ThrottlingException", "throttlingReasons")],
)
def test_a_throttle_is_counted_with_its_reason_however_it_is_spelt(code: str, member: str) -> None:
    reasons = [{"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": "arn"}]
    refusal = ClientError({"Error": {"Code": code, "Message": "m"}, member: reasons}, "PutItem")  # type: ignore[typeddict-unknown-key]
    fired: list[dict[str, Any]] = []

    def refuse(**request: Any) -> None:
        raise refusal

    consumed = Consumed()
    sender = Sender(SimpleNamespace(put_item=refuse), consumed, lambda **event: fired.append(event))
    assert sender.send("PutItem", {}) is None
    assert consumed.throttles == {("PutItem", "IndexWriteKeyRangeThroughputExceeded"): 1}
    assert str(fired[0]["exception"]) == code
