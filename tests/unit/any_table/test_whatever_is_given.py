"""Whatever table, items or files there are: findings with finite figures, or faults in sentences, never a traceback."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capacity.dynamodb.table import Index, Key, Projection, Table, Throughput
from capacity.lint import lint
from capacity.measurement.metric_import import MetricImportError, import_metrics
from capacity.measurement.metric_import_series import Whose
from capacity.physics.autoscaling import TargetTracking
from capacity.pricing.prices import load
from capacity.studies.sizing import SizingError, sizing
from capacity.templates.description import Call, DescribedTable, Description, Place

PRICES, PLACE = load(), Place("t.yaml", 1)
NAMES = st.sampled_from(["pk", "sk", "status", "created_at", "all", "total", "expires", "a"])
VALUES = st.one_of(st.text(max_size=6).map(lambda text: {"S": text}), st.integers(-9, 9).map(lambda n: {"N": str(n)}))
UNITS = st.integers(1, 50_000)


@st.composite
def described_tables(draw: st.DrawFn) -> DescribedTable:
    key, provisioned = Key(draw(NAMES), draw(st.none() | NAMES)), draw(st.booleans())

    def throughput() -> Throughput | None:
        return Throughput(draw(UNITS), draw(UNITS)) if provisioned else None

    indexes = []
    for number in range(draw(st.integers(0, 3))):
        local = key.sort is not None and draw(st.booleans())
        projection = draw(st.sampled_from([Projection("ALL"), Projection("KEYS_ONLY"), Projection("INCLUDE", ("a",))]))
        own = Key(key.partition, draw(NAMES)) if local else Key(draw(NAMES), draw(st.none() | NAMES))
        kind: Any = "LSI" if local else "GSI"
        indexes.append(Index(f"i{number}", kind, own, projection, None if local else throughput()))
    types = dict.fromkeys((name for each in (key, *(index.key for index in indexes)) for name in each.attributes), "S")
    table = Table(draw(st.sampled_from(["sessions", "orders"])), key, types, tuple(indexes), throughput())  # type: ignore[arg-type]
    items = [
        {**{name: {"S": "x"} for name in key.attributes}, **item}
        for item in draw(st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=25))
    ]
    return DescribedTable(
        table,
        PLACE,
        knows=frozenset(draw(st.sets(st.sampled_from(["time to live", "auto scaling", "calls"])))),
        scaling={(index.name, "write"): TargetTracking(1, draw(UNITS)) for index in indexes if draw(st.booleans())},
        calls=tuple(Call("Query", index.name, "q", PLACE) for index in indexes if draw(st.booleans())),
        items=tuple(items),
        item_count=draw(st.none() | st.integers(1, 99)),
        size_bytes=draw(st.none() | st.integers(1, 9999)),
    )


@settings(deadline=None)
@given(described_tables())
def test_every_finding_has_finite_figures_and_a_remedy(described: DescribedTable) -> None:
    for finding in lint(Description("t.yaml", "CloudFormation template", (described,)), PRICES):
        assert finding.figures
        assert all(math.isfinite(value) for value in finding.figures.values())
        assert finding.remedy.endswith(".")


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats()
    | st.sampled_from(["2026-11-30T09:00:00Z", "2026-11-30T09:01:00Z", "ConsumedWriteCapacityUnits", "Sum"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["Id", "Label", "Timestamps", "Values", "Timestamp", "Sum", "Average", "SampleCount", "MetricStat",
             "Metric", "Dimensions", "Name", "Value", "Period", "Stat", "MetricDataQueries", "ExtendedStatistics"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip
POINTS = st.lists(
    st.dictionaries(st.sampled_from(["Timestamp", "Sum", "Average", "SampleCount", "ExtendedStatistics"]), ANY),
    max_size=3,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("metrics") / "answer.json"


@settings(deadline=None)
@given(
    content=st.fixed_dictionaries({"Label": st.just("ConsumedWriteCapacityUnits"), "Datapoints": POINTS})
    | st.fixed_dictionaries({"MetricDataResults": ANY})
    | ANY
    | st.text(max_size=60),
    statistic=st.sampled_from([None, "Sum"]),
)
def test_whatever_file_is_imported_is_sized_or_told_why_not(path: Path, content: Any, statistic: str | None) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(MetricImportError, SizingError):
        sizing(import_metrics([path], Whose("posts", statistic=statistic)).metrics, "posts", PRICES)
