"""`nextToken`: opaque, sealed, and good only for the request that issued it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Any

import orjson

_SEAL_BYTES = 16


class PagingTokens:
    """Seals a LastEvaluatedKey together with what was read; another query's token does not open."""

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or secrets.token_bytes(32)

    def seal(self, last_key: dict[str, Any], operation: str, call: dict[str, Any]) -> str:
        content = orjson.dumps(last_key)
        return base64.urlsafe_b64encode(self._seal(content, operation, call) + content).decode()

    def open(self, token: Any, operation: str, call: dict[str, Any]) -> dict[str, Any] | None:
        """The key to go on from; None when the token is not one of this request's."""
        try:
            raw = base64.urlsafe_b64decode(str(token).encode("ascii"))
        except (binascii.Error, ValueError):
            return None
        seal, content = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(content, operation, call)):
            return None
        key: dict[str, Any] = orjson.loads(content)
        return key

    def _seal(self, content: bytes, operation: str, call: dict[str, Any]) -> bytes:
        read = [
            operation,
            call["TableName"],
            call.get("IndexName"),
            call.get("KeyConditionExpression"),
            call.get("Segment"),
        ]
        return hmac.new(self._secret, orjson.dumps(read) + content, hashlib.sha256).digest()[:_SEAL_BYTES]
