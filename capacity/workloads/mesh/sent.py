"""The requests that a run really sent, read from requests.parquet into the model's own stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from capacity.scenario import Scenario
from capacity.workloads.mesh.charges import charge
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.plan import LENGTHS
from capacity.workloads.mesh.requests import CODE, Floats, Ints, Outcome, Requests

if TYPE_CHECKING:
    import pandas as pd

_THROTTLES = ("throughput", "throttling", "requestlimitexceeded")
_GROUP_MISSING = ("GroupNotFound", "Unauthorized", "Group not found")


@dataclass(frozen=True)
class Sent:
    """The model's stream and what of the run it could not place.

    `row` is the row of requests.parquet behind each request. `uncertain` are requests without a valid answer: whether
    they reached DynamoDB is not known, and the model takes them as done. `left_out` counts rows of other operations,
    such as the subscription, which touch no table.
    """

    requests: Requests
    row: Ints
    uncertain: Ints
    left_out: int


def sent_requests(table: pa.Table, scenario: Scenario, *, only_reads_throttled: bool = False) -> Sent:
    """A run's requests in the order in which DynamoDB most likely saw them: by the middle of each request's time.

    An answer does not tell whether a read or a write was throttled. A throttled request counts as stopped at its write,
    or, where `only_reads_throttled` (as CloudWatch knows), at its first read.
    """
    code = _operations(table["operation"])
    start_s = _seconds(table["start"])
    middle_s = start_s + np.nan_to_num(_floats(table["latency_ms"])) / 2000.0
    rows = np.flatnonzero(code >= 0)
    rows = rows[np.argsort(middle_s[rows], kind="stable")]
    node, node_names = _codes(table["node"], rows)
    group, group_names = _codes(table["group"], rows)
    domain, domain_names = _codes(table["domain"], rows)
    operation = code[rows]
    outcome, uncertain = _outcomes(table, rows)
    if only_reads_throttled:
        outcome = np.where(outcome == Outcome.THROTTLED, int(Outcome.READ_THROTTLED), outcome)
    group = _filled(group, node)
    domain = _filled(domain, node)
    host, domain_of_group = _owners(group, domain, node, operation, len(group_names))
    if domain_of_group.size:  # none when no request ever named a group
        domain = np.where((domain < 0) & (group >= 0), domain_of_group[np.maximum(group, 0)], domain)
    # A request that names no group had none to charge: it never got past its client's first steps.
    unplaced = (group < 0) & ~np.isin(operation, [CODE["createDomain"], CODE["listGroupsByDomain"]])
    outcome = np.where(unplaced, int(Outcome.INVALID), outcome)
    zero_s = float(middle_s[rows[0]]) if len(rows) else 0.0
    return Sent(
        requests=Requests(
            start_s=zero_s,
            time_s=middle_s[rows] - zero_s,
            due_s=_seconds(table["intended_start"])[rows] - zero_s,
            operation=operation,
            domain=np.maximum(domain, 0),
            group=np.maximum(group, 0),
            node=np.maximum(node, 0),
            items=np.nan_to_num(_floats(table["items"])[rows]).astype(np.int64),
            outcome=outcome,
            group_domain=domain_of_group if len(domain_of_group) else np.zeros(1, np.int64),
            group_host=host if len(host) else np.zeros(1, np.int64),
            bytes_of={
                **LENGTHS,
                "domain": _lengths(domain_names),
                "group": _lengths(group_names),
                "node": _lengths(node_names),
                # The host names its group after itself; requests.parquet keeps no group names.
                "group_name": _lengths(node_names)[host] if len(host) else np.ones(1),
                "variables": float(scenario.traffic.variables_per_report),
                "value": float(scenario.traffic.value_bytes),
                "payload": float(scenario.traffic.payload_bytes),
            },
        ),
        row=rows,
        uncertain=uncertain,
        left_out=int((code < 0).sum()),
    )


def units_of_sent(requests: pd.DataFrame, scenario: Scenario, layout: str) -> pd.DataFrame:
    """The model applied to a run's requests: one row per second, operation, resource and kind ("read" or "write").

    Columns: second (epoch seconds), operation, resource ("table" or an index), kind, units.
    """
    import pandas as pd

    from capacity.workloads.mesh.requests import OPERATIONS

    sent = sent_requests(pa.Table.from_pandas(requests, preserve_index=False), scenario)
    charges = charge(sent.requests, layout_model(layout), table_of(scenario))
    frame = pd.DataFrame(
        {
            "second": np.floor(sent.requests.start_s + sent.requests.time_s[charges.request]).astype(np.int64),
            "operation": np.array(OPERATIONS)[sent.requests.operation[charges.request]],
            "resource": np.array(charges.resources)[charges.resource],
            "kind": np.array(["read", "write"])[charges.kind],
            "units": charges.units,
        }
    )
    return frame.groupby(["second", "operation", "resource", "kind"])[["units"]].sum().reset_index()


def is_throttle(error_type: str | None, message: str | None) -> bool:
    """Whether an error speaks of a throttled DynamoDB call; a Lambda function's says so in its message alone."""
    text = f"{error_type} {message}".lower()
    return any(word in text for word in _THROTTLES)


