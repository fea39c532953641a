"""Hashing keys and ordering sort keys."""

from base64 import b64encode

import pytest

from capacity.physics.placement import even_bounds, key_hash, sort_key_bytes


def test_equal_keys_share_a_hash_and_types_do_not():
    assert key_hash({"N": "1"}) == key_hash({"N": "1.0"}) == key_hash({"N": "10e-1"})
    assert key_hash({"N": "0"}) == key_hash({"N": "-0"})
    assert key_hash({"S": "1"}) != key_hash({"N": "1"})
    assert key_hash({"B": b64encode(b"1").decode()}) != key_hash({"S": "1"})
    assert 0 <= key_hash({"S": "グループ#1"}) < 2**128


def test_a_key_of_another_type_is_refused_with_an_example():
    with pytest.raises(ValueError, match=r'type BOOL was given; expected "S", "N" or "B"'):
        key_hash({"BOOL": True})
    with pytest.raises(ValueError, match="type NULL"):
        sort_key_bytes({"NULL": True})


def test_hashes_spread_evenly_over_partitions():
    bounds = [bound[0] for bound in even_bounds(4)]
    counts = [0, 0, 0, 0]
    for index in range(8000):
        value = key_hash({"S": f"user#{index}"})
        counts[sum(value >= bound for bound in bounds) - 1] += 1
    # Binomial(8000, 1/4) has a standard deviation of 39.
    assert all(abs(count - 2000) < 200 for count in counts)


NUMBERS = ["-1e125", "-12", "-10", "-9.99", "-1.5", "-1", "-0.1", "-1e-130", "0", "1e-130", "0.1", "1", "1.5", "2",
           "9.99", "10", "10.0001", "12", "100", "1e125"]  # fmt: skip


def test_number_sort_keys_order_by_value():
    encoded = [sort_key_bytes({"N": number}) for number in NUMBERS]
    assert encoded == sorted(encoded)
    assert len(set(encoded)) == len(NUMBERS)
    assert sort_key_bytes({"N": "100"}) == sort_key_bytes({"N": "1e2"})


def test_strings_order_by_utf8_and_binaries_unsigned():
    assert sort_key_bytes({"S": "a"}) < sort_key_bytes({"S": "é"}) < sort_key_bytes({"S": "語"})
    assert sort_key_bytes({"B": b64encode(b"\x7f").decode()}) < sort_key_bytes({"B": b64encode(b"\x80").decode()})
