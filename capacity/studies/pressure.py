"""How hard a population presses on each limit, in closed form: rates of requests times units of one request.

The rates are those of the hold, when everybody has arrived and every timer runs; the reads that grow with the school
are those of the last arrivals of the ramp. Unlike a forecast, a pressure costs microseconds, so populations of any
size can be tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from capacity.dynamodb.table import Table
from capacity.dynamodb.units import READ_UNIT_BYTES
from capacity.physics.parameters import DEFAULT, Kind
from capacity.scenario import Scenario
from capacity.workloads.mesh.charges import TABLE
from capacity.workloads.mesh.items import ItemKind, data_bytes, placeholders
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.plan import planned_lengths
from capacity.workloads.mesh.quotas import (
    APPSYNC_CONNECTS_PER_S,
    APPSYNC_INBOUND_PER_S,
    APPSYNC_OUTBOUND_PER_S,
    APPSYNC_TOKENS_PER_S,
)
from capacity.workloads.mesh.standing import PAGE_BYTES
from capacity.workloads.mesh.steps import Layout, Query
from capacity.workloads.mesh.stored import rows_of_group
from capacity.workloads.mesh.typical import TypicalUnits, typical_units
from capacity.workloads.mesh.uses import LAMBDA_OPERATIONS, LAMBDA_SECONDS

LAMBDA_CONCURRENCY = 1_000.0
"""Calls at once, per account and region; Lambda quotas, default, 2026-11."""
EVENTS_PER_POLL = 100.0
"""Limit of the deployed code's Query for events since a cursor; public repository, 2026-09."""
KINDS: tuple[Kind, Kind] = ("read", "write")
_GROWING = ("createGroup", "listGroupsByDomain")


@dataclass(frozen=True)
class Load:
    """A population and what it does, free of the bounds of a scenario; `table` and `shards` can be varied.

    `shards[template]` is the number of keys that a partition key is spread over.
    """

    scenario: Scenario
    layout: Layout
    table: Table
    domains: float
    groups_per_domain: float
    members_per_group: int
    reports_per_s: float
    event_batches_per_s: float
    websocket: float
    host_interval_s: float
    member_interval_s: float
    polling_interval_s: float
    sync_interval_s: float
    ramp_s: float
    shards: Mapping[str, int] = field(default_factory=dict)
    warm: Mapping[str, float] = field(default_factory=dict)
    """Warm throughput of an on-demand table by kind, units per second."""

    @property
    def nodes_per_group(self) -> int:
        return self.members_per_group + 1

    @property
    def groups(self) -> float:
        return self.domains * self.groups_per_domain

    @property
    def nodes(self) -> float:
        return self.groups * self.nodes_per_group


@dataclass(frozen=True)
class Pressure:
    """The use of one limit. `where` tells apart limits of one name: a resource and kind, or a service."""

    name: str
    where: str
    limit: float
    use: float
    unit: str
    source: str

    @property
    def share(self) -> float:
        """Use as a share of the limit; 1 is reached."""
        return self.use / self.limit


def load_of(scenario: Scenario) -> Load:
    """The load of a scenario's hold."""
    population, settings, traffic = scenario.population, scenario.settings, scenario.traffic
    return Load(
        scenario=scenario,
        layout=layout_model(scenario.layout),
        table=table_of(scenario),
        domains=population.domains,
        groups_per_domain=population.groups_per_domain,
        members_per_group=population.members_per_group,
        reports_per_s=traffic.reports_per_s * scenario.schedule.peak_times,
        event_batches_per_s=traffic.event_batches_per_s * scenario.schedule.peak_times,
        websocket=scenario.mode.websocket,
        host_interval_s=settings.host_heartbeat_interval_s,
        member_interval_s=settings.member_heartbeat_interval_s,
        polling_interval_s=settings.polling_interval_s,
        sync_interval_s=settings.periodic_data_sync_interval_s,
        ramp_s=scenario.schedule.ramp_s,
    )


