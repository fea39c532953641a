"""`--target aws --stack NAME`: names from CloudFormation and AppSync, here a stand-in on loopback, and a whole run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import read_run
from tests.loop.conftest import Meshcap
from tests.loop.test_doctor import environment

_RESOURCE = """<member><LogicalResourceId>R</LogicalResourceId><PhysicalResourceId>{physical}</PhysicalResourceId>
<ResourceType>{kind}</ResourceType><LastUpdatedTimestamp>2026-11-30T12:00:00Z</LastUpdatedTimestamp>
<ResourceStatus>CREATE_COMPLETE</ResourceStatus></member>"""
_NS = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"'


@pytest.fixture
def stack(separate_sandbox: dict[str, str]) -> Iterator[str]:
    """Address of a CloudFormation that has one stack, mesh, and of the AppSync behind it."""
    resources = "".join(
        _RESOURCE.format(kind=kind, physical=physical)
        for kind, physical in (
            ("AWS::AppSync::GraphQLApi", f"arn:aws:appsync:ap-northeast-1:0:apis/{separate_sandbox['api_id']}"),
            ("AWS::DynamoDB::Table", separate_sandbox["table_name"]),
            ("AWS::Lambda::Function", separate_sandbox["function_name"]),
        )
    )
    listed = f"""<ListStackResourcesResponse {_NS}><ListStackResourcesResult><StackResourceSummaries>{resources}
</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>"""
    described = f"""<DescribeStacksResponse {_NS}><DescribeStacksResult><Stacks><member><StackName>mesh</StackName>
<CreationTime>2026-11-30T12:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks>
</DescribeStacksResult></DescribeStacksResponse>"""
    missing = f"""<ErrorResponse {_NS}><Error><Type>Sender</Type><Code>ValidationError</Code>
<Message>Stack with id nowhere does not exist</Message></Error></ErrorResponse>"""
    uris = {"GRAPHQL": separate_sandbox["graphql_url"], "REALTIME": separate_sandbox["realtime_url"]}
    api = json.dumps({"graphqlApi": {"apiId": separate_sandbox["api_id"], "uris": uris}})

    class Aws(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            if asked["StackName"] != ["mesh"]:
                self.answer(400, missing)
            else:
                self.answer(200, described if asked["Action"] == ["DescribeStacks"] else listed)

        def do_GET(self) -> None:
            self.answer(200, api)

        def answer(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Aws) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def around(sandbox: dict[str, str], stack: str) -> dict[str, str]:
    return environment(sandbox, AWS_ENDPOINT_URL_CLOUDFORMATION=stack, AWS_ENDPOINT_URL_APPSYNC=stack)


def test_a_run_takes_its_names_from_a_stack(
    meshcap: Meshcap, workplace: Path, separate_sandbox: dict[str, str], stack: str
) -> None:
    done = meshcap("run", "brief", "--target", "aws", "--stack", "mesh", **around(separate_sandbox, stack))
    assert done.returncode == ExitCode.OK, done.stderr
    assert f"GraphQL URL: {separate_sandbox['graphql_url']}" in done.stderr
    run_dir = workplace / Path(done.stdout.strip().splitlines()[-1]).parent
    target = read_run(run_dir).target
    assert (target.graphql_url, target.table_name, target.api_id, target.function_names) == (
        separate_sandbox["graphql_url"],
        separate_sandbox["table_name"],
        separate_sandbox["api_id"],
        (separate_sandbox["function_name"],),
    )
    metrics = pq.read_table(run_dir / "metrics.parquet").to_pandas()
    invocations = metrics[(metrics["namespace"] == "AWS/Lambda") & (metrics["metric"] == "Invocations")]
    sent = pq.read_table(run_dir / "requests.parquet", columns=["operation"])["operation"].to_pylist()
    called = sum(sent.count(name) for name in ("createDomain", "leaveGroup", "dissolveGroup", "recordEventsByNode"))
    assert invocations["value"].sum() >= called > 0, "others may use the same sandbox meanwhile"
    assert "Lambda functions" in (run_dir / "report.md").read_text()
    again = read_run(run_dir).command
    assert again[again.index("--api-id") + 1] == separate_sandbox["api_id"]
    assert again[again.index("--function") + 1] == separate_sandbox["function_name"]


def test_the_doctor_takes_them_too(meshcap: Meshcap, separate_sandbox: dict[str, str], stack: str) -> None:
    done = meshcap("doctor", "brief", "--target", "aws", "--stack", "mesh", "--json", **around(separate_sandbox, stack))
    assert done.returncode == ExitCode.OK, done.stderr
    assert {each["state"] for each in json.loads(done.stdout)["findings"]} == {"ok"}


def test_a_stack_that_is_not_there_is_a_sentence(
    meshcap: Meshcap, separate_sandbox: dict[str, str], stack: str
) -> None:
    done = meshcap("run", "brief", "--target", "aws", "--stack", "nowhere", **around(separate_sandbox, stack))
    assert done.returncode == ExitCode.TARGET_UNREACHABLE
    assert "--stack nowhere: DescribeStacks: ValidationError: Stack with id nowhere does not exist" in done.stderr
    assert "Traceback" not in done.stderr


def test_aws_without_an_api_says_what_to_add(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    done = meshcap("run", "brief", "--target", "aws", "--table", "T", **environment(separate_sandbox))
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert "add --graphql-url" in done.stderr


def test_an_api_elsewhere_is_still_asked_for_leave(meshcap: Meshcap, separate_sandbox: dict[str, str]) -> None:
    url = "https://example.appsync-api.ap-northeast-1.amazonaws.com/graphql"
    done = meshcap(
        *("run", "brief", "--target", "aws", "--graphql-url", url, "--table", "T"), **environment(separate_sandbox)
    )
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert "--i-own-this-endpoint" in done.stderr
