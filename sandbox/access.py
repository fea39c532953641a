"""Who may use a sandbox that other machines can reach: whoever holds its API key, on every protocol.

AppSync checks the key itself. AWS requests must be signed with the key as secret access key; pages for people ask for
it as the password of HTTP basic authentication, or in the header x-api-key.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable

import orjson

from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.signature import check_signature
from sandbox.http.message import Request, Response

_ASK = (("WWW-Authenticate", 'Basic realm="meshcap sandbox, password: the API key"'),)
Check = Callable[[Request], Response | None]


class KeyHolders:
    """Checks requests against the API keys; each check gives None, or the response that refuses."""

    def __init__(self, api_keys: tuple[str, ...], clock: Callable[[], float]) -> None:
        self._api_keys = api_keys
        self._clock = clock

    def aws_request(self, request: Request) -> Response | None:
        """A request to DynamoDB or CloudWatch, signed by Signature Version 4."""
        refusal = DynamoDBError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
        for key in self._api_keys:
            try:
                check_signature(request, key, self._clock)
            except DynamoDBError as error:
                refusal = error
            else:
                return None
        return Response(refusal.status, orjson.dumps(refusal.body()), "application/x-amz-json-1.0")

    def page(self, request: Request) -> Response | None:
        """A page for people."""
        given = request.headers.get("x-api-key") or _password(request.headers.get("authorization", ""))
        if any(hmac.compare_digest(given.encode(), key.encode()) for key in self._api_keys):
            return None
        return Response(401, b'{"message":"Unauthorized"}', headers=_ASK)


def _password(authorization: str) -> str:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded).decode(errors="replace").partition(":")[2]
    except (binascii.Error, ValueError):
        return ""
