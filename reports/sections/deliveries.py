"""Did every message reach everyone it was owed to, and when?"""

import numpy as np
import pandas as pd

from capacity.judgement.figures import required_samples
from capacity.run_tables import DELIVERY_COUNTS
from reports.charts import Bar, bars
from reports.document import Block, Cell, Chart, Charts, Figure, Section, Table, Text, Tone
from reports.histograms import Counts
from reports.numbers import count, milliseconds, number, percent
from reports.quantile_chart import highest_ms, quantile_chart
from reports.quantiles import bin_edges
from reports.run import Run, seconds_since
from reports.settled import ARRIVED, OUTCOMES, Settled
from reports.wording import Wording

WORST_GROUPS = 10
EXAMPLES = 8
LOSSES = ("lost", "lost_after_ack", "lost_by_cursor")
_GRAVEST_FIRST = ("crosstalk", "lost", "lost_after_ack", "lost_by_cursor", "late", "out_of_order", "duplicate")
# What each outcome means for a reader's eye. A superseded report and an unsettled message are no faults.
TONES: dict[str, Tone] = {
    "delivered": "good",
    "lost": "bad",
    "lost_after_ack": "bad",
    "crosstalk": "bad",
    "lost_by_cursor": "warn",
    "late": "warn",
    "duplicate": "warn",
    "out_of_order": "warn",
    "superseded": "",
    "unsettled": "unknown",
}
ROLES = {
    "delivered": "c2",
    "late": "c3",
    "superseded": "c6",
    "lost_by_cursor": "c4",
    "lost": "bad",
    "lost_after_ack": "bad",
    "unsettled": "plan",
}


def section(run: Run, say: Wording) -> Section | None:
    """Outcomes by kind of message, latency and losses over time, the groups that fared worst, and examples."""
    if not are_owed(run):
        return None
    frame = run.deliveries
    if frame is None:
        return None
    if frame.empty or not frame["expected"].sum():
        return Section("deliveries", say("deliveries.title"), say("deliveries.none"))
    total = Settled.of(frame)
    modes = sorted(frame["mode"].astype(str).unique())
    charts = [*(_latency(run, frame, mode, say) for mode in modes), _kinds(frame, say)]
    blocks: list[Block] = [_outcomes(frame, say)]
    if total.lost_by_cursor:
        events = Settled.of(frame[(frame["mode"] == "polling") & (frame["message"] == "event")])
        share = percent(total.lost_by_cursor / max(1, events.due))
        blocks.append(Text(say("deliveries.cursor", lost=count(total.lost_by_cursor), share=share), "warn"))
    blocks += [_times(frame, say), Charts(charts), _groups(frame, say)]
    examples = _examples(run, say)
    if examples is not None:
        blocks.append(examples)
    return Section("deliveries", say("deliveries.title"), _lead(total, say), blocks)


