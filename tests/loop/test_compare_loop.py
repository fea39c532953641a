"""Two real runs of one scenario, before and after a change of the app behind the API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode

HEAVIER = """
import sys
from meshcap.cli import main
from sandbox.appsync.mesh.deployed import {layout} as Layout

report = Layout.report

def with_history(self, *arguments):
    request = report(self, *arguments)
    request["attributeValues"]["history"] = {{"S": "x" * 1100}}
    return request

Layout.report = with_history
main(sys.argv[1:])
"""
"""A sandbox whose reportDataByNode stores 1,100 bytes more: a unit more of the table, and of the index that has all."""

DELETING = ("leaveGroup", "dissolveGroup")
"""Operations that delete the larger row may rightly be named as well."""


@pytest.fixture
def run_against(meshcap: Callable[..., subprocess.CompletedProcess[str]], workplace: Path) -> Callable[..., Path]:
    """Run `brief` against a sandbox that the given Python arguments start; return the run directory."""

    def run(*python: str) -> Path:
        key = "da2-compared"
        sandbox = subprocess.Popen(
            [sys.executable, *python, "sandbox", "--port", "0", "--json", "--until-stdin-closes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, MESHCAP_API_KEY=key),
        )
        assert sandbox.stdout
        assert sandbox.stdin
        try:
            at = json.loads(sandbox.stdout.readline())
            options = {"--target": at["graphql_url"], "--table": at["table_name"], "--api-id": at["api_id"]}
            done = meshcap(
                "run",
                "brief",
                *(word for option in options.items() for word in option),
                AWS_ENDPOINT_URL=at["url"],
                AWS_REGION=at["region"],
                AWS_ACCESS_KEY_ID="sandbox",
                AWS_SECRET_ACCESS_KEY="sandbox",
                MESHCAP_API_KEY=key,
            )
        finally:
            sandbox.stdin.close()
            sandbox.wait(20)
        return workplace / Path(done.stdout.strip().splitlines()[-1]).parent

    return run


def test_an_operation_that_costs_a_unit_more_is_named(
    run_against: Callable[..., Path], meshcap: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before, after = run_against("-m", "meshcap"), run_against("-c", HEAVIER.format(layout=_layout()))
    # Forced, because a machine that is busy with other things may make a run not valid; units do not mind.
    compared = meshcap("compare", str(before), str(after), "--force", "--json")
    assert compared.returncode == ExitCode.THRESHOLD_FAILED, compared.stderr
    worse = [change for change in json.loads(compared.stdout)["changes"] if change["outcome"] == "worse"]
    units = [change for change in worse if change["area"] == "units"]
    assert {change["subject"] for change in units} <= {"reportDataByNode", *DELETING}
    reports = [change for change in units if change["subject"] == "reportDataByNode"]
    assert len(reports) == 2  # the table, and GroupIdIndex, which projects everything
    assert all(change["after"] - change["before"] == pytest.approx(1, abs=0.1) for change in reports)


def _layout() -> str:
    """The class that writes a report's row in the deployed layout."""
    from sandbox.appsync.mesh import deployed

    return next(name for name, value in vars(deployed).items() if isinstance(value, type) and "report" in vars(value))
