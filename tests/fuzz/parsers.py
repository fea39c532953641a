"""Everything that makes sense of bytes from outside, as a function of bytes: what a coverage-guided fuzzer drives.

Each returns "read" or "refused" and raises on a broken promise, as the checks of tests/fuzz/surfaces.py do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic_core import from_json

from capacity.record import SCHEMA_VERSION, RunRecord
from capacity.record_upgrades import upgraded
from capacity.scenario.quantities import parse_duration_s
from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.expressions.parse import parse
from tests.fuzz import graphql_requests, metric_files, run_files, user_files

CORPUS = Path(__file__).with_name("corpus")


def _text(read: Callable[[str], str]) -> Callable[[bytes], str]:
    return lambda content: read(content.decode(errors="replace"))


def _record(content: bytes) -> str:
    try:
        RunRecord.model_validate(upgraded(from_json(content), SCHEMA_VERSION))
    except ValueError:
        return "refused"
    return "read"


def _duration(text: str) -> str:
    try:
        assert parse_duration_s(text) >= 0
    except ValueError:
        return "refused"
    return "read"


def _expression(start: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            parse(start, "Expression", text)
        except DynamoDBError:
            return "refused"
        return "read"

    return read


PARSERS: dict[str, Callable[[bytes], str]] = {
    "scenario": _text(user_files.read_scenarios),
    "threshold": _text(user_files.read_threshold),
    "duration": _text(_duration),
    "template": _text(user_files.read_template),
    "prices": _text(user_files.read_price_file),
    "metrics": metric_files.read,
    "run_record": _record,
    "part": run_files.read_part,
    "condition": _text(_expression("condition")),
    "update": _text(_expression("update")),
    "projection": _text(_expression("projection")),
    "graphql": graphql_requests.ask,
}
"""By the name of its folder of first inputs."""


def first_inputs(name: str) -> list[Path]:
    """The corpus of a parser: inputs that reach its branches."""
    return sorted((CORPUS / name).iterdir())