def are_owed(run: Run) -> bool:
    """Whether the workload has subscribers, or others to deliver to: Mesh alone does."""
    return run.record.scenario.workload.name == "mesh"


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the deliveries their place on the first screen."""
    frame = run.deliveries if are_owed(run) else None
    if frame is None or frame.empty or not frame["expected"].sum():
        return None
    total = Settled.of(frame)
    key = "deliveries.figure_cursor" if total.lost_by_cursor else "deliveries.figure"
    note = say(
        key,
        arrived=count(total.arrived),
        due=count(total.due),
        lost=count(total.lost),
        by_cursor=count(total.lost_by_cursor),
    )
    tone: Tone = "bad" if total.lost or total.counts["crosstalk"] else "warn" if total.lost_by_cursor else ""
    return Figure(say("deliveries.figure_label"), percent(total.share), note, tone)


def _lead(total: Settled, say: Wording) -> str:
    lost = total.lost + total.lost_by_cursor
    sentence = say(
        "deliveries.lead" if lost else "deliveries.lead_all",
        due=count(total.due),
        arrived=percent(total.share, digits=4),
        lost=count(lost),
    )
    left_out = [name for name in ("superseded", "unsettled") if total.counts[name]]
    return " ".join([sentence, *(say(f"deliveries.{name}", count=count(total.counts[name])) for name in left_out)])


def _outcomes(frame: pd.DataFrame, say: Wording) -> Table:
    sums = frame.groupby(["message", "mode"], observed=True)[list(DELIVERY_COUNTS)].sum()
    shown = [name for name in OUTCOMES if name in ("delivered", "lost") or sums[name].any()]
    rows: list[list[Cell | str]] = []
    for message, mode in sums.index.to_list():
        row = sums.loc[(message, mode)]
        cells: list[Cell | str] = [_kind(str(message), str(mode), say), count(row["expected"])]
        for name in shown:
            share = row[name] / row["expected"] if row["expected"] else float("nan")
            tone: Tone = TONES[name] if row[name] else ""
            text = count(row[name]) if not row[name] else f"{count(row[name])} ({percent(share, digits=3)})"
            cells.append(Cell(text, tone))
        rows.append(cells)
    headings = [say("deliveries.message"), say("deliveries.expected"), *(say(f"outcome.{name}") for name in shown)]
    return Table(headings, rows, say("deliveries.outcomes"), range(1, len(headings)))


def _kind(message: str, mode: str, say: Wording) -> str:
    return say("deliveries.kind", message=say.name_of("message", message), mode=say.name_of("mode", mode))


def _times(frame: pd.DataFrame, say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for (message, mode), mine in frame.groupby(["message", "mode"], observed=True):
        counts = _counts(mine)
        values = [_quantile(counts, percentile) for percentile in (50, 95, 99, 100)]
        few = Cell(say("latency.few"), "unknown")
        cells = [few if value is None else number(value) for value in values]
        rows.append([_kind(str(message), str(mode), say), *cells])
    headings = [say("deliveries.message"), "p50", "p95", "p99", say("latency.max")]
    return Table(headings, rows, say("deliveries.times"), range(1, 5))


def _counts(frame: pd.DataFrame) -> Counts | None:
    """Add up the histograms of some rows; None where they are in a format that this version does not read."""
    try:
        return Counts(frame["latency_histogram"].dropna())
    except ValueError:
        return None


def _quantile(counts: Counts | None, percentile: float) -> float | None:
    """Return a percentile in milliseconds where there are enough deliveries to know it."""
    if counts is None or counts.total < required_samples(percentile):
        return None
    return counts.percentile_ms(percentile)


def _latency(run: Run, frame: pd.DataFrame, mode: str, say: Wording) -> Chart:
    """Draw percentiles and the slowest of each time step; a report's time when polling is its age when read."""
    mine = frame[frame["mode"].astype(str) == mode]
    edges = bin_edges(run.length_s)
    which = _bins(run, mine, edges)
    series = np.full((3, len(edges) - 1), np.nan)
    for step in range(len(edges) - 1):
        counts = _counts(mine[which == step])
        for row, percentile in enumerate((50.0, 99.0, 100.0)):
            value = _quantile(counts, percentile)
            series[row, step] = np.nan if value is None else value
    name = say.name_of("mode", mode)
    return quantile_chart(
        f"deliveries-{'polling' if mode == 'polling' else 'websocket'}",
        say("deliveries.latency_title", mode=name),
        say("deliveries.latency_alt", mode=name, worst=milliseconds(highest_ms(series[2]))),
        edges,
        dict(zip(("p50", "p99", say("latency.max")), series, strict=True)),
        run,
        say,
    )


