from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput
from capacity.dynamodb.table_quotas import exceeded, provisioned_total


def table(name: str, units: float, indexes: int = 0, included: int = 0) -> Table:
    throughput = Throughput(units, units)
    projection = Projection("INCLUDE", tuple(f"a{nth}" for nth in range(included))) if included else Projection()
    return Table(
        name,
        Key("pk"),
        {"pk": "S", "g": "S"},
        tuple(Index(f"index{nth}", "GSI", Key("g"), projection, throughput) for nth in range(indexes)),
        throughput,
    )


def test_a_table_and_its_indexes_share_one_quota() -> None:
    assert provisioned_total(table("t", 20_000, indexes=1)) == Throughput(40_000, 40_000)
    assert exceeded([table("t", 20_000, indexes=1)]) == []
    faults = exceeded([table("t", 20_001, indexes=1)])
    assert len(faults) == 2
    assert faults[0] == (
        "table 't' has 40,002 read units per second, the limit is 40,000 (one table with its GSIs, either mode); "
        "AWS raises it on request"
    )


def test_all_tables_of_an_account_share_another() -> None:
    assert exceeded([table("a", 40_000), table("b", 40_000)]) == []
    assert [fault.split(" has")[0] for fault in exceeded([table(name, 27_000) for name in "abc"])] == [
        "the account"
    ] * 2


def test_on_demand_tables_provision_nothing() -> None:
    on_demand = Table("t", Key("pk"), {"pk": "S"})
    assert provisioned_total(on_demand) is None
    assert exceeded([on_demand] * 10) == []


def test_numbers_of_indexes_and_projected_attributes_are_limited() -> None:
    faults = exceeded([table("t", 1, indexes=21, included=5)])
    assert ["21 indexes" in faults[0], "105 attributes" in faults[1], len(faults)] == [True, True, 2]
