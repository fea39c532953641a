"""AWS::DynamoDB::Table, GlobalTable and Serverless::SimpleTable of a template, with what the template does to them.

Source: CloudFormation and SAM resource references (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from capacity.document import Document, Fault
from capacity.dynamodb.table import Index, Key, Table, Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.templates.access import readers_by_table
from capacity.templates.appsync import calls_by_table
from capacity.templates.description import DescribedTable, Description, Dimension, Fact, Place
from capacity.templates.global_table import global_table_of
from capacity.templates.intrinsics import Evaluator, Unresolved, mapping_of
from capacity.templates.keys import attribute_types_of, indexes_of, key_of, throughput_of
from capacity.templates.parts import Part
from capacity.templates.resources import API, GLOBAL_TABLE, SIMPLE_TABLE, TABLE, TABLE_TYPES
from capacity.templates.scaling import scaling_by_table

KNOWS: frozenset[Fact] = frozenset(("time to live", "auto scaling", "calls"))
_SIMPLE_TYPES = {"String": "S", "Number": "N", "Binary": "B"}
_BILLING = ("PROVISIONED", "PAY_PER_REQUEST")


def read_cloudformation(document: Document, parameters: Mapping[str, str], faults: list[Fault]) -> Description:
    """The tables of a template. Faults are added to `faults`; a table with one is left out."""
    evaluator = Evaluator(document.content, parameters)
    notes: list[str] = []
    declared = mapping_of(document.content.get("Parameters"))
    notes += [
        f"the template has no parameter {name}; it has {', '.join(declared) or 'none'}"
        for name in sorted(set(parameters) - set(declared))
    ]
    if document.content.get("Transform") and any(str(name).startswith("Fn::") for name in evaluator.resources):
        notes.append("resources made by Fn::ForEach are not read")
    scaling = scaling_by_table(document, evaluator, faults)
    calls, readers = calls_by_table(document, evaluator), readers_by_table(evaluator)
    tables = []
    for logical_id, resource in evaluator.resources.items():
        kind = resource.get("Type")
        if kind not in TABLE_TYPES:
            continue
        made = evaluator.exists(logical_id)
        if made is False:
            notes.append(f"{logical_id} is left out: its condition {resource['Condition']} does not hold")
            continue
        if isinstance(made, Unresolved):
            notes.append(f"{logical_id} is read as if its condition held: {made.why}")
        part = Part(document, ("Resources", logical_id, "Properties"), evaluator.properties(logical_id), faults)
        name = evaluator.name(logical_id)
        described = _READERS[kind](part, name)
        if described is not None:
            tables.append(
                replace(
                    described,
                    place=Place(document.file, document.line(("Resources", logical_id))),
                    knows=KNOWS,
                    scaling={**described.scaling, **scaling.get(name, {})},
                    calls=tuple(calls.get(name, ())),
                    other_readers=tuple(readers.get(name, ())),
                )
            )
    apis = tuple(name for name, resource in evaluator.resources.items() if resource.get("Type") in API)
    return Description(document.file, "CloudFormation template", tuple(tables), apis, tuple(notes))


def _table(part: Part, name: str) -> DescribedTable | None:
    on_demand = _billing(part) == "PAY_PER_REQUEST"
    throughput = None if on_demand else throughput_of(part.part("ProvisionedThroughput"))

    def of_index(index: Part) -> Throughput | None:
        return None if on_demand else throughput_of(index.part("ProvisionedThroughput"))

    indexes, places = indexes_of(part, of_index)
    return finished(part, name, indexes, throughput, places, on_demand=on_demand)


def _global_table(part: Part, name: str) -> DescribedTable | None:
    on_demand = _billing(part) == "PAY_PER_REQUEST"
    settings = global_table_of(part, on_demand)
    described = finished(part, name, settings.indexes, settings.throughput, settings.index_places, on_demand=on_demand)
    return None if described is None else replace(described, scaling=settings.scaling)


def _simple_table(part: Part, name: str) -> DescribedTable | None:
    primary = part.part("PrimaryKey")
    attribute = primary.text("Name") or "id"
    kind = _SIMPLE_TYPES.get(primary.text("Type") or "String")
    if kind is None:
        primary.fault("Type", f"{primary.content['Type']!r} was given; expected String, Number or Binary")
        return None
    provisioned = part.has("ProvisionedThroughput")
    throughput = throughput_of(part.part("ProvisionedThroughput")) if provisioned else None
    if provisioned and throughput is None:
        return None
    table = Table(name, Key(attribute), {attribute: kind}, (), throughput)  # type: ignore[dict-item]
    return DescribedTable(table, part.place)


_READERS: dict[str, Callable[[Part, str], DescribedTable | None]] = {
    TABLE: _table,
    GLOBAL_TABLE: _global_table,
    SIMPLE_TABLE: _simple_table,
}


def finished(
    part: Part,
    name: str,
    indexes: tuple[Index, ...],
    throughput: Throughput | None,
    index_places: Mapping[str, Place],
    *,
    on_demand: bool,
    scaling: Mapping[Dimension, TargetTracking] | None = None,
) -> DescribedTable | None:
    """The table of a part once its indexes and throughput are known; None, with faults, when it is not whole."""
    key, types = key_of(part), attribute_types_of(part)
    time_to_live = part.part("TimeToLiveSpecification")
    enabled = str(time_to_live.content.get("Enabled", False)).lower() == "true"
    attribute = time_to_live.text("AttributeName") if enabled else None
    if enabled and attribute is None:
        time_to_live.fault(None, "AttributeName is missing; for example AttributeName: expires_at")
    if key is None or (throughput is None and not on_demand):
        return None
    try:
        table = Table(name, key, types, indexes, throughput, attribute)
    except ValueError as fault:
        if part.is_clean:  # otherwise what is missing has been said
            part.fault(None, str(fault))
        return None
    view = part.part("StreamSpecification").text("StreamViewType")
    return DescribedTable(table, part.place, index_places, scaling=scaling or {}, stream_view=view)


def _billing(part: Part) -> str:
    mode = part.text("BillingMode") or "PROVISIONED"
    if mode not in _BILLING:
        part.fault("BillingMode", f"{mode} was given; expected {' or '.join(_BILLING)}")
    return mode
