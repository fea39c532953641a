"""The settings that the resolvers read from `ctx.env`, by their environment names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NAMES = {
    "host_heartbeat_interval_s": "MESH_HOST_HEARTBEAT_INTERVAL_SECONDS",
    "host_heartbeat_ttl_s": "MESH_HOST_HEARTBEAT_TTL_SECONDS",
    "member_heartbeat_interval_s": "MESH_MEMBER_HEARTBEAT_INTERVAL_SECONDS",
    "member_heartbeat_ttl_s": "MESH_MEMBER_HEARTBEAT_TTL_SECONDS",
    "max_connection_time_s": "MESH_MAX_CONNECTION_TIME_SECONDS",
    "event_ttl_s": "MESH_EVENT_TTL_SECONDS",
    "polling_interval_s": "MESH_POLLING_INTERVAL_SECONDS",
}


@dataclass(frozen=True)
class MeshSettings:
    """Whole seconds; the defaults are the deployed production values (read 2026-09)."""

    host_heartbeat_interval_s: int = 60
    host_heartbeat_ttl_s: int = 150
    member_heartbeat_interval_s: int = 120
    member_heartbeat_ttl_s: int = 600
    max_connection_time_s: int = 2100
    event_ttl_s: int = 10
    polling_interval_s: int = 2

    @classmethod
    def from_environment(cls, environment: Mapping[str, object]) -> MeshSettings:
        """Settings from MESH_* names; a name that is absent keeps its default, other names are not looked at.

        Raises ValueError with every value that is not a whole number of seconds, at least 1.
        """
        values: dict[str, int] = {}
        faults = []
        for field, name in _NAMES.items():
            if name not in environment:
                continue
            given = environment[name]
            try:
                seconds = float(str(given))
                if seconds < 1 or not seconds.is_integer():
                    raise ValueError
            except ValueError:
                faults.append(f"{name} is {given!r}; expected whole seconds, at least 1, such as {getattr(cls, field)}")
            else:
                values[field] = int(seconds)
        if faults:
            raise ValueError("; ".join(faults))
        return cls(**values)
