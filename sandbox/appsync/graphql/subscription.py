"""A prepared subscription: which field, filtered by which arguments, and what its subscribers are sent."""

from __future__ import annotations

from typing import Any

from graphql import FieldNode, GraphQLObjectType, get_named_type

from sandbox.appsync.graphql.execution import Api
from sandbox.appsync.graphql.projection import Complete, Errors, NullAtNonNull, Projector
from sandbox.appsync.graphql.selections import Collector, Shape

_MAX_SHAPES = 64


class SubscriptionSelection:
    """What one subscription document selects. Subscribers that share it are sent the same bytes."""

    def __init__(self, api: Api, key: str, nodes: list[FieldNode], collector: Collector) -> None:
        self.key = key
        root = api.schema.subscription_type
        assert root is not None
        self.name = nodes[0].name.value
        self._declared = root.fields[self.name].type
        self._parent = root.name
        self._below = collector.below(nodes)
        self._projector = Projector(collector)
        self._by_shape: dict[Shape, Complete] = {}
        self.is_object = isinstance(get_named_type(self._declared), GraphQLObjectType)

    def payload(self, value: Any, shape: Shape) -> dict[str, Any]:
        """`data` (and `errors`) for a published value; fields that the mutation did not select arrive as null."""
        complete = self._by_shape.get(shape)
        if complete is None:
            complete = self._projector.complete(self._declared, self._below, self._parent, shape)
            if len(self._by_shape) >= _MAX_SHAPES:
                self._by_shape.clear()
            self._by_shape[shape] = complete
        errors: Errors = []
        try:
            data: dict[str, Any] | None = {self.key: complete(value, errors, (None, self.key))}
        except NullAtNonNull:
            data = None
        return {"data": data, "errors": errors} if errors else {"data": data}
