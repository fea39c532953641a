"""What is published of the formats is what the code reads and writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from capacity.scenario.load import ScenarioFile
from meshcap.schemas import published

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("name", "text"), list(published()), ids=lambda value: value if len(value) < 50 else "")
def test_a_published_file_is_up_to_date(name: str, text: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == text, "run make schemas"


def test_editors_accept_the_shipped_scenarios_by_draft_7() -> None:
    schema = json.loads((ROOT / "schemas/scenarios.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    content = yaml.safe_load((ROOT / "scenarios.yaml").read_text())
    jsonschema.Draft7Validator(schema).validate(content)


@pytest.mark.parametrize(
    "edit",
    [
        {"schedule": {"ramp": "soon", "hold": "10s"}},
        {"population": {"groups_per_domain": 0, "members_per_group": 3}},
        {"colour": "red"},
        {"mode": "pigeon"},
        {"billing": "free"},
    ],
)
def test_editors_mark_what_the_loader_refuses(edit: dict[str, object]) -> None:
    schema = json.loads((ROOT / "schemas/scenarios.schema.json").read_text())
    content = yaml.safe_load((ROOT / "scenarios.yaml").read_text())
    content["scenarios"]["smoke"] |= edit
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate(content)


def test_the_page_of_scenarios_has_every_part_of_one() -> None:
    parts = set(ScenarioFile.model_json_schema()["$defs"]) - {"MeshSettings"}  # a name and nothing else
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == parts
