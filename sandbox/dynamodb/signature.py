"""AWS Signature Version 4: any well-formed signature is accepted, and checked when the secret is known."""

from __future__ import annotations

import datetime
import hashlib
import hmac
from collections.abc import Callable
from urllib.parse import parse_qsl, quote

from sandbox.dynamodb.errors import DynamoDBError
from sandbox.http.message import Request

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW_S = 900.0
"""A signature is good for 15 minutes around its date (Signature Version 4 reference)."""


def check_signature(request: Request, secret: str | None, clock: Callable[[], float]) -> None:
    """Raise DynamoDB's error for a request without signature, or, where the secret is known, with a false one."""
    header = request.headers.get("authorization")
    if header is None:
        if "X-Amz-Signature" in request.query and secret is None:
            return
        raise DynamoDBError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    if not header.startswith("AWS4-"):
        raise DynamoDBError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    if secret is not None:
        _verify(request, header, secret, clock())


def _verify(request: Request, header: str, secret: str, now_s: float) -> None:
    fields = dict(
        part.strip().partition("=")[::2]
        for part in header.partition(" ")[2].replace(" ", ",").split(",")
        if part.strip()
    )
    missing = "".join(
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not fields.get(name)
    )
    date = request.headers.get("x-amz-date", "")
    if not date:
        missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
    if missing:
        raise DynamoDBError("IncompleteSignatureException", f"{missing}Authorization={header}")
    scope = fields["Credential"].split("/")
    if len(scope) != 5:
        raise DynamoDBError(
            "IncompleteSignatureException",
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{fields['Credential']}'",
        )
    _check_date(date, now_s)
    names = fields["SignedHeaders"].split(";")
    canonical = "\n".join(
        (
            request.method,
            request.path or "/",
            "&".join(
                sorted(
                    f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}"
                    for name, value in parse_qsl(request.query, keep_blank_values=True)
                )
            ),
            *(f"{name}:{' '.join(request.headers.get(name, '').split())}" for name in names),
            "",
            fields["SignedHeaders"],
            hashlib.sha256(request.body).hexdigest(),
        )
    )
    to_sign = "\n".join((ALGORITHM, date, "/".join(scope[1:]), hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in scope[1:]:
        key = hmac.digest(key, part.encode(), "sha256")
    expected = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, fields["Signature"]):
        raise DynamoDBError(
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
        )


def _check_date(date: str, now_s: float) -> None:
    try:
        moment = datetime.datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        raise DynamoDBError(
            "IncompleteSignatureException",
            f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601",
        ) from None
    if abs(moment.timestamp() - now_s) > SKEW_S:
        raise DynamoDBError(
            "InvalidSignatureException", f"Signature expired: {date} is more than 15 minutes away from now"
        )
