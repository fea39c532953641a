"""The API key of a WebSocket client: in its handshake, in one of three forms, and again in every start message."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import parse_qs

import orjson

from sandbox.http.message import Request

_SUBPROTOCOL = "header-"


def connect_key(request: Request) -> Any:
    """The API key of a handshake, from whichever of the three forms the client uses.

    Raises ValueError for authorisation that cannot be read.
    """
    encoded = parse_qs(request.query).get("header", [None])[0] if request.query else None
    if encoded is None:
        for offered in request.headers.get("sec-websocket-protocol", "").split(","):
            name = offered.strip()
            if name.startswith(_SUBPROTOCOL):
                encoded = name[len(_SUBPROTOCOL) :]
    if encoded is None:
        return request.headers.get("x-api-key")
    text = encoded.replace("-", "+").replace("_", "/").replace(" ", "+")
    try:
        header = orjson.loads(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
    except (binascii.Error, orjson.JSONDecodeError, ValueError):
        raise ValueError("The connection's header is not base64-encoded JSON.") from None
    return _key_of(header)


def start_key(payload: Any) -> Any:
    """The API key of a start message's payload; None without one."""
    extensions = payload.get("extensions") if isinstance(payload, dict) else None
    return _key_of(extensions.get("authorization") if isinstance(extensions, dict) else None)


def _key_of(header: Any) -> Any:
    if not isinstance(header, dict):
        return None
    return next((value for name, value in header.items() if name.lower() == "x-api-key"), None)
