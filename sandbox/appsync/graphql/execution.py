"""Running one operation: what it needs, what it leaves."""

from __future__ import annotations

import logging
from collections.abc import Mapping
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
) -> tuple[bool, Any]:
    """Run the resolver of a root field: (True, value), or (False, None) with its error reported."""
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
            errors.extend([resolver_error(each, path, locations) for each in ctx.appended])
        return True, value
    errors.extend([resolver_error(each, path, locations) for each in (*(ctx.appended or ()), failure)])
    return False, None
