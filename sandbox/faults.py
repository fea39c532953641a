"""Faults switched on in a running sandbox, so that whole runs can be tried against them: POST /_sandbox/faults.

The body is a JSON object: `cloudwatch` holds fields of CloudWatchFaults (those left out are off), `cut_websockets` a
share of the open WebSockets to cut at once. The API key is needed, in the header x-api-key, so no web page can do it.
"""

from __future__ import annotations

import hmac
import random
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

import orjson

from sandbox.cloudwatch.api import CloudWatchApi
from sandbox.cloudwatch.faults import NO_FAULTS, CloudWatchFaults
from sandbox.http.message import Request, Response
from sandbox.http.websocket import WebSocketProtocol

_EXAMPLE = '{"cloudwatch": {"late_points_s": 30, "throttled_calls": 3}, "cut_websockets": 0.5}'


class FaultSwitch:
    """websockets: gives the open ones; seed: which of them are cut."""

    def __init__(
        self,
        cloudwatch: CloudWatchApi,
        websockets: Callable[[], set[WebSocketProtocol]],
        api_keys: tuple[str, ...],
        seed: int,
    ) -> None:
        self._cloudwatch = cloudwatch
        self._websockets = websockets
        self._api_keys = api_keys
        self._dice = random.Random(seed)

    def handle(self, request: Request) -> Response:
        """Switch faults; answers what is on now, and how many WebSockets were cut."""
        given = request.headers.get("x-api-key", "")
        if not any(hmac.compare_digest(given.encode(), key.encode()) for key in self._api_keys):
            return Response(401, b'{"message":"the API key is needed, in the header x-api-key"}')
        try:
            wanted = orjson.loads(request.body)
            if not isinstance(wanted, dict) or not wanted.keys() <= {"cloudwatch", "cut_websockets"}:
                raise ValueError("an object with cloudwatch, cut_websockets or both is expected")
            cloudwatch = _cloudwatch_faults(wanted["cloudwatch"]) if "cloudwatch" in wanted else None
            share = wanted.get("cut_websockets", 0)
            if not isinstance(share, int | float) or not 0 <= share <= 1:
                raise ValueError(f"cut_websockets is {share!r}, a share from 0 to 1 is expected")
        except ValueError as fault:
            return Response(400, orjson.dumps({"message": f"{fault}; example: {_EXAMPLE}"}))
        if cloudwatch is not None:
            self._cloudwatch.switch(cloudwatch)
        cut = self._cut(share)
        return Response(200, orjson.dumps({"cloudwatch": asdict(self._cloudwatch.faults), "cut_websockets": cut}))

    def _cut(self, share: float) -> int:
        websockets = list(self._websockets())
        chosen = self._dice.sample(websockets, round(share * len(websockets)))
        for websocket in chosen:
            websocket.abort()
        return len(chosen)


def _cloudwatch_faults(given: Any) -> CloudWatchFaults:
    kinds = {each.name: type(getattr(NO_FAULTS, each.name)) for each in fields(CloudWatchFaults)}
    if not isinstance(given, dict) or not given.keys() <= kinds.keys():
        raise ValueError(f"cloudwatch is an object with some of {', '.join(kinds)}")
    for name, value in given.items():
        kind = kinds[name]
        fits = isinstance(value, bool) if kind is bool else isinstance(value, int | float) and value >= 0
        if not fits or isinstance(value, bool) is not (kind is bool):
            raise ValueError(
                f"cloudwatch.{name} is {value!r}, {'true or false' if kind is bool else '0 or more'} is expected"
            )
    return CloudWatchFaults(**{name: kinds[name](value) for name, value in given.items()})
