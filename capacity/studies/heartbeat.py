"""What a heartbeat interval costs and what it buys: a study of every combination of intervals and TTL multiples.

The closed forms behind it are in `capacity.studies.detection`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from capacity.pricing.prices import PriceList, load
from capacity.pricing.school_calendar import SchoolCalendar
from capacity.scenario import Scenario
from capacity.studies.detection import (
    detection_mean_s,
    detection_quantile_s,
    detection_worst_s,
    false_drop_probability,
    missed_beats,
    start_peak_per_s,
)
from capacity.studies.pareto import pareto_front
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.typical import typical_units

Floats = NDArray[np.float64]
TTL_LAG_S = (480.0, 1800.0)
"""DynamoDB deletes an expired row this much later: 8 to 30 minutes as measured by others (2019-2021)."""


@dataclass(frozen=True)
class BeatCost:
    """What one heartbeat takes and costs."""

    units: Mapping[tuple[str, str], float]
    """(resource, "read" or "write") -> units."""
    appsync_usd: float
    dynamodb_usd: float

    @property
    def usd(self) -> float:
        """Dollars of one heartbeat."""
        return self.appsync_usd + self.dynamodb_usd

    @property
    def appsync_share(self) -> float:
        """Share of the AppSync request in the whole."""
        return self.appsync_usd / self.usd


def beat_costs(scenario: Scenario, prices: PriceList | None = None) -> dict[str, BeatCost]:
    """Cost of one heartbeat of a "host" and of a "member", on demand."""
    prices = prices or load(scenario.region)
    found = typical_units(scenario, layout_model(scenario.layout), table_of(scenario))
    costs = {}
    for who, operation in (("host", "renewHeartbeat"), ("member", "sendMemberHeartbeat")):
        units = found[operation].units
        usd = sum(amount * prices.unit_usd(f"dynamodb.on_demand.{kind}_unit") for (_, kind), amount in units.items())
        costs[who] = BeatCost(units, prices.unit_usd("appsync.operation"), usd)
    return costs


@dataclass(frozen=True)
class Setting:
    """One pair of intervals with their TTLs, in seconds."""

    host_interval_s: float
    host_ttl_s: float
    member_interval_s: float
    member_ttl_s: float
    name: str = ""


SEEDS_DEVELOPMENT = Setting(15, 75, 15, 75, "seeds, development")
SEEDS_PRODUCTION = Setting(30, 150, 120, 600, "seeds, production")
DEPLOYED = Setting(60, 150, 120, 600, "deployed")
KNOWN_SETTINGS = (SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, DEPLOYED)


@dataclass(frozen=True)
class Sweep:
    """Every combination and its figures: arrays of equal length. `known` are rows of the known settings."""

    host_interval_s: Floats
    host_ttl_s: Floats
    member_interval_s: Floats
    member_ttl_s: Floats
    beats_per_s: Floats
    """Heartbeat requests of the whole population, on average."""
    start_peak_per_s: Floats
    """The same after everybody has arrived within the ramp."""
    units_per_s: Mapping[tuple[str, str], Floats]
    usd_per_month: Floats
    host_detection_mean_s: Floats
    host_detection_95_s: Floats
    host_detection_worst_s: Floats
    member_detection_mean_s: Floats
    member_detection_95_s: Floats
    member_detection_worst_s: Floats
    host_false_drop: Floats
    """Probability that a living host is dropped within one lesson: its whole group is lost."""
    member_false_drop: Floats
    expired_row_s: Floats
    """How long the rows of a vanished member stay and are read, on average: until expiry and then the TTL lag."""
    known: Mapping[str, int]
    front: NDArray[np.int64]
    """Rows that no other beats in dollars, 95 % detection and false drops at once, cheapest first."""

    def __len__(self) -> int:
        return len(self.usd_per_month)

    @property
    def detection_95_s(self) -> Floats:
        """The slower of host and member."""
        return np.maximum(self.host_detection_95_s, self.member_detection_95_s)

    @property
    def false_drop(self) -> Floats:
        """The likelier of host and member."""
        return np.maximum(self.host_false_drop, self.member_false_drop)

    def recommend(self, notice_s: float = 180.0, false_drop: float = 1e-4) -> int | None:
        """Row of the cheapest setting that notices 95 % within `notice_s` and drops fewer than `false_drop` of the
        living in a lesson; None when no combination does.
        """
        fits = np.flatnonzero((self.detection_95_s <= notice_s) & (self.false_drop < false_drop))
        if len(fits) == 0:
            return None
        return int(fits[np.lexsort((self.detection_95_s[fits], self.usd_per_month[fits]))[0]])

    def setting(self, row: int) -> Setting:
        """The intervals of one row."""
        names = [name for name, at in self.known.items() if at == row]
        return Setting(
            float(self.host_interval_s[row]),
            float(self.host_ttl_s[row]),
            float(self.member_interval_s[row]),
            float(self.member_ttl_s[row]),
            ", ".join(names),
        )


def sweep(
    scenario: Scenario,
    *,
    host_intervals_s: ArrayLike | None = None,
    member_intervals_s: ArrayLike | None = None,
    ttl_multiples: ArrayLike | None = None,
    loss: float = 0.01,
    calendar: SchoolCalendar | None = None,
    prices: PriceList | None = None,
) -> Sweep:
    """Figures of every combination of host interval, member interval and TTL multiple, and of the known settings.

    Raises ValueError for a loss outside [0, 1) or an interval or multiple that is not positive.
    """
    hosts = np.asarray(_DEFAULT_INTERVALS_S if host_intervals_s is None else host_intervals_s, np.float64)
    members = np.asarray(_DEFAULT_INTERVALS_S if member_intervals_s is None else member_intervals_s, np.float64)
    multiples = np.asarray(_DEFAULT_MULTIPLES if ttl_multiples is None else ttl_multiples, np.float64)
    _check(hosts, members, multiples, loss)
    grid = [axis.ravel() for axis in np.meshgrid(hosts, members, multiples, indexing="ij")]
    known = {each.name: len(grid[0]) + n for n, each in enumerate(KNOWN_SETTINGS)}
    host_s = np.append(grid[0], [each.host_interval_s for each in KNOWN_SETTINGS])
    member_s = np.append(grid[1], [each.member_interval_s for each in KNOWN_SETTINGS])
    host_ttl_s = np.append(grid[0] * grid[2], [each.host_ttl_s for each in KNOWN_SETTINGS])
    member_ttl_s = np.append(grid[1] * grid[2], [each.member_ttl_s for each in KNOWN_SETTINGS])
    return _figures(scenario, host_s, host_ttl_s, member_s, member_ttl_s, loss, calendar, prices, known)


_DEFAULT_INTERVALS_S = (5, 10, 12, 15, 20, 24, 30, 36, 40, 45, 50, 60, 72, 75, 80, 90, 100, 110, 120, 140, 150, 160,
                        180, 240, 300)  # fmt: skip
_DEFAULT_MULTIPLES = (1.25, 1.5, 2, 2.25, 2.5, 3, 3.25, 3.5, 4, 4.25, 4.5, 5, 5.5, 6, 7, 8)


def _check(hosts: Floats, members: Floats, multiples: Floats, loss: float) -> None:
    faults = []
    if not 0 <= loss < 1:
        faults.append(f"loss is {loss:g}; it must lie between 0 and 1, for example 0.01")
    for name, values in (("host_intervals_s", hosts), ("member_intervals_s", members), ("ttl_multiples", multiples)):
        if values.size == 0 or not (values > 0).all():
            faults.append(f"{name} must be positive numbers, for example [15, 30, 60]")
    if multiples.size and not (multiples > 1).all():
        faults.append("ttl_multiples must be above 1, or every node is dropped; the seeds use 5")
    if faults:
        raise ValueError("; ".join(faults))


def _figures(
    scenario: Scenario,
    host_s: Floats,
    host_ttl_s: Floats,
    member_s: Floats,
    member_ttl_s: Floats,
    loss: float,
    calendar: SchoolCalendar | None,
    prices: PriceList | None,
    known: Mapping[str, int],
) -> Sweep:
    calendar = calendar or SchoolCalendar()
    population, ramp_s = scenario.population, scenario.schedule.ramp_s
    hosts, members = population.groups, population.groups * population.members_per_group
    costs = beat_costs(scenario, prices)
    host_rate, member_rate = hosts / host_s, members / member_s
    month_s = calendar.lesson_hours_per_month * 3600
    usd = month_s * (host_rate * costs["host"].usd + member_rate * costs["member"].usd)
    keys = dict.fromkeys([*costs["host"].units, *costs["member"].units])
    units = {
        key: host_rate * costs["host"].units.get(key, 0.0) + member_rate * costs["member"].units.get(key, 0.0)
        for key in keys
    }
    host_look_s, member_look_s = looking_s(scenario)
    lived_s = min(calendar.lesson_s, scenario.settings.max_connection_time_s)
    drops = [
        false_drop_probability(loss, missed_beats(ttl_s, each_s), np.floor(lived_s / each_s))
        for each_s, ttl_s in ((host_s, host_ttl_s), (member_s, member_ttl_s))
    ]
    host_95 = detection_quantile_s(host_s, host_ttl_s, host_look_s)
    member_95 = detection_quantile_s(member_s, member_ttl_s, member_look_s)
    slower, likelier = np.maximum(host_95, member_95), np.maximum(drops[0], drops[1])
    return Sweep(
        host_interval_s=host_s,
        host_ttl_s=host_ttl_s,
        member_interval_s=member_s,
        member_ttl_s=member_ttl_s,
        beats_per_s=host_rate + member_rate,
        start_peak_per_s=start_peak_per_s(hosts, host_s, ramp_s) + start_peak_per_s(members, member_s, ramp_s),
        units_per_s=units,
        usd_per_month=usd,
        host_detection_mean_s=detection_mean_s(host_s, host_ttl_s, host_look_s),
        host_detection_95_s=host_95,
        host_detection_worst_s=detection_worst_s(host_s, host_ttl_s, host_look_s),
        member_detection_mean_s=detection_mean_s(member_s, member_ttl_s, member_look_s),
        member_detection_95_s=member_95,
        member_detection_worst_s=detection_worst_s(member_s, member_ttl_s, member_look_s),
        host_false_drop=drops[0],
        member_false_drop=drops[1],
        expired_row_s=detection_mean_s(member_s, member_ttl_s) + sum(TTL_LAG_S) / 2,
        known=known,
        front=pareto_front(usd, slower, likelier),
    )


def looking_s(scenario: Scenario) -> tuple[float, float]:
    """Seconds between two looks that notice a vanished host, and a vanished member.

    Any member's request that checks the group finds a host gone: reports and event batches, or, in an idle class, a
    heartbeat. A member's status is read by every sync or poll.
    """
    settings, traffic = scenario.settings, scenario.traffic
    checks = traffic.reports_per_s + traffic.event_batches_per_s
    host_s = 1 / checks if checks else settings.member_heartbeat_interval_s
    websocket = scenario.mode.websocket > 0
    return host_s, settings.periodic_data_sync_interval_s if websocket else settings.polling_interval_s


def saving(before: Setting, after: Setting, members_per_group: float) -> float:
    """Share of heartbeat requests that one setting saves against another, in groups of a host and some members."""

    def rate(setting: Setting) -> float:
        return 1 / setting.host_interval_s + members_per_group / setting.member_interval_s

    return 1 - rate(after) / rate(before)
