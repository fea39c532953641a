"""Which workload a scenario runs: Mesh v2 unless it says another, each with settings of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from capacity.scenario.part import Part
from capacity.scenario.quantities import PerSecond, Seconds, SizeBytes
from capacity.workloads.direct.keys import chooser


class MeshSettings(Part):
    """Mesh v2: population, mode, settings, traffic, faults and layout of the scenario say the rest."""

    name: Literal["mesh"] = Field("mesh", examples=["mesh"])


class TimelineSettings(Part):
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

    @property
    def index_names(self) -> tuple[str, ...]:
        """Indexes of the table."""
        return ("sort_hash_key_process_at_index",)  # capacity/workloads/timeline/app.py


Operation = Literal["GetItem", "PutItem", "UpdateItem", "Query", "Scan"]
KeyAttribute = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,255}:[SNB]$")]
Keys = Annotated[tuple[KeyAttribute, ...], Field(min_length=1, max_length=2)]


class DynamoDBSettings(Part):
    """Load on one table by DynamoDB's own operations. The table is empty at the start."""

    name: Literal["dynamodb"] = Field("dynamodb", examples=["dynamodb"])
    table: str = Field("direct", pattern=r"^[A-Za-z0-9_.-]{3,255}$", examples=["posts"])
    key: Keys = Field(("id:S",), examples=[["id:S"]])
    """Partition key, and a sort key where there is one, each with its type: S, N or B."""
    indexes: dict[str, Keys] = Field(default_factory=dict, examples=[{"newest": ["feed:N", "at:N"]}])
    """Global indexes that hold whole items, by name: their keys."""
    mix: dict[Operation, Annotated[float, Field(gt=0, le=1e6)]] = Field(
        {"GetItem": 80.0, "PutItem": 20.0},
        min_length=1,
        examples=[{"GetItem": 80, "PutItem": 20}],
    )
    """Operations and their weights."""
    users: int = Field(10, ge=1, le=10_000, examples=[10])
    requests_per_s: PerSecond = Field(5.0, alias="requests", gt=0, le=1_000, examples=["5/s"])
    """Requests per user and second."""
    keys: int = Field(1_000, ge=1, le=1_000_000, examples=[1000])
    """Partition keys."""
    rows_per_key: int = Field(1, ge=1, le=10_000, examples=[1])
    """Sort keys under each, where the table has a sort key."""
    distribution: str = Field("uniform", examples=["zipfian:1.1"])
    """Which key a request goes to: uniform, zipfian, zipfian:1.2, hot:0.9 or sequential."""
    item_bytes: SizeBytes = Field(1024, alias="item", ge=1, le=409_600, examples=["1KiB"])
    """Size of an item, exact to the byte."""
    index: str | None = Field(None, examples=["newest"])
    """Index that Query and Scan read; the table unless given."""
    index_values: int = Field(0, ge=0, le=1_000_000, examples=[1])
    """Different partition keys in each index; 0 for as many as keys."""
    limit: int = Field(20, ge=1, le=10_000, examples=[20])
    """Rows of a Query or Scan at most."""
    consistent: bool = Field(False, examples=[False])
    """Strong reads of the table."""

    @model_validator(mode="after")
    def _fits_together(self) -> DynamoDBSettings:
        if self.index is not None and self.index not in self.indexes:
            raise ValueError(f"index {self.index} is not among indexes: {', '.join(self.indexes) or 'there are none'}")
        chooser(self.distribution, 1, 0)
        if self.rows_per_key > 1 and len(self.key) < 2:
            raise ValueError("rows_per_key needs a sort key, like key: [id:S, at:N]")
        return self

    @property
    def rows(self) -> int:
        """Items under one partition key."""
        return self.rows_per_key

    @property
    def index_names(self) -> tuple[str, ...]:
        """Indexes of the table."""
        return tuple(self.indexes)


WorkloadSettings = MeshSettings | TimelineSettings | DynamoDBSettings
WORKLOADS: Mapping[str, type[WorkloadSettings]] = {
    "mesh": MeshSettings,
    "timeline": TimelineSettings,
    "dynamodb": DynamoDBSettings,
}
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
