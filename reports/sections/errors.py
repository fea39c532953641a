"""What went wrong with requests, how often, and what did one such answer look like?"""

from typing import Any

import numpy as np
import pandas as pd

from reports.charts import Line, timeline
from reports.document import Block, Cell, Chart, Charts, Listing, Section, Table, Text
from reports.error_meanings import meaning
from reports.numbers import count, number, percent
from reports.quantiles import bin_edges
from reports.run import Run
from reports.wording import Wording

SHOWN = 20
EXAMPLES = 5
MESSAGE_CHARACTERS = 400


def section(run: Run, say: Wording) -> Section | None:
    """Failures by operation and type, each with an example; None without requests.parquet."""
    requests = run.requests
    if requests is None:
        return None
    failures = len(requests) - int(requests.ok.sum())
    if not failures:
        key = "errors.none" if len(requests) else "errors.no_requests"
        return Section("errors", say("errors.title"), say(key, count=count(len(requests))))
    frame = run.failures
    if frame is None:
        return None
    for name in ("error_type", "error_message", "request_id", "operation", "outcome"):
        frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    groups = frame.sort_values("start", kind="stable").groupby(
        ["operation", "outcome", "error_type"], dropna=False, sort=False
    )
    kinds: list[tuple[int, Any, Any]] = [(len(rows), names, rows.iloc[0]) for names, rows in groups]
    summary = sorted(kinds, key=lambda kind: (-kind[0], str(kind[1])))
    rows: list[list[Cell | str]] = [
        [
            operation,
            Cell(say.name_of("request_outcome", outcome), "bad"),
            error_type or "–",
            count(size),
            percent(size / len(requests)),
            f"{(first['start'] - run.start).total_seconds():.1f} s",
        ]
        for size, (operation, outcome, error_type), first in summary[:SHOWN]
    ]
    headings = ["operation", "outcome", "type", "count", "share", "first"]
    blocks: list[Block] = [
        Table([say(f"errors.{name}") for name in headings], rows, say("errors.table"), numeric=(3, 4, 5)),
        Charts([_timeline(run, say)]),
    ]
    examples = [_example(names, first, say) for _, names, first in summary[:EXAMPLES] if first["error_message"]]
    if examples:
        blocks += [Text(say("errors.examples")), Listing("\n\n".join(examples))]
    lead = say(
        "errors.lead", failed=count(failures), count=count(len(requests)), share=percent(failures / len(requests))
    )
    return Section("errors", say("errors.title"), lead, blocks)


def _example(names: tuple[Any, ...], first: pd.Series, say: Wording) -> str:
    """Quote the first failure of a kind: operation and type, message, request id."""
    operation, _, error_type = names
    message = " ".join(str(first["error_message"]).split())
    if len(message) > MESSAGE_CHARACTERS:
        message = message[:MESSAGE_CHARACTERS] + " …"
    known = meaning(message, say)
    said = [] if known is None else [say("errors.meaning", meaning=known)]
    request = [say("errors.request", id=first["request_id"])] if first["request_id"] else []
    return "\n".join([f"{operation}, {error_type or '–'}", message, *said, *request])


def _timeline(run: Run, say: Wording) -> Chart:
    requests = run.requests
    assert requests is not None
    edges = bin_edges(run.length_s)
    width = float(edges[1] - edges[0])
    failed = np.histogram(requests.start_s[~requests.ok], edges)[0] / width
    alt = say("errors.alt", most=number(float(failed.max())))
    svg = timeline(
        "errors-time",
        alt,
        [Line(edges[:-1], failed, "bad", steps=True)],
        unit=say("errors.unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
    )
    data = Table(
        [say("page.time"), say("errors.unit")],
        [[f"{edges[n]:g} s", number(float(failed[n]))] for n in range(len(failed)) if failed[n]],
        numeric=(0, 1),
    )
    return Chart(say("errors.chart"), svg, alt, data)
