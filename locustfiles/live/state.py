"""The state of a run as it is now: what the master adds up once a second, and the exporter reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from locustfiles.live.tally import Tally


@dataclass
class Health:
    """How one process of the generator does: share of a core used, and how late its starts were."""

    cpu_ratio: float = 0.0
    lateness_p99_s: float | None = None
    lateness_max_s: float = 0.0


@dataclass
class Live:
    """The state of a run as it is now, over all processes."""

    run_id: str = ""
    elapsed_s: float | None = None
    """None while no run is on."""
    total: Tally = field(default_factory=Tally)
    health: dict[str, Health] = field(default_factory=dict)
    deliveries: int = 0
    users: int = 0
    spend_usd: float = 0.0
    units: dict[tuple[str, str], float] = field(default_factory=dict)
