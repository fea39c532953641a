"""How many values a key attribute takes: told by sample items, or guessed from its name."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from capacity.dynamodb.attribute_value import Item

ENOUGH_SAMPLES = 20
"""Samples from which a distribution is read; all samples alike tell a constant from 5."""
_CONSTANT_SAMPLES = 5
_FEW_VALUES = 10
_HOT_SHARE = 0.2

_CONSTANT = re.compile(r"(^|_)(const|constant|dummy|fixed|static|always|singleton|all|global|typename|hash_key)$")
_FEW = re.compile(
    r"(^(is|has)_)|(^|_)(status|state|type|kind|category|gender|sex|role|level|priority|stage|env|environment|country"
    r"|color|colour|active|enabled|deleted|archived|published|visible|flag|weekday|entity|entity_type)$"
)
_ONE_AT_A_TIME = re.compile(r"(^|_)(date|day|month|year|hour|minute|week|yyyy(_?mm(_?dd)?)?)$")


@dataclass(frozen=True)
class Spread:
    """How the values of a key attribute share the writes."""

    kind: Literal["constant", "few values", "one value at a time"]
    top_share: float | None
    """Share of the most common value; None when only the name is known."""
    values: int | None
    why: str


def spread_of(attribute: str, items: Sequence[Item]) -> Spread | None:
    """How an attribute's values concentrate writes; None when nothing speaks for it, or samples speak against it."""
    values = [json.dumps(item[attribute], sort_keys=True) for item in items if attribute in item]
    counts = Counter(values)
    if counts:
        share = counts.most_common(1)[0][1] / len(values)
        seen = f"{len(counts):,} values in {len(values):,} samples"
        if len(counts) == 1 and len(values) >= _CONSTANT_SAMPLES:
            return Spread("constant", 1.0, 1, f"all {len(values)} samples have {values[0]}")
        if len(values) >= ENOUGH_SAMPLES:
            if len(counts) <= _FEW_VALUES or share >= _HOT_SHARE:
                return Spread(
                    "few values",
                    share,
                    len(counts),
                    f"{seen}, {share:.0%} of them {max(counts, key=counts.__getitem__)}",
                )
            return None
    name = _words(attribute)
    if _CONSTANT.search(name):
        return Spread("constant", None, 1, "its name says so")
    if _FEW.search(name):
        return Spread("few values", None, None, "its name says so")
    if _ONE_AT_A_TIME.search(name):
        return Spread("one value at a time", None, None, "its name says so")
    return None


def _words(attribute: str) -> str:
    """createdAt and created-at -> created_at."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", attribute)
    return re.sub(r"[^A-Za-z0-9]+", "_", parted).strip("_").lower()


_TIME = re.compile(
    r"(^|_)(at|on|time|timestamp|ts|date|datetime|created|updated|modified|seq|sequence|counter|serial|number|no"
    r"|ulid|ksuid|version|epoch|when)$"
)


def is_monotonic(attribute: str, items: Sequence[Item]) -> str | None:
    """Why new values of an attribute come after the old ones: by its name, or by samples in order; None if not."""
    if _TIME.search(_words(attribute)):
        return "its name says that it rises with time"
    numbers = [float(item[attribute]["N"]) for item in items if "N" in item.get(attribute, {})]
    if len(numbers) >= ENOUGH_SAMPLES and numbers == sorted(numbers) and len(set(numbers)) == len(numbers):
        return f"it rises through all {len(numbers)} samples"
    return None
