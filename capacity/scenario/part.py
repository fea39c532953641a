"""What all parts of a scenario have in common as data."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A mapping of a scenario file: no unknown keys, no changes, no infinities; a field's docstring is its meaning."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True, allow_inf_nan=False
    )
