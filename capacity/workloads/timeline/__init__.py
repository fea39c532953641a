"""The timeline app: posts, a top page with the newest of them, and "load more" until the end."""

from capacity.workloads.timeline.app import Timeline
from capacity.workloads.timeline.as_own import workload_of
from capacity.workloads.timeline.limits import TimelineLimit, first_limit, limits
from capacity.workloads.timeline.units import page_units, post_units, reading_units

__all__ = [
    "Timeline",
    "TimelineLimit",
    "first_limit",
    "limits",
    "page_units",
    "post_units",
    "reading_units",
    "workload_of",
]
