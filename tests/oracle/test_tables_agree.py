"""Tables that the model describes are created, and read back from their description as the same tables."""

from __future__ import annotations

import pytest

from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput, from_describe_table
from tests.oracle.dynamodb_local import WireClient

pytestmark = pytest.mark.oracle

LSI = Index("by_date", "LSI", Key("pk", "date"), Projection("KEYS_ONLY"))
GSI = Index("by_kind", "GSI", Key("kind", "date"), Projection("INCLUDE", ("a", "b")))
TYPES = {"pk": "S", "sk": "B", "date": "N", "kind": "S"}
TABLES = [
    pytest.param(Table("simple", Key("pk"), {"pk": "S"}), id="one key, on demand"),
    pytest.param(Table("indexed", Key("pk", "sk"), TYPES, (GSI, LSI), ttl_attribute="expires_at"), id="indexed, TTL"),
    pytest.param(
        Table(
            "provisioned",
            Key("pk", "sk"),
            TYPES,
            (Index("all", "GSI", Key("kind", "date"), throughput=Throughput(3, 4)), LSI),
            Throughput(5, 7),
        ),
        id="provisioned, the index on its own",
    ),
]


@pytest.mark.parametrize("table", TABLES)
def test_a_created_table_is_described_as_itself(dynamodb_local: WireClient, table: Table) -> None:
    dynamodb_local.call("CreateTable", table.create_table_request())
    if (ttl := table.time_to_live_request()) is not None:
        dynamodb_local.call("UpdateTimeToLive", ttl)
    name = {"TableName": table.name}
    described = dynamodb_local.call("DescribeTable", name)
    assert from_describe_table(described, dynamodb_local.call("DescribeTimeToLive", name)) == table
