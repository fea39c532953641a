"""A Japanese report is Japanese: no sentence of the English tables is left in it, nor English prose from elsewhere."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from reports import render
from reports.wording import sentences

PROSE = re.compile(r"\b[a-z]{2,}(?: [a-z]{2,}){2,}\b")
"""Three small words in a row, which names of figures, operations and products are not."""


def texts(path: Path) -> set[str]:
    """What a reader is shown or read out, but for what is quoted: commands, and what the target answered."""
    page = path.read_text(encoding="utf-8")
    page = re.sub(r"<style.*?</style>|<pre>.*?</pre>|<p class=\"subtitle\">.*?</p>", "", page, flags=re.DOTALL)
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
        left = {text for text in texts(path) if PROSE.search(text)}
        assert {
            text for text in left if "guide, " not in text and "reference, " not in text
        } == set()  # titles of documents
