"""Mesh v2's ten settings and the three profiles in which they are known to run."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from capacity.scenario.part import Part
from capacity.scenario.quantities import Seconds

ProfileName = Literal["seeds-development", "seeds-production", "deployed"]

# Source: the architecture document (2026-01-01) for the two seed profiles, the public deployed code (2026-04..09) for
# the third. Column order: development, production, deployed.
_PROFILES: dict[ProfileName, dict[str, float]] = {
    "seeds-development": {
        "host_heartbeat_interval_s": 15,
        "host_heartbeat_ttl_s": 75,
        "member_heartbeat_interval_s": 15,
        "member_heartbeat_ttl_s": 75,
        "max_connection_time_s": 600,
        "event_ttl_s": 10,
        "polling_interval_s": 2,
        "data_update_interval_s": 0.05,
        "event_batch_interval_s": 0.05,
        "periodic_data_sync_interval_s": 15,
    },
    "seeds-production": {
        "host_heartbeat_interval_s": 30,
        "host_heartbeat_ttl_s": 150,
        "member_heartbeat_interval_s": 120,
        "member_heartbeat_ttl_s": 600,
        "max_connection_time_s": 3000,
        "event_ttl_s": 10,
        "polling_interval_s": 2,
        "data_update_interval_s": 0.05,
        "event_batch_interval_s": 0.05,
        "periodic_data_sync_interval_s": 15,
    },
    "deployed": {
        "host_heartbeat_interval_s": 60,
        "host_heartbeat_ttl_s": 150,
        "member_heartbeat_interval_s": 120,
        "member_heartbeat_ttl_s": 600,
        "max_connection_time_s": 2100,
        "event_ttl_s": 10,
        "polling_interval_s": 2,
        "data_update_interval_s": 1.0,
        "event_batch_interval_s": 1.0,
        "periodic_data_sync_interval_s": 15,
    },
}


class Settings(Part):
    """What the server and its clients agree on; `profile` fills whatever is not given.

    In YAML a key goes without its unit (`host_heartbeat_interval: 15s`); in JSON it carries it.
    """

    model_config = ConfigDict(
        json_schema_extra=lambda schema: schema.pop("required", None) and None,  # the profile fills what is not given
    )

    profile: ProfileName = Field("deployed", examples=["deployed"])
    host_heartbeat_interval_s: Seconds = Field(alias="host_heartbeat_interval", ge=1, le=3600, examples=["60s"])
    host_heartbeat_ttl_s: Seconds = Field(alias="host_heartbeat_ttl", ge=1, le=86_400, examples=["150s"])
    member_heartbeat_interval_s: Seconds = Field(alias="member_heartbeat_interval", ge=1, le=3600, examples=["120s"])
    member_heartbeat_ttl_s: Seconds = Field(alias="member_heartbeat_ttl", ge=1, le=86_400, examples=["600s"])
    max_connection_time_s: Seconds = Field(alias="max_connection_time", ge=1, le=86_400, examples=["35m"])
    event_ttl_s: Seconds = Field(alias="event_ttl", ge=1, le=86_400, examples=["10s"])
    polling_interval_s: Seconds = Field(alias="polling_interval", ge=0.1, le=600, examples=["2s"])
    data_update_interval_s: Seconds = Field(alias="data_update_interval", ge=0.01, le=600, examples=["1s"])
    event_batch_interval_s: Seconds = Field(alias="event_batch_interval", ge=0.01, le=600, examples=["1s"])
    periodic_data_sync_interval_s: Seconds = Field(alias="periodic_data_sync_interval", ge=1, le=600, examples=["15s"])

    @model_validator(mode="before")
    @classmethod
    def _fill_from_profile(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        name = given.get("profile", "deployed")
        # The field's own validation names the choices.
        profile = _PROFILES[name if isinstance(name, str) and name in _PROFILES else "deployed"]
        filled = dict(given)
        for name, value in profile.items():
            if name not in given and name.removesuffix("_s") not in given:
                filled[name.removesuffix("_s")] = value
        return filled

    @model_validator(mode="after")
    def _a_heartbeat_fits_its_ttl(self) -> Settings:
        for who in ("host", "member"):
            interval_s = getattr(self, f"{who}_heartbeat_interval_s")
            ttl_s = getattr(self, f"{who}_heartbeat_ttl_s")
            if ttl_s <= interval_s:
                raise ValueError(
                    f"{who}_heartbeat_ttl is {ttl_s:g} s, not above {who}_heartbeat_interval of {interval_s:g} s: "
                    f"every {who} would be dropped; for example {who}_heartbeat_ttl: {5 * interval_s:g}s"
                )
        return self

    def environment(self) -> dict[str, str]:
        """The settings under the names that the deployed system reads from its environment."""
        whole = {
            "MESH_HOST_HEARTBEAT_INTERVAL_SECONDS": self.host_heartbeat_interval_s,
            "MESH_HOST_HEARTBEAT_TTL_SECONDS": self.host_heartbeat_ttl_s,
            "MESH_MEMBER_HEARTBEAT_INTERVAL_SECONDS": self.member_heartbeat_interval_s,
            "MESH_MEMBER_HEARTBEAT_TTL_SECONDS": self.member_heartbeat_ttl_s,
            "MESH_MAX_CONNECTION_TIME_SECONDS": self.max_connection_time_s,
            "MESH_EVENT_TTL_SECONDS": self.event_ttl_s,
            "MESH_POLLING_INTERVAL_SECONDS": self.polling_interval_s,
            "MESH_DATA_UPDATE_INTERVAL_MS": self.data_update_interval_s * 1000,
            "MESH_EVENT_BATCH_INTERVAL_MS": self.event_batch_interval_s * 1000,
            "MESH_PERIODIC_DATA_SYNC_INTERVAL_MS": self.periodic_data_sync_interval_s * 1000,
        }
        return {name: f"{value:g}" for name, value in whole.items()}


def profile(name: ProfileName) -> Settings:
    """The settings of one column of the table of known deployments."""
    return Settings.model_validate({"profile": name})
