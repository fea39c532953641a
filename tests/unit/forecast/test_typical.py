"""Units of one request of each operation, in a group in full swing."""

from __future__ import annotations

import pytest
from scenarios import scenario

from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.requests import OPERATIONS
from capacity.workloads.mesh.typical import typical_units

FOUND = {
    layout: typical_units(given, layout_model(layout), table_of(given))
    for layout in ("phase1", "architecture", "deployed")
    for given in (scenario(layout=layout),)
}


@pytest.mark.parametrize("layout", FOUND)
def test_every_operation_is_there(layout: str) -> None:
    assert tuple(FOUND[layout]) == OPERATIONS


@pytest.mark.parametrize(
    ("layout", "operation", "units"),
    [
        # Table reads, table writes, writes of all indexes; a group of a host and three members.
        ("deployed", "reportDataByNode", (0.5, 1, 1)),
        ("phase1", "reportDataByNode", (0.5, 1, 0)),
        ("architecture", "reportDataByNode", (0.5, 1, 0)),
        ("deployed", "renewHeartbeat", (0.5, 1, 2)),
        ("phase1", "renewHeartbeat", (0.5, 1, 1)),
        ("architecture", "renewHeartbeat", (0.5, 1, 1)),
        ("deployed", "joinGroup", (0.5, 4, 0)),
        ("architecture", "joinGroup", (0.5, 1, 0)),
        # 2 + 2m rows and 2m + 1 record deletes; the group and four statuses leave GroupIdIndex, the group the other.
        ("deployed", "dissolveGroup", (1, 15, 6)),
        # A row per node, host included, and a record for each.
        ("phase1", "dissolveGroup", (1, 9, 1)),
        # The group, three nodes and their statuses; the host's status stays.
        ("architecture", "dissolveGroup", (1, 7, 1)),
        # A Query of the group's nodes and one read for each of the three statuses.
        ("architecture", "listGroupStatuses", (0.5 + 3 * 0.5, 0, 0)),
        ("deployed", "listGroupStatuses", (0.5, 0, 0)),
        ("deployed", "pollGroupData", (1, 0, 0)),
        ("deployed", "getNodeStatus", (1, 0, 0)),
        ("architecture", "getNodeStatus", (0.5, 0, 0)),
        ("deployed", "fireEventsByNode", (0.5, 0, 0)),
        ("deployed", "createDomain", (0, 0, 0)),
    ],
)
def test_units_by_layout(layout: str, operation: str, units: tuple[float, float, float]) -> None:
    found = FOUND[layout][operation].units
    indexes = sum(amount for (resource, kind), amount in found.items() if resource != "table" and kind == "write")
    assert (found.get(("table", "read"), 0), found.get(("table", "write"), 0), indexes) == units


def test_statuses_lie_under_their_node_in_the_architecture_and_under_the_school_otherwise() -> None:
    for layout, key in (
        ("phase1", "DOMAIN#{domain}"),
        ("architecture", "NODE#{node}"),
        ("deployed", "DOMAIN#{domain}"),
    ):
        assert FOUND[layout]["reportDataByNode"].by_key[key, "table", "write"] == 1


def test_a_larger_group_costs_more_to_read_and_the_same_to_write() -> None:
    given = scenario(members=40)
    found = typical_units(given, layout_model("deployed"), table_of(given))
    assert found["listGroupStatuses"].of("table", "read") > FOUND["deployed"]["listGroupStatuses"].of("table", "read")
    assert found["reportDataByNode"].units == FOUND["deployed"]["reportDataByNode"].units
