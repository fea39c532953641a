"""Names that would move a terminal's cursor, colour it or turn its writing round are shown by number."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from meshcap.cli import main
from meshcap.console import visible
from tests.fuzz.run_files import run_directory


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="colour"),
        pytest.param("\x1b]0;title\x07", "\\x1b]0;title\\x07", id="title of the window"),
        pytest.param("\x9b2J", "\\x9b2J", id="one byte for two"),
        pytest.param("passed\rfailed", "passed\\rfailed", id="back to the start of the line"),
        pytest.param("txt.\u202eexe", "txt.\\u202eexe", id="right to left"),
        pytest.param("\u2066x\u2069", "\\u2066x\\u2069", id="isolated"),
        pytest.param("日本語 é 🎓 עברית\n\ttab", "日本語 é 🎓 עברית\n\ttab", id="text of any language, lines and tabs"),
    ],
)
def test_control_characters_are_shown_by_number(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_folder_of_runs_is_listed_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders come with archives and repositories of others."""
    shutil.copytree(run_directory(), tmp_path / "a\x1b[2Jrun")
    (tmp_path / "\x1b]0;no run\x07").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["runs", str(tmp_path)])
    told = capsys.readouterr()
    assert left.value.code == 0
    assert "a\\x1b[2Jrun" in told.out
    assert "\\x1b]0;no run\\x07" in told.err
    assert "\x1b" not in told.out + told.err
