"""The options of a locustfile that runs a scenario, each with the variable by which `meshcap run` sets it."""

from __future__ import annotations

from typing import Any


def add_scenario_options(parser: Any, scenario: str) -> None:
    """Add them to Locust's parser; `scenario` is the one that is run unless another is named."""
    add = parser.add_argument
    add("--scenarios", env_var="MESHCAP_SCENARIOS", default="scenarios.yaml", help="scenario file")
    add("--scenario", env_var="MESHCAP_SCENARIO", default=scenario, help="scenario to run")
    add("--run-dir", env_var="MESHCAP_RUN_DIR", default="", help="folder of the run; runs/<run id> unless given")
    add(
        "--i-own-this-endpoint",
        env_var="MESHCAP_I_OWN_THIS_ENDPOINT",
        action="store_true",
        help="allow a target that is not on this machine",
    )
    add(
        "--max-usd",
        env_var="MESHCAP_MAX_USD",
        type=float,
        default=None,
        help="end the run when what was sent has cost more, in US dollars",
    )
    add(
        "--abort",
        env_var="MESHCAP_ABORT",
        default="",
        help="thresholds that end the run when broken, separated by semicolons, like 'errors.rate < 50%%'",
    )
    add(
        "--metrics-port",
        env_var="MESHCAP_METRICS_PORT",
        type=int,
        default=None,
        help="serve the live metrics to Prometheus at this port, /metrics",
    )
    add("--metrics-host", env_var="MESHCAP_METRICS_HOST", default="127.0.0.1", help="address of --metrics-port")
