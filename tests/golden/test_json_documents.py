"""Everything that a command prints as JSON keeps to the schema that is published for it, and leaves nothing out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main
from run_directory import build
from typer.testing import CliRunner

from capacity.studies.highest_rate import HighestRate, Limits, Probe
from meshcap import find_max_output
from meshcap.cli import app
from meshcap.published_documents import PUBLISHED

ROOT = Path(__file__).parents[2]
FILE = ("--file", str(ROOT / "scenarios.yaml"))
TEMPLATE = str(ROOT / "docs/any_table/timelines.yaml")
WORKLOAD = """\
from capacity.dynamodb.table import Key, Table
from capacity.workloads.own import Action, Workload, put
WORKLOAD = Workload(table=Table("t", Key("id"), {"id": "S"}), actions=(Action("post", (put({"id": "a"}),), per_s=5),))
"""
FOUND = HighestRate(
    scenario_name="smoke",
    scenario_digest="5e1f0c2ba9d84763",
    target="sandbox",
    limits=Limits(),
    probe_hold_s=20,
    status="found",
    probes=[
        Probe(
            factor=1,
            run="x1",
            held=True,
            outcome="passed",
            gave_way=[],
            planned_requests_per_s=10,
            requests_per_s=10,
            deliveries_per_s=None,
            achieved=1,
            p99_ms=5,
            lost=0,
            generator_cpu_percent=3,
            forecast_usd=0.01,
        )
    ],
)

CASES: list[tuple[str, str]] = [
    ("forecast", "plan smoke"),
    ("own_forecast", "plan --workload {workload}"),
    ("find-max", "run smoke --find-max"),
    ("compared_runs", "compare {run} {run}"),
    ("runs", "runs {runs}"),
    ("cost", "cost smoke"),
    ("cost", "cost smoke --month 2027-02 --yen-per-usd 150"),
    ("heartbeat", "heartbeat smoke"),
    ("heartbeat", "heartbeat smoke --notice 1"),
    ("limits", "limits smoke"),
    ("limits", "limits smoke --layouts"),
    ("timeline_limits", "limits timeline"),
    ("lint", "lint {template}"),
    ("sizing", "sizing {run}"),
    ("prices", "prices show"),
    ("prices", "prices show --region us-east-1"),
    ("calc_size", 'calc size {{"id":"a","tags":["x"]}}'),
    ("calc_size", 'calc size {{"id":"a"}} --key id --index g'),
    ("calc_units", "calc units get --size 10KiB"),
    ("calc_units", "calc units put --size 1KiB --entry 0,300 --per-second 5"),
    ("calc_partitions", "calc partitions --read 5000 --write 500 --gb 8 --then 9000,9000 --then-gb 90"),
    ("calc_partitions", "calc partitions --on-demand --then-gb 90"),
    ("calc_burst", "calc burst --supply 150 --demand 200 --kind read"),
    ("calc_burst", "calc burst --supply 150 --demand 100 --for 10m"),
    ("calc_simulate", "calc simulate 200:20m --supply 150 --world static"),
    ("calc_simulate", "calc simulate 0..9000:10m --world on_demand"),
    ("sandbox", "sandbox --port 0"),
    ("doctor", "doctor smoke --target {url} --table MeshV2Table"),
]
"""What describes it, and the command; several where a document has forms."""


def _complete(schema: Any) -> Any:
    """The same schema, with every field required: what is printed today has them all."""
    if isinstance(schema, list):
        return [_complete(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    required = {"required": list(schema["properties"])} if isinstance(schema.get("properties"), dict) else {}
    return {key: _complete(value) for key, value in schema.items()} | required


def schema_of(document: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / f"schemas/{document}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return found


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    """The line that a sandbox begins with, while it runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, MESHCAP_API_KEY="da2-of-this-test"),
    )
    assert process.stdout
    assert process.stdin
    yield process.stdout.readline()
    process.stdin.close()
    assert process.wait(10) == 0


@pytest.fixture(scope="module")
def places(sandbox: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "workload.py").write_text(WORKLOAD, encoding="utf-8")
    return {
        "run": str(build(folder / "runs" / "2026-11-30T13-30-00Z-whole")),
        "runs": str(folder / "runs"),
        "workload": str(folder / "workload.py"),
        "template": TEMPLATE,
        "url": json.loads(sandbox)["graphql_url"],
    }


@pytest.mark.parametrize(("document", "command"), CASES, ids=[command.replace("{", "") for _, command in CASES])
def test_what_a_command_prints_is_what_is_published(
    document: str, command: str, places: dict[str, str], sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [word.format(**places) for word in command.split()]
    if document == "find-max":
        monkeypatch.setattr(find_max_output, "find_max", lambda search: (FOUND, Path("runs/search"), 0))
    monkeypatch.setenv("AWS_ENDPOINT_URL", json.loads(sandbox)["url"])
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "sandbox")
    monkeypatch.setenv("AWS_REGION", "ap-northeast-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-northeast-1")
    monkeypatch.setenv("MESHCAP_API_KEY", "da2-of-this-test")
    takes_file = document in ("forecast", "find-max", "cost", "heartbeat", "limits", "timeline_limits", "doctor")
    text = sandbox if document == "sandbox" else _printed([*words, *(FILE if takes_file else ()), "--json"])
    schema = schema_of(document)
    content = json.loads(text, parse_constant=_no_number)
    jsonschema.Draft202012Validator(schema).validate(content)
    jsonschema.Draft202012Validator(_complete(schema)).validate(content)
    assert content["schema_version"] == 1
    for field in content:
        renamed = {key if key != field else f"{key}_": value for key, value in content.items()}
        assert not jsonschema.Draft202012Validator(schema).is_valid(renamed), f"{field} may be renamed unseen"


def _printed(words: list[str]) -> str:
    done = CliRunner().invoke(app, words)
    assert done.stdout.startswith("{"), done.output + repr(done.exception)
    return done.stdout


def _no_number(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


def test_every_command_with_json_has_a_published_document() -> None:
    def commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for name, each in command.commands.items() if hasattr(command, "commands") else ():
            yield from commands(each, (*path, name))
        yield " ".join(path), command

    with_json = {
        path
        for path, command in commands(typer.main.get_command(app), ())
        if any("--json" in getattr(each, "opts", ()) for each in command.params)
    }
    assert with_json == set(PUBLISHED)
    assert {name for documents in PUBLISHED.values() for name, _ in documents} == {name for name, _ in CASES} | {
        "comparison"  # of a real run, in tests/loop/test_loop.py
    }
