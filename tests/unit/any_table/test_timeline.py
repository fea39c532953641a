"""The timeline app: units by hand, limits against the engine, its reader as a property, its check, a real run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.table import Throughput
from capacity.workloads.own_forecast import forecast_own
from capacity.workloads.timeline import (
    Timeline,
    first_limit,
    limits,
    page_units,
    post_units,
    reading_units,
    workload_of,
)
from capacity.workloads.timeline.app import INDEX
from capacity.workloads.timeline.units import queries_per_reading
from locustfiles.reading.timeline_check import PostLedger
from locustfiles.reading.timeline_reader import ReadingFailed, TimelineReader
from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

ROOT = Path(__file__).resolve().parents[3]


class TestUnits:
    def test_a_post_to_the_byte(self) -> None:
        # names 11 + 4 + 15 + 10 + 13, values 36 + 280 + 4 (12345) + 6 (ten digits) + 2
        assert item_size_bytes(Timeline().example()) == 381

    def test_a_post_and_a_page(self) -> None:
        post = post_units(Timeline())
        assert (post.table.write, post.indexes[INDEX].write) == (1, 1)
        assert page_units(Timeline()).indexes[INDEX].read == 1  # 20 x 381 bytes are two blocks of 4 KB, eventual

    def test_long_posts_are_paid_twice_over(self) -> None:
        post = post_units(Timeline(body_bytes=3000))
        assert (post.table.write, post.indexes[INDEX].write) == (4, 4)

    @pytest.mark.parametrize(
        ("shards", "pages", "queries"), [(1, 1, 1), (1, 7, 7), (8, 1, 8), (8, 7, 8), (8, 9, 16), (4, 2, 4)]
    )
    def test_reading_all_shards_costs_the_top_page_most(self, shards: int, pages: float, queries: float) -> None:
        assert queries_per_reading(shards, pages, 20) == queries
        reading = reading_units(Timeline(shards=shards, pages_per_reading=pages))
        assert reading.indexes[INDEX].read == queries

    def test_a_mean_of_pages_counts_in_part(self) -> None:
        assert reading_units(Timeline(pages_per_reading=2.5)).indexes[INDEX].read == 2.5

    def test_every_figure_out_of_range_is_told(self) -> None:
        with pytest.raises(ValueError, match=r"per_page 0 .*; shards 0 "):
            Timeline(per_page=0, shards=0)


class TestLimits:
    def test_the_constant_key_ends_at_a_thousand_posts(self) -> None:
        found = first_limit(Timeline())
        assert (found.resource, found.reached_at_per_s) == (INDEX, 1000)
        assert "the table refuses the posts with it" in found.effect

    def test_eight_shards_are_ended_by_the_new_table_instead(self) -> None:
        found = first_limit(Timeline(shards=8))
        assert (found.name, found.reached_at_per_s) == ("on-demand throughput when new", 4000)

    def test_a_low_index_ends_a_provisioned_table(self) -> None:
        found = first_limit(Timeline(throughput=Throughput(100, 200), index_throughput=Throughput(100, 50)))
        assert (found.name, found.resource, found.reached_at_per_s) == ("provisioned throughput", INDEX, 50)

    def test_readers_of_the_constant_key_share_three_thousand_units(self) -> None:
        found = first_limit(Timeline(pages_per_reading=5), "read")
        assert (found.limit, found.reached_at_per_s) == (3000, 600)  # 1 unit a page

    def test_the_most_used_stands_first(self) -> None:
        shares = [each.share for each in limits(Timeline(posts_per_s=500, readings_per_s=2500))]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] == pytest.approx(2500 / 3000)


@pytest.mark.parametrize(("shards", "pages"), [(1, 3), (8, 1), (8, 20)])
def test_the_forecast_of_any_table_agrees(shards: int, pages: int) -> None:
    timeline = Timeline(posts_per_s=900, readings_per_s=50, pages_per_reading=pages, shards=shards)
    found = forecast_own(workload_of(timeline))
    assert found.units_per_s == {
        "table": (0, 900),
        INDEX: (50 * reading_units(timeline).indexes[INDEX].read, 900),
    }
    assert found.first_limit.share == pytest.approx(limits(timeline)[0].share)


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


def posted(timeline: Timeline, per_s: int, seconds: int, queue_s: float) -> tuple[list[int], set[str]]:
    """Posts admitted in each second when so many are tried evenly, and why others were refused."""
    clock = Clock()
    engine = Engine(clock, config=EngineConfig(index_queue_s=queue_s))
    engine.call("CreateTable", timeline.table.create_table_request())
    clock.now_s += 60
    admitted, reasons = [0] * seconds, set()
    for number in range(per_s * seconds):
        second = number // per_s
        clock.now_s = 1_800_000_100 + second + number % per_s / per_s
        try:
            item = timeline.post(f"post-{number}", number, int(clock.now_s))
            engine.call("PutItem", {"TableName": timeline.table_name, "Item": item})
            admitted[second] += 1
        except DynamoDBError as refusal:
            reasons.update(str(each["resource"]) for each in refusal.extra["throttlingReasons"])
    return admitted, reasons


class TestAgainstTheEngine:
    def test_the_constant_key_throttles_at_the_forecast_rate_and_takes_the_table_with_it(self) -> None:
        # How long the index's queue is AWS does not say. Here it takes 4,000 units, and the partition has 1,000 saved:
        # at 300 units a second too many that is full after 16.7 s.
        timeline = Timeline()
        admitted, reasons = posted(timeline, 1300, 24, queue_s=1)
        assert admitted[:16] == [1300] * 16
        late = admitted[17:]
        assert sum(late) / len(late) == pytest.approx(first_limit(timeline).reached_at_per_s, rel=0.05)
        assert any(INDEX in reason for reason in reasons)

    def test_shards_admit_what_the_constant_key_refuses(self) -> None:
        admitted, reasons = posted(Timeline(shards=4), 1300, 4, queue_s=0.1)
        assert admitted == [1300] * 4
        assert not reasons


def paged(posts: list[tuple[int, str, int]], asked: list[dict[str, Any]]) -> Any:
    """An index's answers: (process_at, id, shard) sorted newest first, with Limit and ExclusiveStartKey."""

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request)
        shard = int(request["ExpressionAttributeValues"][":key"]["N"])
        rows = sorted(((at, name) for at, name, own in posts if own == shard), reverse=True)
        start = request.get("ExclusiveStartKey")
        place = 0 if start is None else rows.index((start["at"], start["name"])) + 1
        page = rows[place : place + request["Limit"]]
        answer: dict[str, Any] = {
            "Items": [{"process_at": {"N": str(at)}, "timeline_id": {"S": name}} for at, name in page]
        }
        if len(page) == request["Limit"]:
            answer["LastEvaluatedKey"] = {"at": page[-1][0], "name": page[-1][1]}
        return answer

    return ask


