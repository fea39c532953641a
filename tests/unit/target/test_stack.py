"""Names from a CloudFormation stack, by answers of the documented shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from capacity.exit_codes import ExitCode
from meshcap.errors import UserError
from meshcap.stack import StackNames, names_of_stack
from meshcap.target_names import TargetNames, resolved

ARN = "arn:aws:appsync:ap-northeast-1:123456789012:apis/abcdefghij"
URL = "https://example.appsync-api.ap-northeast-1.amazonaws.com/graphql"
WHEN = "2026-11-30T12:00:00Z"


class Aws:
    """Clients that answer what they are told to, in order; Stubber checks both against botocore's own models."""

    def __init__(self) -> None:
        keys = {"region_name": "ap-northeast-1", "aws_access_key_id": "k", "aws_secret_access_key": "s"}
        self.clients = {name: boto3.client(name, **keys) for name in ("cloudformation", "appsync")}
        self.stubs = {name: Stubber(client) for name, client in self.clients.items()}
        for stub in self.stubs.values():
            stub.activate()

    def __call__(self, service: str) -> Any:
        return self.clients[service]

    def outputs(self, **outputs: str) -> None:
        listed = [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]
        stack = {"StackName": "mesh", "StackStatus": "CREATE_COMPLETE", "CreationTime": WHEN, "Outputs": listed}
        self.stubs["cloudformation"].add_response("describe_stacks", {"Stacks": [stack]}, {"StackName": "mesh"})

    def resources(self, *resources: tuple[str, str], stack: str = "mesh", token: str | None = None) -> None:
        listed = [
            {
                "LogicalResourceId": f"R{number}",
                "PhysicalResourceId": physical,
                "ResourceType": kind,
                "LastUpdatedTimestamp": WHEN,
                "ResourceStatus": "CREATE_COMPLETE",
            }
            for number, (kind, physical) in enumerate(resources)
        ]
        answer: dict[str, Any] = {"StackResourceSummaries": listed}
        asked = {"StackName": stack}
        if token == "first":
            answer["NextToken"] = "more"
        elif token == "second":
            asked["NextToken"] = "more"
        self.stubs["cloudformation"].add_response("list_stack_resources", answer, asked)

    def api(self) -> None:
        uris = {"GRAPHQL": URL, "REALTIME": URL.replace("https", "wss")}
        answer = {"graphqlApi": {"apiId": "abcdefghij", "uris": uris}}
        self.stubs["appsync"].add_response("get_graphql_api", answer, {"apiId": "abcdefghij"})


MESH = (
    ("AWS::AppSync::GraphQLApi", ARN),
    ("AWS::DynamoDB::Table", "MeshV2Table-stg"),
    ("AWS::Lambda::Function", "mesh-leave"),
    ("AWS::Lambda::Function", "mesh-create"),
    ("AWS::IAM::Role", "mesh-role"),
)


def whole(aws: Aws) -> None:
    aws.outputs(GraphQLApiEndpoint=URL)
    aws.resources(*MESH)


def without_outputs(aws: Aws) -> None:
    aws.outputs()
    aws.resources(*MESH)
    aws.api()


def on_two_pages(aws: Aws) -> None:
    aws.outputs(Url=URL)
    aws.resources(*MESH[:2], token="first")
    aws.resources(*MESH[2:], token="second")


def nested(aws: Aws) -> None:
    aws.outputs(Url=URL)
    aws.resources(MESH[0], ("AWS::CloudFormation::Stack", "arn:aws:cloudformation:nested"))
    aws.resources(*MESH[1:], stack="arn:aws:cloudformation:nested")


def with_another_table(aws: Aws) -> None:
    aws.outputs(Url=URL, TableName="MeshV2Table-stg")
    aws.resources(*MESH, ("AWS::DynamoDB::Table", "Audit"))


@pytest.mark.parametrize("stack", [whole, without_outputs, on_two_pages, nested, with_another_table])
def test_a_stack_tells_all_names(stack: Callable[[Aws], None]) -> None:
    aws = Aws()
    stack(aws)
    found = names_of_stack("mesh", aws)
    functions = ("mesh-create", "mesh-leave")
    assert found == StackNames(URL, "abcdefghij", "MeshV2Table-stg", functions)
    for stub in aws.stubs.values():
        stub.assert_no_pending_responses()


def test_two_tables_of_which_no_output_names_one_are_left_to_the_user() -> None:
    aws = Aws()
    aws.outputs(Url=URL)
    aws.resources(*MESH, ("AWS::DynamoDB::Table", "Audit"))
    found = names_of_stack("mesh", aws)
    assert found.table_name is None
    assert found.sentences() == [
        f"GraphQL URL: {URL}",
        "API id: abcdefghij",
        "table: not found; give --table",
        "Lambda functions: mesh-create, mesh-leave",
        "the stack has more than one DynamoDB table: give --table one of Audit, MeshV2Table-stg",
    ]


def test_a_stack_without_any_of_it_says_what_to_give() -> None:
    aws = Aws()
    aws.outputs()
    aws.resources(("AWS::S3::Bucket", "bucket"))
    found = names_of_stack("mesh", aws)
    assert [sentence.partition("; ")[2] for sentence in found.sentences()] == [
        f"give {option}" for option in ("--graphql-url", "--api-id", "--table", "--function")
    ]


@pytest.mark.parametrize(
    ("code", "message", "says"),
    [
        ("ValidationError", "Stack with id mesh does not exist", "DescribeStacks: ValidationError: Stack with id mesh"),
        ("AccessDenied", "not authorized", "the credentials lack the permission cloudformation:DescribeStacks"),
    ],
)
def test_a_stack_that_cannot_be_read_is_a_sentence(code: str, message: str, says: str) -> None:
    aws = Aws()
    aws.stubs["cloudformation"].add_client_error("describe_stacks", code, message, 400)
    with pytest.raises(UserError, match=f"--stack mesh: {says}") as told:
        names_of_stack("mesh", aws)
    assert told.value.exit_code == ExitCode.TARGET_UNREACHABLE


def test_a_missing_permission_for_the_url_costs_the_url_alone() -> None:
    aws = Aws()
    aws.outputs()
    aws.resources(*MESH)
    aws.stubs["appsync"].add_client_error("get_graphql_api", "AccessDeniedException", "no", 403)
    found = names_of_stack("mesh", aws)
    assert (found.graphql_url, found.table_name) == (None, "MeshV2Table-stg")
    assert "the permission appsync:GetGraphqlApi" in found.notes[0]


def test_what_the_user_names_wins_over_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    aws = Aws()
    whole(aws)
    names = resolved(TargetNames("aws", table_name="Mine", stack="mesh"), aws)
    assert names == TargetNames(URL, None, "Mine", "abcdefghij", ("mesh-create", "mesh-leave"))


@pytest.mark.parametrize(
    ("sentence", "given", "says"),
    [
        ("Nothing says which API.", TargetNames("aws"), "add --graphql-url"),
        ("A URL twice is one too many.", TargetNames("http://x/graphql", graphql_url=URL), "go with --target aws"),
        ("A sandbox has no stack.", TargetNames("sandbox", stack="mesh"), "--stack mesh go with --target aws"),
    ],
)
def test_names_that_do_not_go_together(sentence: str, given: TargetNames, says: str) -> None:
    with pytest.raises(UserError, match=says):
        resolved(given, Aws())


def test_a_url_needs_no_aws() -> None:
    given = TargetNames("http://127.0.0.1:1/graphql", table_name="T")
    assert resolved(given, Aws()) == given
