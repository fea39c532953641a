import math

import pytest

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.streams import (
    StreamReading,
    StreamView,
    catch_up_s,
    longest_outage_s,
    readable_per_second,
    record_bytes,
)
from capacity.dynamodb.table import Key, Table
from capacity.dynamodb.writes import Write

TABLE = Table("people", Key("name"), {"name": "S"})
BEFORE, AFTER = ({"name": "John", "destination": place} for place in ("Mars", "Pluto"))


@pytest.mark.parametrize(
    ("view", "size_bytes"),
    [
        (StreamView.KEYS_ONLY, 8),
        (StreamView.NEW_IMAGE, 32),
        (StreamView.OLD_IMAGE, 31),
        (StreamView.NEW_AND_OLD_IMAGES, 55),
    ],
)
def test_a_record_carries_keys_and_the_images_of_its_view(view: StreamView, size_bytes: int) -> None:
    assert record_bytes(TABLE, Write(to_item(BEFORE), to_item(AFTER)), view) == size_bytes


def test_a_write_that_changes_nothing_leaves_no_record() -> None:
    assert record_bytes(TABLE, Write(to_item(BEFORE), to_item(BEFORE)), StreamView.NEW_IMAGE) == 0
    assert record_bytes(TABLE, Write(None, None), StreamView.NEW_IMAGE) == 0


def test_a_deletion_has_no_new_image() -> None:
    assert record_bytes(TABLE, Write(to_item(BEFORE), None), StreamView.NEW_IMAGE) == 8


def test_a_reader_twice_as_fast_catches_up_in_the_time_it_was_away() -> None:
    assert readable_per_second(1_000) == 2_000
    assert catch_up_s(3_600 * 1_000, 1_000) == 3_600
    assert catch_up_s(1, 0) == math.inf
    assert longest_outage_s() == 24 * 3_600


def test_calls_are_polls_until_records_or_bytes_need_more() -> None:
    hour = 3_600
    assert StreamReading(records=10, bytes_in_all=1_000, duration_s=hour, shards=2).calls == 2 * 4 * hour
    assert StreamReading(records=50_000_000, bytes_in_all=1_000, duration_s=hour).calls == 50_000
    assert StreamReading(records=1_000, bytes_in_all=100_000 * 2**20, duration_s=hour).calls == 100_000
    assert StreamReading(records=1, bytes_in_all=1, duration_s=hour).paid_calls(by_lambda=True) == 0
