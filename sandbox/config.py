"""Everything a sandbox is told at its start. Faults are reported all at once, before a socket is opened."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from capacity.dynamodb.table import Throughput
from capacity.loopback import is_loopback_host
from capacity.physics.parameters import DEFAULT as DEFAULT_PHYSICS
from capacity.physics.parameters import Parameters, World
from capacity.scenario.model import Scenario
from capacity.scenario.settings import Settings
from capacity.scenario.settings import profile as settings_profile
from capacity.workloads.mesh.tables import TABLES
from sandbox.appsync.behaviour import Behaviour
from sandbox.cloudwatch.faults import NO_FAULTS, CloudWatchFaults
from sandbox.dynamodb.config import EngineConfig

DEFAULT_API_KEY = "da2-sandbox00000000000000000000"
NO_LIMITS = Behaviour()
_RESOLUTIONS_S = (1, 5, 10, 20, 30, 60)


class SandboxConfigError(ValueError):
    """Every fault of a configuration, one per line: what was given, what was expected, an example."""


@dataclass(frozen=True)
class SandboxConfig:
    """A sandbox: one account, one region, one Mesh table, one AppSync API, all on one port."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 takes a free port."""
    allow_remote: bool = False
    """Permits a host beyond loopback; API keys must then differ from the default."""
    tls: bool = False
    """Serve https and wss, with a certificate made at the start unless one is given."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    """PEM files."""
    api_keys: tuple[str, ...] = field(default=(DEFAULT_API_KEY,), repr=False)
    api_key_expires_s: Mapping[str, float] = field(default_factory=dict, repr=False)
    """Epoch seconds after which a key is refused; a key that is not named does not expire."""
    region: str = "ap-northeast-1"
    account_id: str = "000000000000"
    layout: str = "deployed"
    table_name: str = "MeshV2Table"
    settings: Settings = field(default_factory=lambda: settings_profile("deployed"))
    world: World | None = None
    """Throughput physics; by default on_demand, or adaptive for a provisioned table."""
    throughput: Throughput | None = None
    """Provisioned units per second of the Mesh table; None: on demand."""
    index_throughput: Mapping[str, Throughput] = field(default_factory=dict)
    """Provisioned units per second by index name; an index that is not named gets the table's."""
    physics: Parameters = DEFAULT_PHYSICS
    ttl_lag_s: tuple[float, float] = (480.0, 1800.0)
    """Least and most seconds from an item's expiry to its deletion (AWS promises days; measured: 8 to 30 minutes)."""
    metric_resolution_s: int = 10
    """Period at which metrics are published (AWS: 60 s)."""
    cloudwatch_faults: CloudWatchFaults = NO_FAULTS
    behaviour: Behaviour = NO_LIMITS
    """Quotas and delays of AppSync and Lambda to imitate."""
    api_id: str = "sandboxapi0000000000000000"
    dynamodb_endpoint: str | None = None
    """Another DynamoDB for the resolvers, such as DynamoDB Local; None: the sandbox's own engine, in process."""
    seed: int = 1

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise SandboxConfigError("\n".join(faults))

    def _faults(self) -> list[str]:
        faults = []
        if not is_loopback_host(self.host):
            if not self.allow_remote:
                faults.append(
                    f"host {self.host} is reachable from other machines: use 127.0.0.1, or permit it explicitly "
                    f"(--allow-remote) with an API key of your own"
                )
            if DEFAULT_API_KEY in self.api_keys:
                faults.append(
                    f"host {self.host} needs an API key of your own, not the default one: for example "
                    f"MESHCAP_API_KEY=$(openssl rand -hex 16)"
                )
        if not 0 <= self.port <= 65535:
            faults.append(f"port {self.port} is outside 0 to 65535; 0 takes a free one, for example 8080")
        if (self.tls_certificate is None) != (self.tls_key is None):
            faults.append("a TLS certificate needs its key and a key its certificate: give both PEM files, or neither")
        elif self.tls_certificate is not None and not self.tls:
            faults.append("a TLS certificate is given but TLS is off; switch it on (--tls)")
        if not self.api_keys or not all(self.api_keys):
            faults.append("api_keys is empty or holds an empty key; give at least one, for example da2-mykey")
        if self.layout not in TABLES:
            faults.append(f"layout {self.layout!r} is unknown; choose from {', '.join(TABLES)}")
        else:
            known = [index.name for index in TABLES[self.layout].indexes]
            faults += [
                f"index {name!r} does not exist in layout {self.layout}; it has {', '.join(known)}"
                for name in self.index_throughput
                if name not in known
            ]
        if self.index_throughput and self.throughput is None:
            faults.append("indexes are provisioned but the table is not; give throughput too, or neither")
        if self.world is not None and self.world not in get_args(World):
            faults.append(f"world {self.world!r} is unknown; choose from {', '.join(get_args(World))}")
        elif self.world == "on_demand" and self.throughput is not None:
            faults.append("world on_demand contradicts provisioned throughput; use adaptive, static or off")
        elif self.world in ("adaptive", "static") and self.throughput is None:
            faults.append(f"world {self.world} needs provisioned throughput, for example 10 read and 10 write units")
        if self.metric_resolution_s not in _RESOLUTIONS_S:
            faults.append(f"metric_resolution_s {self.metric_resolution_s} is not one of {_RESOLUTIONS_S}")
        if not 0 <= self.ttl_lag_s[0] <= self.ttl_lag_s[1] < math.inf:
            faults.append(
                f"ttl_lag_s {self.ttl_lag_s} must be two rising numbers of 0 or more, for example (480, 1800)"
            )
        if self.dynamodb_endpoint is not None and "://" not in self.dynamodb_endpoint:
            faults.append(f"dynamodb_endpoint {self.dynamodb_endpoint!r} is no URL, for example http://127.0.0.1:8000")
        return faults

    @property
    def effective_world(self) -> World:
        """The world in force."""
        return self.world or ("on_demand" if self.throughput is None else "adaptive")

    @property
    def engine(self) -> EngineConfig:
        """What the DynamoDB engine needs to know of it."""
        world = self.effective_world
        return EngineConfig(
            region=self.region,
            account_id=self.account_id,
            world=world if world in ("static", "off") else "adaptive",
            parameters=self.physics,
            ttl_lag_s=self.ttl_lag_s,
            seed=self.seed,
        )

    @property
    def remote(self) -> bool:
        """Whether other machines can reach this sandbox."""
        return not is_loopback_host(self.host)

    @classmethod
    def of_scenario(cls, scenario: Scenario, **given: Any) -> SandboxConfig:
        """The sandbox that a scenario describes; `given` overrides or adds fields of this class."""
        world = scenario.world if scenario.world in ("off", "static") else None
        if scenario.workload.name != "mesh":  # its table is made by whoever loads it, Mesh's stands idle beside it
            return cls(**{"region": scenario.region, "world": world, "seed": scenario.seed, **given})
        billing = scenario.billing
        table = billing.table
        described: dict[str, Any] = {
            "region": scenario.region,
            "layout": scenario.layout,
            "settings": scenario.settings,
            "world": world,
            "throughput": None if table is None else Throughput(table.read_units, table.write_units),
            "index_throughput": {
                name: Throughput(index.read_units, index.write_units) for name, index in billing.indexes.items()
            },
            "seed": scenario.seed,
        }
        return cls(**{**described, **given})