class Model:
    """Pressures of loads that come from one scenario. Units per request are worked out once for each layout, table and
    size of group.
    """

    def __init__(self) -> None:
        self._typical: dict[tuple[str, Table, int, float, float], dict[str, TypicalUnits]] = {}
        self._listed: dict[tuple[str, int, bool], float] = {}

    def pressures(self, load: Load) -> list[Pressure]:
        """Every limit that the load uses some of, the most used first."""
        found = [
            *self._keys(load),
            *self._tables(load),
            *self._appsync(load),
            *self._rest(load),
        ]
        return sorted((each for each in found if each.use > 0), key=lambda each: -each.share)

    # -- rates

    def rates_per_s(self, load: Load) -> dict[str, float]:
        """Requests per second of every operation while the last nodes arrive."""
        nodes, groups = load.nodes, load.groups
        members, websocket = nodes - groups, load.websocket
        arrivals = 1 / max(1.0, load.ramp_s)
        return {
            "createDomain": nodes * arrivals,
            "createGroup": groups * arrivals,
            "joinGroup": members * arrivals,
            "listGroupsByDomain": members * arrivals,
            "listGroupStatuses": members * arrivals + nodes * websocket / load.sync_interval_s,
            "renewHeartbeat": groups / load.host_interval_s,
            "sendMemberHeartbeat": members / load.member_interval_s,
            "reportDataByNode": nodes * load.reports_per_s,
            "fireEventsByNode": nodes * websocket * load.event_batches_per_s,
            "recordEventsByNode": nodes * (1 - websocket) * load.event_batches_per_s,
            "pollGroupData": nodes * (1 - websocket) / load.polling_interval_s,
        }

    def typical(self, load: Load) -> dict[str, TypicalUnits]:
        """Units of one request in a group of this size."""
        batches = load.event_batches_per_s if load.websocket < 1 else 0.0  # what a poll finds
        key = (load.layout.name, load.table, load.members_per_group, batches, load.polling_interval_s)
        if key not in self._typical:
            self._typical[key] = typical_units(_resized(load, batches), load.layout, load.table)
        return self._typical[key]

    def domain_bytes(self, load: Load) -> float:
        """Bytes that a listing of one domain has to read when everybody is there."""
        key = (load.layout.name, load.members_per_group, load.reports_per_s > 0)
        if key not in self._listed:
            self._listed[key] = self._listed_bytes(load)
        return self._listed[key] * load.groups_per_domain

    def _listed_bytes(self, load: Load) -> float:
        """Bytes that one group adds to the listing of its domain."""
        step = next(step for step in load.layout.operations["listGroupsByDomain"].steps if isinstance(step, Query))
        scenario = _resized(load, load.event_batches_per_s)
        lengths = {name: _first(value) for name, value in planned_lengths(scenario).items()}
        lengths["data"] = float(
            data_bytes(float(scenario.traffic.variables_per_report), lengths["variable_name"], lengths["value"])
        )
        # Kinds of one key are states of one item: the last one counts.
        listed = [kind for kind in load.layout.kinds.values() if _is_listed(kind, step, load.table)]
        kinds = {kind.partition + kind.sort: kind for kind in listed}
        members, reporting = load.members_per_group, load.reports_per_s > 0
        return sum(rows_of_group(kind, members, reporting) * float(kind.size_bytes(lengths)) for kind in kinds.values())

    # -- limits

    def _units_per_s(self, load: Load) -> dict[tuple[str, str, str], float]:
        """(template of the partition key, resource, kind) -> units per second of the whole population."""
        typical, sums = self.typical(load), dict[tuple[str, str, str], float]()
        for operation, rate in self.rates_per_s(load).items():
            for key, units in typical[operation].by_key.items():
                if operation in _GROWING and key[2] == "read":
                    units = max(units, 0.5 * -(-min(self.domain_bytes(load), PAGE_BYTES) // READ_UNIT_BYTES))
                sums[key] = sums.get(key, 0.0) + rate * units
        return sums

    def _keys(self, load: Load) -> list[Pressure]:
        found = []
        for (template, resource, kind), units in self._units_per_s(load).items():
            names = placeholders(template)
            sharing = load.nodes if "node" in names else load.groups if "group" in names else 1.0
            if names == ("domain",):
                sharing = load.domains
            use = units / max(1.0, sharing) / load.shards.get(template, 1)
            what = f"one partition key {template}" if names else f"the constant key {template}"
            limit = DEFAULT.ceiling_read_units if kind == "read" else DEFAULT.ceiling_write_units
            source = "Developer Guide, partitions, 2026-11"
            found.append(Pressure(what, f"{resource}, {kind}s", limit, use, "units/s", source))
        return found

    def _tables(self, load: Load) -> list[Pressure]:
        sums: dict[tuple[str, str], float] = {}
        for (_, resource, kind), units in self._units_per_s(load).items():
            sums[resource, kind] = sums.get((resource, kind), 0.0) + units
        found = []
        for (resource, kind), units in sums.items():
            where = f"{resource}, {kind}s"
            throughput = load.table.throughput if resource == TABLE else load.table.index(resource).throughput
            if throughput is not None:
                limit = throughput.read_units if kind == "read" else throughput.write_units
                found.append(Pressure("provisioned throughput", where, limit, units, "units/s", "the scenario"))
                continue
            start = DEFAULT.on_demand_read_units if kind == "read" else DEFAULT.on_demand_write_units
            warm = max(start, load.warm.get(kind, 0.0))
            source = "Developer Guide, on-demand capacity mode, 2026-11"
            found.append(Pressure("on-demand throughput at class start", where, warm, units, "units/s", source))
            quota = DEFAULT.quota_read_units if kind == "read" else DEFAULT.quota_write_units
            source = "Service quotas, DynamoDB, adjustable, 2026-11"
            found.append(Pressure("on-demand quota of one table", where, quota, units, "units/s", source))
        return found

    def _appsync(self, load: Load) -> list[Pressure]:
        rates = self.rates_per_s(load)
        published = load.websocket * load.nodes * (load.reports_per_s + load.event_batches_per_s)
        connects = load.websocket * load.nodes / max(1.0, load.ramp_s)
        source = "AWS general reference, AppSync quotas, adjustable, 2026-11"

        def pressure(name: str, limit: float, use: float, unit: str) -> Pressure:
            return Pressure(name, "AppSync", limit, use, unit, source)

        return [
            pressure("request tokens, one per request", APPSYNC_TOKENS_PER_S, sum(rates.values()), "tokens/s"),
            pressure("connects", APPSYNC_CONNECTS_PER_S, connects, "connects/s"),
            pressure("inbound messages", APPSYNC_INBOUND_PER_S, published, "messages/s"),
            pressure("outbound messages", APPSYNC_OUTBOUND_PER_S, published * load.nodes_per_group, "messages/s"),
        ]

    def _rest(self, load: Load) -> list[Pressure]:
        rates = self.rates_per_s(load)
        running = sum(rates.get(name, 0.0) for name in LAMBDA_OPERATIONS) * LAMBDA_SECONDS
        others = load.members_per_group * load.event_batches_per_s * load.polling_interval_s
        events = others * load.scenario.traffic.events_per_batch if load.websocket < 1 else 0.0
        lived = load.scenario.schedule.total_s / load.scenario.settings.max_connection_time_s
        page, poll = "groups beyond it are not listed", "a group's events beyond it wait for the next poll"
        guide, code = "Developer Guide, Query, 2026-11", "public repository, 2026-09"
        return [
            Pressure("Lambda concurrency", "Lambda", LAMBDA_CONCURRENCY, running, "calls", "Lambda quotas, 2026-11"),
            Pressure(
                "one page of a domain's listing", page, float(PAGE_BYTES), self.domain_bytes(load), "bytes", guide
            ),
            Pressure("events of one poll", poll, EVENTS_PER_POLL, events, "events", code),
            Pressure("group lifetime", "the group ends", 1.0, lived, "lifetimes", "settings.max_connection_time"),
        ]


def _is_listed(kind: ItemKind, step: Query, table: Table) -> bool:
    if step.index is None:
        return kind.matches(step.partition, step.prefix)
    return any(index.name == step.index for index in kind.indexes(table))


def _resized(load: Load, batches_per_s: float) -> Scenario:
    """The scenario with one group of the load's size and its traffic, past the bounds of a scenario file."""
    scenario = load.scenario
    population = scenario.population.model_copy(
        update={"domains": 1, "groups_per_domain": 1, "members_per_group": load.members_per_group}
    )
    traffic = scenario.traffic.model_copy(
        update={"reports_per_s": load.reports_per_s, "event_batches_per_s": batches_per_s}
    )
    settings = scenario.settings.model_copy(update={"polling_interval_s": load.polling_interval_s})
    return scenario.model_copy(update={"population": population, "traffic": traffic, "settings": settings})


def _first(value: object) -> float:
    return float(np.asarray(value).ravel()[0])
