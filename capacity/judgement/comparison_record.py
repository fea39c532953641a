"""comparison.json: planned, sent and measured side by side, with every error split into its causes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Literal[1] = 1
Kind = Literal["read", "write"]
ErrorName = Literal["model_error", "prediction_error", "traffic_error"]
KINDS: tuple[Kind, Kind] = ("read", "write")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class UnitsComparison(_Part):
    """Read or write units of the table or one index. Errors are shares of what they are measured against."""

    resource: str
    kind: Kind
    planned: float | None
    sent: float
    measured: float | None
    """None: CloudWatch has no points."""
    traffic_units: float | None
    """sent - planned: the run did not send what was planned."""
    model_units: float | None
    """Calls cost other units than the model says."""
    unexplained_units: float | None
    """Calls that no request of the run accounts for; None without CloudWatch's count of calls."""
    open_below_units: float = 0.0
    """So much less may have been sent: of requests without an answer, and of refused ones whose read may have been what
    was throttled."""
    open_above_units: float = 0.0
    """So much more may have been sent: of throttled requests that make several calls."""
    traffic_error: float | None
    """(sent - planned) / planned."""
    model_error: float | None
    """(measured - sent) / sent, as far as measured lies outside of what may have been sent."""
    prediction_error: float | None
    """(measured - planned) / planned."""


class UnitsSeries(_Part):
    """The same units over time, in the periods of the measurement."""

    resource: str
    kind: Kind
    period_s: int
    start_s: list[float]
    """Epoch seconds of each period's start."""
    planned: list[float] | None
    sent: list[float]
    measured: list[float | None]


class OperationComparison(_Part):
    """One GraphQL operation."""

    name: str
    planned: int | None
    sent: int
    accepted: int
    refused: int
    unanswered: int
    units_sent: dict[str, dict[Kind, float]]
    """Resource -> units that the model gives to the requests sent."""


class CallsComparison(_Part):
    """Calls of one DynamoDB operation: the model's and CloudWatch's."""

    name: str
    sent: int
    measured: int | None


class ThrottleComparison(_Part):
    """Throttle events of reads or writes of the table or one index; times in seconds from the start of the run."""

    resource: str
    kind: Kind
    forecast: int | None
    measured: int | None
    forecast_first_s: float | None
    measured_first_s: float | None
    resolution_s: float | None
    """How exactly measured_first_s is known."""


class Comparison(_Part):
    """comparison.json."""

    schema_version: Literal[1] = SCHEMA_VERSION
    run_id: str
    start_s: float
    """Epoch seconds of the start of the plan."""
    units: list[UnitsComparison]
    series: list[UnitsSeries]
    operations: list[OperationComparison]
    calls: list[CallsComparison]
    throttles: list[ThrottleComparison]
    first_throttle_error_s: float | None
    """|forecast - measured| of the run's first throttle; None unless both have one."""
    notes: list[str] = Field(default_factory=list)

    def of(self, resource: str, kind: Kind) -> UnitsComparison:
        """Units of one resource; raises KeyError with the resources there are."""
        for each in self.units:
            if each.resource == resource and each.kind == kind:
                return each
        raise KeyError(
            f"no resource {resource!r}; there are {', '.join(dict.fromkeys(u.resource for u in self.units))}"
        )

    def largest_error(
        self,
        which: Literal["model_error", "prediction_error", "traffic_error"],
        kind: Kind,
        resource: str | None = None,
    ) -> float | None:
        """The largest absolute error of one resource or of all that the load touches; None when one is unknown."""
        chosen = [self.of(resource, kind)] if resource else [each for each in self.units if each.kind == kind]
        touched = [each for each in chosen if resource or each.sent or each.planned or each.measured]
        errors: list[float | None] = [getattr(each, which) for each in touched]
        known = [abs(error) for error in errors if error is not None]
        return max(known) if errors and len(known) == len(errors) else None

    def throttle_events(self, resource: str | None = None) -> int | None:
        """Measured throttle events of one resource or of all; None when one is unknown."""
        chosen = [each.measured for each in self.throttles if resource in (None, each.resource)]
        known = [events for events in chosen if events is not None]
        return sum(known) if chosen and len(known) == len(chosen) else None
