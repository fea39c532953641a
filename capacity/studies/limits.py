"""What breaks first as a population grows, at what size, and what moves that limit.

Each axis grows alone while the rest of the scenario stays. Advice is not a rule of thumb: each piece is the model run
again with that one change.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from capacity.pricing.prices import load as load_prices
from capacity.scenario import Scenario
from capacity.studies.load_changes import changes
from capacity.studies.load_cost import hour_usd
from capacity.studies.pressure import Load, Model, Pressure, load_of

Axis = Literal["domains", "groups_per_domain", "members_per_group", "reports_per_s"]
AXES: tuple[Axis, ...] = ("domains", "groups_per_domain", "members_per_group", "reports_per_s")
LARGEST: dict[Axis, float] = {
    "domains": 1e6,
    "groups_per_domain": 1e5,
    "members_per_group": 200,
    "reports_per_s": 1e4,
}
"""Where an axis ends: beyond it a limit counts as out of reach."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitRow(_Part):
    """One limit: how much the scenario uses of it, and the size of each axis at which it is reached."""

    name: str
    where: str
    limit: float
    use: float
    unit: str
    share: float
    source: str
    reached_at: dict[Axis, float | None]
    """Axis -> size at which the limit is reached, all else unchanged; None: out of reach."""
    moved_by: dict[str, float]
    """Change -> share of the limit after it, for every change that moves this limit by a hundredth or more."""


class Advice(_Part):
    """One change and what it does: to the limit that the scenario meets first, and to the size it allows."""

    change: str
    share_before: float
    share_after: float
    size_before: float | None
    size_after: float | None
    next_limit: str
    """The limit met first after the change."""
    hour_usd_before: float
    """An hour of the scenario's own population, on demand."""
    hour_usd_after: float


class Curve(_Part):
    """Share of each limit as one axis grows."""

    axis: Axis
    sizes: list[float]
    shares: dict[str, list[float]]
    """"limit (where)" -> share at each size; limits that matter nowhere on the axis are left out."""


class LimitsStudy(_Part):
    """`meshcap limits`."""

    scenario_digest: str
    layout: str
    axis: Axis
    rows: list[LimitRow]
    """The most used first."""
    first: str
    """The limit that is reached first along the axis."""
    first_size: float | None
    advice: list[Advice]
    """The most helpful first, and of equal ones the cheapest."""
    curve: Curve


def study(scenario: Scenario, axis: Axis = "groups_per_domain", layout: str | None = None) -> LimitsStudy:
    """Limits of a scenario, in its own table layout or another. Raises ValueError for an axis that there is not."""
    if axis not in AXES:
        raise ValueError(f"no axis {axis!r}; there are {', '.join(AXES)}")
    load = load_in(scenario, layout)
    model = Model()
    reached = {axis: _crossings(model, load, axis) for axis in AXES}
    moved = {change.text: _shares(model, change.load) for change in changes(load)}
    rows = [_row(pressure, reached, moved) for pressure in model.pressures(load)]
    first, first_size = first_limit(model, load, axis)
    return LimitsStudy(
        scenario_digest=scenario.digest(),
        layout=load.layout.name,
        axis=axis,
        rows=rows,
        first=_label(first),
        first_size=first_size,
        advice=_advice(model, load, axis, first, first_size),
        curve=_curve(model, load, axis, first_size),
    )


def load_in(scenario: Scenario, layout: str | None) -> Load:
    """The load of a scenario in a layout; a provisioned table keeps its throughput in its own layout alone."""
    if layout is None or layout == scenario.layout:
        return load_of(scenario)
    moved = scenario.model_copy(
        update={"layout": layout, "billing": scenario.billing.model_copy(update={"table": None, "indexes": {}})}
    )
    return load_of(moved)


def grown(load: Load, axis: Axis, size: float) -> Load:
    """The load with one axis at another size; members are whole."""
    if axis == "members_per_group":
        return replace(load, members_per_group=round(size))
    if axis == "domains":
        return replace(load, domains=size)
    if axis == "groups_per_domain":
        return replace(load, groups_per_domain=size)
    return replace(load, reports_per_s=size)


def first_limit(model: Model, load: Load, axis: Axis) -> tuple[Pressure, float | None]:
    """The limit that is reached first along an axis and the size at which it is; the most used one if none is."""

    def most(size: float) -> float:
        return _moving(model, load, axis, size)[0].share

    size = _bisect(most, LARGEST[axis])
    return _moving(model, load, axis, LARGEST[axis] if size is None else size)[0], size


