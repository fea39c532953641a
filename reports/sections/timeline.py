"""What the timeline app's index key does: the rate that it carries, what a sharded key would, and whether readers saw
every post.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from capacity.workloads.own_forecast import forecast_own
from capacity.workloads.timeline import Timeline, first_limit, post_units, reading_units, workload_of
from capacity.workloads.timeline.app import INDEX
from capacity.workloads.timeline.schedule import app_of
from capacity.workloads.timeline.units import queries_per_reading
from reports.document import Block, Cell, Figure, Section, Table, Text
from reports.measurements import dimensions_of, points
from reports.numbers import count, duration, number, percent
from reports.run import Run
from reports.wording import Wording

SHARDS = (1, 2, 4, 8, 16, 32)
_FAULTS = {
    "duplicate": "timeline.duplicate",
    "missing": "timeline.missing",
    "out of order": "timeline.out_of_order",
    "a page failed": "timeline.a_page_failed",
}
BAND = 0.05
"""Nearer to the forecast than this, a measured limit is as forecast."""


def section(run: Run, say: Wording) -> Section | None:
    """The limit measured beside the forecast's, the same app with other numbers of keys, and what readers saw."""
    if run.record.scenario.workload.name != "timeline":
        return None
    app = app_of(run.record.scenario)
    blocks: list[Block] = [_sharded(run, app, say), Text(say("timeline.cost"))]
    readings = _readings(run, say)
    if readings is not None:
        blocks.append(readings)
    return Section("timeline", say("timeline.title"), _lead(run, app, say), blocks)


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the rate at the limit its place on the first screen, where the limit was met."""
    if run.record.scenario.workload.name != "timeline":
        return None
    app = app_of(run.record.scenario)
    measured = posts_per_s_at_limit(run, app)
    if measured is None:
        return None
    most = first_limit(app).reached_at_per_s
    error = measured / most - 1
    note = say("timeline.figure", forecast=number(most), error=percent(error, signed=True))
    value = say("timeline.per_s", rate=number(measured))
    return Figure(say("timeline.figure_label"), value, note, "good" if abs(error) <= BAND else "warn")


def posts_per_s_at_limit(run: Run, app: Timeline) -> float | None:
    """Posts per second that the index took while it refused others; None where it did not, or nothing was measured.

    Of the periods with throttles the first and the last are left out: the limit was not in force for all of them.
    """
    dimensions = dimensions_of(run, INDEX)
    throttles = points(run, "WriteThrottleEvents", dimensions)
    consumed = points(run, "ConsumedWriteCapacityUnits", dimensions)
    if throttles is None or consumed is None:
        return None
    inside = throttles.time_s[throttles.values > 0][1:-1]
    units = consumed.values[np.isin(np.rint(consumed.time_s), np.rint(inside))]
    if not len(units):
        return None
    return float(units.mean()) / consumed.period_s / post_units(app).indexes[INDEX].write


def _lead(run: Run, app: Timeline, say: Wording) -> str:
    first = first_limit(app)
    keys = say.plural("timeline.keys", app.shards)
    sentence = say(
        "timeline.lead",
        keys=keys,
        limit=number(first.limit),
        where=say("page.the_table") if first.resource == "table" else first.resource,
        rate=number(first.reached_at_per_s),
        offered=number(app.posts_per_s),
    )
    measured, refused = posts_per_s_at_limit(run, app), _refused(run)
    if measured is None or refused is None:
        return sentence
    sent, failed, first_s = refused
    return " ".join(
        [
            sentence,
            say(
                "timeline.refused",
                first=duration(first_s),
                failed=count(failed),
                sent=count(sent),
                measured=number(measured),
                error=percent(measured / first.reached_at_per_s - 1, signed=True),
            ),
        ]
    )


def _refused(run: Run) -> tuple[int, int, float] | None:
    """Posts sent, posts refused, and seconds from the start to the first refusal."""
    requests = run.requests
    if requests is None or "post" not in requests.operations:
        return None
    posts = requests.operation == requests.operations.index("post")
    failed = posts & ~requests.ok
    if not failed.any():
        return None
    return int(posts.sum()), int(failed.sum()), float(requests.start_s[failed].min())


def _sharded(run: Run, app: Timeline, say: Wording) -> Table:
    region = run.record.scenario.region
    rows: list[list[Cell | str]] = []
    for shards in sorted({*SHARDS, app.shards}):
        one = replace(app, shards=shards)
        first = first_limit(one)
        queries = queries_per_reading(shards, one.pages_per_reading, one.per_page)
        on_demand = replace(one, throughput=None, index_throughput=None)
        rows.append(
            [
                Cell(number(shards), "good" if shards == app.shards else ""),
                first.resource,
                say.name_of("limit", first.name) if "key" not in first.name else say.plural("timeline.keys", shards),
                number(first.reached_at_per_s),
                number(queries),
                number(reading_units(one).indexes[INDEX].read),
                number(forecast_own(workload_of(on_demand), region).monthly_usd),
            ]
        )
    names = ("shards", "resource", "limit", "rate", "queries", "units", "usd")
    caption = say(
        "timeline.caption", shards=app.shards, posts=number(app.posts_per_s), reads=number(app.readings_per_s)
    )
    return Table([say(f"timeline.{name}") for name in names], rows, caption, numeric=(0, 3, 4, 5, 6))


def _readings(run: Run, say: Wording) -> Table | None:
    requests = run.requests
    if requests is None or "reading" not in requests.operations:
        return None
    total = int((requests.operation == requests.operations.index("reading")).sum())
    failures = run.failures
    if failures is None:
        return None
    kinds = failures.loc[failures["operation"] == "reading", "error_type"].astype(str)
    rows: list[list[Cell | str]] = [[say("timeline.readings"), count(total)]]
    for kind, key in _FAULTS.items():
        found = int(kinds.str.contains(kind, regex=False).sum())
        rows.append([say(key), Cell(count(found), "bad" if found else "good")])
    return Table([say("timeline.what"), say("timeline.count")], rows, say("timeline.correct"), numeric=(1,))
