"""Which workload a scenario runs: Mesh v2 unless it says another, each with settings of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from capacity.scenario.quantities import PerSecond, Seconds, SizeBytes

WorkloadName = Literal["mesh", "timeline"]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


class MeshSettings(_Part):
    """Mesh v2: population, mode, settings, traffic, faults and layout of the scenario say the rest."""

    name: Literal["mesh"] = Field("mesh", examples=["mesh"])


class TimelineSettings(_Part):
    """The timeline app: posters write, readers open the top page and load more; every reading is checked."""

    name: Literal["timeline"] = Field("timeline", examples=["timeline"])
    posters: int = Field(10, ge=1, le=10_000, examples=[10])
    posts_per_s: PerSecond = Field(1.0, alias="posts", gt=0, le=1_000, examples=["2/s"])
    """Posts per poster and second."""
    readers: int = Field(5, ge=0, le=10_000, examples=[5])
    readings_per_s: PerSecond = Field(0.2, alias="readings", gt=0, le=1_000, examples=["0.2/s"])
    """Readings per reader and second."""
    pages: int = Field(1, ge=1, le=1_000, examples=[2])
    """Pages of a reading, the top page among them."""
    per_page: int = Field(20, ge=1, le=1_000, examples=[20])
    body_bytes: SizeBytes = Field(280, alias="body", le=350_000, examples=["280B"])
    """Bytes of a post's text."""
    shards: int = Field(1, ge=1, le=1_000, examples=[1])
    """Values of the index's partition key; 1 is the app as published."""
    settle_s: Seconds = Field(1.0, alias="settle", le=3_600, examples=["1s"])
    """How long the index may lag behind its table before a post counts as missing."""

    @property
    def users(self) -> int:
        """Posters, then readers."""
        return self.posters + self.readers


WorkloadSettings = MeshSettings | TimelineSettings
WORKLOADS: Mapping[str, type[WorkloadSettings]] = {"mesh": MeshSettings, "timeline": TimelineSettings}
"""Name in a scenario -> its settings."""


def _named(value: Any) -> Any:
    if isinstance(value, WorkloadSettings):
        return value
    name = value.get("name") if isinstance(value, dict) else value
    if not isinstance(name, str) or name not in WORKLOADS:
        given = "it has no name" if name is None else f"{name!r} is no workload"
        raise ValueError(
            f"{given}; there are {', '.join(WORKLOADS)}; write it like workload: timeline, or with "
            "settings: {name: timeline, posters: 20}"
        )
    return value if isinstance(value, dict) else {"name": name}


class _OrName:
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"enum": list(WORKLOADS)}, handler(schema)]}


WorkloadField = Annotated[Annotated[WorkloadSettings, Field(discriminator="name")], BeforeValidator(_named), _OrName]
