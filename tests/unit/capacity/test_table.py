import boto3
import pytest
from botocore.stub import Stubber

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput, from_describe_table

PROVISIONED = Table(
    name="orders",
    key=Key("customer", "order"),
    attribute_types={"customer": "S", "order": "N", "status": "S", "placed_at": "N"},
    indexes=(
        Index("by_status", "GSI", Key("status", "placed_at"), Projection("INCLUDE", ("total",)), Throughput(5, 7)),
        Index("by_date", "LSI", Key("customer", "placed_at"), Projection("KEYS_ONLY")),
    ),
    throughput=Throughput(10, 20),
    ttl_attribute="expires_at",
)
ON_DEMAND = Table("events", Key("id"), {"id": "S", "kind": "S"}, (Index("by_kind", "GSI", Key("kind")),))


def described(request: dict) -> dict:
    """What DescribeTable answers about a table created by `request`: on demand, AWS reports zeros for throughput."""
    zeros = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    table = {"ProvisionedThroughput": zeros} | {name: value for name, value in request.items() if name != "BillingMode"}
    if request["BillingMode"] == "PAY_PER_REQUEST":
        table["BillingModeSummary"] = {"BillingMode": "PAY_PER_REQUEST"}
    for index in table.get("GlobalSecondaryIndexes", ()):
        index.setdefault("ProvisionedThroughput", zeros)
    return {"Table": table}


@pytest.mark.parametrize("table", [PROVISIONED, ON_DEMAND], ids=lambda table: table.name)
def test_a_table_survives_creation_and_description(table: Table) -> None:
    ttl = table.time_to_live_request()
    time_to_live = ttl and {
        "TimeToLiveDescription": {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": ttl["TimeToLiveSpecification"]["AttributeName"],
        }
    }
    assert from_describe_table(described(table.create_table_request()), time_to_live) == table


@pytest.mark.parametrize("table", [PROVISIONED, ON_DEMAND], ids=lambda table: table.name)
def test_boto3_accepts_the_requests(table: Table) -> None:
    client = boto3.client("dynamodb", "us-east-1", aws_access_key_id="none", aws_secret_access_key="none")
    with Stubber(client) as stub:
        stub.add_response("create_table", {})
        client.create_table(**table.create_table_request())
        if (ttl := table.time_to_live_request()) is not None:
            stub.add_response("update_time_to_live", {})
            client.update_time_to_live(**ttl)


@pytest.mark.parametrize(
    ("index", "item", "expected"),
    [
        pytest.param(
            "by_status",
            {"customer": "c", "order": 1, "status": "open", "placed_at": 9, "total": 5, "note": "n"},
            {"customer": "c", "order": 1, "status": "open", "placed_at": 9, "total": 5},
            id="INCLUDE holds table keys, index keys and the named attributes",
        ),
        pytest.param(
            "by_date",
            {"customer": "c", "order": 1, "placed_at": 9, "total": 5},
            {"customer": "c", "order": 1, "placed_at": 9},
            id="KEYS_ONLY holds keys alone",
        ),
        pytest.param("by_status", {"customer": "c", "order": 1, "status": "open"}, None, id="no sort key, no entry"),
        pytest.param("by_status", {"customer": "c", "order": 1, "placed_at": 9}, None, id="no partition key, no entry"),
    ],
)
def test_an_index_holds_the_projected_entry_of_an_item(index: str, item: dict, expected: dict | None) -> None:
    entry = PROVISIONED.index_entry(PROVISIONED.index(index), to_item(item))
    assert entry == (None if expected is None else to_item(expected))


def test_a_projection_of_all_holds_the_item_itself() -> None:
    item = to_item({"id": "1", "kind": "x", "more": [1, 2]})
    assert ON_DEMAND.index_entry(ON_DEMAND.index("by_kind"), item) == item


def test_every_fault_of_a_description_is_reported_at_once() -> None:
    with pytest.raises(ValueError, match="table 'faulty': ") as raised:
        Table(
            "faulty",
            Key("id"),
            {},
            (
                Index("a", "GSI", Key("kind"), Projection("INCLUDE"), Throughput(1, 1)),
                Index("a", "LSI", Key("other"), Projection("ALL")),
            ),
        )
    for part in (
        "'id' needs a type",
        "'a' is used 2 times",
        "the table is on demand",
        "INCLUDE alone",
        "partition key 'id'",
        "needs a sort key",
    ):
        assert part in str(raised.value)


def test_an_unknown_index_names_those_there_are() -> None:
    with pytest.raises(KeyError, match="by_kind"):
        ON_DEMAND.index("nope")
