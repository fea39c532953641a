"""The doctor finds what would spoil a run, on a sandbox that somebody else started."""

from __future__ import annotations

import json

from capacity.exit_codes import ExitCode
from tests.loop.conftest import Meshcap


def environment(sandbox: dict[str, str], **changes: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": sandbox["url"],
        "AWS_REGION": "ap-northeast-1",
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "sandbox",
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "MESHCAP_API_KEY": sandbox["key"],
    } | changes


def findings(
    meshcap: Meshcap, sandbox: dict[str, str], table: str, code: int, url: str | None = None, **changes: str
) -> dict[str, tuple[str, str]]:
    done = meshcap(
        *("doctor", "brief", "--target", url or sandbox["graphql_url"], "--table", table, "--json"),
        **environment(sandbox, **changes),
    )
    assert done.returncode == code, done.stderr
    return {each["check"]: (each["state"], each["message"]) for each in json.loads(done.stdout)["findings"]}


def test_a_sandbox_of_the_right_layout_is_in_order(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    found = findings(meshcap, separate_sandbox, "MeshV2Table", ExitCode.OK)
    assert {check: state for check, (state, _) in found.items()} == {
        "GraphQL": "ok",
        "clock": "ok",
        "table": "ok",
        "metrics": "ok",
        "account": "ok",
        "limits": "ok",
    }


def test_a_wrong_key_and_a_missing_table_are_both_told(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    found = findings(
        meshcap, separate_sandbox, "Nowhere", ExitCode.TARGET_UNREACHABLE, MESHCAP_API_KEY="da2-not-the-key"
    )
    assert found["GraphQL"] == (
        "fault",
        f"{separate_sandbox['graphql_url']} answers HTTP 401: MESHCAP_API_KEY is not accepted",
    )
    assert found["table"][0] == "fault"
    assert "ResourceNotFoundException" in found["table"][1]
    assert found["metrics"][0] == "unknown"


def test_a_table_of_another_layout_is_told_apart(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    made = meshcap("table", "create", "Other", "--layout", "architecture", **environment(separate_sandbox))
    assert made.stdout.strip() == "arn:aws:dynamodb:ap-northeast-1:000000000000:table/Other"
    state, message = findings(meshcap, separate_sandbox, "Other", ExitCode.TARGET_UNREACHABLE)["table"]
    assert state == "fault"
    assert "index GroupIdIndex is missing" in message
    assert "index GSI1 is not in the model" in message


def test_nobody_at_the_address_is_one_finding(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    nowhere = "http://127.0.0.1:9/graphql"
    found = findings(
        meshcap, separate_sandbox, "T", ExitCode.TARGET_UNREACHABLE, nowhere, AWS_ENDPOINT_URL="http://127.0.0.1:9"
    )
    assert found["GraphQL"] == ("fault", f"{nowhere} does not answer: [Errno 111] Connection refused")
    assert found["table"][0] == "fault"