def _moving(model: Model, load: Load, axis: Axis, size: float) -> list[Pressure]:
    """Limits at a size, without those that the axis does not touch, such as a group's lifetime."""
    still = {_label(p): p.use for p in model.pressures(load)}
    found = model.pressures(grown(load, axis, size))
    changed = [p for p in found if not math.isclose(p.use, still.get(_label(p), -1.0)) or p.share >= 1]
    return changed or found


def _bisect(share: Callable[[float], float], largest: float) -> float | None:
    low, high = 1e-2, largest
    if share(high) < 1:
        return None
    if share(low) >= 1:
        return 0.0
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if share(middle) >= 1 else (middle, high)
        if high / low < 1.002:
            break
    return high


def _label(pressure: Pressure) -> str:
    return f"{pressure.name} ({pressure.where})"


def _shares(model: Model, load: Load) -> dict[str, float]:
    return {_label(pressure): pressure.share for pressure in model.pressures(load)}


def _row(pressure: Pressure, reached: dict[Axis, dict[str, float]], moved: dict[str, dict[str, float]]) -> LimitRow:
    label = _label(pressure)
    after = {text: shares.get(label, 0.0) for text, shares in moved.items()}
    return LimitRow(
        name=pressure.name,
        where=pressure.where,
        limit=pressure.limit,
        use=pressure.use,
        unit=pressure.unit,
        share=pressure.share,
        source=pressure.source,
        reached_at={axis: reached[axis].get(label) for axis in AXES},
        moved_by={text: share for text, share in after.items() if abs(share / pressure.share - 1) >= 0.01},
    )


def _crossings(model: Model, load: Load, axis: Axis) -> dict[str, float]:
    """Size at which each limit is reached, read between the sizes of a grid on logarithmic scales."""
    sizes = _grid(axis)
    shares: dict[str, list[float]] = {}
    for number, size in enumerate(sizes.tolist()):
        for pressure in model.pressures(grown(load, axis, size)):
            row = shares.setdefault(_label(pressure), [0.0] * len(sizes))
            row[number] = pressure.share
    found = {}
    for label, row in shares.items():
        over = next((n for n, share in enumerate(row) if share >= 1), None)
        if over is None:
            continue
        if over == 0 or row[over - 1] <= 0:
            found[label] = float(sizes[over])
            continue
        low, high = math.log(row[over - 1]), math.log(row[over])
        part = -low / (high - low) if high > low else 1.0
        found[label] = float(sizes[over - 1] * (sizes[over] / sizes[over - 1]) ** part)
    return found


def _grid(axis: Axis) -> NDArray[np.float64]:
    if axis == "members_per_group":
        return np.unique(np.round(np.geomspace(1, LARGEST[axis], 24)))
    return np.geomspace(1e-2, LARGEST[axis], 64)


def _curve(model: Model, load: Load, axis: Axis, first_size: float | None) -> Curve:
    """Shares from a tenth of the present size to ten times, and in any case to where the first limit is met."""
    now = getattr(load, axis) or 1
    end = min(LARGEST[axis], max(10 * now, 10.0, 1.5 * (first_size or 0.0)))
    sizes = np.geomspace(max(1.0, now / 10), end, 25)
    if axis == "members_per_group":
        sizes = np.unique(np.round(sizes))
    found = [{_label(p): p.share for p in model.pressures(grown(load, axis, size))} for size in sizes.tolist()]
    names = {name for shares in found for name, share in shares.items() if share >= 0.05}
    return Curve(
        axis=axis,
        sizes=sizes.tolist(),
        shares={name: [shares.get(name, 0.0) for shares in found] for name in sorted(names)},
    )


def _advice(model: Model, load: Load, axis: Axis, first: Pressure, size: float | None) -> list[Advice]:
    label = _label(first)
    at = grown(load, axis, size if size else getattr(load, axis))
    before = next((p.share for p in model.pressures(at) if _label(p) == label), 0.0)
    prices = load_prices(load.scenario.region)
    cost = hour_usd(model, load, prices)
    found = []
    for change in changes(load):
        after = grown(change.load, axis, getattr(at, axis))
        share = max((p.share for p in model.pressures(after) if _label(p) == label), default=0.0)
        new_first, new_size = first_limit(model, change.load, axis)
        found.append(
            Advice(
                change=change.text,
                share_before=before,
                share_after=share,
                size_before=size,
                size_after=new_size,
                next_limit=_label(new_first),
                hour_usd_before=cost,
                hour_usd_after=hour_usd(model, change.load, prices),
            )
        )
    return sorted(
        found, key=lambda each: (-(math.inf if each.size_after is None else each.size_after), each.hour_usd_after)
    )
