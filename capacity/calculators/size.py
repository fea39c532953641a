"""How large is this item, and what does it cost to read, write and keep?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from capacity.calculators.answer import Answer, CalculatorError, amount
from capacity.dynamodb.attribute_value import Item, is_item, to_item
from capacity.dynamodb.item_size import ITEM_LIMIT_BYTES, item_size_bytes, storage_bytes
from capacity.dynamodb.table import Index, Key, Projection, ProjectionKind, Table
from capacity.dynamodb.units import Consistency, read_units, write_units


def size(text: str, *, key: str | None = None, indexes: Sequence[str] = ()) -> Answer:
    """Size, units and storage of an item given as JSON, plain or DynamoDB JSON, and of its entry in each index.

    `key`: "pk" or "pk,sk". `indexes`: "gk,gs" or "gk:ALL", "gk,gs:KEYS_ONLY", "gk:INCLUDE:a,b"; ALL by default.
    Raises CalculatorError for JSON that is no item, and for indexes without a key.
    """
    item = _parsed(text)
    sizes = {name: item_size_bytes({name: value}) for name, value in item.items()}
    total = sum(sizes.values())
    figures: dict[str, Any] = {"item_bytes": total, "attribute_bytes": sizes} | _costs(total)
    figures["within_limit"] = total <= ITEM_LIMIT_BYTES
    lines = [("item", f"{total:,} bytes"), *((f"  {name}", f"{each:,} bytes") for name, each in sizes.items())]
    lines += _cost_lines(figures)
    if indexes:
        figures["index_entries"] = {}
        table = _table(item, key, indexes)
        for index in table.indexes:
            entry = table.index_entry(index, item)
            entry_bytes = None if entry is None else item_size_bytes(entry)
            figures["index_entries"][index.name] = entry_bytes
            cost = (
                "no entry, no cost"
                if entry_bytes is None
                else f"{entry_bytes:,} bytes, +{_write(entry_bytes)} to write"
            )
            lines.append((f"index {index.name}", cost))
    over = total - ITEM_LIMIT_BYTES
    notes = [f"Too large by {over:,} bytes: DynamoDB takes at most {ITEM_LIMIT_BYTES:,}."] if over > 0 else []
    return Answer(figures, lines, notes)


def _costs(size_bytes: int) -> dict[str, Any]:
    return {
        "read_units": {consistency.value: read_units(size_bytes, consistency) for consistency in Consistency},
        "write_units": {"standard": write_units(size_bytes), "transactional": write_units(size_bytes, True)},
        "storage_bytes": storage_bytes(size_bytes),
    }


def _cost_lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    reads = ", ".join(f"{amount(units)} {consistency}" for consistency, units in figures["read_units"].items())
    writes = ", ".join(f"{amount(units)} {kind}" for kind, units in figures["write_units"].items())
    return [("read units", reads), ("write units", writes), ("billed storage", f"{figures['storage_bytes']:,} bytes")]


def _write(size_bytes: int) -> str:
    units = write_units(size_bytes)
    return f"{amount(units)} write unit{'' if units == 1 else 's'}"


def _parsed(text: str) -> Item:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as fault:
        raise CalculatorError(f'not JSON at character {fault.pos}: {fault.msg}; example: {{"id": "group-1"}}') from None
    if not isinstance(value, dict):
        raise CalculatorError(f'an item is a JSON object, got {type(value).__name__}; example: {{"id": "group-1"}}')
    try:
        return value if is_item(value) else to_item(value)
    except ValueError as fault:
        raise CalculatorError(str(fault)) from None


def _table(item: Item, key: str | None, indexes: Sequence[str]) -> Table:
    if key is None:
        raise CalculatorError(
            "an index entry holds the table's key: name it too; example: --key pk,sk --index gsi_pk:ALL"
        )
    try:
        parsed = tuple(_index(text) for text in indexes)
        table_key = Key(*key.split(","))
        keys = {name for each in (table_key, *(index.key for index in parsed)) for name in each.attributes}
        return Table("item", table_key, dict.fromkeys(keys, "S"), parsed)
    except (TypeError, ValueError) as fault:
        raise CalculatorError(f"{fault}; expected --key pk,sk --index gk,gs:KEYS_ONLY") from None


def _index(text: str) -> Index:
    key, _, projection = text.partition(":")
    kind, _, attributes = projection.partition(":")
    kinds: dict[str, ProjectionKind] = {"": "ALL", "ALL": "ALL", "KEYS_ONLY": "KEYS_ONLY", "INCLUDE": "INCLUDE"}
    if kind not in kinds:
        raise ValueError(f"{kind!r} is no projection; expected ALL, KEYS_ONLY or INCLUDE:a,b")
    included = tuple(attributes.split(",")) if attributes else ()
    return Index(text, "GSI", Key(*key.split(",")), Projection(kinds[kind], included))
