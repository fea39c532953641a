"""Running a scenario again from the record of a run alone: scenario as resolved, seed, target, Locust options."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from capacity.loopback import is_loopback
from capacity.record import RunRecord
from capacity.scenario import Scenario
from meshcap.console import say
from meshcap.errors import UserError
from meshcap.target import SANDBOX


@dataclass(frozen=True)
class Where:
    """The target of a run again: what `meshcap run` takes."""

    url: str
    table_name: str | None
    api_id: str | None


def where(run_dir: Path, record: RunRecord, target: str | None, owned: bool) -> Where:
    """Where a run is to be run again: a sandbox as before, the same endpoint as before, or `target`.

    Raises UserError for an endpoint beyond this machine that nobody has permitted anew: a record may come from anybody,
    and a permission is for one run.
    """
    was = record.target
    if target == SANDBOX or (target is None and was.kind == "sandbox"):
        return Where(SANDBOX, None, None)
    if target is None and was.kind == "aws" and not owned:
        raise UserError(
            f"{run_dir} loaded {urlsplit(was.graphql_url).hostname}, which is not on this machine. A permission is for "
            "one run: add --i-own-this-endpoint if it is yours to load now (and --max-usd for a run of more than $1), "
            "or run it on a local sandbox with --target sandbox"
        )
    if was.kind == "sandbox":
        return Where(target or SANDBOX, None, None)
    return Where(target or was.graphql_url, was.table_name, was.api_id)


def locust_arguments(run_dir: Path, record: RunRecord) -> list[str]:
    """What followed `--`. Raises UserError for a run of plain Locust, whose options nobody resolved."""
    command = record.command
    if command[:1] not in ([], ["meshcap"]):
        raise UserError(
            f"{run_dir} was not run by meshcap but by {' '.join(command)[:200]}; what its options and configuration "
            "files said is not in the record: run that command again"
        )
    return command[command.index("--") + 1 :] if "--" in command else []


@contextmanager
def scenario_file(name: str, scenario: Scenario) -> Iterator[Path]:
    """A scenario file of one scenario, as resolved; it is gone after the block."""
    document = {"version": 1, "scenarios": {name: scenario.model_dump(mode="json")}}
    with tempfile.TemporaryDirectory(prefix="meshcap-rerun-") as folder:
        path = Path(folder) / "scenarios.yaml"
        path.write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), encoding="utf-8")
        yield path


def stand_in_the_same_place(record: RunRecord, at: Where) -> None:
    """Give the environment what it lacks and the record knows: region, and the address of a local DynamoDB."""
    if at.url == SANDBOX:
        return
    os.environ.setdefault("AWS_REGION", record.target.region)
    if is_loopback(at.url) and is_loopback(record.target.aws_endpoint_url):
        assert record.target.aws_endpoint_url is not None
        os.environ.setdefault("AWS_ENDPOINT_URL", record.target.aws_endpoint_url)


def tell_differences(record: RunRecord, versions: dict[str, str]) -> None:
    """Say what is not as it was: other versions, or a scenario whose digest is not the one recorded."""
    others = [
        f"{name} {was} (now {versions[name]})"
        for name, was in record.versions.items()
        if versions.get(name, was) != was
    ]
    if others:
        say(f"That run was made with {', '.join(others)}.")
    if record.scenario.digest() != record.scenario_digest:
        say(
            f"Its scenario reads as {record.scenario.digest()} today, {record.scenario_digest} then: fields have been "
            "added since, or the record was edited."
        )
