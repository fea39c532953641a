"""What a user named of a target, on the command line or by a stack: URL, table, API id and functions."""

from __future__ import annotations

from dataclasses import dataclass

from meshcap.console import say
from meshcap.errors import UserError
from meshcap.stack import Client, StackNames, names_of_stack

AWS = "aws"


@dataclass(frozen=True)
class TargetNames:
    """The names as given; None and empty where nothing was."""

    url: str
    """A URL, `sandbox`, or `aws` with the URL in `graphql_url` or `stack`."""
    graphql_url: str | None = None
    table_name: str | None = None
    api_id: str | None = None
    function_names: tuple[str, ...] = ()
    stack: str | None = None


def resolved(given: TargetNames, client: Client) -> TargetNames:
    """The names with those of the stack in place of what was not given; tells what the stack had and had not.

    Raises UserError when `--target` and the other options do not go together, or no URL is known.
    """
    if given.url != AWS:
        said = [f"--graphql-url {given.graphql_url}"] if given.graphql_url else []
        said += [f"--stack {given.stack}"] if given.stack else []
        if said:
            raise UserError(f"{' and '.join(said)} go with --target {AWS}, not with --target {given.url}")
        return given
    found = StackNames() if given.stack is None else names_of_stack(given.stack, client)
    names = TargetNames(
        url=given.graphql_url or found.graphql_url or AWS,
        table_name=given.table_name or found.table_name,
        api_id=given.api_id or found.api_id,
        function_names=given.function_names or found.function_names,
    )
    if given.stack is not None:
        say(f"Stack {given.stack}:")
        for sentence in found.sentences():
            say(f"  {sentence}")
    if names.url == AWS:
        raise UserError(
            "--target aws does not say which API: add --graphql-url https://....appsync-api.ap-northeast-1.amazonaws.com/"
            "graphql, or --stack NAME of a CloudFormation stack that holds it"
        )
    return names
