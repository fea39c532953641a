"""What a scenario's table is billed by, and with which throughput."""

from __future__ import annotations

from typing import Any

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from capacity.dynamodb.table import Throughput
from capacity.scenario.part import Part


class Provisioned(Part):
    """Provisioned throughput of the table or of one index, in units per second."""

    read_units: float = Field(alias="read", ge=1, le=1_000_000, examples=[10])
    write_units: float = Field(alias="write", ge=1, le=1_000_000, examples=[10])

    @property
    def throughput(self) -> Throughput:
        """The same as a table has it."""
        return Throughput(self.read_units, self.write_units)


class Billing(Part):
    """On demand, or provisioned for the table and each of its indexes."""

    table: Provisioned | None = Field(None, examples=[{"read": 10, "write": 10}])
    indexes: dict[str, Provisioned] = Field(default_factory=dict, examples=[{"GroupIdIndex": {"read": 5, "write": 10}}])

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"const": "on_demand"}, handler(schema)]}

    @property
    def is_on_demand(self) -> bool:
        """Whether requests are billed one by one."""
        return self.table is None

    @model_validator(mode="after")
    def _whole(self) -> Billing:
        if self.table is None and self.indexes:
            raise ValueError("indexes are provisioned but the table is not; add table: {read: 10, write: 10}")
        return self


def billing_of(value: Any) -> Any:
    """What `billing:` may say in short: on_demand. Raises ValueError for another word."""
    if value == "on_demand":
        return {}
    if isinstance(value, str):
        raise ValueError(
            f"{value!r} is no billing; write on_demand or {{table: {{read: 10, write: 10}}, indexes: ...}}"
        )
    return value
