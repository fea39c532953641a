"""docs/units.md can't drift: its Python runs, and its table of limits is that of the data."""

import doctest
from pathlib import Path

from capacity.dynamodb.quotas import Quota, quotas

PAGE = Path(__file__).parents[3] / "docs" / "units.md"


def row(quota: Quota) -> str:
    value = f"{quota.value:,.0f} {quota.unit}".strip()
    raised = " (raised on request)" if quota.adjustable else ""
    return f"| {quota.says} | {value}{raised} | {quota.source.title}, {quota.source.date} | {quota.confidence} |"


def test_the_pages_python_prints_what_the_page_says() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.FAIL_FAST)
    assert results.attempted > 10
    assert results.failed == 0


def test_the_pages_limits_are_those_of_the_data() -> None:
    table = PAGE.read_text("utf-8").split("## Limits")[1]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert rows == ["| limit | value | source | confidence |", *map(row, quotas().values())]
