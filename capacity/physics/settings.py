"""What the owner of a table or index sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

from capacity.physics.parameters import Kind, World


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner of a table or index sets; units per second.

    :raises ValueError: naming every setting that does not fit the world.
    """

    world: World
    read_units: float | None = None
    """Provisioned read units; None on demand."""
    write_units: float | None = None
    warm_read_units: float = 0.0
    """Warm throughput asked for; on demand serves it at once."""
    warm_write_units: float = 0.0
    maximum_read_units: float | None = None
    """OnDemandThroughput.MaxReadRequestUnits; None = no maximum."""
    maximum_write_units: float | None = None

    def __post_init__(self) -> None:
        faults = []
        if self.world not in ("static", "adaptive", "on_demand", "off"):
            faults.append(f'world {self.world!r} was given; expected "static", "adaptive", "on_demand" or "off"')
        if self.world in ("static", "adaptive"):
            for name, units in (("read_units", self.read_units), ("write_units", self.write_units)):
                if units is None or not 0 < units < math.inf:
                    faults.append(
                        f"{name} {units!r} was given for a provisioned table; expected more than 0, such as 5"
                    )
        if faults:
            raise ValueError("; ".join(faults))

    def provisioned(self, kind: Kind) -> float:
        """Provisioned units per second, 0 when there are none."""
        return (self.read_units if kind == "read" else self.write_units) or 0.0

    def warm(self, kind: Kind) -> float:
        """Warm throughput asked for."""
        return self.warm_read_units if kind == "read" else self.warm_write_units

    def maximum(self, kind: Kind) -> float | None:
        """Configured on-demand maximum."""
        return self.maximum_read_units if kind == "read" else self.maximum_write_units
