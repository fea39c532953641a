"""What a client needs to know to use a sandbox: its line of `--json`, and the answer of /_sandbox/info."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class SandboxInfo(BaseModel):
    """`meshcap sandbox --json` prints this in one line when it listens. API keys are not told."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    schema_version: Literal[1] = 1
    url: str
    """DynamoDB and CloudWatch, as AWS_ENDPOINT_URL takes it."""
    graphql_url: str
    realtime_url: str
    ca_bundle: str | None
    """The certificate to trust, with --tls."""
    table_name: str
    layout: str
    region: str
    account_id: str
    api_id: str
    function_name: str
    """The Lambda function that CloudWatch has figures of."""
    world: str
    """How throughput behaves: off, static, adaptive or on_demand."""
    dynamodb_endpoint: str | None
    """Another DynamoDB that the resolvers use."""
    metric_resolution_s: float
    """Seconds of a CloudWatch period."""
    settings: dict[str, str]
    """What the Lambda environment of Mesh v2 would hold."""
    seed: int
