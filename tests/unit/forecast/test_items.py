"""Sizes of item templates against items that are really built."""

from __future__ import annotations

import re

import numpy as np
import pytest

from capacity.dynamodb.item_size import item_size_bytes
from capacity.workloads.mesh.items import Data, Flag, ItemKind, Number, data_bytes
from capacity.workloads.mesh.layouts import layout_model
from capacity.workloads.mesh.tables import LAYOUTS, TABLES

LENGTHS = {
    "domain": 11, "group": 36, "node": 31, "group_name": 7, "instant": 24, "second": 20, "order_key": 22, "unique": 8,
    "event_name": 6, "payload": 64,
}  # fmt: skip
KINDS = [(layout, kind) for layout in LAYOUTS for kind in layout_model(layout).kinds.values()]


def built(kind: ItemKind, variables: int) -> dict[str, dict[str, object]]:
    item: dict[str, dict[str, object]] = {}
    for name, value in kind.attributes.items():
        if isinstance(value, str):
            item[name] = {"S": re.sub(r"\{(\w+)\}", lambda found: "x" * LENGTHS[found[1]], value)}
        elif isinstance(value, Number):
            item[name] = {"N": value.like}
        elif value is Flag:
            item[name] = {"BOOL": True}
        elif value is Data:
            one = {"M": {"key": {"S": "k" * 9}, "value": {"S": "v" * 16}}}
            item[name] = {"L": [one] * variables}
    return item


@pytest.mark.parametrize("variables", [0, 1, 7])
@pytest.mark.parametrize(("layout", "kind"), KINDS, ids=[f"{layout} {kind.name}" for layout, kind in KINDS])
def test_a_template_has_the_size_of_the_item_built_from_it(layout: str, kind: ItemKind, variables: int) -> None:
    sizes = {**LENGTHS, "data": data_bytes(float(variables), 9, 16)}
    assert float(kind.size_bytes(sizes)) == item_size_bytes(built(kind, variables))


@pytest.mark.parametrize(("layout", "kind"), KINDS, ids=[f"{layout} {kind.name}" for layout, kind in KINDS])
def test_an_index_holds_exactly_the_kinds_that_have_its_key(layout: str, kind: ItemKind) -> None:
    table = TABLES[layout]
    held = {index.name for index in table.indexes if table.index_entry(index, built(kind, 1)) is not None}
    assert {index.name for index in kind.indexes(table)} == held


def test_sizes_of_many_items_come_as_one_array() -> None:
    status = layout_model("deployed").kinds["status"]
    nodes = np.array([1.0, 10.0, 100.0])
    sizes = status.size_bytes({**LENGTHS, "node": nodes, "data": 3.0})
    # A status names its node three times: in the sort key, in nodeId and in the index key.
    assert np.diff(sizes).tolist() == [27.0, 270.0]


def test_a_placeholder_without_a_length_is_an_error() -> None:
    with pytest.raises(KeyError, match="payload"):
        layout_model("deployed").kinds["event"].size_bytes({k: v for k, v in LENGTHS.items() if k != "payload"})
