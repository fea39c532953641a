"""The requests that a run really sent, read from requests.parquet into the model's own stream."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from capacity.scenario import Scenario
from capacity.workloads.mesh.plan import LENGTHS
from capacity.workloads.mesh.requests import CODE, Ints, Outcome, Requests
from capacity.workloads.sent_rows import codes, floats, is_throttle, lengths, operation_codes, outcomes, seconds
from capacity.workloads.stream import Sent

_GROUP_MISSING = ("GroupNotFound", "Unauthorized", "Group not found")


def sent_requests(table: pa.Table, scenario: Scenario, *, only_reads_throttled: bool = False) -> Sent[Requests]:
    """A run's requests in the order in which DynamoDB most likely saw them: by the middle of each request's time.

    An answer does not tell whether a read or a write was throttled. A throttled request counts as stopped at its write,
    or, where `only_reads_throttled` (as CloudWatch knows), at its first read.
    """
    code = operation_codes(table["operation"], CODE)
    start_s = seconds(table["start"])
    middle_s = start_s + np.nan_to_num(floats(table["latency_ms"])) / 2000.0
    rows = np.flatnonzero(code >= 0)
    rows = rows[np.argsort(middle_s[rows], kind="stable")]
    node, node_names = codes(table["node"], rows)
    group, group_names = codes(table["group"], rows)
    domain, domain_names = codes(table["domain"], rows)
    operation = code[rows]
    outcome, uncertain = outcomes(table, rows, _refusal)
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
            due_s=seconds(table["intended_start"])[rows] - zero_s,
            operation=operation,
            domain=np.maximum(domain, 0),
            group=np.maximum(group, 0),
            node=np.maximum(node, 0),
            items=np.nan_to_num(floats(table["items"])[rows]).astype(np.int64),
            outcome=outcome,
            group_domain=domain_of_group if len(domain_of_group) else np.zeros(1, np.int64),
            group_host=host if len(host) else np.zeros(1, np.int64),
            bytes_of={
                **LENGTHS,
                "domain": lengths(domain_names),
                "group": lengths(group_names),
                "node": lengths(node_names),
                # The host names its group after itself; requests.parquet keeps no group names.
                "group_name": lengths(node_names)[host] if len(host) else np.ones(1),
                "variables": float(scenario.traffic.variables_per_report),
                "value": float(scenario.traffic.value_bytes),
                "payload": float(scenario.traffic.payload_bytes),
            },
        ),
        row=rows,
        uncertain=uncertain,
        left_out=int((code < 0).sum()),
    )


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
