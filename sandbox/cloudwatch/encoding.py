"""The three encodings in which clients talk to CloudWatch: smithy-rpc-v2-cbor, JSON 1.0 (or 1.1), the query protocol.

Decoded requests are plain dictionaries named as in the service model; results are the same with `Instant` for times.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import cbor2
import orjson

from sandbox.cloudwatch.errors import CloudWatchError
from sandbox.http.message import Request, Response

_XML_NAMESPACE = "http://monitoring.amazonaws.com/doc/2010-08-01/"
_MAX_BODY_BYTES = 16 * 1024 * 1024
_MAX_QUERY_FIELDS = 200_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Instant(float):
    """Epoch seconds in a result; each encoding has its own form of a time."""


def body_of(request: Request) -> bytes:
    """The body, unpacked when it is gzip (clients compress PutMetricData), never beyond 16 MiB."""
    encoding = request.headers.get("content-encoding", "").lower()
    if encoding in ("", "identity", "aws-chunked"):
        return request.body
    if encoding != "gzip":
        raise CloudWatchError("InvalidContentEncoding", f"Content-Encoding {encoding[:40]!r} is not gzip.", 415)
    unpacker = zlib.decompressobj(wbits=31)
    try:
        body = unpacker.decompress(request.body, _MAX_BODY_BYTES)
    except zlib.error:
        raise malformed("the body is not gzip, as Content-Encoding says") from None
    if unpacker.unconsumed_tail:
        raise CloudWatchError("RequestEntityTooLarge", f"The body unpacks to more than {_MAX_BODY_BYTES} bytes.", 413)
    if not unpacker.eof:
        raise malformed("the gzip body is cut off")
    return body


def malformed(why: str) -> CloudWatchError:
    """A body that cannot be read at all."""
    return CloudWatchError("SerializationException", f"The request cannot be read: {why}.")


class CborProtocol:
    """smithy-rpc-v2-cbor, which current clients try first."""

    content_type = "application/cbor"

    def decode(self, body: bytes) -> Mapping[str, Any]:
        """The request of a CBOR body."""
        if not body:
            return {}
        try:
            decoded = cbor2.loads(body)
        except (cbor2.CBORError, ValueError, OverflowError, TypeError, RecursionError, MemoryError):
            raise malformed("the body is not CBOR") from None
        if not isinstance(decoded, Mapping):
            raise malformed("the body is not a map")
        return decoded

    def encode(self, operation: str, result: Mapping[str, Any], request_id: str) -> Response:
        """The answer of a result."""
        return self._answer(200, result, request_id)

    def error(self, error: CloudWatchError, request_id: str) -> Response:
        """The answer of an error."""
        body = {"__type": f"com.amazonaws.cloudwatch#{error.shape}", "message": error.message}
        return self._answer(error.status, body, request_id, ("x-amzn-query-error", f"{error.code};{error.fault}"))

    def _answer(self, status: int, body: Mapping[str, Any], request_id: str, *more: tuple[str, str]) -> Response:
        headers = (("x-amzn-RequestId", request_id), ("smithy-protocol", "rpc-v2-cbor"), *more)
        return Response(status, cbor2.dumps(_cbor(body)), self.content_type, headers)


def _cbor(value: Any) -> Any:
    if isinstance(value, Instant):
        return cbor2.CBORTag(1, float(value))
    if isinstance(value, Mapping):
        return {name: _cbor(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cbor(each) for each in value]
    return value


class JsonProtocol:
    """AWS JSON, version 1.0 or 1.1 as the client asks."""

    def __init__(self, content_type: str) -> None:
        self.content_type = content_type

    def decode(self, body: bytes) -> Mapping[str, Any]:
        """The request of a JSON body."""
        try:
            decoded = orjson.loads(body or b"{}")
        except orjson.JSONDecodeError:
            raise malformed("the body is not JSON") from None
        if not isinstance(decoded, Mapping):
            raise malformed("the body is not an object")
        return decoded

    def encode(self, operation: str, result: Mapping[str, Any], request_id: str) -> Response:
        """The answer of a result."""
        body = orjson.dumps(result, default=float, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
        return Response(200, body, self.content_type, (("x-amzn-RequestId", request_id),))

    def error(self, error: CloudWatchError, request_id: str) -> Response:
        """The answer of an error."""
        body = orjson.dumps({"__type": f"com.amazonaws.cloudwatch#{error.shape}", "message": error.message})
        headers = (("x-amzn-RequestId", request_id), ("x-amzn-query-error", f"{error.code};{error.fault}"))
        return Response(error.status, body, self.content_type, headers)


class QueryProtocol:
    """Form fields in, XML out: what older clients speak."""

    content_type = "text/xml"

    def decode(self, body: bytes) -> dict[str, Any]:
        """The request of a form body: `A.member.1.B=x` becomes {"A": [{"B": "x"}]}."""
        try:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MAX_QUERY_FIELDS)
        except ValueError:
            raise malformed("the body is not a form, or has too many fields") from None
        tree: dict[str, Any] = {}
        for name, value in pairs:
            steps = name.split(".")
            if len(steps) > 16:
                raise malformed(f"the field {name[:60]} is nested too deeply")
            node = tree
            for step in steps[:-1]:
                below = node.setdefault(step, {})
                if not isinstance(below, dict):
                    raise malformed(f"the field {name[:60]} is given both as a value and as a structure")
                node = below
            if isinstance(node.get(steps[-1]), dict):
                raise malformed(f"the field {name[:60]} is given both as a value and as a structure")
            node[steps[-1]] = value
        decoded = _lists(tree)
        return decoded if isinstance(decoded, dict) else {}

    def encode(self, operation: str, result: Mapping[str, Any], request_id: str) -> Response:
        """The answer of a result."""
        inner = f"<{operation}Result>{_xml(result)}</{operation}Result>" if result else ""
        text = (
            f'<{operation}Response xmlns="{_XML_NAMESPACE}">{inner}'
            f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{operation}Response>"
        )
        return Response(200, text.encode(), self.content_type, (("x-amzn-RequestId", request_id),))

    def error(self, error: CloudWatchError, request_id: str) -> Response:
        """The answer of an error."""
        text = (
            f'<ErrorResponse xmlns="{_XML_NAMESPACE}"><Error><Type>{error.fault}</Type><Code>{error.code}</Code>'
            f"<Message>{_escaped(error.message)}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>"
        )
        return Response(
            error.status, text.encode("utf-8", "replace"), self.content_type, (("x-amzn-RequestId", request_id),)
        )


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    member = node.get("member")
    if len(node) == 1 and isinstance(member, dict) and all(key.isdecimal() for key in member):
        return [_lists(member[key]) for key in sorted(member, key=_place)]
    return {name: _lists(below) for name, below in node.items()}


def _place(key: str) -> tuple[int, str]:
    return len(key), key


def _xml(value: Any, name: str | None = None) -> str:
    if isinstance(value, Mapping):
        # The one map of the model, ExtendedStatistics, is a list of entries in XML.
        if name == "ExtendedStatistics":
            return "".join(
                f"<entry><key>{_escaped(key)}</key><value>{each!r}</value></entry>" for key, each in value.items()
            )
        return "".join(f"<{key}>{_xml(each, key)}</{key}>" for key, each in value.items())
    if isinstance(value, list):
        return "".join(f"<member>{_xml(each)}</member>" for each in value)
    if isinstance(value, Instant):
        at = datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")
        return at.replace("+00:00", "Z")
    if isinstance(value, float):
        return repr(value)
    return _escaped(str(value))


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub("?", text))
