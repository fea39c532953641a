"""Writes docs/reliability.md out of reliability.yaml and the last long fuzzing: `python -m tests.reliability_page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.fuzz.long_run import RESULTS
from tests.fuzz.surfaces import SURFACES
from tests.fuzz.test_fuzz_surfaces import inputs_in_ci

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
CPU for one input is a failure. CI tries a seeded set; `python -m tests.fuzz.long_run` tries more, and ends at the first
broken promise. HTTP bytes, WebSocket frames and CloudWatch's API have fuzz tests of their own beside their rooms
(`FUZZ_EXAMPLES=100000` makes those long).

| surface | promised | in CI | longest run | of these read | memory, the fuzzer's own included |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    content = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    return _HEAD + "".join(_section(each) for each in content["sections"]) + _FUZZED + _fuzzed()


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
            f"{run['inputs']:,} on {run['date']} | {run['read']:,} | {run['grown_mib']} MiB" if run else "not yet | |"
        )
        rows.append(f"| {name} | {surface.promise} | {inputs_in_ci(name)} | {told} |\n")
    return "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
