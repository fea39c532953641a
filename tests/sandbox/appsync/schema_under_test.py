"""A small API with every shape that selections can meet: nested objects, lists of lists, nullable and not."""

from __future__ import annotations

import random
from typing import Any

from sandbox.appsync.context import RequestInfo, Util
from sandbox.appsync.data_sources.none import NoneDataSource
from sandbox.appsync.graphql.documents import Documents
from sandbox.appsync.graphql.execution import Api
from sandbox.appsync.graphql.schema import make_schema
from sandbox.appsync.resolvers import UnitResolver

TYPES = """
type Leaf { name: String! count: Int ratio: Float flag: Boolean id: ID at: AWSDateTime }
type Branch { leaf: Leaf must: Leaf! leaves: [Leaf!] maybe: [Leaf]! grid: [[Int!]!] title: String }
input Pair { key: String! value: String note: String }
type Query {
  branch(n: Int, pairs: [Pair!], at: AWSDateTime): Branch
  sure: Branch!
  text: String
}
type Mutation { change(id: ID!, pairs: [Pair!]!): Branch other: Branch must: Branch! }
type Subscription { onChange(title: String, id: ID): Branch @aws_subscribe(mutations: ["change"]) }
"""

REQUEST = RequestInfo({}, "192.0.2.1")


def documents(values: dict[str, Any], seen: list[dict[str, Any]] | None = None) -> Documents:
    """An API whose root fields answer `values[name]`; the arguments they were called with are added to `seen`."""

    def resolver(name: str) -> UnitResolver:
        def request(ctx: Any) -> dict[str, Any]:
            if seen is not None:
                seen.append(ctx.args)
            value = values.get(name)
            if isinstance(value, Exception):
                raise value
            return {"payload": value}

        return UnitResolver(name, NoneDataSource(), request)

    names = ("branch", "sure", "text", "change", "other", "must")
    resolvers = {name: resolver(name) for name in names}
    return Documents(Api(make_schema(TYPES), resolvers, None, Util(lambda: 0.0, random.Random(1))))
