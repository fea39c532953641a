"""What happens to this demand over time, in which world?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from capacity.calculators.answer import Answer, CalculatorError, amount, duration, finite
from capacity.dynamodb.inverse import smallest_supply
from capacity.dynamodb.partitions import new_partitions
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.physics.options import Options
from capacity.physics.parameters import Kind, World
from capacity.physics.placement import key_hash
from capacity.physics.settings import Settings
from capacity.physics.simulator import simulate_stretches
from capacity.scenario.quantities import parse_duration_s

Series = npt.NDArray[np.float64]

LONGEST_S = 366 * 86_400
ROWS = 60
"""Rows of the answer's series over time, at most."""
_STRETCH_S = 600
_DEMAND = re.compile(r"(?P<start>\d+(\.\d+)?)(\.\.(?P<end>\d+(\.\d+)?))?:(?P<duration>.+)")


def simulate(
    demand: Sequence[str],
    *,
    world: World = "adaptive",
    supply: float | None = None,
    kind: Kind = "write",
    keys: int = 100,
    key_share: float | None = None,
    request_units: float | None = None,
    partitions: int | None = None,
    autoscaling: TargetTracking | None = None,
    seed: int = 0,
) -> Answer:
    """Demand in units per second, stretch after stretch: "200:20m" is steady, "0..400:10m" a ramp.

    It is spread evenly over `keys` keys, except that the first has `key_share` of it. `supply`: provisioned units per
    second, in the worlds static and adaptive. `request_units`: units of one request, which is admitted or refused
    whole; None = a continuous flow. Deterministic by `seed`; bounded memory. Raises CalculatorError for numbers out
    of range, more than a year, and a supply missing or not wanted.
    """
    total = _series(demand)
    faults = _faults(total, world, supply, keys, key_share)
    if faults:
        raise CalculatorError("; ".join(faults) + "; example: 200:20m --supply 150 --world static")
    weights = _weights(keys, key_share)
    stretches = simulate_stretches(
        (np.outer(part, weights) for part in _parts(total)),
        keys,
        _settings(world, kind, supply),
        Options(
            kind=kind,
            positions=[key_hash({"S": f"key {nth}"}) for nth in range(keys)],
            request_units=request_units,
            partitions=partitions or _partitions(kind, supply),
            autoscaling=autoscaling,
            seed=seed,
        ),
    )
    consumed, capacity, count, first = [], [], 0, float("inf")
    for stretch in stretches:
        consumed.append(stretch.consumed.sum(axis=1))
        refused = np.flatnonzero((stretch.demand - stretch.consumed).sum(axis=1) > 1e-6)
        if len(refused):
            first = min(first, stretch.start_s + float(refused[0]))
        capacity.append(stretch.capacity_units)
        count = stretch.partitions
    return _answer(total, np.concatenate(consumed), first, count, capacity[-1])


def _partitions(kind: Kind, supply: float | None) -> int | None:
    """What a new table has for this kind of throughput alone; None = the physics know."""
    if supply is None:
        return None
    return new_partitions(Throughput(supply, 0) if kind == "read" else Throughput(0, supply))


def _settings(world: World, kind: Kind, supply: float | None) -> Settings:
    """The other kind of throughput is at its smallest."""
    if supply is None:
        return Settings(world)
    least = limit("dynamodb.minimum_units")
    return Settings(world, supply, least) if kind == "read" else Settings(world, least, supply)


def _series(demand: Sequence[str]) -> Series:
    """Units per second, second by second."""
    parts = []
    for text in demand:
        found = _DEMAND.fullmatch(text.strip())
        if found is None:
            raise CalculatorError(
                f"{text!r} is no demand; expected units per second and duration, such as 200:20m or 0..400:10m"
            )
        try:
            seconds = round(parse_duration_s(found["duration"]))
        except ValueError as fault:
            raise CalculatorError(str(fault)) from None
        start = float(found["start"])
        if seconds <= LONGEST_S:
            parts.append(np.linspace(start, float(found["end"] or start), seconds))
        else:
            raise CalculatorError(f"{text!r} lasts longer than a year, the most that is simulated")
    return np.concatenate(parts) if parts else np.empty(0)


def _parts(total: Series) -> Iterator[Series]:
    for start in range(0, len(total), _STRETCH_S):
        yield total[start : start + _STRETCH_S]


def _weights(keys: int, key_share: float | None) -> Series:
    """Part of the demand of each key."""
    if key_share is None or keys == 1:
        return np.full(keys, 1 / keys)
    weights = np.full(keys, (1 - key_share) / (keys - 1))
    weights[0] = key_share
    return weights


def _faults(total: Series, world: World, supply: float | None, keys: int, key_share: float | None) -> list[str]:
    provisioned = world in ("static", "adaptive")
    checks = (
        (world not in get_args(World), f"no world {world!r}; expected one of {', '.join(get_args(World))}"),
        (not 1 <= len(total) <= LONGEST_S, f"the demand must last from 1 s to a year, got {duration(len(total))}"),
        (provisioned and not supply, f"the world {world} needs a supply above 0 units per second"),
        (world in ("on_demand", "off") and supply is not None, f"the world {world} has no supply; leave it out"),
        (keys < 1, f"there is at least 1 key, got {keys}"),
        (
            key_share is not None and not 0 <= key_share <= 1,
            f"the share of one key lies between 0 and 1, got {key_share}",
        ),
        (keys == 1 and key_share not in (None, 1), "one key alone has all of the demand; give more keys"),
    )
    return [text for wrong, text in checks if wrong]


def _answer(total: Series, consumed: Series, first_s: float, partitions: int, capacity: float) -> Answer:
    step_s = -(-len(total) // ROWS)
    starts = np.arange(0, len(total), step_s)
    seconds = np.diff(np.append(starts, len(total)))
    demanded = float(total.sum())
    refused = max(0.0, demanded - float(consumed.sum()))
    with_burst = smallest_supply(total)
    figures: dict[str, Any] = {
        "duration_s": len(total),
        "demand_units": demanded,
        "consumed_units": demanded - refused,
        "throttled_units": refused,
        "first_throttle_s": finite(first_s),
        "partitions_at_end": partitions,
        "provisioned_units_per_second_at_end": capacity or None,
        "smallest_supply_with_burst": with_burst,
        "smallest_supply_without_burst": float(total.max()),
        "step_s": step_s,
        "demand_units_per_second": (np.add.reduceat(total, starts) / seconds).tolist(),
        "consumed_units_per_second": (np.add.reduceat(consumed, starts) / seconds).tolist(),
    }
    share = f" ({refused / demanded:.1%})" if demanded else ""
    lines = [
        ("demanded", f"{amount(demanded)} units in {duration(len(total))}"),
        ("consumed", f"{amount(demanded - refused)} units"),
        ("throttled", f"{amount(refused)} units{share}"),
        ("first throttle after", duration(first_s)),
        ("partitions at the end", f"{partitions}"),
        (
            "smallest provisioned setting",
            f"{amount(with_burst)} units/s with burst, {amount(total.max())} without",
        ),
    ]
    if capacity:
        lines.insert(5, ("provisioned at the end", f"{amount(capacity)} units/s"))
    notes = ["A second's requests come at its start, so a bank runs dry up to a second's demand earlier than on paper."]
    return Answer(figures, lines, notes if first_s < len(total) and capacity else [])
