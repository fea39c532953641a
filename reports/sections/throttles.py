"""What was refused for want of capacity: by table or index, by operation, by cause, and when it began."""

from __future__ import annotations

from reports.charts import Line, Mark, timeline
from reports.document import Block, Cell, Chart, Charts, Key, Section, Table
from reports.measurements import THROTTLE_CAUSES, Points, dimensions_of, points, resources
from reports.numbers import count, duration, number
from reports.run import Run
from reports.wording import Wording


def section(run: Run, say: Wording) -> Section | None:
    """Throttle events as CloudWatch counted them; None without metrics.parquet."""
    if run.metrics is None:
        return None
    events = {
        (index, kind): points(run, f"{kind}ThrottleEvents", dimensions_of(run, index))
        for index in resources(run)
        for kind in ("Read", "Write")
    }
    known = {key: series for key, series in events.items() if series is not None}
    if not known:
        return Section("throttles", say("throttles.title"), say("throttles.unknown"))
    total = sum(series.total for series in known.values())
    complete = len(known) == len(events)
    if not total:
        lead = say("throttles.none") if complete else say("throttles.none_known")
        return Section("throttles", say("throttles.title"), lead, [] if complete else [_table(run, events, say)])
    hit = {key: series for key, series in known.items() if series.total}
    first = min((series.first_s, key) for key, series in hit.items() if series.first_s is not None)
    lead = say(
        "throttles.lead",
        total=count(total),
        where=", ".join(dict.fromkeys(index or say("page.table") for index, _ in hit)),
        first=duration(first[0]),
        period=number(hit[first[1]].period_s),
    )
    blocks: list[Block] = [_table(run, events, say), Charts([_chart(run, key, series, say) for key, series in hit.items()])]
    by_operation = _operations(run, say)
    if by_operation is not None:
        blocks.append(by_operation)
    return Section("throttles", say("throttles.title"), lead, blocks)


def _name(key: tuple[str, str], say: Wording) -> str:
    index, kind = key
    return say("throttles.of", resource=index or say("page.table"), kind=say(f"page.{kind.lower()}s"))


def _table(run: Run, events: dict[tuple[str, str], Points | None], say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for (index, kind), series in events.items():
        causes = []
        for cause in THROTTLE_CAUSES:
            found = points(run, f"{kind}{cause}ThrottleEvents", dimensions_of(run, index))
            if found is not None and found.total:
                causes.append(f"{say.name_of('cause', cause)}: {count(found.total)}")
        rows.append(
            [
                index or say("page.table"),
                say(f"page.{kind.lower()}s"),
                Cell(say("page.unknown"), "unknown")
                if series is None
                else Cell(count(series.total), "bad" if series.total else ""),
                duration(series.first_s) if series is not None else "–",
                "; ".join(causes) or "–",
            ]
        )
    headings = [say(f"throttles.{name}") for name in ("resource", "kind", "events", "first", "causes")]
    return Table(headings, rows, numeric=(2, 3))


def _chart(run: Run, key: tuple[str, str], series: Points, say: Wording) -> Chart:
    alt = say("throttles.alt", name=_name(key, say), total=count(series.total), first=duration(series.first_s))
    rate = series.values / series.period_s
    end_s = float(series.time_s[-1]) + series.period_s
    marks = [Mark(series.first_s, say("throttles.mark"))] if series.first_s is not None else []
    svg = timeline(
        f"throttles-{key[0] or 'table'}-{key[1].lower()}",
        alt,
        [Line([*series.time_s, end_s], [*rate, rate[-1]], "bad", "steps")],
        unit=say("throttles.unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
        marks=marks,
    )
    data = Table(
        [say("page.time"), say("throttles.events")],
        [[f"{at:g} s", count(value)] for at, value in zip(series.time_s, series.values, strict=True)],
        numeric=(0, 1),
    )
    return Chart(_name(key, say), svg, alt, data, [Key("bad", say("throttles.unit"))])


def _operations(run: Run, say: Wording) -> Table | None:
    frame = run.metrics
    assert frame is not None
    mine = frame[(frame["metric"] == "ThrottledRequests") & (frame["statistic"] == "Sum") & frame["value"].notna()]
    sums = mine.groupby("dimensions", observed=True)["value"].sum()
    rows = []
    for dimensions, total in sorted(sums.items(), key=lambda item: -item[1]):
        parts = dict(part.split("=", 1) for part in str(dimensions).split(",") if "=" in part)
        if total and parts.get("TableName") == run.record.target.table_name:
            rows.append([parts.get("Operation", "–"), Cell(count(total), "bad")])
    if not rows:
        return None
    return Table([say("throttles.operation"), say("throttles.requests")], rows, say("throttles.by_operation"), numeric=(1,))
