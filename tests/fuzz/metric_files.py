"""Saved CloudWatch data as `meshcap import-metrics` reads it: answers, queries, the console's CSV."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from capacity.measurement.metric_import import MetricImportError, import_metrics
from capacity.measurement.metric_import_series import Whose
from tests.fuzz.mutations import damaged, json_garbage, mutated, scratch

_TIMES = ["2026-11-30T09:00:00+00:00", "2026-11-30T09:01:00+00:00"]
DOCUMENTS: list[Any] = [
    {
        "MetricDataResults": [
            {
                "Id": "w",
                "Label": "ConsumedWriteCapacityUnits",
                "Timestamps": _TIMES,
                "Values": [600.0, 1200.0],
                "StatusCode": "Complete",
            }
        ],
        "Messages": [],
    },
    {
        "Label": "ConsumedReadCapacityUnits",
        "Datapoints": [{"Timestamp": _TIMES[0], "Sum": 15.0, "SampleCount": 30.0, "Unit": "Count"}],
    },
]
CSV = 'Label,"posts ConsumedWriteCapacityUnits"\n2026/11/30 09:00:00,600\n2026/11/30 09:01:00,1200\n'


def contents() -> st.SearchStrategy[bytes]:
    return st.one_of(
        *(mutated(each, json_garbage).map(lambda value: json.dumps(value).encode()) for each in DOCUMENTS),
        *(damaged(json.dumps(each).encode()) for each in DOCUMENTS),
        damaged(CSV.encode()),
    )


def read(content: bytes) -> str:
    path = scratch() / "metrics"
    path.write_bytes(content)
    try:
        import_metrics([path], Whose("posts", None, None, "Sum", 60))
    except MetricImportError as error:
        refusal = str(error)
    else:
        return "read"
    assert len(refusal) < 1_000_000
    return "refused"
