"""The requests that a scenario plans: who sends what when, by the clients' rules and the scenario's schedule.

Client behaviour: a host creates its domain and group and beats every host interval; a member creates its domain, lists
the domain's groups, joins, reads all statuses once and beats every member interval. Both report, fire events, and
read: over WebSocket a sync at intervals, otherwise a poll. At the end members leave and hosts dissolve. Every timer
has its own phase, the same that the load generator uses.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from capacity.scenario import Scenario, Ticks, Timer, arrivals_s, lesson_begin_s, phases
from capacity.workloads.mesh.requests import CODE, Floats, Ints, Outcome, Requests

# Lengths of what the scenario leaves open, in bytes. Ids of groups are UUIDs; a node's id is the run's id, a dash and
# a number; instants carry milliseconds, event times are whole seconds (ISO 8601); an order key is
# YYYYMMDDHHMMSS-NNNNNNN.
RUN_ID_BYTES = 30
LENGTHS: Mapping[str, float] = {
    "instant": 24,
    "second": 20,
    "order_key": 22,
    "unique": 8,
    "event_name": 6,
    "variable_name": 9,
}
GROUP_ID_BYTES = 36

LEAVE_SPREAD_S, HOST_STAYS_S = 0.5, 1.0
"""At the end members leave within half a second, and hosts dissolve their groups when everybody has gone."""


def planned_requests(scenario: Scenario) -> Requests:
    """Every request that the scenario's schedule holds, sorted by time, if each is answered at once."""
    population, schedule, settings, traffic = (
        scenario.population,
        scenario.schedule,
        scenario.settings,
        scenario.traffic,
    )
    nodes = np.arange(scenario.nodes)
    group = nodes // population.nodes_per_group
    host = nodes % population.nodes_per_group == 0
    websocket = np.array([scenario.mode.is_websocket(g) for g in range(population.groups)])[group % population.groups]
    arrival = arrivals_s(scenario)
    leaving = lesson_begin_s(scenario, nodes) + schedule.lesson_s
    parts: list[tuple[Floats, Ints, str, int]] = []

    def once(who: Ints, name: str, time_s: Floats) -> None:
        parts.append((time_s, who, name, 0))

    def every(who: Ints, name: str, timer: Timer, period_s: float, items: int = 0) -> None:
        time_s, position = Ticks(scenario, timer, period_s, who, arrival[who]).times_s()
        parts.append((time_s, who[position], name, items))

    hosts, members = nodes[host], nodes[~host]
    once(nodes, "createDomain", arrival)
    once(hosts, "createGroup", arrival[hosts])
    for name in ("listGroupsByDomain", "joinGroup", "listGroupStatuses"):
        once(members, name, arrival[members])
    every(hosts, "renewHeartbeat", "heartbeat", settings.host_heartbeat_interval_s)
    every(members, "sendMemberHeartbeat", "heartbeat", settings.member_heartbeat_interval_s)
    if traffic.reports_per_s:
        every(nodes, "reportDataByNode", "report", 1 / traffic.reports_per_s, traffic.variables_per_report)
    if traffic.event_batches_per_s:
        period_s = 1 / traffic.event_batches_per_s
        every(nodes[websocket], "fireEventsByNode", "event", period_s, traffic.events_per_batch)
        every(nodes[~websocket], "recordEventsByNode", "event", period_s, traffic.events_per_batch)
    every(nodes[websocket], "listGroupStatuses", "sync", settings.periodic_data_sync_interval_s)
    every(nodes[~websocket], "pollGroupData", "poll", settings.polling_interval_s)
    spread = LEAVE_SPREAD_S * phases(scenario.seed, "heartbeat", members)
    once(members, "leaveGroup", leaving[members] + spread)
    once(hosts, "dissolveGroup", leaving[hosts] + HOST_STAYS_S)

    time_s = np.concatenate([part[0] for part in parts])
    order = np.argsort(time_s, kind="stable")  # what is due at once goes in the order above
    node = np.concatenate([part[1] for part in parts])[order]
    operation = np.concatenate([np.full(len(part[0]), CODE[part[2]]) for part in parts])[order]
    items = np.concatenate([np.full(len(part[0]), part[3]) for part in parts])[order]
    domain_of_group = np.arange(scenario.groups) % population.groups // population.groups_per_domain
    return Requests(
        start_s=0.0,
        time_s=time_s[order],
        due_s=time_s[order],
        operation=operation,
        domain=domain_of_group[group[node]],
        group=group[node],
        node=node,
        items=items,
        outcome=np.full(len(order), int(Outcome.DONE)),
        group_domain=domain_of_group,
        group_host=hosts,
        bytes_of=planned_lengths(scenario),
    )


def planned_lengths(scenario: Scenario) -> dict[str, Floats | float]:
    """Byte lengths of what fills the item templates in a run of this scenario."""
    population = scenario.population
    return {
        **LENGTHS,
        "domain": RUN_ID_BYTES + 2 + _digits(population.domains),
        "group": np.full(scenario.groups, float(GROUP_ID_BYTES)),
        "group_name": RUN_ID_BYTES + 2 + _digits(scenario.groups),
        "node": RUN_ID_BYTES + 2 + _digits(scenario.nodes),
        "variables": float(scenario.traffic.variables_per_report),
        "value": float(scenario.traffic.value_bytes),
        "payload": float(scenario.traffic.payload_bytes),
    }


def _digits(count: int) -> Floats:
    """Decimal digits of the numbers 0 to count - 1."""
    return np.floor(np.log10(np.maximum(1, np.arange(count)))) + 1
