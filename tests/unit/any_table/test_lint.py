"""Each rule of lint: what makes it fire, with its number, and what must not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput
from capacity.lint import RULES, Finding, lint
from capacity.physics.autoscaling import TargetTracking
from capacity.pricing.prices import load
from capacity.templates.description import Call, DescribedTable, Description, IndexUse, Place

PLACE = Place("t.yaml", 7)
KNOWS_ALL = frozenset(("time to live", "auto scaling", "calls"))
PRICES = load("ap-northeast-1")


BY_ID = Key("post_id")


def table(*indexes: Index, name: str = "posts", key: Key = BY_ID, throughput: Throughput | None = None) -> Table:
    names = [*key.attributes, *(name for index in indexes for name in index.key.attributes)]
    return Table(name, key, dict.fromkeys(names, "S"), indexes, throughput)


def gsi(partition: str, sort: str | None = None, **more: Any) -> Index:
    return Index("by_it", "GSI", Key(partition, sort), **more)


def described(made: Table, items: Iterable[dict[str, object]] = (), **more: Any) -> DescribedTable:
    given = {"knows": KNOWS_ALL, **more}
    return DescribedTable(made, PLACE, items=tuple(to_item(item) for item in items), **given)


def found(subject: DescribedTable, rule: str) -> list[Finding]:
    description = Description("t.yaml", "CloudFormation template", (subject,))
    return [finding for finding in lint(description, PRICES) if finding.rule == rule]


def one(subject: DescribedTable, rule: str) -> Finding:
    (finding,) = found(subject, rule)
    assert finding.remedy
    assert finding.figures
    return finding


def posts(count: int = 40, **more: object) -> list[dict[str, object]]:
    return [{"post_id": f"post-{n}", "author": f"author-{n % 25}", **more} for n in range(count)]


class TestHotKey:
    def test_a_constant_seen_in_samples_caps_the_table_at_one_partition(self) -> None:
        finding = one(described(table(gsi("bucket")), posts(bucket="x")), "hot-key")
        assert finding.severity == "error"  # 1,000 writes/s, where a new on-demand table takes 4,000
        assert finding.figures == {"writes_per_s": 1000, "reads_per_s": 3000, "table_writes_per_s": 4000, "shards": 4}
        assert "bucket#0 to bucket#3" in finding.remedy

    def test_larger_entries_leave_fewer_writes(self) -> None:
        finding = one(described(table(gsi("bucket")), posts(bucket="x", body="b" * 3000)), "hot-key")
        assert finding.figures["writes_per_s"] == pytest.approx(1000 / 3)  # 3 KB entries

    def test_keys_alone_are_smaller_than_the_item(self) -> None:
        made = table(gsi("bucket", projection=Projection("KEYS_ONLY")))
        finding = one(described(made, posts(bucket="x", body="b" * 3000)), "hot-key")
        assert finding.figures["writes_per_s"] == 1000

    def test_a_half_of_all_writes_on_one_value_is_twice_the_ceiling(self) -> None:
        items = [{**item, "shop": "big" if n % 2 else f"shop-{n}"} for n, item in enumerate(posts())]
        finding = one(described(table(gsi("shop")), items), "hot-key")
        assert finding.severity == "warning"
        assert finding.figures["writes_per_s"] == 2000

    @pytest.mark.parametrize(
        "attribute", ["sort_hash_key", "status", "isActive", "__typename", "order_type", "createdDate", "yyyy_mm"]
    )
    def test_names_that_speak_of_few_values(self, attribute: str) -> None:
        assert found(described(table(gsi(attribute))), "hot-key")

    @pytest.mark.parametrize("attribute", ["author", "order_id", "email", "status_id", "dayton", "gsi1pk"])
    def test_names_that_do_not(self, attribute: str) -> None:
        assert not found(described(table(gsi(attribute))), "hot-key")

    def test_samples_overrule_a_name(self) -> None:
        items = [{**item, "status": f"unique-{n}"} for n, item in enumerate(posts())]
        assert not found(described(table(gsi("status")), items), "hot-key")


class TestUnreadIndex:
    CALLS = (Call("Query", "by_it", "Query.posts", PLACE), Call("PutItem", None, "Mutation.add", PLACE))

    def test_an_index_that_no_call_names_is_paid_by_every_write(self) -> None:
        finding = one(described(table(gsi("author")), calls=self.CALLS[1:]), "unread-index")
        assert finding.figures["write_units_per_item"] == 1
        # 0.715 USD per million write request units in Tokyo (price list of 2024-11)
        assert finding.figures["usd_per_million_items"] == pytest.approx(0.715, abs=0.001)

    def test_a_sparse_index_costs_its_share(self) -> None:
        items = posts(10) + [{"post_id": f"draft-{n}"} for n in range(30)]
        finding = one(described(table(gsi("author")), items, calls=self.CALLS[1:]), "unread-index")
        assert finding.figures["write_units_per_item"] == pytest.approx(0.25)

    def test_what_cloudwatch_counted_tells_more_than_the_calls(self) -> None:
        idle = IndexUse(read_units=0, write_units=1_000_000, days=10)
        finding = one(described(table(gsi("author")), calls=self.CALLS, index_uses={"by_it": idle}), "unread-index")
        assert finding.figures["days"] == 10
        # a million units in 10 days are 3.04 million in a month of 730 hours, at 0.715 USD a million
        assert finding.figures["usd_per_month"] == pytest.approx(3.0417 * 0.715, rel=0.01)
        busy = IndexUse(read_units=5, write_units=1, days=10)
        assert not found(
            described(table(gsi("author")), calls=self.CALLS[1:], index_uses={"by_it": busy}), "unread-index"
        )

    @pytest.mark.parametrize(
        "more",
        [
            {"calls": CALLS},
            {"calls": ()},
            {"calls": CALLS[1:], "other_readers": ("Lambda",)},
            {"calls": CALLS[1:], "knows": frozenset(("time to live",))},
        ],
        ids=["a call reads it", "no call is known", "somebody else may read it", "the file shows no calls"],
    )
    def test_silent_where_it_may_be_read(self, more: dict[str, Any]) -> None:
        assert not found(described(table(gsi("author")), **more), "unread-index")


class TestProjectionAll:
    def test_large_items_are_paid_again(self) -> None:
        finding = one(described(table(gsi("author")), posts(body="b" * 5000)), "projection-all")
        assert finding.figures == {"write_units_all": 5, "write_units_keys_only": 1}

    def test_two_whole_copies_of_unknown_items(self) -> None:
        other = replace(gsi("shop"), name="by_shop")
        assert one(described(table(gsi("author"), other)), "projection-all").figures == {"amplification": 3}

    @pytest.mark.parametrize(
        ("index", "body"),
        [
            (gsi("author", projection=Projection("KEYS_ONLY")), "b" * 5000),
            (gsi("author", projection=Projection("INCLUDE", ("title",))), "b" * 5000),
            (gsi("author"), "b" * 100),
        ],
        ids=["keys only", "include", "small items"],
    )
    def test_silent_where_less_would_cost_the_same(self, index: Index, body: str) -> None:
        assert not found(described(table(index), posts(body=body)), "projection-all")


class TestMonotonicSortKey:
    def test_time_under_a_constant(self) -> None:
        finding = one(described(table(gsi("sort_hash_key", "process_at"))), "monotonic-sort-key")
        assert finding.figures == {"writes_per_s": 1000}

    def test_rising_numbers_under_a_constant(self) -> None:
        items = [{**item, "all": "x", "rank": n} for n, item in enumerate(posts())]
        assert found(described(table(gsi("all", "rank")), items), "monotonic-sort-key")

    @pytest.mark.parametrize(
        ("partition", "sort"), [("author", "process_at"), ("sort_hash_key", "title"), ("sort_hash_key", None)]
    )
    def test_silent_where_writes_are_parted_or_do_not_rise(self, partition: str, sort: str | None) -> None:
        assert not found(described(table(gsi(partition, sort))), "monotonic-sort-key")


class TestItemCollection:
    LSI = Index("by_total", "LSI", Key("customer", "total"), Projection("KEYS_ONLY"))
    KEY = Key("customer", "order")

    def test_ten_gigabytes_of_one_kilobyte_items(self) -> None:
        finding = one(described(table(self.LSI, key=self.KEY)), "item-collection")
        assert finding.figures["items_per_key"] == 10 * 2**30 / 1024
        assert finding.figures["days_at_one_write_per_s"] == pytest.approx(121.4, abs=0.1)

    def test_a_whole_copy_halves_it(self) -> None:
        whole = replace(self.LSI, projection=Projection())
        finding = one(described(table(whole, key=self.KEY)), "item-collection")
        assert finding.figures["items_per_key"] == 10 * 2**30 / 2048

    def test_silent_without_a_local_index(self) -> None:
        assert not found(described(table(gsi("author"), key=self.KEY)), "item-collection")


class TestItemSize:
    def test_near_the_limit(self) -> None:
        finding = one(described(table(), posts(1, body="b" * 400_000)), "item-size")
        assert finding.severity == "warning"
        assert finding.figures["write_units"] == 391

    def test_beyond_the_limit(self) -> None:
        assert one(described(table(), posts(1, body="b" * 410_000)), "item-size").severity == "error"

    def test_an_entry_in_a_local_index_counts_too(self) -> None:
        made = table(replace(TestItemCollection.LSI, projection=Projection()), key=TestItemCollection.KEY)
        item = {"customer": "c", "order": "o", "total": "1", "body": "b" * 220_000}
        assert one(described(made, [item]), "item-size").severity == "error"

    def test_silent_on_small_items_and_without_samples(self) -> None:
        assert not found(described(table(), posts(3, body="b" * 200_000)), "item-size")
        assert not found(described(table()), "item-size")


class TestTimeToLive:
    def test_sessions_without_ttl(self) -> None:
        finding = one(described(table(name="user-sessions")), "time-to-live")
        assert finding.figures["storage_gb_per_million_items"] == pytest.approx(1.024)
        assert finding.figures["delete_usd_per_million_items"] == pytest.approx(0.715, abs=0.001)

    def test_items_that_carry_their_expiry(self) -> None:
        assert "expireAt" in one(described(table(), posts(expireAt=1)), "time-to-live").remedy

    def test_silent_with_ttl_or_for_lasting_items_or_where_unknown(self) -> None:
        assert not found(described(replace(table(name="sessions"), ttl_attribute="ttl")), "time-to-live")
        assert not found(described(table(name="customers")), "time-to-live")
        assert not found(described(table(name="sessions"), knows=frozenset()), "time-to-live")


class TestAutoScaling:
    def test_nothing_scales(self) -> None:
        finding = one(described(table(throughput=Throughput(10, 20))), "auto-scaling")
        assert finding.figures["lasts_s_at_twice"] == 300  # a full bank of 300 s, drained by one setting's excess
        assert finding.figures["fixed_throughputs"] == 2

    def test_what_scales_is_not_named(self) -> None:
        scaling = {(None, "write"): TargetTracking(1, 100)}
        finding = one(described(table(throughput=Throughput(10, 20)), scaling=scaling), "auto-scaling")
        assert "reads of the table (10)" in finding.message
        assert "writes" not in finding.message.split(":")[0]

    def test_silent_on_demand_when_all_scale_and_where_unknown(self) -> None:
        provisioned = table(throughput=Throughput(10, 20))
        scaling = {(None, kind): TargetTracking(1, 100) for kind in ("read", "write")}
        assert not found(described(table()), "auto-scaling")
        assert not found(described(provisioned, scaling=scaling), "auto-scaling")
        assert not found(described(provisioned, knows=frozenset()), "auto-scaling")


class TestIndexThroughput:
    def test_an_index_at_an_eighth_of_its_table(self) -> None:
        made = table(gsi("author", throughput=Throughput(5, 5)), throughput=Throughput(5, 40))
        finding = one(described(made), "index-throughput")
        assert finding.figures["write_units_needed"] == 40
        assert finding.figures["writes_per_s"] == 5
        assert finding.figures["savings_last_s"] == pytest.approx(5 * 300 / 35)

    def test_entries_smaller_than_items_need_less(self) -> None:
        small = gsi("author", projection=Projection("KEYS_ONLY"), throughput=Throughput(5, 10))
        made = table(small, throughput=Throughput(5, 40))
        assert not found(described(made, posts(body="b" * 3500)), "index-throughput")  # 4 units an item, 1 an entry

    def test_a_sparse_index_needs_less(self) -> None:
        made = table(gsi("author", throughput=Throughput(5, 10)), throughput=Throughput(5, 40))
        items = posts(10) + [{"post_id": f"draft-{n}"} for n in range(30)]
        assert not found(described(made, items), "index-throughput")

    def test_the_upper_ends_of_auto_scaling_count(self) -> None:
        made = table(gsi("author", throughput=Throughput(5, 5)), throughput=Throughput(5, 40))
        scaling = {("by_it", "write"): TargetTracking(5, 40)}
        assert not found(described(made, scaling=scaling), "index-throughput")
        outrun = {**scaling, (None, "write"): TargetTracking(40, 400)}
        assert one(described(made, scaling=outrun), "index-throughput").figures["write_units_needed"] == 400

    def test_silent_on_demand(self) -> None:
        assert not found(described(table(gsi("author"))), "index-throughput")


def test_a_finding_reads_as_one_line_with_place_and_rule() -> None:
    text = str(one(described(table(name="sessions")), "time-to-live"))
    assert text.startswith("t.yaml:7: advice: sessions: no TTL")
    assert text.endswith("[time-to-live]")


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES) == 9
