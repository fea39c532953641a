"""Another DynamoDB behind the resolvers: DynamoDB Local, or AWS. Requests pass through in DynamoDB JSON, signed."""

from __future__ import annotations

import socket
from typing import Any

import botocore.session
import orjson
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError
from botocore.httpsession import URLLib3Session

from capacity.loopback import is_loopback
from sandbox.config import SandboxConfigError
from sandbox.dynamodb.errors import DynamoDBError


class RemoteDynamoDB:
    """One endpoint. A call blocks the sandbox while it lasts: this serves checks of the resolvers, not load.

    Credentials are those of the environment or profile; on loopback, where any will do, placeholders stand in.
    """

    def __init__(self, endpoint_url: str, region: str, timeout_s: int = 10) -> None:
        self._url = endpoint_url.rstrip("/") + "/"
        credentials = botocore.session.Session().get_credentials()
        if credentials is None and is_loopback(endpoint_url):
            credentials = Credentials("sandbox", "sandbox")
        if credentials is None:
            raise SandboxConfigError(
                f"no AWS credentials for {endpoint_url}; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                f"AWS_SECRET_ACCESS_KEY"
            )
        self._signer = SigV4Auth(credentials, "dynamodb", region)
        # Header and body are two writes; without this option the second waits 40 ms for the first's acknowledgement.
        no_delay: Any = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]  # the type stubs want text here
        self._http = URLLib3Session(timeout=timeout_s, socket_options=no_delay)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run one operation. Raises DynamoDBError with what the endpoint answered, or that it did not answer."""
        signed = AWSRequest(
            "POST",
            self._url,
            headers={"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0"},
            data=orjson.dumps(request),
        )
        self._signer.add_auth(signed)
        try:
            answer = self._http.send(signed.prepare())
            content = orjson.loads(answer.content)
        except (BotoCoreError, orjson.JSONDecodeError) as fault:
            raise DynamoDBError("InternalServerError", f"no answer from {self._url}: {fault}", 500) from fault
        if answer.status_code < 300:
            return dict(content)
        code = str(content.pop("__type", "InternalServerError")).rpartition("#")[2]
        message = content.pop("message", content.pop("Message", None))
        raise DynamoDBError(code, message, answer.status_code, content)
