"""The manifests start what exists: their arguments are Locust's, their variables are ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]


def services() -> Iterator[Any]:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
    for name, service in compose["services"].items():
        yield pytest.param(service["command"], service["environment"], id=f"compose {name}")
    for document in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()):
        if document["kind"] == "Job":
            (container,) = document["spec"]["template"]["spec"]["containers"]
            environment = {variable["name"]: variable.get("value") for variable in container["env"]}
            yield pytest.param(container["args"], environment, id=f"kubernetes {container['name']}")


@pytest.mark.parametrize(("command", "environment"), list(services()))
def test_a_service_is_started_with_arguments_that_locust_takes(command: list[str], environment: dict[str, Any]) -> None:
    arguments = ["4" if argument.startswith("${WORKERS") else argument for argument in command]
    listed = subprocess.run(
        [sys.executable, "-m", "locust", "-f", str(ROOT / "locustfiles" / "mesh.py"), *arguments, "--list"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert listed.returncode == 0, listed.stderr
    assert "MeshHost" in listed.stdout
    known = "".join(path.read_text() for path in (ROOT / "locustfiles").rglob("*.py"))
    for name in environment:
        assert name == "HOME" or f'"{name}"' in known


def test_the_image_holds_every_package_of_the_distribution() -> None:
    lines = (ROOT / "deploy" / "Dockerfile").read_text().splitlines()
    copied = {line.split()[1] for line in lines if line.startswith("COPY ") and len(line.split()) == 3}
    assert {"capacity", "locustfiles", "meshcap", "reports", "sandbox"} <= copied
