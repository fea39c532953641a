"""What the CDK synthesises is read back as what its program says (cdk/app.js)."""

from __future__ import annotations

from pathlib import Path

import pytest

from capacity.dynamodb.table import Index, Key, Projection, Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.templates import DescribedTable, read_description

pytestmark = pytest.mark.node


def tables(path: Path) -> dict[str, DescribedTable]:
    return {each.table.name: each for each in read_description(path).tables}


@pytest.fixture
def timelines(cdk_out: Path) -> dict[str, DescribedTable]:
    return tables(cdk_out / "Timelines.template.json")


def test_a_provisioned_table_with_indexes_ttl_and_stream(timelines: dict[str, DescribedTable]) -> None:
    posts = timelines["posts-dev"]  # the name joins a parameter's default
    assert posts.table.key == Key("post_id")
    assert posts.table.throughput == Throughput(20, 40)
    assert posts.table.ttl_attribute == "expires_at"
    assert posts.stream_view == "NEW_IMAGE"
    assert posts.table.indexes == (
        Index("newest", "GSI", Key("sort_hash_key", "process_at"), Projection(), Throughput(10, 5)),
        Index("by_author", "GSI", Key("author_id", "process_at"), Projection("KEYS_ONLY"), Throughput(10, 40)),
    )


def test_auto_scaling_of_the_table_and_of_one_index(timelines: dict[str, DescribedTable]) -> None:
    assert timelines["posts-dev"].scaling == {
        (None, "write"): TargetTracking(40, 400, 0.6),
        ("newest", "read"): TargetTracking(10, 100, 0.75),
    }


def test_the_calls_of_resolvers_in_vtl_and_in_javascript(timelines: dict[str, DescribedTable]) -> None:
    posts, orders = timelines["posts-dev"], timelines["OrdersA9B65338"]
    assert [(call.operation, call.index, call.by) for call in posts.calls] == [("Query", "newest", "Query.newest")]
    assert [(call.operation, call.index, call.by) for call in orders.calls] == [
        ("PutItem", None, "Mutation.addOrder"),
        ("Query", "by_shop", "ofShop"),
    ]


def test_a_function_with_grants_counts_as_a_reader_and_the_data_source_does_not(
    timelines: dict[str, DescribedTable],
) -> None:
    (reader,) = timelines["posts-dev"].other_readers
    assert reader.startswith("CouriersServiceRole")
    assert timelines["OrdersA9B65338"].other_readers == ()


def test_a_global_table_with_mixed_settings(cdk_out: Path) -> None:
    sessions = tables(cdk_out / "Global.template.json")["sessions"]
    assert sessions.table.throughput == Throughput(10, 7)  # reads fixed; writes start at the seed
    assert sessions.table.indexes[0].throughput == Throughput(3, 1)
    assert sessions.scaling == {
        (None, "write"): TargetTracking(5, 50, 0.7),
        ("by_user", "write"): TargetTracking(1, 20, 0.7),
    }


def test_lines_point_into_the_template(cdk_out: Path) -> None:
    path = cdk_out / "Timelines.template.json"
    lines = path.read_text(encoding="utf-8").splitlines()
    posts = tables(path)["posts-dev"]
    assert '"Posts' in lines[posts.place.line - 1]
    index_line = posts.index_places["by_author"].line
    assert any('"by_author"' in line for line in lines[index_line - 1 : index_line + 2])
