import pytest

from capacity.dynamodb.item_size import ITEM_LIMIT_BYTES
from capacity.dynamodb.quotas import limit, quotas
from capacity.physics.parameters import DEFAULT


def test_every_limit_says_where_it_is_written_and_when() -> None:
    for quota in quotas().values():
        assert quota.says
        assert quota.source.title
        assert quota.source.date.year >= 2015


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (ITEM_LIMIT_BYTES, "dynamodb.item_bytes"),
        (DEFAULT.ceiling_read_units, "dynamodb.partition_read_units"),
        (DEFAULT.ceiling_write_units, "dynamodb.partition_write_units"),
        (DEFAULT.burst_s, "dynamodb.burst_s"),
        (DEFAULT.partition_bytes / 1e9, "dynamodb.partition_gb"),
        (DEFAULT.on_demand_read_units, "dynamodb.on_demand_start_read_units"),
        (DEFAULT.on_demand_write_units, "dynamodb.on_demand_start_write_units"),
        (DEFAULT.peak_factor, "dynamodb.on_demand_peak_factor"),
        (DEFAULT.peak_age_s, "dynamodb.on_demand_peak_age_s"),
        (DEFAULT.quota_read_units, "dynamodb.table_read_units"),
        (DEFAULT.quota_write_units, "dynamodb.table_write_units"),
    ],
)
def test_what_code_uses_is_what_the_data_says(value: float, name: str) -> None:
    assert limit(name) == value


def test_an_unknown_limit_names_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"dynamodb\.item_bytes"):
        limit("dynamodb.nope")
