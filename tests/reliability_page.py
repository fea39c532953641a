"""Writes docs/reliability.md out of reliability.yaml and the last long fuzzing: `python -m tests.reliability_page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.fuzz.long_run import RESULTS
from tests.fuzz.parsers import PARSERS, first_inputs
from tests.fuzz.surfaces import SURFACES
from tests.fuzz.test_fuzz_surfaces import INPUTS_IN_CI

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
ROWS = Path(__file__).with_name("reliability.yaml")

_HEAD = """\
# Reliability

What was done to meshcap on purpose, what it promised, and where the test is. Written by `python -m
tests.reliability_page`; every row is a test that runs in CI, and a row whose test fails turns CI red.
"""
_FUZZED = """
## Bad input

Documents that are nearly right (parts replaced, removed, doubled, deepened), bytes that are cut or flipped, and shapes
made to explode: aliases, depth, width, huge numbers. Each is read or refused; a traceback, a 500 or five seconds of
CPU for one input is a failure. CI tries a seeded set; `python -m tests.fuzz.long_run` tries more, in rounds with seeds
of their own, and ends at the first broken promise; its rounds add up here, to 100,000 of each. What broke was mended
before its rounds counted, the last a run directory whose flipped bit made bytes of a column of text, and a forecast
with infinite units. One run directory in 500 is drawn, too.

| surface | promised | in CI | in long runs | of these read | hours | most memory a round added |
|---|---|---|---|---|---|---|
"""
_DRIVEN = """
The parsers behind them are also driven by coverage, with [atheris](https://pypi.org/project/atheris/) (`python -m
tests.fuzz.atheris_parsers PARSER`, no dependency of the project); CI tries the first inputs in `tests/fuzz/corpus`.

| parser | first inputs, in CI | inputs | ended |
|---|---|---|---|
"""
DRIVEN = Path(__file__).parent / "fuzz" / "atheris.json"


def page() -> str:
    """The whole page."""
    content = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    return _HEAD + "".join(_section(each) for each in content["sections"]) + _FUZZED + _fuzzed() + _DRIVEN + _driven()


def _section(section: dict[str, Any]) -> str:
    lines = [
        f"\n## {section['title']}\n",
        section["about"],
        "",
        "| what | tried | promised, and held | found and mended |",
    ]
    lines.append("|---|---|---|---|")
    for row in section["rows"]:
        file = row["tests"][0].split("::")[0]
        lines.append(
            f"| [{row['what']}](../{file}) | {row.get('cases', 1)} | {row['promised']} | {row.get('found', '')} |"
        )
    return "\n".join(lines) + "\n"


def _fuzzed() -> str:
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    rows = []
    for name, surface in SURFACES.items():
        run = results.get(name)
        told = (
            f"{run['inputs']:,} until {run['date']} | {run['read']:,} "
            f"| {run['seconds'] / 3600:.1f} | {run['grown_mib']} MiB"
            if run
            else "none yet | | |"
        )
        rows.append(f"| {name} | {surface.promise} | {INPUTS_IN_CI} | {told} |\n")
    return "".join(rows)


def _driven() -> str:
    results = json.loads(DRIVEN.read_text(encoding="utf-8"))
    return "".join(
        f"| {name} | {len(first_inputs(name))} | {results[name]['inputs']:,} on {results[name]['date']} "
        f"| {results[name]['ended']} |\n"
        if name in results
        else f"| {name} | {len(first_inputs(name))} | none yet | |\n"
        for name in PARSERS
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
