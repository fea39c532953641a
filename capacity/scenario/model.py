"""A scenario: who takes part, what they send, for how long, against which table, and what is expected of it."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from capacity.judgement.expect import Threshold
from capacity.scenario.billing import Billing, billing_of
from capacity.scenario.faults import Faults
from capacity.scenario.part import Part
from capacity.scenario.quantities import PerSecond, SizeBytes
from capacity.scenario.schedule import Schedule
from capacity.scenario.settings import Settings
from capacity.scenario.workload import MeshSettings, WorkloadField

LayoutName = Literal["deployed", "phase1", "architecture"]
World = Literal["on_demand", "adaptive", "static", "off"]

MAX_NODES = 100_000
MAX_PER_S = 100
"""Reports, and batches of events, of one node per second."""

# Index names per layout; the whole tables stand in capacity/workloads/mesh/tables.py.
_INDEXES: dict[LayoutName, tuple[str, ...]] = {
    "deployed": ("GroupIdIndex", "GroupNameIndex"),
    "phase1": ("GroupIdIndex",),
    "architecture": ("GSI1",),
}

# What only Mesh has. Any other workload gets a population that stays idle, so that nothing has to ask whether there is
# one, and neither takes these keys nor writes them down.
_OF_MESH = ("population", "mode", "settings", "traffic", "faults", "layout")
_IDLE: dict[str, Any] = {
    "population": {"groups_per_domain": 1, "members_per_group": 0},
    "traffic": {"reports": 0, "event_batches": 0},
}


class Population(Part):
    """Schools, groups and pupils. A domain is a school behind one address; a group is a host and its members."""

    domains: int = Field(1, ge=1, le=10_000, examples=[1])
    groups_per_domain: int = Field(ge=1, le=10_000, examples=[10])
    members_per_group: int = Field(ge=0, le=1_000, examples=[3])

    @model_validator(mode="after")
    def _bounded(self) -> Population:
        if self.nodes > MAX_NODES:
            raise ValueError(f"the population has {self.nodes:,} nodes; the limit is {MAX_NODES:,}")
        return self

    @property
    def groups(self) -> int:
        """Groups in all domains."""
        return self.domains * self.groups_per_domain

    @property
    def nodes_per_group(self) -> int:
        """Members and their host."""
        return self.members_per_group + 1

    @property
    def nodes(self) -> int:
        """Hosts and members in all domains."""
        return self.groups * self.nodes_per_group


class Mode(Part):
    """Which share of the groups uses WebSocket; the rest polls. A group has one mode, set by its host."""

    websocket: float = Field(1.0, ge=0, le=1, examples=[1.0])

    @property
    def polling(self) -> float:
        """Share of the groups that polls."""
        return 1.0 - self.websocket

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"enum": ["websocket", "polling"]}, handler(schema)]}

    def is_websocket(self, group_index: int) -> bool:
        """Whether group `group_index` (counted over all domains) uses WebSocket; shares are spread evenly."""
        return int((group_index + 1) * self.websocket + 1e-9) > int(group_index * self.websocket + 1e-9)


def _mode(value: Any) -> Any:
    if value == "websocket":
        return {"websocket": 1.0}
    if value == "polling":
        return {"websocket": 0.0}
    if isinstance(value, str):
        raise ValueError(f"{value!r} is no mode; write websocket, polling, or shares like {{websocket: 0.7}}")
    return value


class Traffic(Part):
    """What one node sends while its group lives, beside heartbeats, sync and polls."""

    reports_per_s: PerSecond = Field(alias="reports", le=MAX_PER_S, examples=["1/s"])
    """Reports (reportDataByNode) per node and second; 0 for none."""
    event_batches_per_s: PerSecond = Field(alias="event_batches", le=MAX_PER_S, examples=["1/s"])
    """Event batches (fireEventsByNode, or recordEventsByNode when polling) per node and second; 0 for none."""
    variables_per_report: int = Field(2, ge=1, le=100, examples=[2])
    value_bytes: SizeBytes = Field(16, alias="value", ge=1, le=10_000, examples=["16B"])
    """Bytes of one variable's value."""
    events_per_batch: int = Field(1, ge=1, le=100, examples=[1])
    payload_bytes: SizeBytes = Field(64, alias="payload", ge=1, le=10_000, examples=["64B"])
    """Bytes of one event's payload."""


def _either(schema: dict[str, Any]) -> None:
    """Population and traffic are Mesh's alone: another workload does without."""
    schema["required"] = [name for name in schema["required"] if name not in _IDLE]
    schema["anyOf"] = [{"required": [*_IDLE]}, {"required": ["workload"]}]


