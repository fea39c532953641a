"""Units of streams of requests in the deployed layout."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sequential_model import SequentialModel, size_bytes

from capacity.dynamodb.table import Projection
from capacity.workloads.mesh.charges import READ, WRITE, Charges, charge
from capacity.workloads.mesh.deployed import LAYOUT
from capacity.workloads.mesh.plan import LENGTHS
from capacity.workloads.mesh.requests import CODE, Outcome, Requests
from capacity.workloads.mesh.tables import TABLES

TABLE = TABLES["deployed"]
GROUPS, MEMBERS = 3, 3  # in tests that draw their streams
NODES = GROUPS * (MEMBERS + 1)
STEP_S = 0.3  # between two requests, so that some share a second and some do not


def stream(*steps: tuple[str, int, int, int], outcome: Outcome = Outcome.DONE, value: int = 16) -> Requests:
    """Requests from (operation, group, node, items); the group's first node is its host, all in one domain."""
    names, group, node, items = (np.array(column) for column in zip(*steps, strict=True))
    time_s = np.arange(len(steps)) * STEP_S
    return Requests(
        start_s=1_796_052_450.0,
        time_s=time_s,
        due_s=time_s,
        operation=np.array([CODE[name] for name in names]),
        domain=np.zeros(len(steps), np.int64),
        group=group.astype(np.int64),
        node=node.astype(np.int64),
        items=items.astype(np.int64),
        outcome=np.full(len(steps), int(outcome)),
        group_domain=np.zeros(GROUPS, np.int64),
        group_host=np.arange(GROUPS) * (MEMBERS + 1),
        bytes_of={
            **LENGTHS,
            "domain": np.full(1, 20.0),
            "group": np.full(GROUPS, 36.0),
            "group_name": np.full(GROUPS, 30.0),
            "node": np.full(NODES, 33.0),
            "variables": 2.0,
            "value": float(value),
            "payload": 64.0,
        },
    )


def units(requests: Requests) -> dict[tuple[str, str], float]:
    charges = charge(requests, LAYOUT, TABLE)
    kinds = (("read", READ), ("write", WRITE))
    return {(r, name): charges.total(r, kind) for r in charges.resources for name, kind in kinds}


def last(*steps: tuple[str, int, int, int]) -> dict[tuple[str, str], float]:
    """Units of the last of these requests alone."""
    requests = stream(*steps)
    sums = charge(requests, LAYOUT, TABLE).per_request(len(requests))[-1]
    names = ("table", "GroupIdIndex", "GroupNameIndex")
    return {
        (name, kind): float(sums[r, k])
        for r, name in enumerate(names)
        for k, kind in enumerate(("read", "write"))
        if sums[r, k]
    }


OPEN = ("createGroup", 0, 0, 0)
JOIN = ("joinGroup", 0, 1, 0)
REPORT = ("reportDataByNode", 0, 1, 2)


@pytest.mark.parametrize(
    ("sentence", "steps", "expected"),
    [
        (
            "a status put costs the table 1 and GroupIdIndex 1, after a check of half a unit",
            [OPEN, JOIN, REPORT],
            {("table", "read"): 0.5, ("table", "write"): 1, ("GroupIdIndex", "write"): 1},
        ),
        (
            "a host's heartbeat costs the table 1 and each of the two ALL indexes 1",
            [OPEN, *[("fireEventsByNode", 0, 0, 1)] * 4, ("renewHeartbeat", 0, 0, 0)],
            {
                ("table", "read"): 0.5,
                ("table", "write"): 1,
                ("GroupIdIndex", "write"): 1,
                ("GroupNameIndex", "write"): 1,
            },
        ),
        (
            "a heartbeat within the second in which the group was written changes nothing, and an index for nothing",
            [OPEN, ("renewHeartbeat", 0, 0, 0)],
            {("table", "read"): 0.5, ("table", "write"): 1},
        ),
        (
            "a member's heartbeat touches no index",
            [OPEN, JOIN, ("sendMemberHeartbeat", 0, 1, 0)],
            {("table", "read"): 0.5, ("table", "write"): 1},
        ),
        (
            "joining is a transaction of two puts, which doubles on the table",
            [OPEN, JOIN],
            {("table", "read"): 0.5, ("table", "write"): 4},
        ),
        (
            "leaving without a report deletes a status that is not there, and pays for it",
            [OPEN, JOIN, ("leaveGroup", 0, 1, 0)],
            {("table", "write"): 5},
        ),
        (
            "leaving after a report takes the status out of the index",
            [OPEN, JOIN, REPORT, ("leaveGroup", 0, 1, 0)],
            {("table", "write"): 5, ("GroupIdIndex", "write"): 1},
        ),
        (
            "a repeated createGroup reads the group instead of writing it",
            [OPEN, OPEN],
            {("table", "read"): 1.0},
        ),
        (
            "events that are only passed on store nothing",
            [OPEN, ("fireEventsByNode", 0, 0, 5)],
            {("table", "read"): 0.5},
        ),
        (
            "recorded events are charged one by one, and no index holds them",
            [OPEN, ("recordEventsByNode", 0, 0, 30)],
            {("table", "read"): 0.5, ("table", "write"): 30},
        ),
    ],
)
def test_what_one_request_costs(
    sentence: str, steps: list[tuple[str, int, int, int]], expected: dict[tuple[str, str], float]
) -> None:
    assert last(*steps) == expected, sentence


