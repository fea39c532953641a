"""docs/physics.md can't drift: its Python runs, and its table of parameters is that of the code."""

import doctest
import re
from dataclasses import fields
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.partitions import Partitions, new_partitions
from capacity.dynamodb.table import Throughput
from capacity.physics.limits import needed_partitions
from capacity.physics.parameters import DEFAULT
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

PAGE = Path(__file__).parents[3] / "docs" / "physics.md"
units = st.integers(1, 60_000)


def test_the_pages_python_prints_what_the_page_says():
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.FAIL_FAST)
    assert results.attempted > 8
    assert results.failed == 0


def test_the_pages_parameters_are_those_of_the_code():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert [(name, float(value)) for name, value in rows] == [
        (field.name, float(getattr(DEFAULT, field.name))) for field in fields(DEFAULT)
    ]


@given(read=units, write=units, size_gb=st.integers(0, 3000))
def test_calculator_and_physics_count_the_same_partitions(read, write, size_gb):
    needed = needed_partitions(
        Settings("adaptive", read, write), DEFAULT, peak={"read": 0.0, "write": 0.0}, size_bytes=size_gb * 1e9
    )
    assert needed == new_partitions(Throughput(read, write), size_gb)


@given(changes=st.lists(st.tuples(st.integers(1, 9_000), st.integers(1, 3_000)), min_size=1, max_size=4))
def test_calculator_and_physics_agree_on_a_history_of_settings(changes):
    start = changes[0]
    resource = ThroughputResource(Settings("static", *start), 0.0)
    partitions = Partitions.new(Throughput(*start))
    for read, write in changes:
        resource.retune(0.0, Settings("static", read, write))
        partitions = partitions.retuned(Throughput(read, write))
        assert resource.count == partitions.count
