"""The loop as its user runs it: commands, files, exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import read_run
from capacity.run_tables import DELIVERIES, METRICS, REQUESTS
from tests.loop.conftest import Meshcap


def units(run_dir: Path) -> dict[tuple[str, str], dict[str, float]]:
    comparison = json.loads((run_dir / "comparison.json").read_text())
    return {(each["resource"], each["kind"]): each for each in comparison["units"]}


def test_a_run_leaves_every_file_of_the_run_directory(brief_run: Path) -> None:
    expected = {
        "run.json",
        "forecast.json",
        "requests.parquet",
        "deliveries.parquet",
        "delivery_faults.parquet",
        "metrics.parquet",
        "comparison.json",
        "report.html",
        "report.md",
        "junit.xml",
        "locust.log",
        "sandbox.log",
    }
    assert {path.name for path in brief_run.iterdir()} >= expected


@pytest.mark.parametrize("name", ["run", "forecast", "comparison"])
def test_the_files_of_a_run_keep_to_their_published_schemas(brief_run: Path, name: str) -> None:
    schemas = Path(__file__).parents[2] / "schemas"
    content = json.loads((brief_run / f"{name}.json").read_text())
    jsonschema.validate(content, json.loads((schemas / f"{name}.schema.json").read_text()))
    assert content["schema_version"] >= 1


@pytest.mark.parametrize(
    ("name", "schema"),
    [("requests.parquet", REQUESTS), ("deliveries.parquet", DELIVERIES), ("metrics.parquet", METRICS)],
)
def test_parquet_files_keep_their_published_columns(brief_run: Path, name: str, schema: object) -> None:
    assert pq.read_schema(brief_run / name).equals(schema, check_metadata=False)


def test_measured_units_are_those_that_the_model_gives_to_what_was_sent(brief_run: Path) -> None:
    for (resource, kind), each in units(brief_run).items():
        assert each["measured"] is not None, (resource, kind)
        assert each["measured"] == pytest.approx(each["sent"], rel=0.01), (resource, kind)


def test_every_delivery_is_accounted_for_and_none_is_lost(brief_run: Path) -> None:
    table = pq.read_table(brief_run / "deliveries.parquet").to_pandas()
    outcomes = [
        "delivered",
        "late",
        "out_of_order",
        "lost",
        "lost_after_ack",
        "lost_by_cursor",
        "superseded",
        "unsettled",
    ]
    assert table["expected"].sum() > 0
    assert (table[outcomes].sum(axis=1) == table["expected"]).all()
    assert table[["lost", "lost_after_ack", "crosstalk", "duplicate"]].to_numpy().sum() == 0


def test_the_key_of_the_target_is_in_no_file(
    meshcap: Meshcap, brief_run: Path, separate_sandbox: dict[str, str]
) -> None:
    done = on_separate_sandbox(meshcap, separate_sandbox, "run", "impossible")
    run_dir = brief_run.parents[1] / Path(done.stdout.strip().splitlines()[-1]).parent
    for path in run_dir.iterdir():
        assert separate_sandbox["key"].encode() not in path.read_bytes(), path.name
    assert separate_sandbox["key"] not in done.stdout + done.stderr


def test_a_report_is_rendered_again_from_the_files_alone(meshcap: Meshcap, brief_run: Path, tmp_path: Path) -> None:
    moved = tmp_path / brief_run.name
    shutil.copytree(brief_run, moved)
    for name in ("report.html", "report.md", "junit.xml"):
        (moved / name).unlink()
    done = meshcap("report", str(moved))
    assert done.stdout.strip() == str(moved / "report.html")
    for name in ("report.html", "report.md", "junit.xml"):
        assert (moved / name).read_bytes() == (brief_run / name).read_bytes(), name


def test_comparing_again_gives_the_same_comparison(meshcap: Meshcap, brief_run: Path, tmp_path: Path) -> None:
    moved = tmp_path / brief_run.name
    shutil.copytree(brief_run, moved)
    done = meshcap("compare", str(moved), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads((brief_run / "comparison.json").read_text())


@pytest.mark.parametrize(
    ("scenario", "code", "word"),
    [("impossible", ExitCode.THRESHOLD_FAILED, "Failed"), ("unknowable", ExitCode.UNKNOWN, "Unknown")],
)
def test_the_exit_code_is_the_verdict(meshcap: Meshcap, scenario: str, code: ExitCode, word: str) -> None:
    done = meshcap("run", scenario)
    assert done.returncode == code, done.stderr
    assert word in done.stderr
    assert Path(done.stdout.strip()).name == "report.html"


def on_separate_sandbox(
    meshcap: Meshcap, sandbox: dict[str, str], verb: str, scenario: str
) -> subprocess.CompletedProcess[str]:
    return meshcap(
        verb,
        scenario,
        *("--target", sandbox["graphql_url"], "--table", sandbox["table_name"], "--api-id", sandbox["api_id"]),
        AWS_ENDPOINT_URL=sandbox["url"],
        AWS_REGION="ap-northeast-1",
        AWS_ACCESS_KEY_ID="sandbox",
        AWS_SECRET_ACCESS_KEY="sandbox",
        MESHCAP_API_KEY=sandbox["key"],
    )


def test_a_sandbox_started_separately_gives_the_same_units(
    meshcap: Meshcap, brief_run: Path, separate_sandbox: dict[str, str]
) -> None:
    done = on_separate_sandbox(meshcap, separate_sandbox, "run", "brief")
    assert done.returncode == 0, done.stderr
    run_dir = brief_run.parents[1] / Path(done.stdout.strip().splitlines()[-1]).parent
    assert read_run(run_dir).target.kind == "endpoint"
    embedded, separate = units(brief_run), units(run_dir)
    for key, each in separate.items():
        assert each["measured"] == pytest.approx(each["sent"], rel=0.01), key
        assert each["planned"] == embedded[key]["planned"], key


@pytest.mark.parametrize(
    ("sentence", "arguments", "words"),
    [
        ("A scenario that is not there names those that are.", ["plan", "breif"], "no scenario 'breif'; it has brief"),
        ("A folder that is no run says what one looks like.", ["report", "."], "it has no run.json"),
        ("A file that is not there is named.", ["plan", "brief", "-f", "none.yaml"], "none.yaml:1: cannot be read"),
        (
            "A target elsewhere needs the word that it is one's own; a missing table and key are told with it.",
            ["run", "brief", "--target", "https://example.com/graphql"],
            "--i-own-this-endpoint",
        ),
        ("A target that is no URL shows one.", ["run", "brief", "--target", "here"], "http://127.0.0.1:8080/graphql"),
        (
            "A sandbox for the whole world is not opened by accident.",
            ["sandbox", "--host", "0.0.0.0"],
            "reachable from other machines",
        ),
    ],
)
def test_a_mistake_is_one_clear_sentence_and_exit_code_104(
    meshcap: Meshcap, sentence: str, arguments: list[str], words: str
) -> None:
    done = meshcap(*arguments)
    assert done.returncode == ExitCode.BAD_CONFIGURATION, sentence
    assert words in done.stderr, sentence
    assert "Traceback" not in done.stderr, sentence
    assert done.stdout == "", sentence


def test_a_plan_is_json_for_machines(meshcap: Meshcap) -> None:
    done = meshcap("plan", "brief", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema_version"] == 1


def test_colour_is_off_where_nobody_looks(meshcap: Meshcap) -> None:
    done = meshcap("plan", "brief", NO_COLOR="1")
    assert "\x1b" not in done.stdout + done.stderr
