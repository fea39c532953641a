"""What a simulation needs to know besides demand and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from capacity.physics.autoscaling import TargetTracking
from capacity.physics.parameters import DEFAULT, Kind, Parameters
from capacity.physics.placement import Bound
from capacity.physics.settings import Settings


@dataclass(frozen=True, slots=True)
class Change:
    """New settings that take effect at a whole second."""

    at_s: float
    settings: Settings


@dataclass(frozen=True, slots=True)
class Options:
    """Everything has a default: writes of one unit, one key per partition, no changes.

    :raises ValueError: naming every option that does not fit.
    """

    kind: Kind = "write"
    """Reads and writes share no bucket: simulate each by itself."""
    positions: Sequence[int | Bound] | None = None
    """Place of each key: its hash, or (hash, sort key). None: as many equal partitions as keys, one key in each."""
    partitions: int | None = None
    """Partitions to start with; None: as many as the settings ask for, or one per key without positions."""
    request_units: float | Sequence[float] | None = 1.0
    """Units of one request, for all keys or each; None: a continuous flow, which never goes into debt."""
    start_s: float = 0.0
    """Whole epoch second at which the first second of demand begins."""
    seed: int = 0
    """Of the order in which keys arrive within a second."""
    parameters: Parameters = DEFAULT
    has_local_index: bool = False
    """Item collections are never split."""
    changes: Sequence[Change] = ()
    autoscaling: TargetTracking | None = None
    """Policy of this kind's capacity."""

    def __post_init__(self) -> None:
        faults = [
            f"{name} {time_s!r} was given; expected a whole second, such as 1900000000"
            for name, time_s in [("start_s", self.start_s), *(("change at_s", change.at_s) for change in self.changes)]
            if time_s != int(time_s)
        ]
        sizes = self.request_units if isinstance(self.request_units, Sequence) else [self.request_units]
        faults += [
            f"request_units {size!r} was given; expected more than 0, such as 1, or None for a flow"
            for size in sizes
            if size is not None and not size > 0
        ]
        if faults:
            raise ValueError("; ".join(faults))

    def validate_for(self, keys: int, settings: Settings) -> None:
        """Check what depends on the table.

        :raises ValueError: naming every option that does not fit.
        """
        faults = []
        if self.positions is not None and len(self.positions) != keys:
            faults.append(f"{len(self.positions)} positions were given for {keys} keys; expected one each")
        if isinstance(self.request_units, Sequence) and len(self.request_units) != keys:
            faults.append(f"{len(self.request_units)} request_units were given for {keys} keys; expected one each")
        if self.autoscaling is not None and settings.world not in ("static", "adaptive"):
            faults.append(f'auto scaling was given in world "{settings.world}"; expected "static" or "adaptive"')
        if faults:
            raise ValueError("; ".join(faults))
