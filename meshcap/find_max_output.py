"""`meshcap run --find-max` on the terminal: its options read, its result shown."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from capacity.exit_codes import ExitCode
from capacity.scenario.quantities import parse_duration_s
from capacity.studies.highest_rate import HighestRate, Limits
from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.find_max import RECORD, Search, find_max, sentence
from meshcap.loop import Request
from meshcap.tables import table

PAGE = "find-max.html"
"""Beside find-max.json: the rates tried, as charts and a table."""


def run_search(
    request: Request,
    max_p99: str,
    min_achieved: str,
    max_probes: int,
    probe_hold: str,
    resume: Path | None,
    as_json: bool,
) -> ExitCode:
    """Search as the options say, show what was found, and return the exit code. Raises UserError for bad options."""
    faults: list[str] = []
    limits = Limits(
        max_p99_ms=1000 * _duration_s("--max-p99", max_p99, faults), min_achieved=_share(min_achieved, faults)
    )
    hold_s = _duration_s("--probe-hold", probe_hold, faults)
    if faults:
        raise UserError("\n".join(faults))
    found, folder, exit_code = find_max(Search(request, limits, max_probes, hold_s, resume))
    say(sentence(found))
    say(f"Page: {_write_page(found, folder, request.lang)}")
    if as_json:
        data(found.model_dump_json(indent=2))
    else:
        out.print(_table(found))
        data(str(folder / RECORD))
    return exit_code


def _write_page(found: HighestRate, folder: Path, lang: str) -> Path:
    from reports.studies import highest_rate, write
    from reports.wording import Wording

    return write(highest_rate.page(found, Wording(lang)), folder / PAGE)


def _duration_s(option: str, text: str, faults: list[str]) -> float:
    try:
        seconds = parse_duration_s(text)
    except ValueError as fault:
        faults.append(f"{option}: {fault}")
        return 1.0
    if seconds <= 0:
        faults.append(f"{option} {text}: it must be longer than nothing, like {option} 20s")
    return seconds


def _share(text: str, faults: list[str]) -> float:
    number, is_percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        share = float(number) / (100 if is_percent else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        faults.append(f"--min-achieved {text}: it must be a share of the plan above 0, like --min-achieved 99%")
    return share


def _table(found: HighestRate) -> Table:
    made = table(
        f"Rates tried, {found.probe_hold_s:g} s each",
        "outcome",
        "times",
        "planned/s",
        "sent/s",
        "of plan",
        "delivered/s",
        "lost",
        "p99 ms",
        "generator CPU",
        "run",
        prose="run",
    )
    for probe in sorted(found.probes, key=lambda probe: probe.factor):
        made.add_row(
            "held" if probe.held else probe.outcome,
            f"{probe.factor:g}",
            _figure(probe.planned_requests_per_s, ",.0f"),
            _figure(probe.requests_per_s, ",.0f"),
            _figure(probe.achieved, ".1%"),
            _figure(probe.deliveries_per_s, ",.0f"),
            _figure(probe.lost, ",.0f"),
            _figure(probe.p99_ms, ",.1f"),
            _figure(probe.generator_cpu_percent, ".0f", " %"),
            probe.run,
        )
    return made


def _figure(value: float | None, form: str, unit: str = "") -> str:
    return "unknown" if value is None else f"{value:{form}}{unit}"
