"""The first inputs of the coverage-guided fuzzing: each is read or refused as it was when it was put there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.parsers import CORPUS, PARSERS, first_inputs

INPUTS = [(name, path) for name in PARSERS for path in first_inputs(name)]


@pytest.mark.parametrize(("name", "path"), INPUTS, ids=[f"{name}-{path.name}" for name, path in INPUTS])
def test_an_input_is_read_or_refused(name: str, path: Path) -> None:
    expected = "refused" if path.name.startswith("refused") else "read"
    assert PARSERS[name](path.read_bytes()) == expected


def test_every_parser_has_inputs_of_both_kinds() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(PARSERS)
    for name in PARSERS:
        kinds = {path.name.partition("-")[0] for path in first_inputs(name)}
        assert kinds == {"read", "refused"}, name