class Scenario(Part):
    """One load to forecast, run and judge."""

    model_config = ConfigDict(json_schema_extra=_either)

    description: str = Field("", max_length=500, examples=["One classroom for a minute"])
    workload: WorkloadField = Field(default_factory=MeshSettings, examples=["timeline"])
    """Mesh v2, or another workload with settings of its own, which then take the place of population, mode, settings,
    traffic, faults and layout."""
    population: Population
    """Mesh needs one."""
    mode: Annotated[Mode, BeforeValidator(_mode)] = Field(
        default_factory=lambda: Mode(websocket=1.0), examples=["websocket"]
    )
    settings: Settings = Field(default_factory=lambda: Settings.model_validate({}), examples=[{"profile": "deployed"}])
    traffic: Traffic
    """Mesh needs it."""
    schedule: Schedule
    faults: Faults = Field(default_factory=lambda: Faults.model_validate({}), examples=[{"reconnecting": 0.1}])
    layout: LayoutName = Field("deployed", examples=["deployed"])
    billing: Annotated[Billing, BeforeValidator(billing_of)] = Field(default_factory=Billing, examples=["on_demand"])
    world: World | None = Field(None, examples=["adaptive"])
    """Throughput physics of the sandbox and the forecast; by default `on_demand` or `adaptive`, as billed."""
    region: Literal["ap-northeast-1", "us-east-1"] = Field("ap-northeast-1", examples=["ap-northeast-1"])
    seed: int = Field(1, ge=0, le=2**31 - 1, examples=[1])
    expect: tuple[Threshold, ...] = Field(
        (), examples=[["latency.p(95) < 300ms", "deliveries.lost == 0", "errors.rate < 5% abort after 10s"]]
    )
    """What a run must show; a threshold that says `abort` also ends a run that breaks it (live.md)."""

    @model_validator(mode="before")
    @classmethod
    def _nobody_but_its_own(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "workload" not in given:
            return given
        workload = given["workload"]
        name = workload.get("name") if isinstance(workload, dict) else getattr(workload, "name", workload)
        if name == "mesh":
            return given
        foreign = [key for key in _OF_MESH if key in given]
        if foreign:
            raise ValueError(
                f"{', '.join(foreign)} say nothing to workload {name}: they are Mesh's; write its own settings, like "
                f"workload: {{name: timeline, posters: 10, readers: 5}}"
            )
        return given | _IDLE

    @model_serializer(mode="wrap")
    def _only_its_own(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        for key in ("workload",) if self.workload.name == "mesh" else _OF_MESH:
            written.pop(key, None)
        return written

    @model_validator(mode="after")
    def _fits_together(self) -> Scenario:
        faults = []
        for rate_name, interval_name in (
            ("reports", "data_update_interval"),
            ("event_batches", "event_batch_interval"),
        ):
            rate_per_s = getattr(self.traffic, f"{rate_name}_per_s") * self.schedule.peak_times
            interval_s = getattr(self.settings, f"{interval_name}_s")
            if rate_per_s * interval_s > 1 + 1e-9:
                faults.append(
                    f"traffic.{rate_name} of {rate_per_s:g}/s is more than one per {interval_name}, {interval_s:g} s: "
                    f"the client merges them; lower it, or set settings.{interval_name}: {1000 / rate_per_s:g}ms"
                )
        is_mesh = self.workload.name == "mesh"
        known = _INDEXES[self.layout] if isinstance(self.workload, MeshSettings) else self.workload.index_names
        whose = f"layout {self.layout}" if is_mesh else f"workload {self.workload.name}"
        faults += [
            f"billing.indexes.{name} is no index of {whose}; it has {', '.join(known)}"
            for name in self.billing.indexes
            if name not in known
        ]
        if not self.billing.is_on_demand:
            faults += [
                f"billing.indexes.{name} is missing; add {name}: {{read: 5, write: 10}}"
                for name in known
                if name not in self.billing.indexes
            ]
        if not is_mesh and (self.schedule.lessons > 1 or self.schedule.shape != "steady"):
            faults.append(
                f"schedule.lessons and schedule.shape serve Mesh alone; workload {self.workload.name} keeps its pace "
                "over one hold: leave them out"
            )
        if is_mesh and self.schedule.lesson_s > self.settings.max_connection_time_s:
            what = "the schedule" if self.schedule.lessons == 1 else "a lesson"
            faults.append(
                f"{what} takes {self.schedule.lesson_s:g} s, but a group lives "
                f"{self.settings.max_connection_time_s:g} s (settings.max_connection_time); shorten schedule.hold"
            )
        if self.nodes > MAX_NODES:
            faults.append(f"all lessons together have {self.nodes:,} nodes; the limit is {MAX_NODES:,}")
        if self.world is not None and self.world not in ("off", "static"):
            natural = "on_demand" if self.billing.is_on_demand else "adaptive"
            if self.world != natural:
                faults.append(f"world {self.world} does not fit the billing; use {natural}, static or off")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def groups(self) -> int:
        """Groups of all lessons: those of the population anew in each."""
        return self.schedule.lessons * self.population.groups

    @property
    def nodes(self) -> int:
        """Nodes of all lessons."""
        return self.schedule.lessons * self.population.nodes

    @property
    def physics(self) -> World:
        """The throughput world in force."""
        return self.world or ("on_demand" if self.billing.is_on_demand else "adaptive")

    def digest(self) -> str:
        """A hash of everything that shapes the load and its verdict, equal on any machine."""
        content = self.model_dump(mode="json", exclude={"description"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