class TestReader:
    @given(
        times=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4)), max_size=60),
        per_page=st.integers(1, 7),
    )
    def test_every_post_once_and_newest_first(self, times: list[tuple[int, int]], per_page: int) -> None:
        posts = [(at, f"p{number:03}", shard) for number, (at, shard) in enumerate(times)]
        reader = TimelineReader(Timeline(shards=4, per_page=per_page), paged(posts, []))
        pages = list(reader.pages())
        shown = [post for page in pages for post in page]
        assert sorted(shown) == sorted((at, name) for at, name, _ in posts)
        assert [at for at, _ in shown] == sorted((at for at, _ in shown), reverse=True)
        assert all(len(page) == per_page for page in pages[:-1])

    @pytest.mark.parametrize(("shards", "pages"), [(1, 3), (4, 1), (4, 4), (5, 7), (5, 12)])
    def test_it_asks_as_often_as_the_model_says(self, shards: int, pages: int) -> None:
        posts = [(1000 - number, f"p{number}", 1 + number % shards) for number in range(1000)]
        asked: list[dict[str, Any]] = []
        reading = TimelineReader(Timeline(shards=shards, per_page=10), paged(posts, asked)).pages()
        for _ in range(pages):
            next(reading)
        assert len(asked) == queries_per_reading(shards, pages, 10)

    def test_a_failed_page_ends_the_reading(self) -> None:
        with pytest.raises(ReadingFailed):
            list(TimelineReader(Timeline(), lambda request: None).pages())


class TestCheck:
    def ledger(self) -> PostLedger:
        ledger = PostLedger(settle_s=1)
        for number in range(5):
            ledger.accepted(100 + number, 100 + number, f"p{number}")
        return ledger

    def test_only_posts_that_had_time_to_arrive_are_due(self) -> None:
        assert set(self.ledger().known_at(103.5)) == {"p0", "p1", "p2"}

    @pytest.mark.parametrize(
        ("shown", "faults"),
        [
            ([(104, "p4"), (103, "p3"), (102, "p2"), (101, "p1"), (100, "p0")], []),
            ([(104, "p4"), (103, "p3"), (101, "p1"), (100, "p0")], ["missing"]),
            ([(104, "p4"), (103, "p3"), (103, "p3"), (102, "p2"), (101, "p1"), (100, "p0")], ["duplicate"]),
            ([(103, "p3"), (104, "p4"), (102, "p2"), (101, "p1"), (100, "p0")], ["out of order"]),
            ([(104, "p4"), (103, "somebody else's"), (103, "p3"), (102, "p2"), (101, "p1"), (100, "p0")], []),
            ([], ["missing"]),
        ],
    )
    def test_what_is_wrong_is_named(self, shown: list[tuple[int, str]], faults: list[str]) -> None:
        ledger = self.ledger()
        assert ledger.check(ledger.known_at(200), shown, to_the_end=True).faults == faults

    def test_a_reading_that_stopped_early_owes_no_older_posts(self) -> None:
        ledger = self.ledger()
        assert not ledger.check(ledger.known_at(200), [(104, "p4"), (103, "p3")], to_the_end=False).faults
        assert ledger.check(ledger.known_at(200), [(104, "p4"), (102, "p2")], to_the_end=False).missing == 1


@pytest.fixture
def url() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env=dict(os.environ, MESHCAP_API_KEY="da2-test"),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["url"]
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


@pytest.mark.parametrize("shards", [1, 3])
def test_under_load_no_post_comes_twice_none_is_missing_and_the_newest_is_first(
    tmp_path: Path, url: str, shards: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "locust", "-f", str(ROOT / "locustfiles" / "timeline.py"), "-H", url, "--headless",
         "-u", "5", "-r", "5", "-t", "8s", "--create", "--posters", "2", "--post-rate", "15", "--reading-rate", "3",
         "--per-page", "7", "--settle", "0.2", "--shards", str(shards), "--run-dir", str(tmp_path)],
        capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=dict(os.environ, PYTHONPATH=str(ROOT)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "timeline.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, json.loads((ROOT / "schemas/timeline.schema.json").read_text(encoding="utf-8")))
    checks = report["checks"]
    assert checks["readings"] >= 5
    assert checks["posts"] > 7 * checks["readings"]  # readings did go on to further pages
    assert (checks["duplicate"], checks["missing"], checks["out_of_order"], checks["failed"]) == (0, 0, 0, 0)
    puts = {each["resource"]: each["units_per_request"] for each in report["operations"]["PutItem"]["consumed"]}
    assert puts == report["model"]["write_units_per_post"]
