"""What can go wrong with CloudWatch, on request, so that whoever reads metrics can be tested against it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CloudWatchFaults:
    """All off by default.

    late_points_s: a period becomes visible this long after its end. partial_data_answers: so many GetMetricData answers
    hold half of the points and StatusCode PartialData before whole ones follow. throttled_calls: so many calls are
    refused first. throttle_every: refuse every n-th call (0: none). denied: no call has permission.
    split_pages: at most this many points per page, whatever MaxDatapoints asks (0: as asked), so that ids repeat.
    shuffled: points of GetMetricData come in no order. empty_answers: so many of its answers hold no points.
    """

    late_points_s: float = 0.0
    partial_data_answers: int = 0
    throttled_calls: int = 0
    throttle_every: int = 0
    denied: bool = False
    split_pages: int = 0
    shuffled: bool = False
    empty_answers: int = 0


NO_FAULTS = CloudWatchFaults()
