"""Prepared forms must answer as graphql-core's executor answers: same data, and errors at least at the same paths.

graphql-core leaves an object at its first null, AppSync names the others too (aws-appsync-community issue 247).
"""

from __future__ import annotations

from typing import Any

import pytest
from graphql import execute_sync, parse
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_under_test import REQUEST, TYPES, documents

from sandbox.appsync.context import Context, Util
from sandbox.appsync.data_sources.none import NoneDataSource
from sandbox.appsync.errors import ResolverError
from sandbox.appsync.graphql.documents import Documents, InvalidDocument, MalformedDocument
from sandbox.appsync.graphql.execution import Api
from sandbox.appsync.graphql.per_request import PerRequestOperation
from sandbox.appsync.graphql.prepared import PreparedOperation
from sandbox.appsync.graphql.schema import make_schema
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.resolvers import UnitResolver

LEAF_FIELDS = ["name", "count", "ratio", "flag", "id", "at", "__typename"]


def _selection(fields: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(fields, min_size=1, max_size=4, unique=True).map(lambda names: "{" + " ".join(names) + "}")


leaf_selections = _selection(st.sampled_from(LEAF_FIELDS) | st.sampled_from(["x: name", "y: count", "...L"]))
branch_selections = _selection(
    st.sampled_from(["title", "grid", "__typename", "t: title"])
    | st.builds(
        "{}{}".format,
        st.sampled_from(["leaf", "must", "leaves", "maybe", "l2: leaf", "... on Branch { z: leaf"]),
        leaf_selections,
    ).map(lambda text: text + "}" if text.startswith("...") else text)
)

wrong_or_right = st.none() | st.text(max_size=5) | st.integers(-5, 5) | st.booleans() | st.just(2**40) | st.just(1.5)
leaves = st.fixed_dictionaries(
    {},
    optional={
        "name": st.none() | st.text(max_size=5),
        "count": wrong_or_right,
        "ratio": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3),
        "flag": st.none() | st.booleans(),
        "id": st.none() | st.text(max_size=3) | st.integers(0, 9),
        "at": st.sampled_from([None, "2026-01-01T00:00:00Z", "yesterday"]),
    },
)
branches = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "leaf": st.none() | leaves,
        "must": st.none() | leaves,
        "leaves": st.none() | st.lists(st.none() | leaves, max_size=3),
        "maybe": st.none() | st.lists(st.none() | leaves, max_size=3),
        "grid": st.none() | st.lists(st.none() | st.lists(st.none() | st.integers(0, 3), max_size=2), max_size=2),
        "title": st.none() | st.text(max_size=5),
    },
)


@settings(max_examples=400, deadline=None)
@given(
    field=st.sampled_from(["branch", "sure", "first: branch"]),
    selection=branch_selections,
    value=branches,
    directives=st.tuples(*[st.sampled_from(["", "", " @skip(if: $v)", " @include(if: $v)"])] * 3),
    v=st.booleans(),
)
def test_data_and_error_paths_equal_those_of_graphql_core(
    field: str, selection: str, value: Any, directives: tuple[str, str, str], v: bool
) -> None:
    name = field.split(": ")[-1]
    varies = any(directives)
    on_field, on_title, on_flag = directives
    text = f"query{'($v: Boolean!)' if varies else ''} {{ {field}{on_field} {selection}"
    text += f" also: branch {{ title{on_title} leaf {{ flag{on_flag} id }} }} }}"
    text += " fragment L on Leaf { w: name flag }" if "...L" in selection else ""
    values = {"branch": value, name: value}
    variables = {"v": v} if varies else {}
    api = documents(values)
    statement = api.statement(text, None)
    assert isinstance(statement, PerRequestOperation if varies else PreparedOperation)

    ours = statement.run(variables, REQUEST)
    theirs = execute_sync(api.api.schema, parse(text), values, variable_values=variables)

    assert ours.data == theirs.data
    paths = [repr(error["path"]) for error in ours.errors]
    assert len(set(paths)) == len(paths)
    named = {repr(list(error.path or ())) for error in theirs.errors or ()}
    assert named <= set(paths)
    assert bool(named) == bool(paths)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("query($v: Boolean!) { branch { title @skip(if: $v) } }", "a directive"),
        ("{ __schema { queryType { name } } }", "introspection"),
        ("query($k: String!) { branch(pairs: [{key: $k}]) { title } }", "a variable inside a literal"),
        ("query($v: Boolean!) { ...F } fragment F on Query { text @include(if: $v) }", "a directive in a fragment"),
    ],
)
def test_what_one_form_for_all_requests_cannot_serve_is_prepared_for_each(document: str, why: str) -> None:
    assert isinstance(documents({}).statement(document, None), PerRequestOperation), why