def _operations(column: Any) -> Ints:
    """Code of each row's operation, -1 for one that is not among the 17."""
    number, names = _codes(column, np.arange(len(column)))
    known = np.array([*(CODE.get(name, -1) for name in names), -1], np.int64)
    return known[number]


def _outcomes(table: pa.Table, rows: Ints) -> tuple[Ints, Ints]:
    """How far each request got, and which of them nobody knows of: the places of those without a valid answer."""
    number, names = _codes(table["outcome"], rows)
    is_ok = np.array([*(name == "ok" for name in names), False])[number]
    found, uncertain = np.zeros(len(rows), np.int64), []
    places = np.flatnonzero(~is_ok)
    failed = table.select(["outcome", "error_type", "error_message"]).take(rows[places])
    columns = (failed[name].to_pylist() for name in failed.column_names)
    for place, outcome, error, message in zip(places.tolist(), *columns, strict=True):
        if outcome == "error" and not (error or "").startswith("4"):
            uncertain.append(place)
        else:
            found[place] = _refusal(error or "", message or "")
    return found, np.array(uncertain, np.int64)


def _refusal(error: str, message: str) -> Outcome:
    if is_throttle(error, message):
        return Outcome.THROTTLED
    if any(word in error or word in message for word in _GROUP_MISSING):
        return Outcome.NO_GROUP
    if "NodeNotFound" in error:
        return Outcome.NO_NODE
    return Outcome.INVALID


def _owners(group: Ints, domain: Ints, node: Ints, operation: Ints, groups: int) -> tuple[Ints, Ints]:
    """Host and domain of each group: the node that created it, else the first that spoke of it."""
    host, domain_of = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    placed = np.flatnonzero(group >= 0)[::-1]  # the first row in time is written last, and stays
    host[group[placed]] = node[placed]
    known = placed[domain[placed] >= 0]
    domain_of[group[known]] = domain[known]
    created = placed[operation[placed] == CODE["createGroup"]]
    host[group[created]] = node[created]
    return host, domain_of


def _filled(value: Ints, node: Ints) -> Ints:
    """Missing values taken from the same node's first known one: a host names its group only once it has it."""
    known = np.flatnonzero(value >= 0)[::-1]
    of_node = np.full(int(node.max(initial=-1)) + 1, -1, np.int64)
    of_node[node[known]] = value[known]
    return np.where((value < 0) & (node >= 0), of_node[np.maximum(node, 0)] if len(of_node) else value, value)


def _codes(column: Any, rows: Ints) -> tuple[Ints, list[str]]:
    """Small numbers for the texts of a column, -1 for null, and the texts."""
    combined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(combined.type):
        combined = combined.dictionary_encode()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.unify_dictionaries().combine_chunks()
    index = combined.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return index[rows], combined.dictionary.to_pylist()


def _lengths(names: list[str]) -> Floats:
    return np.array([float(len(name.encode())) for name in names] or [1.0])


def _seconds(column: Any) -> Floats:
    microseconds = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return np.asarray(microseconds, np.float64) / 1e6


def _floats(column: Any) -> Floats:
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
