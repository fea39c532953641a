"""A saved answer of `aws dynamodb describe-table`, one or several of them; TTL and auto scaling are other answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capacity.document import Document, Fault
from capacity.dynamodb.table import from_describe_table
from capacity.templates.description import DescribedTable, Description, Fact, Place
from capacity.templates.keys import attribute_types_of, key_of, projection_of, throughput_of
from capacity.templates.parts import Part


def read_describe_table(document: Document, faults: list[Fault]) -> Description:
    """The table of an answer, and its TTL when the answer of DescribeTimeToLive stands beside it in one object."""
    content = document.content
    steps: tuple[str, ...] = ("Table",) if "Table" in content else ()
    part = Part(document, steps, content.get("Table", content), faults)
    time_to_live = content.get("TimeToLiveDescription")
    before = len(faults)
    name = part.text("TableName", "posts")
    key_of(part)
    attribute_types_of(part)
    on_demand = part.part("BillingModeSummary").text("BillingMode") == "PAY_PER_REQUEST"
    if not on_demand:
        throughput_of(part.part("ProvisionedThroughput"))
    places = {}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for each in part.parts(member):
            index_name = each.text("IndexName", "by_owner")
            key_of(each)
            projection_of(each)
            if member.startswith("Global") and not on_demand:
                throughput_of(each.part("ProvisionedThroughput"))
            places[index_name or ""] = each.place
    if len(faults) > before or name is None:
        return Description(document.file, "DescribeTable answer", ())
    try:
        table = from_describe_table(content, None if time_to_live is None else content)
    except ValueError as fault:
        part.fault(None, str(fault))
        return Description(document.file, "DescribeTable answer", ())
    described = DescribedTable(
        table,
        Place(document.file, document.line(steps)),
        places,
        knows=_facts(time_to_live),
        stream_view=part.part("StreamSpecification").text("StreamViewType"),
        item_count=_count(part.content, "ItemCount"),
        size_bytes=_count(part.content, "TableSizeBytes"),
    )
    notes = ["DescribeTable says nothing of auto scaling, nor of who reads; those rules are left out"]
    if time_to_live is None:
        notes.append("TTL is in the answer of describe-time-to-live; put its TimeToLiveDescription beside Table")
    return Description(document.file, "DescribeTable answer", (described,), (), tuple(notes))


def _facts(time_to_live: object) -> frozenset[Fact]:
    return frozenset(() if time_to_live is None else ("time to live",))


def _count(content: Mapping[str, Any], key: str) -> int | None:
    value = content.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
