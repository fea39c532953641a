"""Paths and names in inputs lead nowhere but where they belong, and a refusal shows nothing of what is elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from capacity.record import run_id
from capacity.scenario import ScenarioError, load_scenarios
from capacity.templates import TemplateError
from capacity.templates.load import read_description
from locustfiles.running.part_transfer import write_chunk

SECRET = "root:x:0:0:planted"
OUTSIDE = [
    "../secret.txt",
    "below/../../secret.txt",
    "{absolute}",
    "link.txt",
    "linked/secret.txt",
    "~/secret.txt",
    "a\0b",
]


def scenario_file(folder: Path, arrivals: str) -> Path:
    scenario = {
        "population": {"groups_per_domain": 1, "members_per_group": 1},
        "traffic": {"reports": "1/s", "event_batches": "1/s"},
        "schedule": {"ramp": "10s", "hold": "10s", "arrivals": {"file": arrivals}},
    }
    path = folder / "scenarios.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "scenarios": {"s": scenario}}))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a way out of it in every form, and a secret outside."""
    (tmp_path / "secret.txt").write_text(SECRET)
    inside = tmp_path / "inside"
    (inside / "below").mkdir(parents=True)
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "linked").symlink_to(tmp_path)
    (inside / "below" / "arrivals.txt").write_text("1\n2.5\n")
    return inside


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_file_of_arrivals_stays_in_the_scenario_files_folder(folder: Path, name: str) -> None:
    path = scenario_file(folder, name.replace("{absolute}", str(folder.parent / "secret.txt")))
    with pytest.raises(ScenarioError) as refusal:
        load_scenarios(path)
    assert SECRET not in str(refusal.value)
    assert "schedule.arrivals" in str(refusal.value)


@pytest.mark.parametrize("name", ["below/arrivals.txt", "./below/../below/arrivals.txt"])
def test_a_file_below_the_folder_is_read(folder: Path, name: str) -> None:
    (scenario,) = load_scenarios(scenario_file(folder, name)).values()
    assert scenario.schedule.arrivals == (1.0, 2.5)


@pytest.mark.parametrize(
    "include",
    [
        {"Fn::Transform": {"Name": "AWS::Include", "Parameters": {"Location": "{secret}"}}},
        {"Fn::Include": "{secret}"},
        {"$ref": "file://{secret}"},
    ],
)
def test_a_template_that_includes_a_file_does_not_get_it(folder: Path, include: dict[str, object]) -> None:
    secret = str(folder.parent / "secret.txt")
    properties = yaml.safe_load(yaml.safe_dump(include).replace("{secret}", secret))
    table = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": properties, **properties}}
    path = folder / "template.yaml"
    path.write_text(yaml.safe_dump({"Resources": {"T": table}}))
    try:
        said = repr(read_description(path))
    except TemplateError as refusal:
        said = str(refusal)
    assert SECRET not in said


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "a/b", "..", "", "\0", "a" * 5_000, "C:\\x", "-rf"])
def test_a_scenarios_name_names_no_folder_but_its_runs(tmp_path: Path, name: str) -> None:
    made = run_id(datetime(2026, 11, 30, 13, 30, tzinfo=UTC), name)
    assert Path(made).name == made
    assert made.startswith("2026-11-30T13-30-00Z-")
    assert (tmp_path / made).resolve().parent == tmp_path.resolve()
    (tmp_path / made).mkdir()


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/b", "", ".", "..", "a/../../x"])
def test_a_workers_file_stays_among_the_parts(tmp_path: Path, name: str) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    with pytest.raises((ValueError, OSError)):
        write_chunk(parts, {"name": name, "offset": 0, "data": b"x"})
    assert [path.name for path in tmp_path.rglob("*")] == ["parts"]
