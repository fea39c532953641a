"""What is published of the file formats, written from the code that reads them: `python -m meshcap.schemas`.

schemas/scenarios.schema.json   for editors (JSON Schema draft 7, which the YAML language server reads)
schemas/*.schema.json           for whoever reads a run directory, or a command's `--json` (JSON Schema 2020-12)
schemas/*.parquet.json          columns of the Parquet files, with units and meanings
docs/scenarios.md               every field of a scenario
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import ModelSchema

from capacity.forecasting.forecast import Forecast
from capacity.judgement.comparison import Comparison
from capacity.record import RunRecord
from capacity.run_tables import TABLES
from capacity.scenario.load import ScenarioFile
from capacity.studies.highest_rate import HighestRate
from locustfiles.direct.load_report import ConsumedReport, TimelineReport
from meshcap.published_documents import PUBLISHED
from meshcap.reference import command_page

_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"
_KEPT: Mapping[str, type[BaseModel]] = {
    "run": RunRecord,
    "forecast": Forecast,
    "comparison": Comparison,
    "find-max": HighestRate,
}
"""Files that are read again: one of an earlier release and the same version may lack what has a default."""

_WRITTEN: Mapping[str, type[BaseModel]] = {"consumed": ConsumedReport, "timeline": TimelineReport}
"""Files that nobody of us reads again."""


def published() -> Iterator[tuple[str, str]]:
    """Every published file: its path in the project, and its text."""
    yield "schemas/scenarios.schema.json", _json(_editor_schema())
    for name, model in _KEPT.items():
        yield f"schemas/{name}.schema.json", _document(model, GenerateJsonSchema)
    for name, model in chain(_WRITTEN.items(), *PUBLISHED.values()):
        if name not in _KEPT:
            yield f"schemas/{name}.schema.json", _document(model, _AsPrinted)
    for name, schema in TABLES.items():
        yield f"schemas/{name}.json", _json(_columns(schema))
    yield "docs/scenarios.md", _scenario_page()
    yield "docs/commands.md", command_page()


class _AsPrinted(GenerateJsonSchema):
    """Schemas of what a command prints: every field is there, one with a default too, and no other."""

    def field_is_required(self, *_: Any, **__: Any) -> bool:
        return True

    def model_schema(self, schema: ModelSchema) -> dict[str, Any]:
        return {"additionalProperties": False} | super().model_schema(schema)


def _document(model: type[BaseModel], generator: type[GenerateJsonSchema]) -> str:
    schema = model.model_json_schema(by_alias=False, schema_generator=generator)
    return _json({"$schema": _DRAFT_2020} | schema)


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _editor_schema() -> dict[str, Any]:
    """The scenario file's schema in draft 7: definitions under `definitions`, and no keyword that it lacks."""
    schema = ScenarioFile.model_json_schema(ref_template="#/definitions/{model}")
    return {"$schema": _DRAFT_7, "definitions": schema.pop("$defs"), **schema}


def _columns(schema: pa.Schema) -> dict[str, Any]:
    def text(field: pa.Field, key: str) -> str:
        return str((field.metadata or {}).get(key.encode(), b"").decode())

    return {
        "schema": schema.metadata[b"schema"].decode(),
        "version": int(schema.metadata[b"version"]),
        "columns": [
            {
                "name": field.name,
                "type": str(field.type),
                "nullable": field.nullable,
                "unit": text(field, "unit"),
                "meaning": text(field, "meaning"),
            }
            for field in schema
        ],
    }


def _scenario_page() -> str:
    definitions = ScenarioFile.model_json_schema()["$defs"]
    lines = [
        "# Scenarios",
        "",
        "Every field of a scenario in `scenarios.yaml`, written from the code by `make schemas`. Durations, rates and",
        "sizes take a unit (`30s`, `4/s`, `64B`); a bare number is in seconds, per second, or in bytes.",
    ]
    for name in (
        "Scenario",
        "Population",
        "Mode",
        "Settings",
        "Traffic",
        "Faults",
        "Schedule",
        "Stage",
        "Billing",
        "Provisioned",
        "TimelineSettings",
        "DynamoDBSettings",
    ):
        schema = definitions[name]
        if "properties" not in schema:  # a short form may stand beside the whole one
            schema = schema["anyOf"][-1]
        lines += ["", f"## {name}", "", *_paragraph(schema.get("description", "")), ""]
        lines += ["| field | default | limits | example | meaning |", "|---|---|---|---|---|"]
        lines += [_row(field, detail, schema.get("required", [])) for field, detail in schema["properties"].items()]
    return "\n".join(lines) + "\n"


def _paragraph(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def _row(field: str, detail: dict[str, Any], required: list[str]) -> str:
    default = "required" if field in required else json.dumps(detail["default"]) if "default" in detail else "-"
    words = {
        "minimum": ">=",
        "exclusiveMinimum": ">",
        "maximum": "<=",
        "exclusiveMaximum": "<",
        "maxLength": "length <=",
    }
    limits = ", ".join(f"{sign} {detail[key]:,}" for key, sign in words.items() if key in detail)
    if "enum" in detail:
        limits = ", ".join(map(str, detail["enum"]))
    example = json.dumps(detail["examples"][0]) if detail.get("examples") else ""
    meaning = " ".join(str(detail.get("description", "")).split())
    return f"| `{field}` | {default} | {limits} | `{example}` | {meaning} |".replace("| `` |", "| |")


def write(root: Path) -> list[Path]:
    """Write every published file below `root`; return their paths."""
    written = []
    for name, text in published():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for path in write(Path()):
        print(path)
