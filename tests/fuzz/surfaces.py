"""Every surface that takes input from outside, as a strategy of inputs and a check of what was promised.

A check returns what became of the input, "read" or "refused", and raises on a broken promise: any exception that is not
the surface's own, an answer of 500, an input that takes too long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.fuzz import (
    dynamodb_requests,
    graphql_requests,
    metric_files,
    realtime_messages,
    run_files,
    user_files,
    wire_bytes,
)

MOST_S = 5.0
"""Seconds of CPU; no single input may take more."""


@dataclass(frozen=True)
class Surface:
    """One way in. `inputs` is called when needed, for some need files of a made-up run."""

    promise: str
    inputs: Callable[[], st.SearchStrategy[Any]]
    answer: Callable[[Any], str]

    def check(self, given: Any) -> str:
        """What became of an input."""
        started_s = time.process_time()
        outcome = self.answer(given)
        assert time.process_time() - started_s < MOST_S, "too slow"
        return outcome


SURFACES: dict[str, Surface] = {
    "scenario file": Surface(
        "read, or every fault with its line", user_files.scenario_files, user_files.read_scenarios
    ),
    "threshold": Surface("read, or a sentence with an example", user_files.thresholds, user_files.read_threshold),
    "table template": Surface("read, or every fault with its line", user_files.templates, user_files.read_template),
    "AWS price list": Surface("read, or refused whole", user_files.price_offers, user_files.read_offers),
    "price file": Surface("read, or refused whole", user_files.price_files, user_files.read_price_file),
    "saved CloudWatch data": Surface("read, or every fault of every file", metric_files.contents, metric_files.read),
    "run directory": Surface(
        "read, left out by name, or refused with the folder named",
        run_files.run_directories,
        run_files.read_run_directory,
    ),
    "part of a killed process": Surface("every whole batch is read", run_files.parts, run_files.read_part),
    "GraphQL request": Surface("200, 400 or 413, in JSON", graphql_requests.bodies, graphql_requests.ask),
    "real-time conversation": Surface(
        "answered, ignored or closed; nothing stays", realtime_messages.conversations, realtime_messages.talk
    ),
    "DynamoDB request": Surface("200 or 400, in JSON", dynamodb_requests.calls, dynamodb_requests.ask),
    "CloudWatch request": Surface(
        "a result or a refusal, in its encoding", wire_bytes.cloudwatch_requests, wire_bytes.ask_cloudwatch
    ),
    "HTTP bytes": Surface("valid HTTP, the same however they are cut", wire_bytes.http_bytes, wire_bytes.send_http),
    "WebSocket frames": Surface(
        "valid frames; a handler sees text alone", wire_bytes.websocket_frames, wire_bytes.send_frames
    ),
}
