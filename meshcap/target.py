"""Which endpoint a run may load: the embedded sandbox, another endpoint on loopback, or one that the user owns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from capacity.loopback import is_loopback
from capacity.record import Target
from meshcap.errors import UserError

SANDBOX = "sandbox"
_EXAMPLE = "--target http://127.0.0.1:8080/graphql"


def resolve_target(
    url: str,
    *,
    table_name: str | None,
    api_id: str | None,
    region: str,
    owned: bool,
    environment: dict[str, str],
    graphql: bool = True,
    function_names: tuple[str, ...] = (),
) -> Target:
    """Describe the endpoint at `url` as a run's target: AppSync's, or with `graphql` false DynamoDB's own.

    Raises UserError, naming every fault, when the URL is none, when it is not on loopback and not said to be the user's
    own, or when its table or key is missing.
    """
    faults = []
    example = _EXAMPLE if graphql else _EXAMPLE.removesuffix("/graphql")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        what = "a GraphQL endpoint" if graphql else "a DynamoDB endpoint"
        faults.append(f"--target {url!r} is no URL of {what}; write it like {example}")
    elif parts.username is not None or parts.password is not None:
        faults.append(
            "--target holds a user name or password, which every user of this machine could read and run.json would "
            "keep: leave it out; the key of the target is that of MESHCAP_API_KEY"
        )
    elif not is_loopback(url) and not owned:
        faults.append(
            f"--target {parts.hostname} is not on this machine: add --i-own-this-endpoint if it is yours to load, "
            f"or leave out --target for the local sandbox"
        )
    if table_name is None:
        where = "behind the target, like --table MeshV2Table" if graphql else "to load, like --table timelines"
        faults.append(f"--table is missing: name the DynamoDB table {where}")
    if graphql and not environment.get("MESHCAP_API_KEY"):
        faults.append("the environment has no MESHCAP_API_KEY: export the API key of the target")
    endpoint = environment.get("AWS_ENDPOINT_URL")
    if endpoint is None and not graphql and is_loopback(url):
        endpoint = url  # the sandbox has CloudWatch on the same port
    if endpoint is None and parts.hostname and is_loopback(url):
        faults.append(
            "the target is on this machine but the environment has no AWS_ENDPOINT_URL: export the address of its "
            "DynamoDB and CloudWatch, like AWS_ENDPOINT_URL=http://127.0.0.1:8080"
        )
    if faults:
        raise UserError("\n".join(faults))
    assert table_name is not None
    return Target(
        kind="endpoint" if is_loopback(url) else "aws",
        graphql_url=url,
        aws_endpoint_url=endpoint,
        region=region_of(environment, region),
        table_name=table_name,
        api_id=api_id,
        function_names=function_names,
    )


def region_of(environment: Mapping[str, str], otherwise: str) -> str:
    """The region that AWS clients of this environment mean."""
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or otherwise


def aws_environment(endpoint: str, region: str) -> dict[str, str]:
    """The environment in which boto3 talks to a local endpoint: placeholder credentials unless the user has some."""
    environment = dict(os.environ)
    environment["AWS_ENDPOINT_URL"] = endpoint
    environment["AWS_REGION"] = environment["AWS_DEFAULT_REGION"] = region
    environment["AWS_EC2_METADATA_DISABLED"] = "true"
    environment.pop("AWS_PROFILE", None)
    environment["AWS_ACCESS_KEY_ID"] = environment["AWS_SECRET_ACCESS_KEY"] = "sandbox"
    environment.pop("AWS_SESSION_TOKEN", None)
    return environment
