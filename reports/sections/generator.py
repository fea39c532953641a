"""Was the load that the plan asked for really sent? Otherwise the run says nothing about the target."""

import numpy as np

from reports.charts import Line, timeline
from reports.document import Block, Chart, Charts, Facts, Key, Section, Table, Text
from reports.numbers import UNKNOWN, count, milliseconds, number, percent
from reports.quantile_chart import highest_ms, quantile_chart
from reports.quantiles import bin_edges, over_time
from reports.run import Run
from reports.wording import Wording

AS_PLANNED = 0.99
"""From this share of the plan on, the load was sent as planned."""


def section(run: Run, say: Wording) -> Section:
    """Planned against sent requests, lateness, processor time, workers."""
    generator = run.record.generator
    blocks: list[Block] = []
    if generator is None:
        lead = say("generator.unknown")
    else:
        kept = "generator.valid" if generator.achieved >= AS_PLANNED else "generator.less"
        lead = say(
            kept if generator.valid else "generator.invalid",
            sent=count(generator.sent_requests),
            planned=count(generator.planned_requests),
            achieved=percent(generator.achieved, digits=4),
        )
        blocks += [Text(say.phrase(reason), "bad") for reason in generator.reasons]
        cpu = (generator.cpu_mean_percent, generator.cpu_max_percent)
        pairs = [
            ("planned", count(generator.planned_requests)),
            ("sent", f"{count(generator.sent_requests)} ({percent(generator.achieved, digits=4)})"),
            ("late_p99", milliseconds(generator.lateness_p99_ms)),
            ("late_max", milliseconds(generator.lateness_max_ms)),
            ("cpu_mean", UNKNOWN if cpu[0] is None else f"{number(cpu[0])} %"),
            ("cpu_max", UNKNOWN if cpu[1] is None else f"{number(cpu[1])} %"),
            ("workers", count(generator.workers)),
            ("missing", count(generator.missing_workers)),
        ]
        blocks.append(Facts([(say(f"generator.{name}"), value) for name, value in pairs]))
        blocks += [Text(say.phrase(note)) for note in generator.notes]
    if run.requests is not None and len(run.requests):
        blocks.append(Charts([_rate(run, say), _lateness(run, say)]))
    return Section("generator", say("generator.title"), lead, blocks)


def _rate(run: Run, say: Wording) -> Chart:
    requests = run.requests
    assert requests is not None
    edges = bin_edges(run.length_s)
    width = float(edges[1] - edges[0])
    due = np.histogram(requests.intended_s, edges)[0] / width
    sent = np.histogram(requests.start_s, edges)[0] / width
    alt = say("generator.rate_alt", most=number(float(sent.max())))
    svg = timeline(
        "generator-rate",
        alt,
        [Line(edges[:-1], due, "plan", "dashed"), Line(edges[:-1], sent, "c0")],
        unit=say("generator.rate_unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
    )
    data = Table(
        [say("page.time"), say("generator.due"), say("generator.went")],
        [[f"{edges[n]:g} s", number(float(due[n])), number(float(sent[n]))] for n in range(len(due))],
        numeric=range(3),
    )
    legend = [Key("plan", say("generator.due"), "dashed"), Key("c0", say("generator.went"))]
    return Chart(say("generator.rate_title"), svg, alt, data, legend)


def _lateness(run: Run, say: Wording) -> Chart:
    requests = run.requests
    assert requests is not None
    edges = bin_edges(run.length_s)
    late_ms = np.maximum(0, (requests.start_s - requests.intended_s) * 1000)
    series = over_time(requests.intended_s, late_ms, edges, [0.5, 0.99, 1.0])
    return quantile_chart(
        "generator-late",
        say("generator.late_title"),
        say("generator.late_alt", worst=milliseconds(highest_ms(series[-1]))),
        edges,
        dict(zip(("p50", "p99", say("latency.max")), series, strict=True)),
        run,
        say,
        spread=False,
    )
