"""docs/any_table.md: its commands are run and its tables compared. `python -m` this file writes them anew."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from capacity.lint import RULES
from capacity.workloads.own_forecast import forecast_own
from capacity.workloads.timeline import Timeline, first_limit, reading_units, workload_of
from capacity.workloads.timeline.app import INDEX

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "any_table.md"
FILES = ROOT / "docs" / "any_table"


def rules() -> str:
    return "| rule | looks for |\n|---|---|\n" + "".join(f"| `{rule.name}` | {rule.title} |\n" for rule in RULES)


def timelines() -> str:
    lines = [
        "| shards | first limit of posts | posts/s | first limit of readers | top pages/s | units a top page "
        "| units of 8 pages | USD a month |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for shards in (1, 2, 4, 8):
        top = Timeline(posts_per_s=50, readings_per_s=200, shards=shards)
        whole = Timeline(posts_per_s=50, readings_per_s=200, shards=shards, pages_per_reading=8)
        posts, readers = first_limit(top), first_limit(top, "read")
        lines.append(
            f"| {shards} | {posts.name.removesuffix(f' in {INDEX}')} | {posts.reached_at_per_s:,.0f} "
            f"| {readers.name.removesuffix(f' in {INDEX}')} | {readers.reached_at_per_s:,.0f} "
            f"| {reading_units(top).indexes[INDEX].read:g} | {reading_units(whole).indexes[INDEX].read:g} "
            f"| {forecast_own(workload_of(top)).monthly_usd:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def run(commands: list[str], folder: Path) -> str:
    """The commands with what they print on stdout, as they stand on the page."""
    printed = ""
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "meshcap", *command.split()[1:]],
            capture_output=True, text=True, cwd=folder, timeout=120, check=False,
            env=dict(os.environ, NO_COLOR="1", PYTHONPATH=str(ROOT)),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        lines = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
        printed += f"$ {command}\n" + "".join(f"{line}\n" for line in lines)
    return printed


def written(page: str, folder: Path) -> str:
    """The page with everything that is computed written anew."""

    def console(block: re.Match[str]) -> str:
        commands = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        return f"<!-- run -->\n```console\n{run(commands, folder)}```\n"

    page = re.sub(r"<!-- run -->\n```console\n(.*?)```\n", console, page, flags=re.DOTALL)
    for name, text in (("rules", rules()), ("timeline", timelines())):
        page = re.sub(rf"<!-- {name} -->\n(\|.*?\n)*", lambda _, n=name, t=text: f"<!-- {n} -->\n{t}", page)  # type: ignore[misc]
    return page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FILES, tmp_path / "any_table"))


def test_the_page_says_what_the_commands_and_the_model_say(folder: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("$ meshcap") == 3
    assert written(page, folder) == page


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(shutil.copytree(FILES, Path(scratch) / "any_table"))
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), copied), encoding="utf-8")
