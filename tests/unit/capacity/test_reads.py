import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import Item, to_item
from capacity.dynamodb.consumption import Consumption, Units, total
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.reads import (
    NotChargeable,
    batch_get_item,
    get_item,
    query,
    query_pages,
    scan,
    transact_get_items,
)
from capacity.dynamodb.table import Index, Key, Projection, Table
from capacity.dynamodb.units import Consistency

TABLE = Table(
    "posts",
    Key("author", "posted_at"),
    {"author": "S", "posted_at": "N", "kind": "S", "title": "S"},
    (
        Index("by_kind", "GSI", Key("kind"), Projection("INCLUDE", ("title",))),
        Index("by_title", "LSI", Key("author", "title"), Projection("KEYS_ONLY")),
    ),
)


def post(body_bytes: int, **attributes: str) -> Item:
    return to_item({"author": "a", "posted_at": 1, "body": "." * body_bytes} | attributes)


posts = st.lists(st.builds(post, st.integers(0, 5_000)), max_size=12)
plain = st.sampled_from([Consistency.EVENTUAL, Consistency.STRONG])


@given(posts, plain)
def test_reading_items_in_one_query_never_costs_more_than_in_a_batch(
    items: list[Item], consistency: Consistency
) -> None:
    if items:
        assert query(TABLE, items, consistency).total.read <= batch_get_item(items, consistency).total.read


@given(posts, posts, plain)
def test_batches_add_up(some: list[Item], more: list[Item], consistency: Consistency) -> None:
    assert batch_get_item(some + more, consistency) == total(
        [batch_get_item(some, consistency), batch_get_item(more, consistency)]
    )


@given(posts, st.integers(1, 5), plain)
def test_a_limit_cuts_pages_and_pages_only_add_rounding(items: list[Item], rows: int, consistency: Consistency) -> None:
    whole = query(TABLE, items, consistency).total.read
    paged = query(TABLE, items, consistency, limit_rows=rows).total.read
    assert whole <= paged
    assert [row for page in query_pages(TABLE, items, limit_rows=rows) for row in page] == items


def test_a_page_ends_with_the_row_that_reaches_one_megabyte() -> None:
    assert [len(page) for page in query_pages(TABLE, [post(100_000)] * 12)] == [11, 1]
    sixteenth = post(65_536 - item_size_bytes(post(0)))
    assert [len(page) for page in query_pages(TABLE, [sixteenth] * 17)] == [16, 1]


def test_an_empty_query_costs_the_minimum() -> None:
    assert query(TABLE, [], Consistency.EVENTUAL).total == Units(read=0.5)
    assert scan(TABLE, [], Consistency.STRONG).total == Units(read=1)
    assert query(TABLE, [post(10)], Consistency.EVENTUAL, index="by_kind").total == Units(read=0.5)


def test_a_global_index_is_charged_for_its_entries_and_on_its_own() -> None:
    rows = [post(5_000, kind="news", title="t")] * 10
    consumed = query(TABLE, rows, Consistency.EVENTUAL, index="by_kind")
    assert consumed == Consumption(Units(), {"by_kind": Units(read=0.5)})
    assert consumed.by_throughput(TABLE) == {None: Units(), "by_kind": Units(read=0.5)}


def test_a_local_index_is_paid_by_the_table() -> None:
    consumed = query(TABLE, [post(9_000, title="t")], Consistency.STRONG, index="by_title", attributes=["body"])
    assert consumed == Consumption(Units(read=3), {"by_title": Units(read=1)})
    assert consumed.by_throughput(TABLE) == {None: Units(read=4)}


def test_rows_outside_a_sparse_index_are_not_read() -> None:
    rows = [post(9_000)] * 10
    assert scan(TABLE, rows, Consistency.EVENTUAL, index="by_kind").total == Units(read=0.5)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        pytest.param(
            lambda: query(TABLE, [], Consistency.STRONG, index="by_kind"),
            "can't be read strongly, because it is updated asynchronously",
            id="a strong read of a GSI",
        ),
        pytest.param(
            lambda: query(TABLE, [], Consistency.EVENTUAL, index="by_kind", attributes=["body"]),
            r"doesn't hold \['body'\] and can't fetch",
            id="attributes that a GSI doesn't hold",
        ),
        pytest.param(
            lambda: query(TABLE, [], Consistency.TRANSACTIONAL), "no transactional form", id="a transactional query"
        ),
        pytest.param(
            lambda: batch_get_item([None] * 101, Consistency.STRONG), "at most 100 items, got 101", id="batch"
        ),
        pytest.param(lambda: transact_get_items([None] * 101), "at most 100 items, got 101", id="transaction"),
    ],
)
def test_a_call_without_a_price_says_why(call: object, says: str) -> None:
    assert callable(call)
    with pytest.raises(NotChargeable, match=says):
        call()


def test_consistency_decides_the_price_of_one_item() -> None:
    item = post(8_000)
    assert [get_item(item, consistency).total.read for consistency in Consistency] == [1.0, 2.0, 4.0]