def _kinds(frame: pd.DataFrame, say: Wording) -> Chart:
    sums = frame[list(OUTCOMES)].sum()
    kinds = [name for name in OUTCOMES if name != "delivered" and sums[name] > 0]
    if not kinds:
        expected = int(frame["expected"].sum())
        rows = [
            Bar(say("outcome.delivered"), [("c2", float(sums["delivered"]))], percent(sums["delivered"] / expected))
        ]
        alt = say("deliveries.no_faults_alt", expected=count(expected))
        return Chart(say("deliveries.outcomes_title"), bars("deliveries-outcomes", alt, rows), alt)
    rows = [
        Bar(say(f"outcome.{name}"), [(ROLES.get(name, "c3"), float(sums[name]))], count(sums[name])) for name in kinds
    ]
    alt = say(
        "deliveries.faults_alt", faults=", ".join(f"{say(f'outcome.{name}')} {count(sums[name])}" for name in kinds)
    )
    data = Table(
        [say("deliveries.outcome"), say("deliveries.count")],
        [[say(f"outcome.{name}"), count(sums[name])] for name in kinds],
        numeric=(1,),
    )
    return Chart(say("deliveries.faults_title"), bars("deliveries-faults", alt, rows, label_px=190), alt, data)


def _bins(run: Run, frame: pd.DataFrame, edges: np.ndarray) -> np.ndarray:
    seconds = (frame["second"] - pd.Timestamp(run.start)).dt.total_seconds().to_numpy()
    # A second is named by its beginning, which may lie just before the start of the run.
    return np.searchsorted(edges, np.maximum(seconds, 0), side="right") - 1


def _groups(frame: pd.DataFrame, say: Wording) -> Table:
    sums = frame.groupby("group", observed=True)[list(DELIVERY_COUNTS)].sum()
    sums["slowest"] = frame.groupby("group", observed=True)["latency_max_ms"].max()
    due = sums["expected"] - sums["superseded"] - sums["unsettled"]
    sums["share"] = sums[list(ARRIVED)].sum(axis=1) / due.where(due > 0)
    sums["gone"] = sums[list(LOSSES)].sum(axis=1)
    worst = sums.assign(name=sums.index.astype(str)).sort_values(
        ["share", "slowest", "name"], ascending=[True, False, True]
    )
    rows: list[list[Cell | str]] = [
        [
            str(row["name"]),
            count(row["expected"]),
            percent(row["share"], digits=4),
            Cell(count(row["gone"]), "bad" if row["gone"] else ""),
            number(row["slowest"]),
        ]
        for _, row in worst.head(WORST_GROUPS).iterrows()
    ]
    whole = int((sums["gone"] == 0).sum())
    caption = say("deliveries.groups", whole=count(whole), all=count(len(sums)), shown=min(WORST_GROUPS, len(sums)))
    headings = ["group", "expected", "arrived", "losses", "slowest"]
    return Table([say(f"deliveries.{name}") for name in headings], rows, caption, numeric=range(1, 5))


def _examples(run: Run, say: Wording) -> Table | None:
    faults = run.delivery_faults
    if faults is None or not faults.num_rows:
        return None
    frame = faults.to_pandas()
    frame["rank"] = frame["outcome"].astype(str).map({name: n for n, name in enumerate(_GRAVEST_FIRST)}).fillna(99)
    order = ["rank", "published", "sender", "receiver", "sequence"]
    picked = frame.astype({"sender": str, "receiver": str}).sort_values(order).groupby("rank").head(3).head(EXAMPLES)
    rows: list[list[Cell | str]] = [
        [
            Cell(say.name_of("outcome", str(fault.outcome)), TONES.get(str(fault.outcome), "")),
            say.name_of("message", str(fault.message)),
            f"{seconds_since(fault.published, run.start):.3f} s",
            str(fault.group),
            " → ".join(str(node).removeprefix(f"{run.record.run_id}-") for node in (fault.sender, fault.receiver)),
            count(fault.sequence),
            milliseconds(fault.latency_ms),
        ]
        for fault in picked.itertuples()
    ]
    headings = ["outcome", "message", "published", "group", "path", "sequence", "took"]
    caption = say("deliveries.examples", shown=len(rows), all=count(faults.num_rows))
    return Table([say(f"deliveries.{name}") for name in headings], rows, caption, numeric=(2, 5, 6))
