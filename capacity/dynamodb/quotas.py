"""AWS's limits for DynamoDB as data: each with unit, source, date and confidence (capacity/data/quotas.yaml)."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

_FILE = Path(__file__).parents[1] / "data" / "quotas.yaml"


class Source(BaseModel):
    """A document, and the day it was published or read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    date: date


class Quota(BaseModel):
    """One limit: its value in `unit`, what it bounds, where that is written, how sure it is, and whether AWS raises
    it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    value: float
    unit: str
    says: str
    source: Source
    confidence: Literal["high", "middle", "low"]
    adjustable: bool = False


@lru_cache(maxsize=1)
def quotas() -> dict[str, Quota]:
    """All limits by name."""
    data = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    sources = {name: Source(**source) for name, source in data["sources"].items()}
    return {
        name: Quota(name=name, source=sources[entry["source"]], **{k: v for k, v in entry.items() if k != "source"})
        for name, entry in data["quotas"].items()
    }


@lru_cache(maxsize=256)
def limit(name: str) -> float:
    """The value of one limit; raises KeyError with the names there are."""
    known = quotas()
    if name not in known:
        raise KeyError(f"no quota {name!r}; there are {', '.join(sorted(known))}")
    return known[name].value
