"""What commands print with `--json` where no record of the model is printed as it is; unknown values are null."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.lint.finding import Finding
from capacity.pricing.prices import PriceList
from capacity.studies.limits import LimitsStudy


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class DetectionTime(_Part):
    """Seconds until a node that vanished is noticed."""

    mean_s: float
    p95_s: float
    worst_s: float


class BeatSetting(_Part):
    """One pair of heartbeat intervals and TTLs, what it costs, and what it buys."""

    name: str | None
    """None for a combination that nobody named."""
    host_interval_s: float
    host_ttl_s: float
    member_interval_s: float
    member_ttl_s: float
    beats_per_s: float
    start_peak_per_s: float
    """Heartbeats of a second after everybody has arrived within the ramp."""
    usd_per_month: float
    units_per_s: dict[str, float]
    """"resource kind" -> units per second."""
    host_detection: DetectionTime
    member_detection: DetectionTime
    host_false_drop: float
    """Probability that a living host is dropped within one lesson, and its whole group with it."""
    member_false_drop: float
    expired_row_s: float
    """How long the rows of a vanished member stay, on average."""


class HeartbeatDocument(_Part):
    """`meshcap heartbeat --json`."""

    schema_version: Literal[1] = 1
    combinations: int
    """How many settings were looked at."""
    recommended: BeatSetting | None
    """The cheapest that keeps what was asked; None when none does."""
    settings: list[BeatSetting]
    """The known ones, those that nothing else beats, and the recommended one."""
    appsync_share_of_a_beat: dict[Literal["host", "member"], float]
    seeds_production_saves: float
    """Share of heartbeats that the production seeds save against the development seeds."""


class LimitsDocument(_Part):
    """`meshcap limits --json` of a Mesh scenario."""

    schema_version: Literal[1] = 1
    studies: list[LimitsStudy]
    """The scenario's own layout first; others follow with --layouts."""


class TimelineLimitRow(_Part):
    """One limit of posting (write) or reading (read), in units per second."""

    name: str
    resource: str
    kind: Literal["read", "write"]
    limit: float
    use: float
    reached_at_per_s: float
    """Posts per second for writes, readings per second for reads."""
    effect: str
    share: float
    """Use as a share of the limit."""


class TimelineLimitsDocument(_Part):
    """`meshcap limits --json` of a timeline scenario."""

    schema_version: Literal[1] = 1
    limits: list[TimelineLimitRow]
    """The most used first."""


class LintDocument(_Part):
    """`meshcap lint --json`."""

    schema_version: Literal[1] = 1
    file: str
    kind: str
    """What kind of description the file is."""
    tables: list[str]
    notes: list[str]
    """What of the file could not be told."""
    findings: list[Finding]


class DoctorRow(_Part):
    """What one check found."""

    check: str
    state: Literal["ok", "fault", "unknown"]
    message: str


class DoctorDocument(_Part):
    """`meshcap doctor --json`."""

    schema_version: Literal[1] = 1
    findings: list[DoctorRow]


class PricesDocument(_Part):
    """`meshcap prices show --json`."""

    schema_version: Literal[1] = 1
    price_list: PriceList
