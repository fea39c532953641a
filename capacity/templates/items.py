"""Sample items of a table from a file: a list, an answer of Scan or Query, or a mapping from table to items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from capacity.document import Document, Fault, Steps
from capacity.dynamodb.attribute_value import Item, is_item, to_item
from capacity.templates.description import DescribedTable, Description
from capacity.templates.load import TemplateError
from capacity.templates.source import read_document


def add_items(description: Description, path: Path) -> Description:
    """The description with the file's items as samples. Plain JSON and DynamoDB JSON are both read.

    Raises TemplateError with all faults: items that are none, or of a table that the description lacks.
    """
    document = read_document(path)
    faults = list(document.faults)
    names = [each.table.name for each in description.tables]
    by_table = _by_table(document, names, faults)
    tables = []
    for each in description.tables:
        steps, content = by_table.get(each.table.name, ((), []))
        items = [item for place, raw in enumerate(content) if (item := _item(document, (*steps, place), raw, faults))]
        _check_keys(document, each, items, steps, faults)
        tables.append(replace(each, items=(*each.items, *items)))
    if faults:
        raise TemplateError(faults)
    return replace(description, tables=tuple(tables))


def _by_table(document: Document, names: list[str], faults: list[Fault]) -> dict[str, tuple[Steps, list[Any]]]:
    content = document.content
    steps: Steps = ()
    if isinstance(content, Mapping) and isinstance(content.get("Items"), list):
        content, steps = content["Items"], ("Items",)
    if isinstance(content, list):
        if len(names) == 1:
            return {names[0]: (steps, content)}
        faults.append(document.fault((), f"whose items are these? There are {', '.join(names)}; write table: [items]"))
        return {}
    if not isinstance(content, Mapping) or not all(isinstance(each, list) for each in content.values()):
        faults.append(document.fault((), "expected a list of items, or a mapping like posts: [{id: a}]"))
        return {}
    faults += [
        document.fault((name,), f"there is no table {name!r}; there are {', '.join(names)}")
        for name in content
        if name not in names
    ]
    return {name: ((name,), items) for name, items in content.items()}


def _item(document: Document, steps: Steps, raw: Any, faults: list[Fault]) -> Item | None:
    if not isinstance(raw, Mapping) or not raw:
        faults.append(document.fault(steps, f"{raw!r:.60} is no item; write it like {{id: a, body: text}}"))
        return None
    if is_item(raw):
        return raw
    try:
        return to_item(raw)
    except ValueError as fault:
        faults.append(document.fault(steps, str(fault)))
        return None


def _check_keys(
    document: Document, described: DescribedTable, items: list[Item], steps: Steps, faults: list[Fault]
) -> None:
    for place, item in enumerate(items):
        missing = [name for name in described.table.key.attributes if name not in item]
        if missing:
            faults.append(document.fault((*steps, place), f"the item lacks the key {', '.join(missing)}"))
