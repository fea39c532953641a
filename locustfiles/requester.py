"""Sends one GraphQL operation and writes it down, with its raw latency and the one from the intended start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from locustfiles.answers import Answer, no_answer, read_answer
from locustfiles.clock import now_s
from locustfiles.operations import body
from locustfiles.parts import PartStream

if TYPE_CHECKING:
    from locust.contrib.fasthttp import FastHttpSession


class Requester:
    """The HTTP side of one node. Many requests may be under way at once, each in its own greenlet."""

    def __init__(self, client: FastHttpSession, api_key: str, requests: PartStream, node: str) -> None:
        self._client = client
        self._headers = {"Content-Type": "application/json", "x-api-key": api_key}
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
        start_s = now_s()
        self.in_flight += 1
        try:
            with self._client.post(
                "", data=request, headers=self._headers, name=operation, catch_response=True
            ) as response:
                content = response.content or b""
                end_s = now_s()
                if response.status_code:
                    answer = read_answer(operation, response.status_code, content)
                else:
                    answer = no_answer(response.error)
                if answer.outcome != "ok":
                    response.failure(f"{answer.error_type}: {answer.error_message}")
        finally:
            self.in_flight -= 1
        headers = response.headers or {}
        tokens = headers.get("x-amzn-appsync-tokensconsumed")
        if intended_s is None:
            intended_s = start_s
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
                len(content),
                _items(answer.data) if items is None else items,
                headers.get("x-amzn-requestid"),
                int(tokens) if tokens else None,
            )
        )
        return answer


def _items(data: Any) -> int | None:
    if isinstance(data, list):
        return len(data)
    if isinstance(data, dict) and "nodeStatuses" in data:
        return len(data["events"]) + len(data["nodeStatuses"])
    return None
