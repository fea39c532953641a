"""docs/sandbox.md names the limits and paths that there are."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from sandbox.config import SandboxConfig
from sandbox.http.limits import Limits
from sandbox.server import Sandbox

DOCUMENT = (Path(__file__).parents[3] / "docs" / "sandbox.md").read_text(encoding="utf-8")


def test_the_limits_of_the_document_are_those_of_the_code() -> None:
    shown = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", DOCUMENT, re.MULTILINE))
    assert {name: float(value.replace(",", "")) for name, value in shown.items()} == {
        each.name: float(each.default) for each in fields(Limits)
    }


def test_the_pages_of_the_document_are_those_of_the_server() -> None:
    shown = set(re.findall(r"^\| `GET (/\S*)`", DOCUMENT, re.MULTILINE))
    served = set(Sandbox(SandboxConfig()).router._pages)
    assert shown == {path for path in served if not path.endswith((".js", ".css"))}
