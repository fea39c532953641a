"""Documents that hypothesis-graphql draws from the schema that the sandbox tells: all are answered, none ends in a 500.

Its generator knows the GraphQL specification and nothing of the sandbox, so every document it draws is valid apart from
AWSDateTime, whose values are drawn here.
"""

from __future__ import annotations

from collections import Counter

import orjson
from graphql import build_client_schema, get_introspection_query, print_schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import from_schema, nodes
from mesh_api import Mesh

MOMENTS = st.sampled_from(["2026-11-30T14:54:12Z", "2026-11-30T14:54:12.345+09:00", "noon"])


def test_every_document_drawn_from_the_schema_is_answered() -> None:
    mesh = Mesh(world="off")
    told = mesh.answer(get_introspection_query())["data"]
    schema = print_schema(build_client_schema(told))
    outcomes: Counter[str] = Counter()

    @settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(from_schema(schema, custom_scalars={"AWSDateTime": MOMENTS.map(nodes.String)}))
    def check(document: str) -> None:
        response = mesh.post(orjson.dumps({"query": document}))
        assert response.status == 200, response.body
        answer = orjson.loads(response.body)
        for error in answer.get("errors", ()):
            assert error.get("errorType") != "InternalFailure", (document, answer)
            outcomes[error.get("errorType") or error["message"].partition(":")[0]] += 1
        wrong = [error for error in answer.get("errors", ()) if error["path"] is None]
        assert not wrong or '"noon"' in document, (document, wrong)

    check()
    assert outcomes["GroupNotFound"] > 20
    assert outcomes["Validation error of type WrongType"] > 20
