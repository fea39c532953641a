"""What forecast, comparison and measurement ask of a workload: its table, its requests, and what they consume.

A workload belongs to one scenario. `capacity.workloads.registry.workload_of` gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from capacity.dynamodb.table import Table
from capacity.pricing.cost import Use
from capacity.workloads.charge_rows import Charges
from capacity.workloads.limit_use import LimitUse
from capacity.workloads.stream import Sent, Stream


@dataclass(frozen=True)
class Realtimes:
    """Messages to subscribers, and the connections that they come by."""

    publications: int = 0
    deliveries: int = 0
    connections: int = 0
    connection_minutes: float = 0.0


class Services(Protocol):
    """What a workload uses beside DynamoDB."""

    @property
    def realtime(self) -> Realtimes:
        """Real-time traffic; all zeros where there is none."""

    def limits(self, seconds: int) -> list[LimitUse]:
        """The quotas that are in use."""

    def uses(self, window_s: tuple[float, float] | None = None) -> list[Use]:
        """What is billed for a window of time (None = all)."""


class DynamoDBAlone:
    """The services of a workload that calls DynamoDB itself: none."""

    realtime = Realtimes()

    def limits(self, seconds: int) -> list[LimitUse]:
        """No quota but the table's."""
        return []

    def uses(self, window_s: tuple[float, float] | None = None) -> list[Use]:
        """Nothing is billed but the table."""
        return []


class Workload(Protocol[Stream]):
    """One scenario's traffic against one table."""

    @property
    def table(self) -> Table:
        """The table with the throughput that the scenario bills."""

    @property
    def layout(self) -> str:
        """How the table is laid out, in a word."""

    @property
    def parties(self) -> Mapping[str, int]:
        """Who takes part, and how many of each."""

    @property
    def operations(self) -> tuple[str, ...]:
        """Names of the operations; a request's `operation` is an index into this."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the plan takes for granted, in sentences without a full stop."""

    def planned(self) -> Stream:
        """Every request of the scenario's schedule."""

    def sent(self, requests: pa.Table, *, only_reads_throttled: bool = False) -> Sent[Stream]:
        """The requests that a run sent, from its requests.parquet."""

    def charge(self, requests: Stream) -> Charges:
        """What requests consume of the table and its indexes."""

    def services(self, answered: Stream) -> Services:
        """What requests use beside DynamoDB; `answered` has outcomes in it."""
