"""Mesh v2 as a workload: the layouts' table, the nodes' requests, and AppSync and Lambda beside it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa

from capacity.dynamodb.table import Table
from capacity.pricing.cost import Use
from capacity.scenario import Scenario
from capacity.workloads.charge_rows import Charges
from capacity.workloads.limit_use import LimitUse
from capacity.workloads.mesh.charges import charge
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.plan import planned_requests
from capacity.workloads.mesh.quotas import appsync_limits
from capacity.workloads.mesh.realtime import Realtime, realtime
from capacity.workloads.mesh.requests import OPERATIONS, Requests
from capacity.workloads.mesh.sent import sent_requests
from capacity.workloads.mesh.uses import service_uses
from capacity.workloads.protocol import Realtimes
from capacity.workloads.stream import Sent


class MeshWorkload:
    """The traffic of a scenario's nodes against the table of its layout."""

    operations = OPERATIONS
    assumptions = (
        "every request is answered at once, so a node's first requests fall on its arrival",
        "a refused request is not repeated",
        "reads are eventually consistent, and no row expires and is deleted within the run",
    )

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    @cached_property
    def table(self) -> Table:
        """The layout's table with the scenario's throughput."""
        return table_of(self._scenario)

    @property
    def layout(self) -> str:
        """The scenario's layout."""
        return self._scenario.layout

    @property
    def parties(self) -> Mapping[str, int]:
        """Nodes, groups and domains of a lesson."""
        population = self._scenario.population
        return {"nodes": population.nodes, "groups": population.groups, "domains": population.domains}

    def planned(self) -> Requests:
        """Every request of the scenario's schedule."""
        return planned_requests(self._scenario)

    def sent(self, requests: pa.Table, *, only_reads_throttled: bool = False) -> Sent[Requests]:
        """The requests that a run sent."""
        return sent_requests(requests, self._scenario, only_reads_throttled=only_reads_throttled)

    def charge(self, requests: Requests) -> Charges:
        """Units of the requests, by the layout's steps."""
        return charge(requests, layout_model(self._scenario.layout), self.table)

    def services(self, answered: Requests) -> MeshServices:
        """AppSync and Lambda behind the requests."""
        scenario, groups = self._scenario, self._scenario.population.groups
        websocket = np.array([scenario.mode.is_websocket(group % groups) for group in range(scenario.groups)], bool)
        return MeshServices(answered, realtime(answered, websocket))


class MeshServices:
    """AppSync's messages, connections and quotas, and Lambda's calls."""

    def __init__(self, requests: Requests, live: Realtime) -> None:
        self._requests, self._live = requests, live

    @property
    def realtime(self) -> Realtimes:
        """Traffic over WebSocket."""
        live = self._live
        return Realtimes(len(live.request), live.deliveries, live.connections, live.connection_minutes)

    def limits(self, seconds: int) -> list[LimitUse]:
        """AppSync's quotas that are in use."""
        return [each for each in appsync_limits(self._requests, self._live, seconds) if each.peak > 0]

    def uses(self, window_s: tuple[float, float] | None = None) -> list[Use]:
        """What AppSync and Lambda bill."""
        return service_uses(self._requests, self._live, window_s)