@pytest.mark.parametrize(
    ("document", "variables", "expected"),
    [
        ("query($n: Int) { branch(n: $n) { title } }", {"n": 3}, {"n": 3}),
        ("query($n: Int) { branch(n: $n) { title } }", {}, {}),
        ("query($n: Int) { branch(n: $n) { title } }", {"n": None}, {"n": None}),
        ("query($n: Int) { branch(n: $n) { title } }", {"n": 3.0}, {"n": 3}),
        ("query($n: Int = 7) { branch(n: $n) { title } }", {}, {"n": 7}),
        ("{ branch(n: 4, pairs: {key: \"a\"}) { title } }", {}, {"n": 4, "pairs": [{"key": "a"}]}),
        ("query($p: [Pair!]) { branch(pairs: $p) { title } }", {"p": {"key": "a"}}, {"pairs": [{"key": "a"}]}),
        (
            "query($p: [Pair!]) { branch(pairs: $p) { title } }",
            {"p": [{"key": "鍵", "note": None}], "ignored": 1},
            {"pairs": [{"key": "鍵", "note": None}]},
        ),
        ("query($k: String!) { branch(pairs: [{key: $k}]) { title } }", {"k": "a"}, {"pairs": [{"key": "a"}]}),
    ],
)  # fmt: skip
def test_arguments_are_coerced_as_the_specification_says(
    document: str, variables: dict[str, Any], expected: dict[str, Any]
) -> None:
    seen: list[dict[str, Any]] = []
    outcome = documents({"branch": {}}, seen).statement(document, None).run(variables, REQUEST)  # type: ignore[union-attr]
    assert not outcome.errors
    assert seen == [expected]


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({}, "a required variable is missing"),
        ({"id": None, "p": []}, "null for a non-null variable"),
        ({"id": "1", "p": [{"value": "no key"}]}, "a required input field is missing"),
        ({"id": "1", "p": [{"key": 1}]}, "a number is not text"),
        ({"id": "1", "p": [{"key": "a", "colour": "red"}]}, "an unknown input field"),
        ({"id": "1", "p": [None]}, "null in a list of non-null"),
        ({"id": "1", "p": "text"}, "text is no input object"),
        ({"id": ["1"], "p": []}, "a list is no ID"),
    ],
)
def test_variables_that_do_not_fit_are_refused_before_anything_runs(variables: dict[str, Any], why: str) -> None:
    seen: list[dict[str, Any]] = []
    statement = documents({}, seen).statement(
        "mutation($id: ID!, $p: [Pair!]!) { change(id: $id, pairs: $p) { title } }", None
    )
    with pytest.raises(VariableFault):
        statement.run(variables, REQUEST)  # type: ignore[union-attr]
    assert seen == [], why


def appending(*errors: str, raised: str | None = None) -> Documents:
    """An API whose field `text` appends errors and then answers, or raises one."""

    def request(ctx: Context) -> dict[str, Any]:
        for message in errors:
            ctx.append_error(message, "Note")
        if raised is not None:
            ctx.util.error(raised, "Failed")
        return {"payload": "answer"}

    resolver = UnitResolver("text", NoneDataSource(), request)
    return Documents(Api(make_schema(TYPES), {"text": resolver}, None, Util(lambda: 0.0)))


@pytest.mark.parametrize(
    ("appended", "raised", "data", "messages"),
    [
        (["a"], None, "answer", ["a"]),  # util.appendError: the error is reported, and the field has its value
        (["a", "b"], None, "answer", ["a", "b"]),  # each of them, in order
        (["a"], "c", None, ["a", "c"]),  # util.error after that ends the field, and hides none of them
    ],
)
def test_appended_errors_stand_beside_the_data(
    appended: list[str], raised: str | None, data: str | None, messages: list[str]
) -> None:
    """AppSync developer guide, "Built-in utilities", util.appendError (read 2026-11)."""
    outcome = appending(*appended, raised=raised).statement("{ text }", None).run({}, REQUEST)
    assert outcome.data == {"text": data}
    assert [each["message"] for each in outcome.errors] == messages
    assert all(each["path"] == ["text"] for each in outcome.errors)


