"""The names that a run needs, taken from a CloudFormation stack: GraphQL URL, API id, table and Lambda functions.

Needs `cloudformation:DescribeStacks` and `cloudformation:ListStackResources`, and `appsync:GetGraphqlApi` where no
output of the stack holds the URL. Shapes of the answers: API references of CloudFormation and AppSync, read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import botocore.exceptions as boto_faults
from botocore.config import Config

from capacity.exit_codes import ExitCode
from meshcap.errors import UserError

_API, _TABLE, _FUNCTION, _STACK = (
    "AWS::AppSync::GraphQLApi",
    "AWS::DynamoDB::Table",
    "AWS::Lambda::Function",
    "AWS::CloudFormation::Stack",
)
_GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"
_GRAPHQL_URL = re.compile(r"https?://\S+/graphql/?")
MAX_NESTED = 50
"""Stacks within a stack that are looked into, at most."""

Client = Callable[[str], Any]


@dataclass
class StackNames:
    """What a stack tells. None: not found, or more than one and no output says which; `notes` say so."""

    graphql_url: str | None = None
    api_id: str | None = None
    table_name: str | None = None
    function_names: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """What was found and what was not, for a person."""
        named = {
            "GraphQL URL": (self.graphql_url, "--graphql-url"),
            "API id": (self.api_id, "--api-id"),
            "table": (self.table_name, "--table"),
            "Lambda functions": (", ".join(self.function_names) or None, "--function"),
        }
        said = [f"{what}: {name if name else f'not found; give {option}'}" for what, (name, option) in named.items()]
        return [*said, *self.notes]


def aws_client(region: str) -> Client:
    """Makes boto3 clients of a region that give up soon; AWS_ENDPOINT_URL_* hold as always."""
    config = Config(connect_timeout=5, read_timeout=20, retries={"total_max_attempts": 3})
    return lambda service: boto3.client(service, region_name=region, config=config)


def names_of_stack(stack: str, client: Client) -> StackNames:
    """Look a stack up. Raises UserError when it is not there, or a permission is missing, which is named."""
    try:
        cloudformation = client("cloudformation")
        outputs = _outputs(cloudformation, stack)
        resources = list(_resources(cloudformation, stack))
    except (boto_faults.ClientError, boto_faults.BotoCoreError) as fault:
        raise UserError(f"--stack {stack}: {explained(fault, 'cloudformation')}", ExitCode.TARGET_UNREACHABLE) from None
    found = StackNames()
    api = _only(found, "AppSync API", [each for kind, each in resources if kind == _API], outputs, "--api-id")
    found.api_id = None if api is None else api.rpartition("/")[2]
    tables = [each for kind, each in resources if kind in (_TABLE, _GLOBAL_TABLE)]
    found.table_name = _only(found, "DynamoDB table", tables, outputs, "--table")
    found.function_names = tuple(sorted(each for kind, each in resources if kind == _FUNCTION))
    found.graphql_url = _url(found, outputs, client)
    return found


def _outputs(cloudformation: Any, stack: str) -> list[str]:
    [described] = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    return [each["OutputValue"] for each in described.get("Outputs", [])]


def _resources(cloudformation: Any, stack: str) -> Iterator[tuple[str, str]]:
    """Type and physical id of everything in a stack and the stacks within it."""
    waiting, seen = [stack], 0
    while waiting and seen <= MAX_NESTED:
        seen += 1
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=waiting.pop())
        for each in (each for page in pages for each in page["StackResourceSummaries"]):
            physical = each.get("PhysicalResourceId")
            if not physical or each["ResourceStatus"].startswith("DELETE_COMPLETE"):
                continue
            if each["ResourceType"] == _STACK:
                waiting.append(physical)
            else:
                yield each["ResourceType"], physical


def _only(found: StackNames, what: str, candidates: list[str], outputs: list[str], option: str) -> str | None:
    """The one candidate, or the one of several that an output of the stack names."""
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    named = [each for each in candidates if each in outputs or each.rpartition("/")[2] in outputs]
    if len(named) == 1:
        return named[0]
    names = ", ".join(sorted(each.rpartition("/")[2] for each in candidates))
    found.notes.append(f"the stack has more than one {what}: give {option} one of {names}")
    return None


def _url(found: StackNames, outputs: list[str], client: Client) -> str | None:
    urls = sorted({each for each in outputs if _GRAPHQL_URL.fullmatch(each)})
    if len(urls) == 1:
        return urls[0]
    if found.api_id is None:
        return None
    try:
        uris: dict[str, str] = client("appsync").get_graphql_api(apiId=found.api_id)["graphqlApi"]["uris"]
    except (boto_faults.ClientError, boto_faults.BotoCoreError, KeyError) as fault:
        found.notes.append(f"the URL of API {found.api_id} is not known: {explained(fault, 'appsync')}")
        return None
    return uris.get("GRAPHQL")


def explained(fault: Exception, service: str) -> str:
    """What a fault of boto3 means for its user; a missing permission is named."""
    if isinstance(fault, boto_faults.NoCredentialsError):
        return "no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret"
    if isinstance(fault, boto_faults.ClientError):
        error = fault.response["Error"]
        if error["Code"] in ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation"):
            return f"the credentials lack the permission {service}:{fault.operation_name} ({error['Message']})"
        return f"{fault.operation_name}: {error['Code']}: {error['Message']}"
    return str(fault) or type(fault).__name__
