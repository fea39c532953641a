"""DynamoDB's wire protocol: JSON 1.0 over POST /, operation in X-Amz-Target, CRC32 of the body in the answer."""

from __future__ import annotations

import os
from binascii import crc32
from typing import Any

import orjson

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError, serialization
from sandbox.dynamodb.signature import check_signature
from sandbox.http.message import Request, Response

CONTENT_TYPE = "application/x-amz-json-1.0"
TARGETS = {"DynamoDB_20120810": False, "DynamoDBStreams_20120810": True}
"""Target prefix -> whether it is the streams API."""
MOST_BYTES = 16 << 20
_IDS = os.urandom(6).hex().upper()


class DynamoDBApi:
    """Answers HTTP requests out of an engine."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self._run = engine.run
        self._served = 0
        self._secret = engine.config.secret_access_key

    def handle(self, request: Request) -> Response:
        """One request, one answer; an error of any kind is an answer too."""
        try:
            headers = request.headers
            prefix, _, operation = headers.get("x-amz-target", "").partition(".")
            streams = TARGETS.get(prefix)
            if streams is None or request.method != "POST":
                raise DynamoDBError("UnknownOperationException")
            check_signature(request, self._secret, self.engine.clock)
            try:
                body: Any = orjson.loads(request.body)
            except orjson.JSONDecodeError:
                raise DynamoDBError("SerializationException") from None
            if type(body) is not dict:
                raise serialization(
                    "Start of structure or map found where not expected" if body == [] else "Unexpected token"
                )
            return self._respond(200, orjson.dumps(self._run(operation, body, orjson.Fragment, streams)))
        except DynamoDBError as error:
            return self._respond(error.status, orjson.dumps(error.body()))

    def _respond(self, status: int, body: bytes) -> Response:
        self._served = served = self._served + 1
        headers = (
            ("x-amzn-RequestId", f"MESHCAP{_IDS}{served:033d}"),
            ("x-amz-crc32", str(crc32(body))),
        )
        return Response(status, body, CONTENT_TYPE, headers)
