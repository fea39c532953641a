"""A Japanese report is Japanese: no sentence of the English tables is left in it, nor English prose from elsewhere."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from meshcap.cli import app
from reports import render
from reports.wording import sentences

PROSE = re.compile(r"\b[a-z]{2,}(?: [a-z]{2,}){2,}\b")
"""Three small words in a row, which names of figures, operations and products are not."""


def texts(path: Path, *, with_subtitle: bool = False) -> set[str]:
    """What a reader is shown or read out, but for what is quoted: commands, and what the target answered.

    The subtitle holds the scenario's description, which is its author's unless the scenario is one of ours.
    """
    page = path.read_text(encoding="utf-8")
    page = re.sub(r"<style.*?</style>|<pre>.*?</pre>", "", page, flags=re.DOTALL)
    if not with_subtitle:
        page = re.sub(r"<p class=\"subtitle\">.*?</p>", "", page, flags=re.DOTALL)
    shown = {text.strip() for text in re.findall(r">([^<>]+)<", page)} | set(re.findall(r'aria-label="([^"]*)"', page))
    return {html.unescape(text) for text in shown}


@pytest.fixture(scope="module")
def japanese(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run by WebSocket in Japanese, from the same files."""
    directory = tmp_path_factory.mktemp("japanese")
    for file in whole_run.iterdir():
        if file.is_file():
            (directory / file.name).write_bytes(file.read_bytes())
    return render(directory, "ja")


def test_no_sentence_of_the_english_tables_is_left(japanese: Path, polling_run: Path) -> None:
    translated = sentences("ja")
    english = {
        sentence
        for key, sentence in sentences("en").items()
        if "{" not in sentence and PROSE.search(sentence) and sentence != translated[key]
    }
    for path in (japanese, polling_run / "report.html"):
        assert english & texts(path) == set()


def test_no_english_prose_is_left(japanese: Path, polling_run: Path) -> None:
    for path in (japanese, polling_run / "report.html"):
        assert {text for text in texts(path) if PROSE.search(text)} == set()


@pytest.mark.parametrize("verb", ["cost", "heartbeat", "limits"])
def test_no_english_prose_is_left_in_the_page_of_a_study(verb: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    file = str(Path(__file__).parents[2] / "scenarios.yaml")
    done = CliRunner().invoke(app, [verb, "classroom", "--file", file, "--page", str(page), "--lang", "ja"])
    assert done.exit_code == 0, done.output
    assert {text for text in texts(page, with_subtitle=True) if PROSE.search(text)} == set()
