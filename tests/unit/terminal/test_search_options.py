"""Options of a search given to a run without --find-max are refused: ignored, they make another run than was meant."""

from __future__ import annotations

import pytest

from meshcap.cli import main


@pytest.mark.parametrize(
    ("options", "said", "why"),
    [
        (["--max-probes", "3"], ["--max-probes", "leave it out"], "one option is named"),
        (["--json", "--max-p99", "50ms"], ["--json", "--max-p99", "leave them out"], "all are named at once"),
        (["--max-p99", "100ms"], ["--max-p99"], "also one that is given its default"),
    ],
)
def test_options_of_a_search_need_find_max(
    options: list[str], said: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["run", "smoke", *options])
    assert leaving.value.code == 104, why
    answer = capsys.readouterr().err
    assert all(each in answer for each in [*said, "--find-max"]), answer
