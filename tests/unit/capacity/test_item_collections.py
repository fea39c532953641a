import math

import pytest

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.item_collections import collection_bytes, collection_limit_bytes, largest_collection_items
from capacity.dynamodb.table import Index, Key, Projection, Table

LSI = Index("by_date", "LSI", Key("customer", "date"), Projection("KEYS_ONLY"))
GSI = Index("by_total", "GSI", Key("date"))
WITH_LSI = Table("orders", Key("customer", "order"), {"customer": "S", "order": "S", "date": "S"}, (LSI, GSI))
WITHOUT = Table("orders", Key("customer", "order"), {"customer": "S", "order": "S"})
ORDER = to_item({"customer": "c", "order": "o", "date": "d", "total": "." * 980})


def test_entries_of_local_indexes_alone_count_towards_the_collection() -> None:
    assert collection_bytes(WITHOUT, [ORDER, ORDER]) == 2 * (9 + 6 + 5 + 985)
    assert collection_bytes(WITH_LSI, [ORDER]) == (9 + 6 + 5 + 985) + (9 + 6 + 5)


def test_only_a_local_index_limits_how_much_one_key_may_hold() -> None:
    assert collection_limit_bytes(WITH_LSI) == 10 * 2**30
    assert largest_collection_items(WITH_LSI, ORDER) == 10 * 2**30 // 1025
    assert largest_collection_items(WITHOUT, ORDER) == math.inf


def test_two_keys_are_two_collections() -> None:
    with pytest.raises(ValueError, match="one partition key"):
        collection_bytes(WITHOUT, [ORDER, ORDER | {"customer": {"S": "other"}}])
