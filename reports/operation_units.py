"""Units that one request of each operation consumes, as a run shows them."""

from __future__ import annotations

import numpy as np

from reports.attribution import attribute
from reports.run import Run


def _of_readings(run: Run) -> dict[tuple[str, str, str], float]:
    """What a whole reading of a timeline takes: that of its pages, however many Queries they were."""
    comparison = run.comparison
    operations = {} if comparison is None else {each.name: each for each in comparison.operations}
    page, reading = operations.get("page"), operations.get("reading")
    if page is None or reading is None or not reading.sent:
        return {}
    return {
        ("reading", resource, kind): units[kind] / reading.sent
        for resource, units in page.units_sent.items()
        for kind in units
        if units[kind]
    }


def units_per_request(run: Run) -> dict[tuple[str, str, str], float]:
    """Return units per request by (operation, table or index, kind).

    They are the model's for what was sent, corrected by what the measurement shows beyond the model where one operation
    accounts for it.
    """
    comparison, requests = run.comparison, run.requests
    if comparison is None:
        return {}
    is_mesh = run.record.scenario.workload.name == "mesh"
    found: dict[tuple[str, str, str], float] = {}
    for operation in comparison.operations:
        # Mesh's refused operations have read before; a refused call to DynamoDB itself has consumed nothing.
        charged = operation.sent if is_mesh else operation.sent - operation.refused
        for resource, units in operation.units_sent.items() if charged else ():
            found |= {(operation.name, resource, kind): units[kind] / charged for kind in units}
    found |= _of_readings(run)
    if requests is None:
        return found
    for series in comparison.series:
        if all(value is None for value in series.measured):
            continue
        start_s = np.asarray(series.start_s) - run.start.timestamp()
        edges_s = np.append(start_s, start_s[-1] + series.period_s)
        able = {
            operation.name
            for operation in comparison.operations
            if any(units[series.kind] for units in operation.units_sent.values())
        }
        middle_s = requests.start_s + np.nan_to_num(requests.raw_ms) / 2000  # as the model of what was sent counts
        counts = {
            name: np.histogram(middle_s[requests.operation == number], edges_s)[0].astype(float)
            for number, name in enumerate(requests.operations)
            if name in able
        }
        measured = np.array([0.0 if value is None else value for value in series.measured])
        for surplus in attribute(measured - np.asarray(series.sent), counts):
            key = (surplus.operation, series.resource, series.kind)
            found[key] = found.get(key, 0.0) + surplus.units_per_request
    return found
