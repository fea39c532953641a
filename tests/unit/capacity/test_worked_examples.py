"""Every example of tests/data/worked_examples.yaml: what others have published or measured about sizes, units and
partitions.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.burst import bank_units, lasts_s
from capacity.dynamodb.consumption import Consumption, Units
from capacity.dynamodb.inverse import required_read_units, required_write_units
from capacity.dynamodb.item_size import item_size_bytes, number_size_bytes, storage_bytes
from capacity.dynamodb.on_demand import OnDemand
from capacity.dynamodb.partitions import Change, Partitions, history, partitions_by_size, partitions_by_throughput
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.reads import batch_get_item, get_item, query, replayed_transaction, scan, transact_get_items
from capacity.dynamodb.streams import readable_per_second
from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput
from capacity.dynamodb.units import Consistency, read_units, write_units
from capacity.dynamodb.writes import (
    Write,
    batch_write_item,
    condition_check,
    failed_condition,
    transact_write_items,
    write_item,
)

EXAMPLES = yaml.safe_load(Path(__file__).parents[2].joinpath("data", "worked_examples.yaml").read_text("utf-8"))


def rows(section: str) -> Any:
    """The rows of one section as parameters, named by their id and sentence."""
    examples = EXAMPLES[section]
    return pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['id']}: {row['says']}") for row in examples])


def sized(size_bytes: int | None) -> dict[str, Any] | None:
    """An item of exactly this size."""
    return None if size_bytes is None else {"pk": {"S": "k" * 3}, "b": {"S": "." * (size_bytes - 6)}}


def expanded(value: Any) -> Any:
    """DynamoDB JSON from the short form of the file: {S: 9} is a text of 9 characters, {B: 2} two raw bytes."""
    if isinstance(value, list):
        return [expanded(member) for member in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"S": int() as length}:
            return {"S": "." * length}
        case {"B": int() as length}:
            return {"B": base64.b64encode(bytes(length)).decode()}
        case {"BS": lengths}:
            return {"BS": [base64.b64encode(bytes([nth] * length)).decode() for nth, length in enumerate(lengths)]}
        case _:
            return {name: expanded(member) for name, member in value.items()}


def texts(lengths: dict[str, Any] | None) -> dict[str, Any] | None:
    """An item of texts; a number is a length."""
    if lengths is None:
        return None
    return to_item({name: "." * text if isinstance(text, int) else text for name, text in lengths.items()})


def table_of(name: str) -> Table:
    described = EXAMPLES["tables"][name]
    indexes = tuple(
        Index(
            kind, kind.upper(), Key(*index["key"]), Projection(index["projection"], tuple(index.get("attributes", ())))
        )
        for kind, index in described.items()
        if kind != "key"
    )
    keys = {attribute for key in (described["key"], *(index.key.attributes for index in indexes)) for attribute in key}
    return Table(name, Key(*described["key"]), dict.fromkeys(keys, "S"), indexes)


@pytest.mark.parametrize(
    ("text", "size_bytes"), [each for row in EXAMPLES["number_sizes"] for each in row["bytes"].items()]
)
def test_numbers(text: str, size_bytes: int) -> None:
    assert number_size_bytes(text) == size_bytes


@rows("item_sizes")
def test_item_sizes(row: dict[str, Any]) -> None:
    size_bytes = item_size_bytes(expanded(row["item"]))
    assert size_bytes == row["bytes"]
    for consistency in row.keys() & set(Consistency):
        assert read_units(size_bytes, Consistency(consistency)) == row[consistency]
    if "write" in row:
        assert write_units(size_bytes) == row["write"]


@rows("storage")
def test_storage(row: dict[str, Any]) -> None:
    assert storage_bytes(row["size_bytes"], global_table=row.get("global_table", False)) == row["billed_bytes"]


PLAIN = table_of("plain")
READS: dict[str, Callable[[list[Any], Consistency], Consumption]] = {
    "get": lambda items, consistency: get_item(items[0], consistency),
    "batch_get": batch_get_item,
    "query": lambda items, consistency: query(PLAIN, items, consistency),
    "scan": lambda items, consistency: scan(PLAIN, items, consistency),
    "transact_get": lambda items, _: transact_get_items(items),
}


@rows("reads")
def test_reads(row: dict[str, Any]) -> None:
    sizes = row["bytes"] if isinstance(row["bytes"], list) else [row["bytes"]["each"]] * row["bytes"]["count"]
    items = [sized(size_bytes) for size_bytes in sizes]
    for consistency in row.keys() & set(Consistency):
        consumed = READS[row["operation"]](items, Consistency(consistency))
        assert consumed == Consumption(Units(read=row[consistency])), consistency


@rows("lsi_fetches")
def test_fetches_through_a_local_index(row: dict[str, Any]) -> None:
    index = Index("lsi", "LSI", Key("pk", "lk"), Projection("INCLUDE", ("a",)))
    table = Table("fetches", Key("pk", "sk"), {"pk": "S", "sk": "S", "lk": "S"}, (index,))
    keys = {"pk": 3, "sk": 3, "lk": 3}
    projected = {"a": row["entry_bytes"] - 16}
    item = texts(keys | projected | {"b": row["item_bytes"] - row["entry_bytes"] - 1})
    entry = table.index_entry(index, item or {})
    assert (item_size_bytes(item or {}), item_size_bytes(entry or {})) == (row["item_bytes"], row["entry_bytes"])
    items = [item or {}] * row["count"]
    consumed = query(table, items, Consistency.STRONG, index="lsi", attributes=["a", "b"])
    assert consumed.total == Units(read=row["strong"])
    assert query(table, items, Consistency.STRONG, index="lsi").table == Units()


@rows("writes")
def test_writes(row: dict[str, Any]) -> None:
    write = Write(texts(row.get("old")), texts(row.get("new")))
    consumed = write_item(table_of(row["table"]), write, transactional=row.get("transactional", False))
    arms = {"table": consumed.table.write} | {name: units.write for name, units in consumed.indexes.items()}
    assert arms == row["units"]
    assert consumed.total == Units(write=sum(row["units"].values()))


@rows("write_calls")
def test_calls_of_several_writes(row: dict[str, Any]) -> None:
    writes = [Write(None, sized(size_bytes)) for size_bytes in row.get("puts", ())]
    writes += [Write(sized(size_bytes), None) for size_bytes in row.get("deletes", ())]
    match row["operation"]:
        case "batch_write":
            consumed = batch_write_item(PLAIN, writes)
        case "transact_write":
            consumed = transact_write_items(PLAIN, writes)
        case "replay":
            consumed = replayed_transaction([write.new for write in writes])
        case "condition_check":
            consumed = condition_check(sized(row["existing"]))
        case "failed_condition":
            consumed = failed_condition(sized(row["existing"]), sized(row["attempted"]))
        case unknown:
            pytest.fail(f"no such operation: {unknown}")
    assert consumed == Consumption(Units(row.get("read", 0), row.get("write", 0)))


@rows("throughput")
def test_throughput_for_a_rate(row: dict[str, Any]) -> None:
    if "write" in row:
        assert required_write_units(row["per_second"], row["bytes"]) == row["write"]
    else:
        consistency = Consistency(row["consistency"])
        assert required_read_units(row["per_second"], row["bytes"], consistency) == row["read"]


@rows("partitions")
def test_partitions_of_a_new_table(row: dict[str, Any]) -> None:
    throughput = Throughput(row["read_units"], row["write_units"])
    assert partitions_by_throughput(throughput) == pytest.approx(row["by_throughput"], abs=0.005)
    assert partitions_by_size(row["size_gb"]) == row["by_size"]
    partitions = Partitions.new(throughput, row["size_gb"])
    assert partitions.count == row["partitions"]
    shares = {
        "read_share": partitions.share.read_units,
        "write_share": partitions.share.write_units,
        "gb_share": partitions.largest_gb,
    }
    for name in shares.keys() & row.keys():
        assert shares[name] == pytest.approx(row[name], abs=0.005)


@rows("partition_histories")
def test_partitions_remember(row: dict[str, Any]) -> None:
    first, *later = (Throughput(0, step["write_units"]) for step in row["steps"])
    seen = history(Partitions.new(first), map(Change, later))
    assert [(each.count, each.share.write_units) for each in seen] == [
        (step["partitions"], step["write_share"]) for step in row["steps"]
    ]


@rows("bursts")
def test_bursts(row: dict[str, Any]) -> None:
    assert bank_units(row["supply"]) == row["bank_units"]
    if "demand" in row:
        assert lasts_s(row["supply"], row["demand"]) == row["lasts_s"]


@rows("streams")
def test_streams(row: dict[str, Any]) -> None:
    assert readable_per_second(row["write_per_second"]) == row["read_per_second"]


@rows("on_demand")
def test_on_demand(row: dict[str, Any]) -> None:
    peak = Throughput(row["previous_peak"]["read"], row["previous_peak"]["write"])
    state = OnDemand(peak, quota=Throughput(row["quota"], row["quota"])) if "quota" in row else OnDemand(peak)
    assert state.limit == Throughput(row["limit"]["read"], row["limit"]["write"])


@rows("limits")
def test_limits(row: dict[str, Any]) -> None:
    assert limit(row["name"]) == row["value"]


def test_every_row_names_its_source_and_date() -> None:
    for name, section in EXAMPLES.items():
        for row in [] if name in ("sources", "tables") else section:
            assert {"title", "date"} <= EXAMPLES["sources"][row["source"]].keys(), row
