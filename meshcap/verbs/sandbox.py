"""`meshcap sandbox`: serve DynamoDB, AppSync with Mesh v2, and CloudWatch on one local port."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meshcap.console import data, say
from meshcap.errors import UserError
from meshcap.options import SCENARIOS, AsJson, ScenarioFile
from meshcap.sandbox_behaviour import FURTHER_KEYS, behaviour, further_api_keys

if TYPE_CHECKING:
    from sandbox.info import SandboxInfo


def command(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8080,
    scenario: Annotated[
        str | None, typer.Option(help="Take layout, settings, billing, world and region from this scenario.")
    ] = None,
    file: ScenarioFile = SCENARIOS,
    layout: Annotated[str | None, typer.Option(help="Table layout: deployed, phase1 or architecture.")] = None,
    table: Annotated[str | None, typer.Option(help="Name of the Mesh table.")] = None,
    dynamodb_endpoint: Annotated[
        str | None, typer.Option(help="Another DynamoDB for the resolvers, such as http://127.0.0.1:8000.")
    ] = None,
    metric_period: Annotated[
        int | None, typer.Option(help="Seconds of a CloudWatch period; AWS has 60, the sandbox 10.")
    ] = None,
    quotas: Annotated[
        bool, typer.Option("--quotas", help="Enforce AWS's default AppSync and Lambda quotas of the region.")
    ] = False,
    latency: Annotated[
        str | None, typer.Option(help="Delay of AppSync's answers: median and 99th percentile, such as 20ms,120ms.")
    ] = None,
    lambda_latency: Annotated[
        str | None, typer.Option(help="Run time of the Lambda function, likewise: 15ms,90ms.")
    ] = None,
    cold_start: Annotated[
        str | None, typer.Option(help="What a Lambda execution takes longer in a new environment: 300ms,900ms.")
    ] = None,
    tls: Annotated[
        bool, typer.Option("--tls", help="Serve https and wss, with a certificate of the sandbox's own making.")
    ] = False,
    tls_certificate: Annotated[Path | None, typer.Option(help="A PEM certificate of your own, with --tls.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its PEM key.")] = None,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Permit a host beyond this machine; needs a key of your own.")
    ] = False,
    as_json: AsJson = False,
    until_stdin_closes: Annotated[bool, typer.Option("--until-stdin-closes", hidden=True)] = False,
) -> None:
    """Serve a local stand-in for AWS until Ctrl-C. The API key is that of MESHCAP_API_KEY, or the default one.

    MESHCAP_FURTHER_API_KEYS has more, with their expiry if they have one: da2-two@2026-12-31T00:00:00Z,da2-three.
    """
    from capacity.scenario import load_scenario
    from sandbox.config import DEFAULT_API_KEY, SandboxConfig, SandboxConfigError
    from sandbox.server import Sandbox, run

    further, expires_s = further_api_keys(os.environ.get(FURTHER_KEYS, ""))
    given: dict[str, Any] = {
        "host": host,
        "port": port,
        "allow_remote": allow_remote,
        "layout": layout,
        "table_name": table,
        "dynamodb_endpoint": dynamodb_endpoint,
        "metric_resolution_s": metric_period,
        "tls": tls or None,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        "api_keys": (os.environ.get("MESHCAP_API_KEY") or DEFAULT_API_KEY, *further),
        "api_key_expires_s": expires_s,
    }
    given = {name: value for name, value in given.items() if value is not None}
    try:
        if scenario is None:
            config = SandboxConfig(**given)
        else:
            config = SandboxConfig.of_scenario(load_scenario(file, scenario), **given)
        delays = {"--latency": latency, "--lambda-latency": lambda_latency, "--cold-start": cold_start}
        config = replace(config, behaviour=behaviour(config.region, quotas, delays))
    except SandboxConfigError as fault:
        raise UserError(str(fault)) from None

    def ready(sandbox: Sandbox) -> None:
        if as_json:
            data(sandbox.info().model_dump_json())
        else:
            _introduce(sandbox.info())
            imitated = [f"{option} {text}" for option, text in delays.items() if text is not None]
            if quotas or imitated:
                say(f"Imitated: {', '.join(['--quotas'] * quotas + imitated)}.")

    try:
        run(config, ready, until_stdin_closes)
    except SandboxConfigError as fault:
        raise UserError(str(fault)) from None
    except OSError as fault:
        raise UserError(f"cannot listen on {host}:{port} ({fault.strerror}); --port 0 takes a free one") from None


def _introduce(info: SandboxInfo) -> None:
    url = info.url
    say(f"Serving table {info.table_name} ({info.layout}, {info.world}). Ctrl-C stops it. In another shell:")
    if info.ca_bundle:
        data(f"export AWS_CA_BUNDLE={info.ca_bundle} SSL_CERT_FILE={info.ca_bundle}")  # of boto3, and of Python
    data(f"export AWS_ENDPOINT_URL={url} AWS_ACCESS_KEY_ID=sandbox AWS_SECRET_ACCESS_KEY=sandbox")
    data(f"export AWS_REGION={info.region} AWS_DEFAULT_REGION={info.region}")  # boto3 reads the second one alone
    if not os.environ.get("MESHCAP_API_KEY"):
        from sandbox.config import DEFAULT_API_KEY

        data(f"export MESHCAP_API_KEY={DEFAULT_API_KEY}")
    data(f"meshcap run smoke --target {info.graphql_url} --table {info.table_name} --api-id {info.api_id}")