def test_dissolving_deletes_what_is_there_and_then_records_that_are_not() -> None:
    # m members and the host, all reporting: 2 + 2m rows, then 2m + 1 record deletes of which m + 1 hit nothing.
    m = 3
    steps = [OPEN, *(("joinGroup", 0, n, 0) for n in range(1, m + 1))]
    steps += [("reportDataByNode", 0, n, 2) for n in range(m + 1)]
    cost = last(*steps, ("dissolveGroup", 0, 0, 0))
    assert cost["table", "write"] == (2 + 2 * m) + (2 * m + 1)
    assert cost["GroupIdIndex", "write"] == 1 + (m + 1)  # the group and every status
    assert cost["GroupNameIndex", "write"] == 1


def test_listing_a_domain_reads_every_row_of_every_group() -> None:
    # g groups of a host and m members, all reporting: g (2 + 2m) items, read eventually, rounded once.
    steps = [("createGroup", g, g * (MEMBERS + 1), 0) for g in range(GROUPS)]
    for g in range(GROUPS):
        nodes = range(g * (MEMBERS + 1), (g + 1) * (MEMBERS + 1))
        steps += [("joinGroup", g, n, 0) for n in nodes[1:]]
        steps += [("reportDataByNode", g, n, 2) for n in nodes]
    requests = stream(*steps, ("listGroupsByDomain", 0, 1, 0))
    model = SequentialModel(requests)
    model.run()
    rows = [row for row in model.rows.values() if row["pk"].startswith("DOMAIN#")]
    assert len(rows) == GROUPS * (2 + 2 * MEMBERS)
    blocks = -(-sum(map(size_bytes, rows)) // 4096)
    assert blocks > 1
    assert last(*steps, ("listGroupsByDomain", 0, 1, 0)) == {("table", "read"): blocks / 2}


@pytest.mark.parametrize(
    ("outcome", "operation", "expected"),
    [
        (Outcome.NO_GROUP, "reportDataByNode", {("table", "read"): 0.5}),
        (Outcome.INVALID, "createGroup", {}),
        (Outcome.THROTTLED, "reportDataByNode", {("table", "read"): 0.5}),
        # The write's condition fails: a unit is charged, and AppSync reads the item itself, strongly.
        (Outcome.NO_NODE, "sendMemberHeartbeat", {("table", "read"): 1.5, ("table", "write"): 1.0}),
    ],
)
def test_a_refused_request_pays_for_the_steps_it_got_to(
    outcome: Outcome, operation: str, expected: dict[tuple[str, str], float]
) -> None:
    found = units(stream((operation, 0, 1, 2), outcome=outcome))
    assert {key: value for key, value in found.items() if value} == expected


def test_values_beyond_a_kilobyte_double_the_table_and_the_index() -> None:
    requests = stream(OPEN, JOIN, REPORT, value=600)
    sums = charge(requests, LAYOUT, TABLE).per_request(3)[2]
    assert sums[0, WRITE] == 2
    assert sums[1, WRITE] == 2


def test_charges_of_a_write_share_their_step_and_name_their_keys() -> None:
    charges: Charges = charge(stream(OPEN, JOIN, REPORT), LAYOUT, TABLE)
    rows = np.flatnonzero((charges.request == 2) & (charges.kind == WRITE))
    assert len(set(charges.step[rows].tolist())) == 1
    assert [charges.keys[k] for k in charges.key[rows]] == ["DOMAIN#{domain}", "NODE#{node}"]


def test_calls_are_counted_as_cloudwatch_counts_them() -> None:
    requests = stream(OPEN, JOIN, REPORT, ("recordEventsByNode", 0, 0, 30), ("leaveGroup", 0, 1, 0))
    calls = charge(requests, LAYOUT, TABLE).calls(requests.items)
    assert {name: count for name, count in calls.items() if count} == {
        "GetItem": 3,
        "Query": 1,
        "PutItem": 2,
        "DeleteItem": 1,
        "TransactWriteItems": 2,
        "BatchWriteItem": 2,
    }


_OPERATIONS = (
    "createGroup", "joinGroup", "leaveGroup", "dissolveGroup", "renewHeartbeat", "sendMemberHeartbeat",
    "reportDataByNode", "fireEventsByNode", "recordEventsByNode", "listGroupsByDomain", "listGroupStatuses",
    "pollGroupData",
)  # fmt: skip
_HOSTS_ONLY = ("createGroup", "dissolveGroup", "renewHeartbeat")


@st.composite
def streams(draw: st.DrawFn) -> list[tuple[str, int, int, int]]:
    """Any operations of members, hosts and groups, each group opened first."""
    steps = [("createGroup", g, g * (MEMBERS + 1), 0) for g in range(GROUPS)]
    for operation in draw(st.lists(st.sampled_from(_OPERATIONS), max_size=60)):
        group = draw(st.integers(0, GROUPS - 1))
        if operation == "createGroup" and ("dissolveGroup", group) in {step[:2] for step in steps}:
            continue  # a new group has a new id
        host = group * (MEMBERS + 1)
        member = host + draw(st.integers(1, MEMBERS))
        anyone = draw(st.sampled_from((host, member)))
        node = host if operation in _HOSTS_ONLY else member if operation.startswith("join") else anyone
        items = draw(st.sampled_from((1, 2, 30))) if operation == "recordEventsByNode" else 2
        steps.append((operation, group, node, items if operation.endswith("ByNode") else 0))
    return steps


@given(steps=streams(), value=st.sampled_from((16, 400, 900)))
@settings(max_examples=80)
def test_any_stream_costs_what_the_plain_model_says(steps: list[tuple[str, int, int, int]], value: int) -> None:
    requests = stream(*steps, value=value)
    expected = Counter({key: amount for key, amount in SequentialModel(requests).run().items() if amount})
    assert Counter({key: amount for key, amount in units(requests).items() if amount}) == expected


def test_an_index_of_keys_alone_is_written_when_a_row_comes_or_goes() -> None:
    # Index ladder, measured in eu-west-2 (2026-08): a change of what is not projected costs an index nothing.
    keys_only = replace(
        TABLE, indexes=tuple(replace(index, projection=Projection("KEYS_ONLY")) for index in TABLE.indexes)
    )
    requests = stream(OPEN, JOIN, REPORT, REPORT, ("renewHeartbeat", 0, 0, 0), ("leaveGroup", 0, 1, 0))
    assert requests.time_s[4] > 1  # the heartbeat falls into another second than the group's creation
    sums = charge(requests, LAYOUT, keys_only).per_request(len(requests))[:, :, WRITE]
    assert sums[:, 1].tolist() == [1, 0, 1, 0, 0, 1]
    assert sums[:, 2].tolist() == [1, 0, 0, 0, 0, 0]
    everything = charge(requests, LAYOUT, TABLE).per_request(len(requests))[:, :, WRITE]
    assert sums[:, 0].tolist() == everything[:, 0].tolist()
    assert everything[:, 1].tolist() == [1, 0, 1, 1, 1, 1]
