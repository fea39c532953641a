"""Sends one GraphQL operation and writes it down, with its raw latency and the one from the intended start."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from locustfiles.network.http_client import HttpAnswer, HttpClient
from locustfiles.nodes.answers import Answer, no_answer, read_answer
from locustfiles.nodes.operations import body
from locustfiles.running.clock import now_s
from locustfiles.running.parts import PartStream

_COUNT = re.compile(r"[0-9]{1,9}")


class RefusedRequest(Exception):
    """What Locust's statistics show of a request that was refused or failed."""


class Requester:
    """The HTTP side of one node. Many requests may be under way at once, each in its own greenlet.

    `fire` is Locust's request event: its statistics show the raw latency.
    """

    def __init__(
        self, http: HttpClient, fire: Callable[..., None], requests: PartStream, notes: Counter[str], node: str
    ) -> None:
        self._http = http
        self._fire = fire
        self._notes = notes
        self._requests = requests
        self._node = node
        self.domain: str | None = None
        self.group: str | None = None
        self.in_flight = 0

    def send(
        self, operation: str, variables: dict[str, Any], intended_s: float | None = None, items: int | None = None
    ) -> Answer:
        """Send and wait for the answer. `intended_s` is when the plan wanted it, by default now.

        `items` counts the variables or events sent; for a read it is taken from the answer.
        """
        request = body(operation, variables)
        self.in_flight += 1
        start_s = now_s()
        http: HttpAnswer | None = None
        try:
            http = self._http.post(request)
            end_s = http.received_s
            answer = read_answer(operation, http.status, http.content)
        except OSError as fault:
            end_s = now_s()
            answer = no_answer(fault)
        finally:
            self.in_flight -= 1
        if intended_s is None:
            intended_s = start_s
        response_bytes = len(http.content) if http else 0
        tokens = http.header(b"x-amzn-appsync-tokensconsumed") if http else None
        self._requests.append(
            (
                operation,
                self._node,
                self.domain,
                self.group,
                intended_s,
                start_s,
                (end_s - start_s) * 1000,
                (end_s - intended_s) * 1000,
                answer.outcome,
                answer.error_type,
                answer.error_message,
                len(request),
                response_bytes,
                _items(answer.data) if items is None else items,
                http.header(b"x-amzn-requestid") if http else None,
                int(tokens) if tokens and _COUNT.fullmatch(tokens) else None,
            )
        )
        exception = None
        if answer.outcome != "ok":
            exception = RefusedRequest(f"{answer.error_type}: {answer.error_message}")
            self._notes[f"{operation} {answer.outcome}, {answer.error_type}"] += 1
        self._fire(
            request_type="POST",
            name=operation,
            response_time=(end_s - start_s) * 1000,
            response_length=response_bytes,
            exception=exception,
            context={},
        )
        return answer


def _items(data: Any) -> int | None:
    if isinstance(data, list):
        return len(data)
    if isinstance(data, dict) and "nodeStatuses" in data:
        return len(data.get("events") or ()) + len(data["nodeStatuses"] or ())
    return None
