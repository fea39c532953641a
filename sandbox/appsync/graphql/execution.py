"""Running one operation: what it needs, what it leaves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import GraphQLSchema

from sandbox.appsync.context import Context, RequestInfo, Util
from sandbox.appsync.errors import ResolverError, resolver_error
from sandbox.appsync.graphql.selections import Shape
from sandbox.appsync.resolvers import Resolver

logger = logging.getLogger(__name__)

INTERNAL_FAILURE = "InternalFailure"
"""Error type of a resolver that broke: a fault of the sandbox, whatever the client sent."""


@dataclass(frozen=True)
class Api:
    """The API that documents run against: schema, resolvers by root field, and what `ctx` carries."""

    schema: GraphQLSchema
    resolvers: Mapping[str, Resolver]
    env: Any
    util: Util


class Publication(NamedTuple):
    """A mutation's result on its way to subscribers: the resolver's value and the fields its selection made public."""

    mutation: str
    value: Any
    shape: Shape


class Outcome(NamedTuple):
    """`data` (None when a null reached the root), `errors` and what is to be published."""

    data: dict[str, Any] | None
    errors: list[dict[str, Any]]
    publications: list[Publication]


def resolve_root(
    api: Api,
    name: str,
    arguments: dict[str, Any],
    request: RequestInfo,
    path: list[str | int],
    locations: list[dict[str, Any]],
    errors: list[dict[str, Any]],
    selected: Callable[[], Shape | None],
) -> tuple[bool, Any]:
    """Run the resolver of a root field: (True, value), or (False, None) with its error reported.

    selected: what the document selects of the field, asked for when an error comes with data.
    """
    resolver = api.resolvers.get(name)
    if resolver is None:
        return True, None
    ctx = Context(arguments, request, api.env, api.util, name)
    try:
        value = resolver.resolve(ctx)
    except ResolverError as error:
        failure = error
    except Exception:
        logger.exception("resolver of %s", name)
        failure = ResolverError("An internal failure occurred.", INTERNAL_FAILURE)
    else:
        if ctx.appended:
            errors.extend([_entry(each, path, locations, selected) for each in ctx.appended])
        return True, value
    errors.extend([_entry(each, path, locations, selected) for each in (*(ctx.appended or ()), failure)])
    return False, None


def _entry(
    error: ResolverError,
    path: list[str | int],
    locations: list[dict[str, Any]],
    selected: Callable[[], Shape | None],
) -> dict[str, Any]:
    """The client is shown no more of an error's `data` than it selects; `errorInfo` is passed on as it is.

    Source: AppSync developer guide, "Built-in utilities", util.error (read 2026-11).
    """
    entry = resolver_error(error, path, locations)
    if error.data is not None:
        entry["data"] = _narrowed(error.data, selected())
    return entry


def _narrowed(value: Any, shape: Shape | None) -> Any:
    if isinstance(value, list):
        return [_narrowed(member, shape) for member in value]
    if shape is None or not isinstance(value, dict):
        return value
    return {name: _narrowed(value[name], below) for name, below in shape if name in value}
