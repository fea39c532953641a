"""Literals and variables that do not fit, in the words of captured AppSync answers and of its engine's own tests."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import parse_value
from schema_under_test import REQUEST, documents

from sandbox.appsync.graphql.documents import InvalidDocument
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.graphql.wrong_type import as_java


@pytest.mark.parametrize(
    ("literal", "printed"),
    [
        # as quoted in aws-mobile-appsync-sdk-js issue 554 (2020-04)
        ("{upvotes: 10}", "ObjectValue{objectFields=[ObjectField{name='upvotes', value=IntValue{value=10}}]}"),
        # as quoted in aws-appsync-community issue 273 (2023-03)
        ('{testa: "test"}', "ObjectValue{objectFields=[ObjectField{name='testa', value=StringValue{value='test'}}]}"),
        # as asserted by users of graphql-java
        (
            '[{field: "identifier"}]',
            "ArrayValue{values=[ObjectValue{objectFields=[ObjectField{name='field', "
            "value=StringValue{value='identifier'}}]}]}",
        ),
        ("null", "NullValue{}"),
        (
            "{name: $name, phone: $phone}",
            "ObjectValue{objectFields=[ObjectField{name='name', value=VariableReference{name='name'}}, "
            "ObjectField{name='phone', value=VariableReference{name='phone'}}]}",
        ),
    ],
)
def test_a_literal_is_printed_as_graphql_java_prints_it(literal: str, printed: str) -> None:
    assert as_java(parse_value(literal)) == printed


PAIR = "ObjectValue{objectFields=[ObjectField{name='value', value=StringValue{value='v'}}]}"


@pytest.mark.parametrize(
    ("field", "message", "column"),
    [
        ('branch(n: "x") { title }', "argument 'n' with value 'StringValue{value='x'}' is not a valid 'Int'", 10),
        ("branch(n: 1.5) { title }", "argument 'n' with value 'FloatValue{value=1.5}' is not a valid 'Int'", 10),
        ("branch(n: true) { title }", "argument 'n' with value 'BooleanValue{value=true}' is not a valid 'Int'", 10),
        ("branch(n: NAME) { title }", "argument 'n' with value 'EnumValue{name='NAME'}' is not a valid 'Int'", 10),
        (
            'branch(at: "noon") { title }',
            "argument 'at' with value 'StringValue{value='noon'}' is not a valid 'AWSDateTime'",
            10,
        ),
        ("branch(pairs: [null]) { title }", "argument 'pairs[0]' with value 'NullValue{}' must not be null", 10),
        (
            'branch(pairs: [{value: "v"}]) { title }',
            f"argument 'pairs[0]' with value 'ArrayValue{{values=[{PAIR}]}}' is missing required fields '[key]'",
            10,
        ),
        (
            'branch(pairs: {value: "v"}) { title }',
            f"argument 'pairs' with value '{PAIR}' is missing required fields '[key]'",
            10,
        ),
        (
            "branch(pairs: {key: 1}) { title }",
            "argument 'pairs.key' with value 'IntValue{value=1}' is not a valid 'String'",
            10,
        ),
    ],
)
def test_a_literal_that_does_not_fit_is_named_with_its_argument_and_field(
    field: str, message: str, column: int
) -> None:
    with pytest.raises(InvalidDocument) as fault:
        documents({}).statement(f"{{ {field} }}", None)
    assert fault.value.errors == [
        {
            "path": None,
            "locations": [{"line": 1, "column": column, "sourceName": None}],
            "message": f"Validation error of type WrongType: {message} @ 'branch'",
        }
    ]


UNKNOWN_FIELD = "The variables input contains a field that is not defined for input object type 'Pair' "


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        # "Variable 'id' has an invalid value. Expected type 'ID' but was 'ArrayList'.", as a client quotes it
        ("ID!", ["a"], "Variable 'v' has an invalid value. Expected type 'ID' but was 'ArrayList'."),
        ("Int", "x", "Variable 'v' has an invalid value. Expected type 'Int' but was 'String'."),
        ("Int", 2**31, "Variable 'v' has an invalid value. Expected type 'Int' but was 'Long'."),
        ("Int", {}, "Variable 'v' has an invalid value. Expected type 'Int' but was 'LinkedHashMap'."),
        (
            "AWSDateTime",
            "noon",
            "Variable 'v' has an invalid value. Unable to parse `noon` as a valid DateTime Object.",
        ),
        # aws-appsync-community issue 322 (2023-09)
        ("ID!", None, "Variable 'v' has coerced Null value for NonNull type 'ID!'"),
        # issue 406 (2026-01): AppSync names the variable and the inner type
        ("Pair!", {"value": "v"}, "Variable 'v' has coerced Null value for NonNull type 'String!'"),
        ("[Pair!]!", [{"key": "k"}, None], "Variable 'v' has coerced Null value for NonNull type 'Pair!'"),
        # issue 273 (2023-03): no location, and a space at the end
        ("Pair!", {"key": "k", "testa": "test"}, UNKNOWN_FIELD),
        ("[Pair!]!", {"testa": "test"}, UNKNOWN_FIELD),
    ],
)
def test_a_variable_that_does_not_fit_is_named_with_what_was_expected(declared: str, value: Any, message: str) -> None:
    argument = {"I": "n", "A": "at", "P": "pairs", "[": "pairs"}[declared[0]]
    text = f"query Q($v: {declared}) {{ branch({argument}: $v) {{ title }} }}"
    if declared == "ID!":
        text = "mutation Q($v: ID!) { change(id: $v, pairs: []) { title } }"
    if declared == "Pair!":
        text = "query Q($v: Pair!) { branch(pairs: [$v]) { title } }"
    with pytest.raises(VariableFault) as fault:
        documents({}).statement(text, None).run({"v": value}, REQUEST)  # type: ignore[union-attr]
    (error,) = fault.value.errors
    assert error["message"] == message
    column = text.index("$v") + 1
    assert error["locations"] == (
        None if message == UNKNOWN_FIELD else [{"line": 1, "column": column, "sourceName": None}]
    )
    assert error["path"] is None


def test_a_null_variable_at_a_required_argument_empties_its_field() -> None:
    """GraphQL specification (2021-10), 5.8.5: a nullable variable with a default may stand there, and be given null."""
    text = 'mutation Q($v: ID = "x") { change(id: $v, pairs: []) { title } other { title } }'
    api = documents({"change": {"title": "t"}, "other": {"title": "o"}})
    outcome = api.statement(text, None).run({"v": None}, REQUEST)  # type: ignore[union-attr]
    assert outcome.data == {"change": None, "other": {"title": "o"}}
    assert outcome.errors == [
        {
            "path": ["change"],
            "locations": [{"line": 1, "column": 28, "sourceName": None}],
            "message": "Argument 'id' has coerced Null value for NonNull type 'ID!'",
        }
    ]
    assert api.statement(text, None).run({}, REQUEST).data == {"change": {"title": "t"}, "other": {"title": "o"}}  # type: ignore[union-attr]
