import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import Item, to_item
from capacity.dynamodb.consumption import Units
from capacity.dynamodb.reads import NotChargeable
from capacity.dynamodb.table import Index, Key, Projection, Table
from capacity.dynamodb.writes import (
    Write,
    backfill_units,
    batch_write_item,
    cancelled_transaction,
    failed_condition,
    replicated_write,
    transact_write_items,
    ttl_delete,
    write_item,
)

TABLE = Table(
    "groups",
    Key("pk", "sk"),
    {"pk": "S", "sk": "S", "g": "S", "l": "N"},
    (
        Index("all", "GSI", Key("g"), Projection("ALL")),
        Index("some", "GSI", Key("g", "sk"), Projection("INCLUDE", ("a",))),
        Index("local", "LSI", Key("pk", "l"), Projection("KEYS_ONLY")),
    ),
)


@st.composite
def group_items(draw: st.DrawFn) -> Item:
    optional = {
        "g": st.sampled_from(["x", "y"]),
        "l": st.integers(0, 1),
        "a": st.sampled_from(["1", "." * 1_500]),
        "b": st.sampled_from(["1", "." * 3_000]),
        "tags": st.sets(st.sampled_from("abc"), min_size=1),
    }
    return to_item({"pk": "p", "sk": "s"} | draw(st.fixed_dictionaries({}, optional=optional)))


writes = st.builds(Write, st.none() | group_items(), st.none() | group_items())


@given(writes)
def test_a_transaction_doubles_the_table_and_not_its_indexes(write: Write) -> None:
    plain, transactional = write_item(TABLE, write), write_item(TABLE, write, transactional=True)
    assert transactional.table.write == 2 * plain.table.write
    assert transactional.indexes == plain.indexes


@given(group_items())
def test_writing_the_same_item_again_touches_no_index(item: Item) -> None:
    reordered = {name: item[name] for name in reversed(item)}
    if "tags" in item:
        reordered["tags"] = {"SS": item["tags"]["SS"][::-1]}
    if "l" in item:
        reordered["l"] = {"N": item["l"]["N"] + ".0"}
    consumed = write_item(TABLE, Write(item, reordered))
    assert consumed.indexes == {}
    assert consumed.table.write >= 1


@given(group_items(), group_items())
def test_replacing_costs_an_index_at_most_leaving_and_entering_it(old: Item, new: Item) -> None:
    left, entered, replaced = (
        write_item(TABLE, write).indexes for write in (Write(old, None), Write(None, new), Write(old, new))
    )
    for name, units in replaced.items():
        assert units.write <= left.get(name, Units()).write + entered.get(name, Units()).write


@given(st.lists(writes, max_size=10), st.lists(writes, max_size=10))
def test_batches_add_up(some: list[Write], more: list[Write]) -> None:
    assert batch_write_item(TABLE, some + more) == batch_write_item(TABLE, some) + batch_write_item(TABLE, more)


@given(st.lists(group_items(), max_size=5))
def test_building_an_index_later_costs_what_writing_it_along_would_have(items: list[Item]) -> None:
    for index in TABLE.indexes:
        written = [write_item(TABLE, Write(None, item)).indexes.get(index.name, Units()).write for item in items]
        assert backfill_units(TABLE, index, items) == sum(written)


def test_a_failed_condition_is_paid_on_the_table_alone() -> None:
    small, big = to_item({"pk": "p", "sk": "s", "g": "x"}), to_item({"pk": "p", "sk": "s", "g": "x", "b": "." * 3_000})
    assert failed_condition(small, big).total == failed_condition(big, small).total == Units(write=3)
    assert failed_condition(None, None).total == Units(write=1)
    assert cancelled_transaction([Write(big, small)], [None]).total == Units(write=8)


def test_ttl_deletes_for_nothing_where_the_item_expires_and_as_a_write_in_replicas() -> None:
    expired = to_item({"pk": "p", "sk": "s", "b": "." * 1_500})
    assert ttl_delete(expired).total == Units()
    assert ttl_delete(expired, replica=True).total == Units(write=2)


def test_a_global_table_pays_every_write_in_every_region() -> None:
    write = Write(None, to_item({"pk": "p", "sk": "s", "g": "x"}))
    assert replicated_write(TABLE, write, 3).total == Units(write=9)
    with pytest.raises(ValueError, match="at least 1 region, got 0"):
        replicated_write(TABLE, write, 0)


def test_calls_with_too_many_items_say_how_many_are_taken() -> None:
    write = Write(None, to_item({"pk": "p", "sk": "s"}))
    with pytest.raises(NotChargeable, match="at most 25 items, got 26"):
        batch_write_item(TABLE, [write] * 26)
    with pytest.raises(NotChargeable, match="at most 100 actions, got 101"):
        transact_write_items(TABLE, [write] * 100, [None])


def test_an_item_above_400_kb_is_refused_with_what_its_local_entries_add() -> None:
    key = {"pk": "p", "sk": "s"}
    plain = Table("plain", Key("pk", "sk"), {"pk": "S", "sk": "S"})
    whole = Table("whole", Key("pk", "sk"), {"pk": "S", "sk": "S", "l": "S"}, (Index("local", "LSI", Key("pk", "l")),))
    assert write_item(plain, Write(None, to_item(key | {"b": "." * 409_593}))).total.write == 400
    with pytest.raises(NotChargeable, match=r"at most 409,600 bytes, got 409,601"):
        write_item(plain, Write(None, to_item(key | {"b": "." * 409_594})))
    half = to_item(key | {"l": "l", "b": "." * 204_791})
    assert write_item(whole, Write(None, half)).total.write == 400
    with pytest.raises(NotChargeable, match=r"with its entries in local indexes, got 409,602"):
        write_item(whole, Write(None, half | {"b": {"S": "." * 204_792}}))