def test_mutations_run_in_order_and_a_failed_one_leaves_its_field_null() -> None:
    failing = ResolverError("no", "Refused", data={"title": "t", "x": 1}, error_info={"y": 2})
    api = documents({"change": failing, "other": {"title": "done"}})
    outcome = api.statement('mutation { a: change(id: "1", pairs: []) { title } other { title } }', None).run(
        {}, REQUEST
    )  # type: ignore[union-attr]
    assert outcome.data == {"a": None, "other": {"title": "done"}}
    assert outcome.errors == [
        {
            "path": ["a"],
            "data": {"title": "t"},
            "errorType": "Refused",
            "errorInfo": {"y": 2},
            "locations": [{"line": 1, "column": 12, "sourceName": None}],
            "message": "no",
        }
    ]
    assert outcome.publications == []


BOTH_FORMS = pytest.mark.parametrize("directive", ["", " @include(if: true)"], ids=["once", "per request"])


@BOTH_FORMS
@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (None, None),
        ({"title": "t", "secret": 1}, {"title": "t"}),
        ({"leaf": {"name": "n", "count": 3, "secret": 1}}, {"leaf": {"name": "n"}}),
        ({"leaves": [{"name": "n", "flag": True}], "leaf": None}, {"leaves": [{"name": "n"}], "leaf": None}),
        ([{"title": "t", "secret": 1}], [{"title": "t"}]),
        ("text", "text"),
    ],
)
def test_an_errors_data_is_filtered_by_the_selection_and_its_info_is_not(data: Any, shown: Any, directive: str) -> None:
    """AppSync guide, "Built-in utilities", util.error (read 2026-11)."""
    api = documents({"branch": ResolverError("no", "Refused", data=data, error_info={"secret": 1})})
    text = f"{{ branch {{ t: title{directive} leaf {{ ...L }} leaves {{ name }} }} }} fragment L on Leaf {{ n: name }}"
    (error,) = api.statement(text, None).run({}, REQUEST).errors  # type: ignore[union-attr]
    assert (error["data"], error["errorInfo"]) == (shown, {"secret": 1})


@BOTH_FORMS
def test_a_null_where_none_may_be_is_worded_as_by_appsync(directive: str) -> None:
    """As quoted from an AppSync answer: "Cannot return null for non-nullable type: 'AWSDateTime' within parent
    'Summons' (/listSummons/items[0]/createdAt)"."""
    api = documents({"branch": {"leaves": [{"name": "n"}, {"name": None}]}})
    text = f"{{ branch {{ title{directive} leaves {{ name }} }} }}"
    (error,) = api.statement(text, None).run({}, REQUEST).errors  # type: ignore[union-attr]
    assert error == {
        "path": ["branch", "leaves", 1, "name"],
        "locations": None,
        "message": "Cannot return null for non-nullable type: 'String' within parent 'Leaf' (/branch/leaves[1]/name)",
    }


@BOTH_FORMS
def test_a_list_that_may_not_be_null_has_no_name(directive: str) -> None:
    """As quoted: "Cannot return null for non-nullable type: 'null' within parent 'BookingListResponse'
    (/listMyBookings/bookings)"."""
    api = documents({"branch": {"maybe": None}})
    (error,) = api.statement(f"{{ branch {{ title{directive} maybe {{ id }} }} }}", None).run({}, REQUEST).errors  # type: ignore[union-attr]
    assert error["message"] == "Cannot return null for non-nullable type: 'null' within parent 'Branch' (/branch/maybe)"


@BOTH_FORMS
def test_every_null_of_an_object_is_reported_and_every_object_of_a_list(directive: str) -> None:
    """aws-appsync-community issue 247 (2022-09): one message for each required field of an item."""
    api = documents(
        {"branch": {"must": None, "maybe": None, "leaves": [{"name": None}, {"name": "n"}, {"name": None}]}}
    )
    text = f"{{ branch {{ must{directive} {{ id }} maybe {{ id }} leaves {{ name }} }} }}"
    outcome = api.statement(text, None).run({}, REQUEST)  # type: ignore[union-attr]
    assert outcome.data == {"branch": None}
    assert [error["path"] for error in outcome.errors] == [
        ["branch", "must"],
        ["branch", "maybe"],
        ["branch", "leaves", 0, "name"],
        ["branch", "leaves", 2, "name"],
    ]


