"""What a start message asks for: its key is checked, its document validated, its arguments bound."""

from __future__ import annotations

from typing import Any

import orjson
from graphql import GraphQLError

from sandbox.appsync.api_keys import ApiKeys, Unauthorized
from sandbox.appsync.graphql.documents import Documents, InvalidDocument, MalformedDocument, SubscriptionStatement
from sandbox.appsync.graphql.subscription import SubscriptionSelection
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.realtime_auth import start_key
from sandbox.appsync.realtime_frames import Error, error, unsupported

Binding = tuple[SubscriptionSelection, dict[str, Any]]
"""What a subscriber is sent, and the arguments that filter it."""


class StartRefused(Exception):
    """`errors` are the entries of the answer; `named` tells whether it carries the subscription's id."""

    def __init__(self, errors: list[Error], named: bool = True) -> None:
        super().__init__(errors[0]["message"])
        self.errors = errors
        self.named = named


def bind_start(payload: Any, documents: Documents, keys: ApiKeys) -> Binding:
    """Raises StartRefused."""
    data = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(data, str):  # AppSync does not recognise such a start, nor repeat its id
        raise StartRefused([unsupported()], named=False)
    try:
        keys.check(start_key(payload))
        text, variables, name = _asked(data)
        statement = documents.statement(text, name)
        if isinstance(statement, SubscriptionStatement):
            return statement.bind(variables)
        raise StartRefused([unsupported(statement.kind)])
    except Unauthorized as fault:
        raise StartRefused([error("UnauthorizedException", str(fault), 401)]) from None
    except InvalidDocument as fault:
        raise StartRefused(fault.errors) from None
    except VariableFault as fault:
        raise StartRefused(fault.errors) from None
    except (MalformedDocument, GraphQLError) as fault:
        raise _bad_request(str(getattr(fault, "message", fault))) from None
    except RecursionError:
        raise _bad_request("nested too deeply") from None


def _asked(data: str) -> tuple[str, dict[str, Any], str | None]:
    """Document, variables and operation name."""
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise _bad_request("payload.data is not JSON") from None
    if not isinstance(content, dict) or not isinstance(content.get("query"), str):
        raise _bad_request("payload.data needs a query")
    variables = content.get("variables") or {}
    name = content.get("operationName")
    if not isinstance(variables, dict) or not (name is None or isinstance(name, str)):
        raise _bad_request("variables must be an object and operationName text")
    return content["query"], variables, name


def _bad_request(message: str) -> StartRefused:
    return StartRefused([error("BadRequestException", message, 400)])
