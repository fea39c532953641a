"""`meshcap limits` of a timeline scenario: every limit of the app, and the rate at which it is met."""

from __future__ import annotations

from dataclasses import asdict

from capacity.scenario import Scenario
from capacity.workloads.timeline import first_limit, limits
from capacity.workloads.timeline.schedule import app_of
from meshcap.console import data, out
from meshcap.tables import table


def show_timeline_limits(scenario: Scenario, as_json: bool) -> None:
    """Show the limits of posting and reading, the most used first."""
    app = app_of(scenario)
    found = limits(app)
    if as_json:
        from meshcap.json_documents import TimelineLimitRow, TimelineLimitsDocument

        rows = [TimelineLimitRow(**asdict(each), share=each.share) for each in found]
        data(TimelineLimitsDocument(limits=rows).model_dump_json(indent=2))
        return
    for kind, what in (("write", "posts"), ("read", "readings")):
        first = first_limit(app, "write" if kind == "write" else "read")
        data(f"First limit of {what}: {first.name} ({first.resource}), at {first.reached_at_per_s:,.1f} {what}/s.")
    shown = table(
        "Limits, and the rate at which one is met", "limit", "use", "of", "used", "met at", "then", prose="then"
    )
    for each in found:
        rate = f"{each.reached_at_per_s:,.1f} {'posts' if each.kind == 'write' else 'readings'}/s"
        shown.add_row(
            f"{each.name} ({each.resource}, {each.kind}s)",
            f"{each.use:,.1f}",
            f"{each.limit:,.0f} units/s",
            f"{each.share:.1%}",
            rate,
            each.effect,
        )
    out.print(shown)