@BOTH_FORMS
@pytest.mark.parametrize(
    ("values", "published"),
    [
        ({"change": {"title": "t"}, "other": None}, ["change"]),
        ({"change": {"title": "t"}, "must": None}, ["change"]),  # done before the fault that empties the answer
        ({"change": {"must": None}, "other": None}, []),
        ({"change": None, "other": None}, []),
    ],
)
def test_what_a_mutation_did_is_published_whatever_becomes_of_the_rest_of_the_answer(
    values: dict[str, Any], published: list[str], directive: str
) -> None:
    last = "must" if "must" in values else "other"
    text = f'mutation {{ change(id: "1", pairs: []) {{ title{directive} must {{ name }} }} {last} {{ title }} }}'
    given = {"change": values["change"], last: values[last]}
    if given["change"] and "must" not in given["change"]:
        given["change"]["must"] = {"name": "n"}
    outcome = documents(given).statement(text, None).run({}, REQUEST)  # type: ignore[union-attr]
    assert [each.mutation for each in outcome.publications] == published
    assert (outcome.data is None) == (last == "must")


def test_a_null_at_a_non_null_root_empties_the_whole_answer() -> None:
    outcome = documents({"sure": None}).statement("{ text sure { title } }", None).run({}, REQUEST)  # type: ignore[union-attr]
    assert outcome.data is None
    assert [(e["path"], e["message"]) for e in outcome.errors] == [
        (["sure"], "Cannot return null for non-nullable type: 'Branch' within parent 'Query' (/sure)")
    ]


def test_a_document_with_several_operations_needs_a_name() -> None:
    api = documents({"text": "t", "branch": {"title": "b"}})
    text = "query A { text } query B { branch { title } }"
    assert api.statement(text, "B").run({}, REQUEST).data == {"branch": {"title": "b"}}  # type: ignore[union-attr]
    for name in (None, "C"):
        with pytest.raises(MalformedDocument):
            api.statement(text, name)


@pytest.mark.parametrize("text", ["", "{", "nonsense", "fragment F on Leaf { name }", "{" * 3000, "{ a " * 3000])
def test_text_that_is_no_document_is_malformed(text: str) -> None:
    with pytest.raises(MalformedDocument):
        documents({}).statement(text, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ nope }", "Validation error of type FieldUndefined: Field 'nope' in type 'Query' is undefined @ 'nope'"),
        (
            "{ branch { leaf { nope } } }",
            "Validation error of type FieldUndefined: Field 'nope' in type 'Leaf' is undefined @ 'branch/leaf/nope'",
        ),
        (
            'mutation { change(id: "1") { title } }',
            "Validation error of type MissingFieldArgument: Missing field argument pairs @ 'change'",
        ),
        (
            "{ branch }",
            "Validation error of type SubSelectionRequired: Sub selection required for type Branch of field branch "
            "@ 'branch'",
        ),
        (
            "query($x: String) { branch(n: $x) { title } }",
            "Validation error of type VariableTypeMismatch: Variable type 'String' doesn't match expected type 'Int' "
            "@ 'branch'",
        ),
    ],
)
def test_validation_faults_are_worded_as_by_appsync(text: str, message: str) -> None:
    with pytest.raises(InvalidDocument) as fault:
        documents({}).statement(text, None)
    assert [error["message"] for error in fault.value.errors] == [message]


def test_a_mutation_makes_public_what_its_own_selection_names() -> None:
    api = documents({"change": {"title": "t", "leaf": {"name": "n"}}})
    text = 'mutation { change(id: "1", pairs: []) { a: title leaf { b: name ...F } __typename } }'
    text += " fragment F on Leaf { id }"
    (publication,) = api.statement(text, None).run({}, REQUEST).publications  # type: ignore[union-attr]
    assert publication.mutation == "change"
    assert publication.shape == frozenset({("title", None), ("leaf", frozenset({("name", None), ("id", None)}))})
