"""What `meshcap calc ... --json` prints: the figures of a calculator, and its notes. Null stands for never and none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.calculators.answer import Answer


class CalculatorAnswer(BaseModel):
    """What every calculator says beside its figures."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    schema_version: Literal[1] = 1
    notes: list[str]


class ReadUnits(BaseModel):
    """Units of one read, by consistency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    eventual: float
    strong: float
    transactional: float


class WriteUnits(BaseModel):
    """Units of one write."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    standard: float
    transactional: float


class SizeAnswer(CalculatorAnswer):
    """`meshcap calc size --json`."""

    item_bytes: int
    attribute_bytes: dict[str, int]
    read_units: ReadUnits
    write_units: WriteUnits
    storage_bytes: int
    within_limit: bool
    """Whether DynamoDB takes an item of this size."""
    index_entries: dict[str, int | None] | None = None
    """Index, as it was given -> bytes of the item's entry, null for none; null when no index was given."""


class UnitsAnswer(CalculatorAnswer):
    """`meshcap calc units --json`."""

    operation: str
    kind: Literal["read", "write"]
    units: float
    """Of the table, or of the index that is read."""
    index_units: list[float]
    """Write units of each index entry, in the order given."""
    total: float
    per_second: float | None = None
    """Units per second of the table at the rate given; null when none was."""
    index_per_second: list[float] | None = None


class PartitionsStep(BaseModel):
    """The table after one setting. On demand, what a partition may do is the same always, and not told."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    size_gb: float
    partitions: int
    read_units: float | None = None
    write_units: float | None = None
    read_units_each: float | None = None
    write_units_each: float | None = None
    largest_gb: float | None = None


class PartitionsAnswer(CalculatorAnswer):
    """`meshcap calc partitions --json`; null where a table is on demand."""

    steps: list[PartitionsStep]
    """The new table, and after each later setting or size."""
    by_throughput: float | None = None
    by_size: float | None = None
    dilution: float | None = None
    """How many times less each partition gets than in a new table of the last setting."""


class BurstAnswer(CalculatorAnswer):
    """`meshcap calc burst --json`; rates in units per second."""

    partitions: int
    bank_units: float
    hottest_partition_supply: float
    hottest_partition_demand: float
    first_throttle_s: float | None
    """Null: never."""
    throttled_share_afterwards: float
    unused_share_of_supply: float
    refill_s: float | None
    smallest_setting: float | None
    """Null: no setting survives."""
    largest_key_share: float
    smallest_setting_for_duration: float | None = None
    """With a full bank; null also when no duration was given."""


class SimulateAnswer(CalculatorAnswer):
    """`meshcap calc simulate --json`."""

    duration_s: int
    demand_units: float
    consumed_units: float
    throttled_units: float
    first_throttle_s: float | None
    """Null: never."""
    partitions_at_end: int
    provisioned_units_per_second_at_end: float | None
    """Null on demand."""
    smallest_supply_with_burst: float
    smallest_supply_without_burst: float
    step_s: int
    demand_units_per_second: list[float]
    """Mean of each step."""
    consumed_units_per_second: list[float]


ANSWERS: Mapping[str, type[CalculatorAnswer]] = {
    "size": SizeAnswer,
    "units": UnitsAnswer,
    "partitions": PartitionsAnswer,
    "burst": BurstAnswer,
    "simulate": SimulateAnswer,
}
"""Calculator -> what it prints."""


def document_of(calculator: str, answer: Answer) -> CalculatorAnswer:
    """The document of a calculator's answer. Raises ValueError for figures that are not those it is known to have."""
    return ANSWERS[calculator].model_validate({**answer.figures, "notes": list(answer.notes)})
