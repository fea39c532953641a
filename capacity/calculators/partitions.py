"""How many partitions are there, and what does one of them get?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from capacity.calculators.answer import Answer, CalculatorError, amount
from capacity.dynamodb.on_demand import START
from capacity.dynamodb.partitions import (
    Change,
    Partitions,
    history,
    on_demand_partitions,
    partitions_by_size,
    partitions_by_throughput,
)
from capacity.dynamodb.table import Throughput


def partitions(
    read_units: float = 0.0,
    write_units: float = 0.0,
    *,
    size_gb: float = 0.0,
    then: Sequence[tuple[float, float]] = (),
    then_gb: Sequence[float] = (),
    on_demand: bool = False,
) -> Answer:
    """Partitions of a new table or GSI, and after each later setting of `then` (read, write units) and size of
    `then_gb`.

    Raises CalculatorError for negative numbers, and for throughput on demand.
    """
    if min(read_units, write_units, size_gb, *then_gb, *(unit for pair in then for unit in pair), 0) < 0:
        raise CalculatorError("units per second and GB are numbers from 0 up; example: --read 5000 --write 500 --gb 8")
    if on_demand:
        if read_units or write_units or then:
            raise CalculatorError(
                "an on-demand table has no provisioned throughput; leave --read, --write and --then out"
            )
        return _on_demand(size_gb, then_gb)
    start = Partitions.new(Throughput(read_units, write_units), size_gb)
    changes = [Change(throughput=Throughput(*pair)) for pair in then] + [Change(size_gb=each) for each in then_gb]
    steps = list(history(start, changes))
    last = steps[-1]
    figures: dict[str, Any] = {
        "by_throughput": partitions_by_throughput(start.throughput),
        "by_size": partitions_by_size(size_gb),
        "steps": [_step(each) for each in steps],
        "dilution": last.dilution,
    }
    lines = [
        (
            "by throughput",
            f"{amount(read_units)}/3000 + {amount(write_units)}/1000 = {amount(figures['by_throughput'])}",
        ),
        ("by size", f"{amount(size_gb)}/10 = {amount(partitions_by_size(size_gb))}"),
        *((_label(each), _share(each)) for each in steps),
    ]
    notes = ["The larger of both, rounded up; increases split partitions in two, decreases never merge them."]
    if last.dilution > 1:
        notes.append(
            f"Diluted: a new table of this setting would have {_counted(round(last.count / last.dilution))}, "
            f"so each gets {amount(last.dilution)} times less than there. Adaptive capacity evens this out today."
        )
    return Answer(figures, lines, notes)


def _on_demand(size_gb: float, then_gb: Sequence[float]) -> Answer:
    count = on_demand_partitions()
    start = Partitions((1 / count,) * count, START, 0.0).grown(size_gb)
    steps = list(history(start, [Change(size_gb=each) for each in then_gb]))
    lines = [
        ("new on-demand table", f"{amount(START.read_units)} reads/s and {amount(START.write_units)} writes/s at once"),
        *(
            (f"{amount(each.size_gb)} GB", f"{each.count} partitions of 3,000 reads/s and 1,000 writes/s")
            for each in steps
        ),
    ]
    figures = {"steps": [{"partitions": each.count, "size_gb": each.size_gb} for each in steps]}
    return Answer(
        figures, lines, ["One partition key reaches 3,000 reads/s and 1,000 writes/s, whatever the table does."]
    )


def _step(partitions: Partitions) -> dict[str, float]:
    return {
        "read_units": partitions.throughput.read_units,
        "write_units": partitions.throughput.write_units,
        "size_gb": partitions.size_gb,
        "partitions": partitions.count,
        "read_units_each": partitions.share.read_units,
        "write_units_each": partitions.share.write_units,
        "largest_gb": partitions.largest_gb,
    }


def _label(partitions: Partitions) -> str:
    throughput = partitions.throughput
    return f"{amount(throughput.read_units)} RCU, {amount(throughput.write_units)} WCU, {amount(partitions.size_gb)} GB"


def _share(partitions: Partitions) -> str:
    share = partitions.share
    return (
        f"{_counted(partitions.count)} of {amount(share.read_units)} RCU, "
        f"{amount(share.write_units)} WCU, {amount(partitions.largest_gb)} GB"
    )


def _counted(partitions: int) -> str:
    return f"{partitions} partition{'' if partitions == 1 else 's'}"
